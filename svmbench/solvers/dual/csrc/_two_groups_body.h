/* The passes of two_groups.c, a chunk at a time: CHAINS registers, so that none waits for another. To carry places
 * along takes longer than all else in a pass, so only the chunk of a maximum is carried, and searched afterwards. */
#include "svmbench/simd/csrc/doubles.h"

#undef WIDTH
#undef CHAINS
#undef CHUNK
#define WIDTH (BYTES / 4)
#define CHAINS (TWO_GROUPS_PAD / WIDTH < 4 ? TWO_GROUPS_PAD / WIDTH : 4)
#define CHUNK (CHAINS * WIDTH)

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

/* One bit for each lane that is marked. */
TARGET INLINE uint32_t VARIANT(bits)(vi marks)
{
#if LEVEL >= 2
    return _mm512_movepi32_mask((__m512i)marks);
#elif LEVEL == 1
    return (uint32_t)_mm256_movemask_ps((__m256)marks);
#else
    uint32_t found = 0;
    for (int lane = 0; lane < WIDTH; lane++)
        found |= (uint32_t)(marks[lane] & 1) << lane;
    return found;
#endif
}

TARGET INLINE int VARIANT(any_positive)(vf values)
{
#if LEVEL >= 2
    return _mm512_cmp_ps_mask((__m512)values, _mm512_setzero_ps(), _CMP_GT_OQ) != 0;
#else
    return VARIANT(bits)(values > 0.0f) != 0;
#endif
}

/* The highest lane, found by halving. */
TARGET INLINE float VARIANT(highest)(vf values)
{
    float lanes[WIDTH];
    __builtin_memcpy(lanes, &values, sizeof lanes);
#pragma GCC unroll 4
    for (int half = WIDTH / 2; half > 0; half /= 2)
#pragma GCC unroll 8
        for (int lane = 0; lane < half; lane++)
            lanes[lane] = lanes[lane + half] > lanes[lane] ? lanes[lane + half] : lanes[lane];
    return lanes[0];
}

/* The highest number of each lane so far, and the chunk where it was first. */
typedef struct {
    vf value;
    vi where;
} VARIANT(leader);
#undef leader
#define leader VARIANT(leader)

TARGET INLINE void VARIANT(compete)(leader *best, vf top, vi chunk)
{
    const vi more = top > best->value;
    best->value = VARIANT(above)(top, best->value);
    best->where = (more & chunk) | (~more & best->where);
}

/* The highest number, and the beginning of the chunk where it was first. */
TARGET INLINE float VARIANT(winner)(const leader *best, ptrdiff_t *begin)
{
    const float value = VARIANT(highest)(best->value);
    int32_t chunk = INT32_MAX;
#pragma GCC unroll 16
    for (int lane = 0; lane < WIDTH; lane++) {
        const int32_t here = best->value[lane] == value ? best->where[lane] : INT32_MAX;
        chunk = here < chunk ? here : chunk;
    }
    *begin = chunk < INT32_MAX ? chunk * (ptrdiff_t)CHUNK : 0;
    return value;
}

/* The first of the numbers of a chunk that is equal to a value, and that is there. */
TARGET INLINE ptrdiff_t VARIANT(first_of)(const vf *values, float wanted)
{
    uint32_t same = 0;
#pragma GCC unroll 4
    for (int c = 0; c < CHAINS; c++)
        same |= VARIANT(bits)(values[c] == wanted) << (c * WIDTH);
    return same ? __builtin_ctz(same) : 0;
}

/* values -= step (row_i - row_j); returns the highest value that can move up and its place, and the lowest one that can
 * move down. */
TARGET INLINE float VARIANT(move_pair)(two_groups *set, const float *row_i, const float *row_j, float step,
                                       ptrdiff_t *place, float *low)
{
    const vf never = -INFINITY - (vf){0};
    leader best = {never, (vi){0}};
    vf least = never, movable[CHAINS];
    vi chunk = {0};
    const float *up = set->up, *down = set->down;
    const ptrdiff_t stride = set->stride;
    float *values = set->values;
    for (ptrdiff_t k = 0; k < stride; k += CHUNK, chunk += 1) {
        vf top = never;
#pragma GCC unroll 4
        for (int c = 0; c < CHAINS; c++) {
            const ptrdiff_t at = k + c * WIDTH;
            const vf value = LOAD(values + at) - step * (LOAD(row_i + at) - LOAD(row_j + at));
            STORE(values + at, value);
            top = VARIANT(above)(value + LOAD(up + at), top);
            least = VARIANT(above)(-(value + LOAD(down + at)), least);
        }
        VARIANT(compete)(&best, top, chunk);
    }
    ptrdiff_t begin;
    const float high = VARIANT(winner)(&best, &begin);
    *low = -VARIANT(highest)(least);
#pragma GCC unroll 4
    for (int c = 0; c < CHAINS; c++)
        movable[c] = LOAD(values + begin + c * WIDTH) + LOAD(up + begin + c * WIDTH);
    *place = begin + VARIANT(first_of)(movable, high);
    return high;
}

/* How far a register of partners is below the highest, where they can move down, else 0. */
TARGET INLINE vf VARIANT(below)(const two_groups *set, float high, ptrdiff_t at)
{
    return VARIANT(above)(high - (LOAD(set->values + at) + LOAD(set->down + at)), (vf){0});
}

/* The curvature along a register of pairs. */
TARGET INLINE vf VARIANT(curvature)(const two_groups *set, const float *row, float own, ptrdiff_t at)
{
    const vf least = 1e-12f - (vf){0};
    return VARIANT(above)(own + LOAD(set->diagonal + at) - 2.0f * LOAD(row + at), least);
}

/* The gains of a register of partners to second order. */
TARGET INLINE vf VARIANT(gain)(const two_groups *set, const float *row, float high, float own, ptrdiff_t at)
{
    const vf below = VARIANT(below)(set, high, at);
    return below * below / VARIANT(curvature)(set, row, own, at);
}

/* The first partner of the highest with the largest gain. As in the working set, gains are computed only for the chunks
 * where multiplication shows that they may exceed the best of those before. */
TARGET INLINE ptrdiff_t VARIANT(partner)(const two_groups *set, const float *row, float high, float own)
{
    const vf zero = {0};
    ptrdiff_t which = 0;
    float best = 0.0f;
    for (ptrdiff_t k = 0; k < set->stride; k += CHUNK) {
        const float bar = best * (1.0f - 1e-5f); /* rounding of the bound does not decide */
        vf gains[CHAINS], top = {0};
#pragma GCC unroll 4
        for (int c = 0; c < CHAINS; c++) {
            const vf below = VARIANT(below)(set, high, k + c * WIDTH);
            top = VARIANT(above)(below * below - bar * VARIANT(curvature)(set, row, own, k + c * WIDTH), top);
        }
        if (!VARIANT(any_positive)(top))
            continue;
        top = zero;
#pragma GCC unroll 4
        for (int c = 0; c < CHAINS; c++) {
            gains[c] = VARIANT(gain)(set, row, high, own, k + c * WIDTH);
            top = VARIANT(above)(gains[c], top);
        }
        const float most = VARIANT(highest)(top);
        if (most > best) {
            best = most;
            which = k + VARIANT(first_of)(gains, most);
        }
    }
    return which;
}

TARGET static int64_t VARIANT(make_steps)(two_groups *set, double eps, int64_t steps)
{
    const float *row_i = set->kernel, *row_j = row_i;
    double step = 0.0;
    for (int64_t made = 0;; made++) {
        ptrdiff_t i, j;
        const float high = VARIANT(move_pair)(set, row_i, row_j, (float)step, &i, &set->low);
        set->high = high;
        if (!((double)high - (double)set->low >= eps) || made == steps)
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

/* A whole run is written, and what is too much of it overwritten by the next one. */
TARGET static void VARIANT(pick)(const picks *chosen, const float *row, float *packed)
{
    const picks own = *chosen;
    for (ptrdiff_t run = 0; run < own.runs; run++) {
        const float *from = row + own.from[run];
        float *to = packed + own.to[run];
        const int32_t *lanes = own.lanes + run * PICKED;
#if LEVEL >= 1
        if (own.to[run] + PICKED <= own.stride) {
            const __m256i order = _mm256_loadu_si256((const __m256i *)lanes);
            _mm256_storeu_ps(to, _mm256_permutevar8x32_ps(_mm256_loadu_ps(from), order));
            continue;
        }
#endif
        const ptrdiff_t next = run + 1 < own.runs ? own.to[run + 1] : own.count;
        for (ptrdiff_t t = 0; t < next - own.to[run]; t++)
            to[t] = from[lanes[t]];
    }
    memset(packed + own.count, 0, (size_t)(own.stride - own.count) * sizeof *packed);
}
