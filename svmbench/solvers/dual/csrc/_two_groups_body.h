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

/* a < b ? a : b in each lane. */
TARGET INLINE vf VARIANT(under)(vf a, vf b)
{
#if LEVEL >= 2
    return (vf)_mm512_min_ps((__m512)a, (__m512)b);
#elif LEVEL == 1
    return (vf)_mm256_min_ps((__m256)a, (__m256)b);
#else
    const vi first = a < b;
    return (vf)((first & (vi)a) | (~first & (vi)b));
#endif
}

/* 1 / x for x > 0, to 11 bits at least. */
TARGET INLINE vf VARIANT(reciprocal)(vf x)
{
#if LEVEL >= 2
    return (vf)_mm512_rcp14_ps((__m512)x);
#elif LEVEL == 1
    return (vf)_mm256_rcp_ps((__m256)x);
#else
    return 1.0f / x;
#endif
}

/* One bit for each lane that is equal to a value. */
TARGET INLINE uint32_t VARIANT(equal)(vf values, float wanted)
{
#if LEVEL >= 2
    return _mm512_cmp_ps_mask((__m512)values, _mm512_set1_ps(wanted), _CMP_EQ_OQ);
#elif LEVEL == 1
    return (uint32_t)_mm256_movemask_ps((__m256)(values == wanted));
#else
    uint32_t found = 0;
    for (int lane = 0; lane < WIDTH; lane++)
        found |= (uint32_t)(values[lane] == wanted) << lane;
    return found;
#endif
}

/* The highest lane, found by halving. */
TARGET INLINE float VARIANT(highest)(vf values)
{
#if LEVEL >= 2
    return _mm512_reduce_max_ps((__m512)values);
#else
    float lanes[WIDTH];
    __builtin_memcpy(lanes, &values, sizeof lanes);
#pragma GCC unroll 4
    for (int half = WIDTH / 2; half > 0; half /= 2)
#pragma GCC unroll 8
        for (int lane = 0; lane < half; lane++)
            lanes[lane] = lanes[lane + half] > lanes[lane] ? lanes[lane + half] : lanes[lane];
    return lanes[0];
#endif
}

/* The highest number of each lane so far, and its chunk. */
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

/* The highest number, and the beginning of a chunk where it was. */
TARGET INLINE float VARIANT(winner)(const leader *best, ptrdiff_t *begin)
{
    const float value = VARIANT(highest)(best->value);
    const uint32_t same = VARIANT(equal)(best->value, value);
    int32_t chunks[WIDTH];
    __builtin_memcpy(chunks, &best->where, sizeof chunks);
    *begin = same ? chunks[__builtin_ctz(same)] * (ptrdiff_t)CHUNK : 0;
    return value;
}

/* The first of the numbers of a chunk that is equal to a value, and that is there. */
TARGET INLINE ptrdiff_t VARIANT(first_of)(const vf *values, float wanted)
{
    uint32_t same = 0;
#pragma GCC unroll 4
    for (int c = 0; c < CHAINS; c++)
        same |= VARIANT(equal)(values[c], wanted) << (c * WIDTH);
    return same ? __builtin_ctz(same) : 0;
}

/* Subtracts step (row_i - row_j) from the values; returns the highest one that can move up and its place, and the
 * lowest one that can move down. */
TARGET INLINE float VARIANT(move_pair)(two_groups *set, const float *row_i, const float *row_j, float step,
                                       ptrdiff_t *place, float *low)
{
    const vf never = -INFINITY - (vf){0};
    leader best = {never, (vi){0}};
    vf least = INFINITY - (vf){0}, movable[CHAINS];
    vi chunk = {0};
    const ptrdiff_t stride = set->stride;
    float *rising = set->rising, *falling = set->falling;
    for (ptrdiff_t k = 0; k < stride; k += CHUNK, chunk += 1) {
        vf top = never;
#pragma GCC unroll 4
        for (int c = 0; c < CHAINS; c++) {
            const ptrdiff_t at = k + c * WIDTH;
            const vf change = LOAD(row_i + at) - LOAD(row_j + at);
            const vf up = LOAD(rising + at) - step * change, down = LOAD(falling + at) - step * change;
            STORE(rising + at, up);
            STORE(falling + at, down);
            top = VARIANT(above)(up, top);
            least = VARIANT(under)(down, least);
        }
        VARIANT(compete)(&best, top, chunk);
    }
    ptrdiff_t begin;
    const float high = VARIANT(winner)(&best, &begin);
    *low = -VARIANT(highest)(-least);
#pragma GCC unroll 4
    for (int c = 0; c < CHAINS; c++)
        movable[c] = LOAD(rising + begin + c * WIDTH);
    *place = begin + VARIANT(first_of)(movable, high);
    return high;
}

/* A partner of the highest with the largest gain to second order, below^2 / curvature, or within 0.1 % of it. The last
 * bits of a gain are the number of its chunk, so that one maximum finds both, without a division or a branch. If single
 * precision holds no gain, as of values of 1e20, it is the lowest. */
TARGET INLINE ptrdiff_t VARIANT(partner)(const two_groups *set, const float *row, float high, float own)
{
    enum { LAST = (1 << 12) - 1 };
    const vf least = 1e-12f - (vf){0};
    vf best[CHAINS] = {{0}}, top = {0};
    vi chunk = {0};
    for (ptrdiff_t k = 0; k < set->stride; k += CHUNK, chunk += 1) {
#pragma GCC unroll 4
        for (int c = 0; c < CHAINS; c++) {
            const ptrdiff_t at = k + c * WIDTH;
            const vf below = VARIANT(above)(high - LOAD(set->falling + at), (vf){0});
            const vf curvature = VARIANT(above)(own + LOAD(set->diagonal + at) - 2.0f * LOAD(row + at), least);
            const vf gain = below * below * VARIANT(reciprocal)(curvature);
            best[c] = VARIANT(above)((vf)(((vi)gain & ~LAST) | chunk), best[c]);
        }
    }
#pragma GCC unroll 4
    for (int c = 0; c < CHAINS; c++)
        top = VARIANT(above)(best[c], top);
    const float most = VARIANT(highest)(top);
    int32_t bits;
    __builtin_memcpy(&bits, &most, sizeof bits);
    return bits > LAST ? (bits & LAST) * (ptrdiff_t)CHUNK + VARIANT(first_of)(best, most) : lowest(set);
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
        const double slope = (double)high - set->falling[j];
        step = slope / (curvature > 0.0 ? curvature : 1e-12);
        step = step < room_i ? step : room_i;
        step = step < room_j ? step : room_j;
        set->beta[i] = step == room_i ? set->most[i] : set->beta[i] + step;
        set->beta[j] = step == room_j ? set->least[j] : set->beta[j] - step;
        set->dual += step * (slope - 0.5 * step * curvature);
        mark(set, i);
        mark(set, j);
    }
}

/* values = those of the set, plus a constant. */
TARGET static void VARIANT(read)(const two_groups *set, double center, double *values)
{
    for (ptrdiff_t k = 0; k < set->stride; k++)
        values[k] = center + value_of(set, k);
}

TARGET static ptrdiff_t VARIANT(count)(const two_groups *set, float reach)
{
    int32_t count = 0;
    for (ptrdiff_t k = 0; k < set->stride; k++)
        count += svmbench_two_groups_may_change(set, k, reach);
    return count;
}

/* The sum of the lanes. */
TARGET INLINE double VARIANT(total)(vd lanes)
{
    double sum = 0.0;
    for (int lane = 0; lane < BYTES / 8; lane++)
        sum += lanes[lane];
    return sum;
}

TARGET INLINE vd VARIANT(doubles)(const double *from)
{
    vd numbers;
    __builtin_memcpy(&numbers, from, sizeof numbers);
    return numbers;
}

/* The mean value of the free coefficients, or the middle between those that can move. */
TARGET INLINE double VARIANT(middle)(const working_set *part)
{
    const vl lowest = (vl)(-INFINITY - (vd){0}), highest = (vl)(INFINITY - (vd){0});
    vd sum = {0}, high = (vd)lowest, low = (vd)highest;
    vl free = {0};
    double most = -INFINITY, least = INFINITY, count = 0.0;
    for (ptrdiff_t k = 0; k < part->stride; k += BYTES / 8) {
        const vd beta = VARIANT(doubles)(part->beta + k), value = VARIANT(doubles)(part->values + k);
        const vl up = beta < VARIANT(doubles)(part->most + k), down = beta > VARIANT(doubles)(part->least + k);
        free -= up & down;
        sum += (vd)(up & down & (vl)value);
        high = VARIANT(larger)((vd)((up & (vl)value) | (~up & lowest)), high);
        low = VARIANT(smaller)((vd)((down & (vl)value) | (~down & highest)), low);
    }
    for (int lane = 0; lane < BYTES / 8; lane++) {
        most = high[lane] > most ? high[lane] : most;
        least = low[lane] < least ? low[lane] : least;
        count += (double)free[lane];
    }
    return count > 0.0 ? VARIANT(total)(sum) / count : 0.5 * most + 0.5 * least;
}

TARGET static double VARIANT(dual)(const working_set *part, const double *gains)
{
    vd twice = {0};
    for (ptrdiff_t k = 0; k < part->stride; k += BYTES / 8)
        twice += VARIANT(doubles)(part->beta + k) *
                 (VARIANT(doubles)(gains + k) + VARIANT(doubles)(part->values + k));
    return 0.5 * VARIANT(total)(twice);
}

/* A variable adds its value less the bias, times the way to the bound that it is drawn to. */
TARGET static double VARIANT(gap)(const working_set *part, double dual, int balanced)
{
    const double bias = balanced ? VARIANT(middle)(part) : 0.0;
    vd terms = {0};
    for (ptrdiff_t k = 0; k < part->stride; k += BYTES / 8) {
        const vd beta = VARIANT(doubles)(part->beta + k), above = VARIANT(doubles)(part->values + k) - bias;
        terms += VARIANT(larger)((VARIANT(doubles)(part->most + k) - beta) * above,
                                 (VARIANT(doubles)(part->least + k) - beta) * above);
    }
    const double gap = VARIANT(total)(terms);
    return dual + gap > 0.0 ? gap / (dual + gap) : 0.0;
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
            rows[count] = set->kernel + set->slots[k] * set->stride;
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
