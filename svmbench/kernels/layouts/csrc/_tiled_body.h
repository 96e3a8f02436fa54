/* Sum of values times coefficients in float64, the same 32 partial sums on every instruction set. */
#include "svmbench/simd/csrc/doubles.h"

TARGET static double VARIANT(weigh)(const float *values, const double *coefficients, ptrdiff_t count)
{
    enum { SUMS = 32, WIDTH = BYTES / 8 };
    typedef double many __attribute__((vector_size(BYTES), may_alias, aligned(8)));
    vd sums[SUMS / WIDTH];
#pragma GCC unroll 16
    for (int s = 0; s < SUMS / WIDTH; s++)
        sums[s] = (vd){0};
    ptrdiff_t j = 0;
    for (; j + SUMS <= count; j += SUMS)
#pragma GCC unroll 16
        for (int s = 0; s < SUMS / WIDTH; s++)
            sums[s] += VARIANT(widen)(values + j + WIDTH * s) *
                       *(const many *)(coefficients + j + WIDTH * s);
    double total = 0.0;
    for (int s = 0; s < SUMS; s++)
        total += sums[s / WIDTH][s % WIDTH];
    for (; j < count; j++)
        total += (double)values[j] * coefficients[j];
    return total;
}

/* sums[j] += coefficients[r] rows[r][j] for r = 0, ..., count - 1, in this order. While this chunk is read, the next
 * chunk of each row is prefetched. */
TARGET INLINE void VARIANT(combine_few)(const float *const *rows, const double *coefficients, const int count,
                                        ptrdiff_t columns, double *sums)
{
    enum { WIDTH = BYTES / 8, VECTORS = 4, LINE = 16, AHEAD = ADD_TILES * TILE };
    typedef double many __attribute__((vector_size(BYTES), may_alias, aligned(8)));
    ptrdiff_t j = 0;
    for (; j + VECTORS * WIDTH <= columns; j += VECTORS * WIDTH) {
        vd sum[VECTORS];
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; v++)
            sum[v] = *(const many *)(sums + j + v * WIDTH);
#pragma GCC unroll 8
        for (int r = 0; r < count; r++) {
            for (int k = 0; k < VECTORS * WIDTH; k += LINE)
                __builtin_prefetch(rows[r] + j + k + AHEAD, 0, 2);
#pragma GCC unroll 4
            for (int v = 0; v < VECTORS; v++)
                sum[v] += coefficients[r] * VARIANT(widen)(rows[r] + j + v * WIDTH);
        }
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; v++)
            *(many *)(sums + j + v * WIDTH) = sum[v];
    }
    for (; j < columns; j++)
        for (int r = 0; r < count; r++)
            sums[j] += coefficients[r] * (double)rows[r][j];
}

/* The same for any number of rows, eight at a time. */
TARGET static void VARIANT(combine)(const float *const *rows, const double *coefficients, ptrdiff_t count,
                                    ptrdiff_t columns, double *sums)
{
    ptrdiff_t r = 0;
    for (; r + 8 <= count; r += 8)
        VARIANT(combine_few)(rows + r, coefficients + r, 8, columns, sums);
    for (; r < count; r++)
        VARIANT(combine_few)(rows + r, coefficients + r, 1, columns, sums);
}
