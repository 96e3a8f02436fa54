/* The dense loops of rows.h for one instruction set. In each loop, the term of number k of a row is added to sum
 * k mod SUMS. The sums are then added by halves. The last terms, fewer than 8, are added one by one. */
#include "svmbench/simd/csrc/doubles.h"

#undef WIDTH
#undef PARTS
#define SUMS 16
#define WIDTH (BYTES / 8)    /* float64 numbers in a register */
#define PARTS (SUMS / WIDTH) /* registers of sums */

TARGET INLINE vd VARIANT(load)(const double *from)
{
    vd value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
}

TARGET INLINE double VARIANT(total)(vd *sums)
{
    for (int half = PARTS / 2; half > 0; half /= 2)
        for (int c = 0; c < half; c++)
            sums[c] += sums[c + half];
    double lanes[WIDTH];
    __builtin_memcpy(lanes, sums, sizeof lanes);
    for (int half = WIDTH / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; lane++)
            lanes[lane] += lanes[lane + half];
    return lanes[0];
}

TARGET static double VARIANT(product)(const float *x, const double *w, ptrdiff_t n)
{
    vd sums[PARTS] = {{0}};
    double rest = 0.0;
    ptrdiff_t k = 0;
    for (; k + SUMS <= n; k += SUMS)
#pragma GCC unroll 8
        for (int c = 0; c < PARTS; c++)
            sums[c] += VARIANT(widen)(x + k + c * WIDTH) * VARIANT(load)(w + k + c * WIDTH);
    if (k + 8 <= n)
#pragma GCC unroll 4
        for (int c = 0; c < 8 / WIDTH; c++, k += WIDTH)
            sums[c] += VARIANT(widen)(x + k) * VARIANT(load)(w + k);
    for (; k < n; k++)
        rest += x[k] * w[k];
    return VARIANT(total)(sums) + rest;
}

TARGET static void VARIANT(add)(const float *x, double factor, double *w, ptrdiff_t n)
{
    ptrdiff_t k = 0;
    for (; k + 8 <= n; k += 8)
#pragma GCC unroll 4
        for (int c = 0; c < 8 / WIDTH; c++) {
            double *at = w + k + c * WIDTH;
            const vd new = VARIANT(load)(at) + factor * VARIANT(widen)(x + k + c * WIDTH);
            __builtin_memcpy(at, &new, sizeof new);
        }
    for (; k < n; k++)
        w[k] += factor * x[k];
}

TARGET INLINE vd VARIANT(move)(const float *x, double factor, double *w)
{
    const vd step = factor * VARIANT(widen)(x), old = VARIANT(load)(w), new = old + step;
    __builtin_memcpy(w, &new, sizeof new);
    return step * (old + new);
}

TARGET static double VARIANT(add_measured)(const float *x, double factor, double *w, ptrdiff_t n)
{
    vd sums[PARTS] = {{0}};
    double rest = 0.0;
    ptrdiff_t k = 0;
    for (; k + SUMS <= n; k += SUMS)
#pragma GCC unroll 8
        for (int c = 0; c < PARTS; c++)
            sums[c] += VARIANT(move)(x + k + c * WIDTH, factor, w + k + c * WIDTH);
    if (k + 8 <= n)
#pragma GCC unroll 4
        for (int c = 0; c < 8 / WIDTH; c++, k += WIDTH)
            sums[c] += VARIANT(move)(x + k, factor, w + k);
    for (; k < n; k++) {
        const double step = factor * x[k];
        rest += step * (2.0 * w[k] + step);
        w[k] += step;
    }
    return VARIANT(total)(sums) + rest;
}

static const dense_loops VARIANT(rows) = {VARIANT(product), VARIANT(add), VARIANT(add_measured)};
