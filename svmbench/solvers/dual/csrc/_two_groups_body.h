/* The passes of two_groups.c. A pass finds a maximum alone; where it is, is found afterwards, since to carry places
 * along takes longer than all else in a pass. CHAINS registers at a time, so that none waits for another. */
#undef WIDTH
#undef CHAINS
#define WIDTH (BYTES / 4)
#define CHAINS (TWO_GROUPS_PAD / WIDTH < 4 ? TWO_GROUPS_PAD / WIDTH : 4)

typedef float VARIANT(some) __attribute__((vector_size(BYTES), may_alias, aligned(4)));

#undef LOAD
#undef STORE
#define LOAD(from) (*(const VARIANT(some) *)(from))
#define STORE(to, value) (*(VARIANT(some) *)(to) = (value))

/* a > b ? a : b in each lane. */
TARGET INLINE vf VARIANT(above)(vf a, vf b)
{
#if LEVEL >= 2
    return (vf)_mm512_max_ps((__m512)a, (__m512)b);
#elif LEVEL == 1
    return (vf)_mm256_max_ps((__m256)a, (__m256)b);
#else
    const vi first = a > b;
    return (vf)((first & (vi)a) | (~first & (vi)b));
#endif
}

TARGET INLINE float VARIANT(highest)(const vf *best)
{
    float found = best[0][0];
    for (int c = 0; c < CHAINS; c++)
        for (int lane = 0; lane < WIDTH; lane++)
            found = best[c][lane] > found ? best[c][lane] : found;
    return found;
}

/* The first place where x is `wanted`, which it is somewhere. */
TARGET INLINE ptrdiff_t VARIANT(first_place)(const float *x, ptrdiff_t n, float wanted)
{
    for (ptrdiff_t k = 0; k < n; k += CHAINS * WIDTH) {
        vi same = {0};
#pragma GCC unroll 4
        for (int c = 0; c < CHAINS; c++)
            same |= LOAD(x + k + c * WIDTH) == wanted;
        for (int lane = 0; lane < WIDTH; lane++)
            if (same[lane])
                for (ptrdiff_t t = k;; t++)
                    if (x[t] == wanted)
                        return t;
    }
    return 0;
}

/* values -= step (row_i - row_j); returns the highest value that can move up and its place, and the lowest one that can
 * move down. */
TARGET INLINE float VARIANT(move_pair)(two_groups *set, const float *row_i, const float *row_j, float step,
                                       ptrdiff_t *place, float *low)
{
    vf best[CHAINS], least[CHAINS];
    float *values = set->values, *gains = set->gains;
#pragma GCC unroll 4
    for (int c = 0; c < CHAINS; c++)
        best[c] = least[c] = -INFINITY - (vf){0};
    for (ptrdiff_t k = 0; k < set->stride; k += CHAINS * WIDTH)
#pragma GCC unroll 4
        for (int c = 0; c < CHAINS; c++) {
            const ptrdiff_t at = k + c * WIDTH;
            const vf value = LOAD(values + at) - step * (LOAD(row_i + at) - LOAD(row_j + at));
            const vf movable = value + LOAD(set->up + at);
            STORE(values + at, value);
            STORE(gains + at, movable);
            best[c] = VARIANT(above)(movable, best[c]);
            least[c] = VARIANT(above)(-(value + LOAD(set->down + at)), least[c]);
        }
    const float high = VARIANT(highest)(best);
    *low = -VARIANT(highest)(least);
    *place = VARIANT(first_place)(gains, set->stride, high);
    return high;
}

/* The partner of the highest with the largest second-order gain. */
TARGET INLINE ptrdiff_t VARIANT(partner)(two_groups *set, const float *row, float high, float own)
{
    const vf zero = {0}, least = 1e-12f - (vf){0};
    vf best[CHAINS];
#pragma GCC unroll 4
    for (int c = 0; c < CHAINS; c++)
        best[c] = zero;
    for (ptrdiff_t k = 0; k < set->stride; k += CHAINS * WIDTH)
#pragma GCC unroll 4
        for (int c = 0; c < CHAINS; c++) {
            const ptrdiff_t at = k + c * WIDTH;
            const vf below = VARIANT(above)(high - (LOAD(set->values + at) + LOAD(set->down + at)), zero);
            const vf curvature = own + LOAD(set->diagonal + at) - 2.0f * LOAD(row + at);
            const vf gain = below * below / VARIANT(above)(curvature, least);
            STORE(set->gains + at, gain);
            best[c] = VARIANT(above)(gain, best[c]);
        }
    return VARIANT(first_place)(set->gains, set->stride, VARIANT(highest)(best));
}

TARGET static int64_t VARIANT(make_steps)(two_groups *set, double eps, int64_t steps)
{
    const float *row_i = set->kernel, *row_j = row_i;
    double step = 0.0;
    for (int64_t made = 0;; made++) {
        ptrdiff_t i, j;
        float low;
        const float high = VARIANT(move_pair)(set, row_i, row_j, (float)step, &i, &low);
        if (!((double)high - (double)low >= eps) || made == steps)
            return made;
        row_i = kernel_row(set, i);
        j = VARIANT(partner)(set, row_i, high, set->diagonal[i]);
        row_j = kernel_row(set, j);
        const double curvature = (double)set->diagonal[i] + (double)set->diagonal[j] - 2.0 * row_i[j];
        const double room_i = set->most[i] - set->beta[i], room_j = set->beta[j] - set->least[j];
        step = ((double)high - set->values[j]) / (curvature > 0.0 ? curvature : 1e-12);
        step = step < room_i ? step : room_i;
        step = step < room_j ? step : room_j;
        set->beta[i] = step == room_i ? set->most[i] : set->beta[i] + step;
        set->beta[j] = step == room_j ? set->least[j] : set->beta[j] - step;
        mark(set, i);
        mark(set, j);
    }
}

/* Rows are added BESIDE at a time, so that sums are read and written less often. */
TARGET static void VARIANT(add_rows)(const two_groups *set, double *sums)
{
    enum { BESIDE = 4 };
    const float *rows[BESIDE];
    double factors[BESIDE] = {0.0};
    int count = 0;
    memset(sums, 0, (size_t)set->stride * sizeof *sums);
    for (ptrdiff_t k = 0; k < set->stride; k++) {
        if (set->beta[k] != 0.0) {
            rows[count] = set->kernel + k * set->stride;
            factors[count++] = set->beta[k];
        }
        if (count == BESIDE || (count && k + 1 == set->stride)) {
            for (; count < BESIDE; count++) {
                rows[count] = rows[0];
                factors[count] = 0.0;
            }
            for (ptrdiff_t t = 0; t < set->stride; t += BYTES / 8) {
                vd sum;
                __builtin_memcpy(&sum, sums + t, sizeof sum);
#pragma GCC unroll 4
                for (int r = 0; r < BESIDE; r++)
                    sum += factors[r] * VARIANT(widen)(rows[r] + t);
                __builtin_memcpy(sums + t, &sum, sizeof sum);
            }
            count = 0;
        }
    }
}
