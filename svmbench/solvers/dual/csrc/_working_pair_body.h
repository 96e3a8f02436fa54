/* The passes of working_pair.h. Values are computed independently and nothing is fused, so that all instruction sets
 * give the same bits. */
#include "svmbench/simd/csrc/doubles.h"

typedef double VARIANT(many) __attribute__((vector_size(BYTES), may_alias, aligned(8)));

#undef WIDTH
#undef TOGETHER
#define WIDTH (BYTES / 8)
#define TOGETHER 2 /* registers with independent extrema */

#undef LOAD
#undef STORE
#define LOAD(from) (*(const VARIANT(many) *)(from))
#define STORE(to, value) (*(VARIANT(many) *)(to) = (value))

/* Moves a block of values, and raises the largest value that can move up and the largest negated one that can move
 * down. */
TARGET INLINE void VARIANT(move_some)(double *values, const float *a, const float *b, double step, const double *up,
                                      const double *down, ptrdiff_t count, double *highest, double *lowest,
                                      const int rows)
{
    vd high[TOGETHER], low[TOGETHER];
    for (int chain = 0; chain < TOGETHER; chain++) {
        high[chain] = *highest - (vd){0};
        low[chain] = *lowest - (vd){0};
    }
    ptrdiff_t k = 0;
    for (; k + TOGETHER * WIDTH <= count; k += TOGETHER * WIDTH)
#pragma GCC unroll 2
        for (int chain = 0; chain < TOGETHER; chain++) {
            const ptrdiff_t at = k + chain * WIDTH;
            vd value = LOAD(values + at);
            if (rows > 0) {
                vd entry = VARIANT(widen)(a + at);
                if (rows > 1)
                    entry -= VARIANT(widen)(b + at);
                value -= step * entry;
                STORE(values + at, value);
            }
            high[chain] = VARIANT(larger)(value + LOAD(up + at), high[chain]);
            low[chain] = VARIANT(larger)(-(value + LOAD(down + at)), low[chain]);
        }
    for (int chain = 0; chain < TOGETHER; chain++)
        for (int lane = 0; lane < WIDTH; lane++) {
            *highest = high[chain][lane] > *highest ? high[chain][lane] : *highest;
            *lowest = low[chain][lane] > *lowest ? low[chain][lane] : *lowest;
        }
    for (; k < count; k++) {
        if (rows > 0)
            values[k] -= step * (rows > 1 ? (double)a[k] - (double)b[k] : (double)a[k]);
        *highest = values[k] + up[k] > *highest ? values[k] + up[k] : *highest;
        *lowest = -(values[k] + down[k]) > *lowest ? -(values[k] + down[k]) : *lowest;
    }
}

TARGET static void VARIANT(move_block)(double *values, const float *a, const float *b, double step, const double *up,
                                       const double *down, ptrdiff_t count, double *highest, double *lowest)
{
    if (b != NULL)
        VARIANT(move_some)(values, a, b, step, up, down, count, highest, lowest, 2);
    else if (a != NULL)
        VARIANT(move_some)(values, a, b, step, up, down, count, highest, lowest, 1);
    else
        VARIANT(move_some)(values, a, b, step, up, down, count, highest, lowest, 0);
}

/* |Phi(x) - Phi(x')|^2, never 0; see working_pair.pxd. */
TARGET INLINE double VARIANT(distance)(double own, double other, double both)
{
    const double result = own + other - 2.0 * both;
    return result > 0.0 ? result : 1e-12;
}

/* Whether one of WIDTH numbers is marked. */
TARGET INLINE int VARIANT(any)(vl marks)
{
#if LEVEL >= 2
    return _mm512_movepi64_mask((__m512i)marks) != 0;
#elif LEVEL == 1
    return _mm256_movemask_pd((__m256d)marks) != 0;
#else
    return (marks[0] | marks[1]) != 0;
#endif
}

/* Division is slow: it is made only for values that may gain more than the best so far. A product decides this, with a
 * factor that allows for rounding. */
TARGET static ptrdiff_t VARIANT(partner)(const double *values, const double *down, const double *diagonal,
                                         const float *row, ptrdiff_t n, double high, double own, ptrdiff_t place)
{
    const double nearly = 1.0 - 0x1p-48;
    double best = 0.0;
    ptrdiff_t k = 0;
    for (; k + WIDTH <= n; k += WIDTH) {
        const vd below = high - (LOAD(values + k) + LOAD(down + k));
        const vd distance = own + LOAD(diagonal + k) - 2.0 * VARIANT(widen)(row + k);
        const vl hopeful = (below > 0.0) & ((distance * (best * nearly) <= below * below) | ~(distance > 0.0));
        if (__builtin_expect(VARIANT(any)(hopeful), 0))
            for (ptrdiff_t t = k; t < k + WIDTH; t++) {
                const double far = high - (values[t] + down[t]);
                const double gain = far * far / VARIANT(distance)(own, diagonal[t], (double)row[t]);
                if (far > 0.0 && gain > best) {
                    best = gain;
                    place = t;
                }
            }
    }
    for (; k < n; k++) {
        const double far = high - (values[k] + down[k]);
        const double gain = far * far / VARIANT(distance)(own, diagonal[k], (double)row[k]);
        if (far > 0.0 && gain > best) {
            best = gain;
            place = k;
        }
    }
    return place;
}
