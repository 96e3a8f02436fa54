/* The passes of passes.h, eight values at a time; compiled once for each instruction set. */
#include "doubles.h"

#undef WIDTH
#undef CHAINS
#define WIDTH (BYTES / 8)    /* float64 numbers in a register */
#define CHAINS (8 / WIDTH)   /* registers that hold eight of them */

typedef double VARIANT(doubles) __attribute__((vector_size(BYTES), may_alias, aligned(8)));
typedef int64_t VARIANT(longs) __attribute__((vector_size(BYTES)));

/* Which numbers of a register are selected, how many have been, and registers of floor and ceiling. */
#undef mask
#undef tallied
#define mask VARIANT(mask)
#define tallied VARIANT(tallied)
#if LEVEL >= 2
typedef __mmask8 mask;
typedef int64_t tallied;
#else
typedef VARIANT(longs) mask;
typedef VARIANT(longs) tallied;
#endif

TARGET INLINE vd VARIANT(all)(double value) { return value - (vd){0}; }

TARGET INLINE mask VARIANT(less)(vd a, vd b)
{
#if LEVEL >= 2
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ);
#else
    return a < b;
#endif
}

/* Which of WIDTH numbers are negative. */
TARGET INLINE mask VARIANT(negative)(const float *signs)
{
#if LEVEL >= 2
    return _mm256_movepi32_mask(_mm256_loadu_si256((const __m256i *)signs));
#else
    return VARIANT(widen)(signs) < VARIANT(all)(0.0);
#endif
}

TARGET INLINE vd VARIANT(pick)(mask which, vd yes, vd no)
{
#if LEVEL >= 2
    return (vd)_mm512_mask_mov_pd((__m512d)no, which, (__m512d)yes);
#else
    return (vd)((which & (mask)yes) | (~which & (mask)no));
#endif
}

/* One bit for each number. */
TARGET INLINE unsigned VARIANT(bits)(mask which)
{
#if LEVEL >= 2
    return which;
#elif LEVEL == 1
    return (unsigned)_mm256_movemask_pd((__m256d)which);
#elif defined(__x86_64__)
    return (unsigned)_mm_movemask_pd((__m128d)which);
#else
    return (unsigned)((which[0] & 1) | (which[1] & 2));
#endif
}

/* Eight interleaved partial sums, and the count of their numbers. */
typedef struct {
    vd sum[CHAINS];
    tallied count[CHAINS];
} VARIANT(tally);

TARGET INLINE tallied VARIANT(one_more)(tallied count, mask which)
{
#if LEVEL >= 2
    return count + __builtin_popcount(which);
#else
    return count - which;
#endif
}

/* Adds the selected values to the sum and the count. */
TARGET INLINE vd VARIANT(plus)(vd sum, mask which, vd value)
{
#if LEVEL >= 2
    return (vd)_mm512_mask_add_pd((__m512d)sum, which, (__m512d)sum, (__m512d)value);
#else
    return sum + (vd)(which & (mask)value);
#endif
}

TARGET INLINE void VARIANT(note)(VARIANT(tally) *tally, const int chain, mask which, vd value)
{
    tally->sum[chain] = VARIANT(plus)(tally->sum[chain], which, value);
    tally->count[chain] = VARIANT(one_more)(tally->count[chain], which);
}

TARGET INLINE ptrdiff_t VARIANT(counted)(const tallied *counts)
{
    int64_t lanes[LEVEL >= 2 ? CHAINS : 8];
    ptrdiff_t result = 0;
    __builtin_memcpy(lanes, counts, sizeof lanes);
    for (size_t lane = 0; lane < sizeof lanes / sizeof *lanes; lane++)
        result += (ptrdiff_t)lanes[lane];
    return result;
}

/* The partial sums plus the sum of the last values, fewer than eight. */
TARGET INLINE double VARIANT(together)(const vd *sums, double rest)
{
    double s[8];
    __builtin_memcpy(s, sums, sizeof s);
    return (((s[0] + s[2]) + (s[4] + s[6])) + ((s[1] + s[3]) + (s[5] + s[7]))) + rest;
}

TARGET INLINE void VARIANT(close)(const VARIANT(tally) *tally, double rest, ptrdiff_t rest_count, double *sum,
                                  ptrdiff_t *count)
{
    *sum += VARIANT(together)(tally->sum, rest);
    *count += rest_count + VARIANT(counted)(tally->count);
}

/* Several blocks side by side, so that no sum waits for another. */
TARGET INLINE void VARIANT(sum_below_blocks)(const double *x, ptrdiff_t n, const int blocks, double level, double *sum,
                                          ptrdiff_t *count)
{
    VARIANT(tally) tally[4];
    __builtin_memset(tally, 0, sizeof tally);
    ptrdiff_t j = 0;
    for (; j + 8 <= n; j += 8)
#pragma GCC unroll 4
        for (int b = 0; b < blocks; b++)
#pragma GCC unroll 4
            for (int chain = 0; chain < CHAINS; chain++) {
                const vd value = *(const VARIANT(doubles) *)(x + b * BLOCK + j + chain * WIDTH);
                VARIANT(note)(&tally[b], chain, VARIANT(less)(value, VARIANT(all)(level)), value);
            }
    for (int b = 0; b < blocks; b++) {
        double rest = 0.0;
        ptrdiff_t rest_count = 0;
        for (ptrdiff_t k = b * BLOCK + j; k < b * BLOCK + n; k++) {
            rest += x[k] < level ? x[k] : 0.0;
            rest_count += x[k] < level;
        }
        VARIANT(close)(&tally[b], rest, rest_count, sum, count);
    }
}

TARGET static void VARIANT(sum_below)(const double *x, ptrdiff_t n, double level, double *sum, ptrdiff_t *count)
{
    enum { BESIDE = CHAINS < 4 ? 4 / CHAINS : 1 };
    ptrdiff_t begin = 0;
    *sum = 0.0;
    *count = 0;
    for (; begin + BESIDE * BLOCK <= n; begin += BESIDE * BLOCK)
        VARIANT(sum_below_blocks)(x + begin, BLOCK, BESIDE, level, sum, count);
    for (; begin < n; begin += BLOCK)
        VARIANT(sum_below_blocks)(x + begin, n - begin < BLOCK ? n - begin : BLOCK, 1, level, sum, count);
}

/* signs[j] row[j], WIDTH of them; exact. */
TARGET INLINE vd VARIANT(signed_row)(const float *signs, const float *row)
{
#if LEVEL >= 2
    return (vd)_mm512_cvtps_pd(_mm256_mul_ps(_mm256_loadu_ps(signs), _mm256_loadu_ps(row)));
#elif LEVEL == 1
    return (vd)_mm256_cvtps_pd(_mm_mul_ps(_mm_loadu_ps(signs), _mm_loadu_ps(row)));
#else
    return VARIANT(widen)(signs) * VARIANT(widen)(row);
#endif
}

/* At most one block. */
TARGET static void VARIANT(sample)(const double *x, const float *signs, const float *row, ptrdiff_t n, double level,
                                   double *sum, ptrdiff_t *count)
{
    VARIANT(tally) tally;
    __builtin_memset(&tally, 0, sizeof tally);
    ptrdiff_t j = 0;
    for (; j + 8 <= n; j += 8)
#pragma GCC unroll 4
        for (int chain = 0; chain < CHAINS; chain++) {
            const ptrdiff_t at = j + chain * WIDTH;
            const vd value = *(const VARIANT(doubles) *)(x + at);
            VARIANT(note)(&tally, chain, VARIANT(less)(value, VARIANT(all)(level)),
                          VARIANT(signed_row)(signs + at, row + at));
        }
    double rest = 0.0;
    ptrdiff_t rest_count = 0;
    for (; j < n; j++) {
        rest += x[j] < level ? (double)signs[j] * (double)row[j] : 0.0;
        rest_count += x[j] < level;
    }
    VARIANT(close)(&tally, rest, rest_count, sum, count);
}

TARGET static void VARIANT(add_row)(double *x, const float *signs, const float *row, ptrdiff_t n, double factor)
{
    ptrdiff_t j = 0;
    for (; j + WIDTH <= n; j += WIDTH)
        *(VARIANT(doubles) *)(x + j) += factor * VARIANT(signed_row)(signs + j, row + j);
    for (; j < n; j++)
        x[j] += factor * ((double)signs[j] * (double)row[j]);
}

/* Into the band. */
TARGET INLINE void VARIANT(keep)(svmbench_band *band, const int classes, const int s, double value, ptrdiff_t owner)
{
    band->values[s][band->count[s]] = value;
    if (classes == 2)
        band->owners[s][band->count[s]] = owner;
    band->count[s]++;
}

/* Move the last values, fewer than eight, put each where it belongs, and return the sum of those below the band. */
TARGET INLINE double VARIANT(one_by_one)(double *x, double *total, const float *signs, const float *row,
                                         ptrdiff_t first, ptrdiff_t end, double step, double scale, const int action,
                                         const int classes, svmbench_band *band)
{
    double sum = 0.0;
    for (ptrdiff_t j = first; j < end; j++) {
        const int s = classes == 2 && signs[j] < 0.0f;
        const double old = x[j];
        if (action != LOOKING)
            x[j] = scale * (old + step * ((double)signs[j] * (double)row[j]));
        if (action == MOVING_AND_ADDING)
            total[j] = (total[j] + old) + x[j];
        if (x[j] < band->floor[s]) {
            sum += x[j];
            band->below[s]++;
        } else if (x[j] < band->ceiling[s]) {
            VARIANT(keep)(band, classes, s, x[j], j);
        }
    }
    return sum;
}

/* Bit k of the result: whether value 64 w + k of a block is marked in its byte of eight. */
TARGET INLINE uint64_t VARIANT(word)(const uint8_t *marks, ptrdiff_t w)
{
    uint64_t result;
    __builtin_memcpy(&result, marks + 8 * w, sizeof result);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    result = __builtin_bswap64(result);
#endif
    return result;
}

/* At most one block. Few values lie in the band; they are collected one by one after all comparisons, which avoids
 * branch mispredictions. Bits mark these and the values below the band, and are counted at the end, because work per
 * value dominates the cost. */
TARGET INLINE void VARIANT(block)(double *x, double *total, const float *signs, const float *row, ptrdiff_t first,
                                  ptrdiff_t end, double step, double scale, const int action, const int classes,
                                  svmbench_band *band)
{
    const vd floors[2] = {VARIANT(all)(band->floor[0]), VARIANT(all)(band->floor[1])};
    const vd ceilings[2] = {VARIANT(all)(band->ceiling[0]), VARIANT(all)(band->ceiling[1])};
    vd sums[CHAINS]; /* of both classes */
    uint8_t covered[BLOCK / 8] = {0}, below[BLOCK / 8] = {0}, second[BLOCK / 8] = {0};
    __builtin_memset(sums, 0, sizeof sums);
    ptrdiff_t j = first;
    for (; j + 8 <= end; j += 8) {
        unsigned lower = 0, lowest = 0, negative = 0;
#pragma GCC unroll 4
        for (int chain = 0; chain < CHAINS; chain++) {
            const ptrdiff_t at = j + chain * WIDTH;
            VARIANT(doubles) *const to = (VARIANT(doubles) *)(x + at);
            const vd old = *to;
            vd value = old;
            if (action != LOOKING) {
                value = scale * (old + step * VARIANT(signed_row)(signs + at, row + at));
                *to = value;
            }
            if (action == MOVING_AND_ADDING) {
                VARIANT(doubles) *const sum = (VARIANT(doubles) *)(total + at);
                *sum = (*sum + old) + value;
            }
            vd floor = floors[0], ceiling = ceilings[0];
            if (classes == 2) {
                const mask other = VARIANT(negative)(signs + at);
                floor = VARIANT(pick)(other, floors[1], floors[0]);
                ceiling = VARIANT(pick)(other, ceilings[1], ceilings[0]);
                negative |= VARIANT(bits)(other) << chain * WIDTH;
            }
            const mask under = VARIANT(less)(value, floor);
            lower |= VARIANT(bits)(VARIANT(less)(value, ceiling)) << chain * WIDTH;
            lowest |= VARIANT(bits)(under) << chain * WIDTH;
            sums[chain] = VARIANT(plus)(sums[chain], under, value);
        }
        covered[(j - first) / 8] = (uint8_t)lower;
        below[(j - first) / 8] = (uint8_t)lowest;
        if (classes == 2)
            second[(j - first) / 8] = (uint8_t)negative;
    }
    for (ptrdiff_t w = 0; w < BLOCK / 64; w++) {
        const uint64_t under = VARIANT(word)(below, w), others = VARIANT(word)(second, w);
        band->below[0] += __builtin_popcountll(under & ~others);
        if (classes == 2)
            band->below[1] += __builtin_popcountll(under & others);
        for (uint64_t left = VARIANT(word)(covered, w) & ~under; left != 0; left &= left - 1) {
            const int bit = __builtin_ctzll(left);
            const ptrdiff_t at = first + w * 64 + bit;
            VARIANT(keep)(band, classes, (int)(others >> bit & 1), x[at], at);
        }
    }
    const double rest =
        VARIANT(one_by_one)(x, total, signs, row, j, end, step, scale, action, classes, band);
    band->sum += VARIANT(together)(sums, rest);
}

TARGET INLINE void VARIANT(blocks)(double *x, double *total, const float *signs, const float *row, ptrdiff_t first,
                                   ptrdiff_t end, double step, double scale, const int action, const int classes,
                                   svmbench_band *band)
{
    svmbench_band found = *band; /* a local copy stays in registers */
    for (ptrdiff_t begin = first; begin < end; begin += BLOCK)
        VARIANT(block)(x, total, signs, row, begin, end - begin < BLOCK ? end : begin + BLOCK, step, scale, action,
                       classes, &found);
    *band = found;
}

TARGET static void VARIANT(collect)(const double *x, const float *signs, ptrdiff_t first, ptrdiff_t end,
                                    svmbench_band *band)
{
    if (band->classes == 2)
        VARIANT(blocks)((double *)x, NULL, signs, NULL, first, end, 0.0, 0.0, LOOKING, 2, band);
    else
        VARIANT(blocks)((double *)x, NULL, signs, NULL, first, end, 0.0, 0.0, LOOKING, 1, band);
}

/* The examples of [first, end). */
TARGET static void VARIANT(move)(double *x, double *total, const float *signs, const float *row, ptrdiff_t first,
                                 ptrdiff_t end, double step, double scale, svmbench_band *band)
{
    if (band->classes == 2) {
        if (total != NULL)
            VARIANT(blocks)(x, total, signs, row, first, end, step, scale, MOVING_AND_ADDING, 2, band);
        else
            VARIANT(blocks)(x, total, signs, row, first, end, step, scale, MOVING, 2, band);
    } else {
        if (total != NULL)
            VARIANT(blocks)(x, total, signs, row, first, end, step, scale, MOVING_AND_ADDING, 1, band);
        else
            VARIANT(blocks)(x, total, signs, row, first, end, step, scale, MOVING, 1, band);
    }
}

TARGET static void VARIANT(scale)(double *x, double *total, ptrdiff_t n, double scale)
{
    ptrdiff_t j = 0;
    for (; j + WIDTH <= n; j += WIDTH) {
        const vd value = scale * *(VARIANT(doubles) *)(x + j);
        *(VARIANT(doubles) *)(x + j) = value;
        *(VARIANT(doubles) *)(total + j) += value;
    }
    for (; j < n; j++) {
        x[j] *= scale;
        total[j] += x[j];
    }
}
