/* The loops of double_expansion.h. */
#include "finish_double.h"

#include "svmbench/simd/csrc/doubles.h"

#undef SPAN
#undef GROUP
#define SPAN (DOUBLE_TILE / WIDTH) /* registers of a column of a tile */
#if LEVEL >= 2
#define GROUP 4 /* queries whose sums fill the registers */
#elif LEVEL == 1
#define GROUP 2
#else
#define GROUP 1
#endif

/* Add the terms of a group of indicators. Two points that differ in the group have squared differences of 1 in two
 * indicators; two that agree have a product of 1 in one. */
TARGET INLINE vd VARIANT(add_code)(vd sum, vd code, vd query, const int gaussian)
{
    const vd one = 1.0 - (vd){0};
    if (!gaussian)
        return sum + (vd)((vl)(code == query) & (vl)one);
    const vd differ = (vd)((vl)(code != query) & (vl)one);
    return (sum + differ) + differ;
}

/* The sums of `count` queries (at most GROUP) and one tile, and from them the weighted kernel values. Given values in
 * single precision, `singles`: the weighted differences from these, and their squares. Given `values`: only the kernel
 * values. */
TARGET INLINE void VARIANT(double_tile)(const kernel_params *kernel, const double *tile, ptrdiff_t d, ptrdiff_t codes,
                                        const double *coefficients, const double *queries, const int count,
                                        const int gaussian, vd *totals, const float *singles, ptrdiff_t stride,
                                        vd *squares, double *values)
{
    vd sums[GROUP * SPAN];
#pragma GCC unroll 16
    for (int a = 0; a < count * SPAN; a++)
        sums[a] = (vd){0};
    for (ptrdiff_t k = 0; k < d - codes; k++) {
        vd q[GROUP];
#pragma GCC unroll 4
        for (int r = 0; r < count; r++)
            q[r] = queries[r * d + k] - (vd){0};
#pragma GCC unroll 8
        for (int v = 0; v < SPAN; v++) {
            const vd x = *(const vd *)(tile + k * DOUBLE_TILE + v * WIDTH);
#pragma GCC unroll 4
            for (int r = 0; r < count; r++) {
                const vd difference = x - q[r];
                sums[r * SPAN + v] += gaussian ? difference * difference : x * q[r];
            }
        }
    }
    for (ptrdiff_t k = d - codes; k < d; k++)
#pragma GCC unroll 4
        for (int r = 0; r < count; r++) {
            const vd q = queries[r * d + k] - (vd){0};
#pragma GCC unroll 8
            for (int v = 0; v < SPAN; v++)
                sums[r * SPAN + v] = VARIANT(add_code)(
                    sums[r * SPAN + v], *(const vd *)(tile + k * DOUBLE_TILE + v * WIDTH), q, gaussian);
        }
#pragma GCC unroll 4
    for (int r = 0; r < count; r++)
#pragma GCC unroll 8
        for (int v = 0; v < SPAN; v++) {
            const vd weight = *(const VARIANT(loose) *)(coefficients + v * WIDTH);
            const vd value = VARIANT(double_value)(sums[r * SPAN + v], kernel, gaussian);
            if (values != NULL) {
                *(VARIANT(loose) *)(values + r * stride + v * WIDTH) = value;
                continue;
            }
            if (singles == NULL) {
                totals[r] += value * weight;
                continue;
            }
            const vd error = (value - VARIANT(widen)(singles + r * stride + v * WIDTH)) * weight;
            totals[r] += error;
            squares[r] += error * error;
        }
}

TARGET INLINE void VARIANT(double_rows)(const kernel_params *kernel, const double_points *points,
                                        const double *queries, ptrdiff_t count, double *scores, const int gaussian,
                                        const float *singles, ptrdiff_t stride, double *squared, double *values)
{
    const ptrdiff_t d = points->d, codes = points->codes;
    vd totals[DOUBLE_QUERIES], squares[DOUBLE_QUERIES];
    for (ptrdiff_t r = 0; r < count; r++)
        totals[r] = squares[r] = (vd){0};
    for (ptrdiff_t t = 0; t < points->n_tiles; t++) {
        const ptrdiff_t tile = points->which == NULL ? t : points->which[t];
        const double *x = points->tiles + tile * d * DOUBLE_TILE;
        const double *weights = points->coefficients + tile * DOUBLE_TILE;
        const float *beside = singles == NULL ? NULL : singles + tile * DOUBLE_TILE;
        double *out = values == NULL ? NULL : values + tile * DOUBLE_TILE;
        ptrdiff_t r = 0;
        for (; r + GROUP <= count; r += GROUP)
            VARIANT(double_tile)(kernel, x, d, codes, weights, queries + r * d, GROUP, gaussian, totals + r,
                                 singles == NULL ? NULL : beside + r * stride, stride, squares + r,
                                 values == NULL ? NULL : out + r * stride);
        for (; r < count; r++)
            VARIANT(double_tile)(kernel, x, d, codes, weights, queries + r * d, 1, gaussian, totals + r,
                                 singles == NULL ? NULL : beside + r * stride, stride, squares + r,
                                 values == NULL ? NULL : out + r * stride);
    }
    for (ptrdiff_t r = 0; values == NULL && r < count; r++)
        for (int lane = 0; lane < WIDTH; lane++) {
            scores[r] += totals[r][lane];
            if (singles != NULL)
                squared[r] += squares[r][lane];
        }
}

/* The scores of at most DOUBLE_QUERIES queries; each tile is read once for all of them. */
TARGET static void VARIANT(double_block)(const kernel_params *kernel, const double_points *points,
                                         const double *queries, ptrdiff_t count, double *scores)
{
    const kernel_params own = *kernel;
    if (own.kind == KERNEL_GAUSSIAN)
        VARIANT(double_rows)(&own, points, queries, count, scores, 1, NULL, 0, NULL, NULL);
    else
        VARIANT(double_rows)(&own, points, queries, count, scores, 0, NULL, 0, NULL, NULL);
}

/* The kernel values themselves, values[q * stride + j]. */
TARGET static void VARIANT(double_values)(const kernel_params *kernel, const double_points *points,
                                          const double *queries, ptrdiff_t count, double *values, ptrdiff_t stride)
{
    const kernel_params own = *kernel;
    if (own.kind == KERNEL_GAUSSIAN)
        VARIANT(double_rows)(&own, points, queries, count, NULL, 1, NULL, stride, NULL, values);
    else
        VARIANT(double_rows)(&own, points, queries, count, NULL, 0, NULL, stride, NULL, values);
}

/* The sum of coefficients times values, in the order and with the bits of double_block. */
TARGET static double VARIANT(weigh_values)(const double *values, const double *coefficients, ptrdiff_t count)
{
    vd totals = {0};
    for (ptrdiff_t j = 0; j < count; j += WIDTH)
        totals += *(const VARIANT(loose) *)(values + j) * *(const VARIANT(loose) *)(coefficients + j);
    double total = 0.0;
    for (int lane = 0; lane < WIDTH; lane++)
        total += totals[lane];
    return total;
}

/* The same for the differences from values in single precision, with the Gaussian kernel. */
TARGET static void VARIANT(double_errors)(const kernel_params *kernel, const double_points *points,
                                          const double *queries, ptrdiff_t count, const float *singles,
                                          ptrdiff_t stride, double *sums, double *squares)
{
    const kernel_params own = *kernel;
    VARIANT(double_rows)(&own, points, queries, count, sums, 1, singles, stride, squares, NULL);
}

TARGET INLINE void VARIANT(row_tile)(const kernel_params *kernel, const float *tile, ptrdiff_t d, const double *query,
                                     double coefficient, double *values, const int gaussian)
{
    enum { TOGETHER = DOUBLE_TILE / WIDTH };
    for (int at = 0; at < TILE; at += DOUBLE_TILE) {
        vd sums[TOGETHER];
#pragma GCC unroll 8
        for (int v = 0; v < TOGETHER; v++)
            sums[v] = (vd){0};
        for (ptrdiff_t k = 0; k < d; k++)
#pragma GCC unroll 8
            for (int v = 0; v < TOGETHER; v++) {
                const vd x = VARIANT(widen)(tile + k * TILE + at + v * WIDTH);
                const vd difference = x - query[k];
                sums[v] += gaussian ? difference * difference : x * query[k];
            }
#pragma GCC unroll 8
        for (int v = 0; v < TOGETHER; v++)
            *(vd *)(values + at + v * WIDTH) = VARIANT(double_value)(sums[v], kernel, gaussian) * coefficient;
    }
}

/* values[lane] = coefficient K(query, example) for the examples of a tile in float32. */
TARGET static void VARIANT(double_row)(const kernel_params *kernel, const float *tile, ptrdiff_t d,
                                       const double *query, double coefficient, double *values)
{
    if (kernel->kind == KERNEL_GAUSSIAN)
        VARIANT(row_tile)(kernel, tile, d, query, coefficient, values, 1);
    else
        VARIANT(row_tile)(kernel, tile, d, query, coefficient, values, 0);
}

TARGET INLINE vd VARIANT(from_whole)(const int32_t *numbers)
{
#if LEVEL >= 2
    return (vd)_mm512_cvtepi32_pd(_mm256_loadu_si256((const __m256i *)numbers));
#elif LEVEL == 1
    return (vd)_mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)numbers));
#else
    typedef int32_t few __attribute__((vector_size(BYTES / 2), may_alias, aligned(4)));
    return __builtin_convertvector(*(const few *)numbers, vd);
#endif
}

/* The kernel values for a register of integers, by the formula or, with the same bits, from a table; `few`: of integers
 * below WHOLE_FEW. */
TARGET INLINE vd VARIANT(whole_values)(const int32_t *numbers, double unit_squared, const kernel_params *kernel,
                                       const double *table, const int few, const int gaussian)
{
    if (table == NULL)
        return VARIANT(double_value)(VARIANT(from_whole)(numbers) * unit_squared, kernel, gaussian);
#if LEVEL >= 2
    if (few) { /* a permutation reads the lowest four bits of a number, and the fifth one selects the result */
        const __m512i at = _mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)numbers));
        const __m512d low =
            _mm512_permutex2var_pd(_mm512_loadu_pd(table), at, _mm512_loadu_pd(table + 8));
        const __m512d high =
            _mm512_permutex2var_pd(_mm512_loadu_pd(table + 16), at, _mm512_loadu_pd(table + 24));
        return (vd)_mm512_mask_mov_pd(low, _mm512_test_epi64_mask(at, _mm512_set1_epi64(16)), high);
    }
#else
    (void)few;
#endif
    vd values;
#pragma GCC unroll 8
    for (int lane = 0; lane < WIDTH; lane++)
        values[lane] = table[numbers[lane]];
    return values;
}

TARGET INLINE double VARIANT(weigh_all)(const int32_t *numbers, const double *coefficients, ptrdiff_t count,
                                        double unit_squared, const kernel_params *kernel, const double *table,
                                        const int few, const int gaussian)
{
    enum { REGISTERS = 2 };
    vd sums[REGISTERS] = {{0}, {0}};
    ptrdiff_t j = 0;
    for (; j + REGISTERS * WIDTH <= count; j += REGISTERS * WIDTH)
#pragma GCC unroll 2
        for (int v = 0; v < REGISTERS; v++)
            sums[v] += VARIANT(whole_values)(numbers + j + v * WIDTH, unit_squared, kernel, table, few, gaussian) *
                       *(const VARIANT(loose) *)(coefficients + j + v * WIDTH);
    double total = 0.0;
    for (int lane = 0; lane < WIDTH; lane++)
        total += sums[0][lane] + sums[1][lane];
    for (; j < count; j++) {
        const vd number = (double)numbers[j] * unit_squared - (vd){0};
        const double value =
            table != NULL ? table[numbers[j]] : VARIANT(double_value)(number, kernel, gaussian)[0];
        total += value * coefficients[j];
    }
    return total;
}

/* The sum of coefficients times kernel values of integers; `table` has these values, or is NULL. */
TARGET static double VARIANT(weigh_whole)(const int32_t *numbers, const double *coefficients, ptrdiff_t count,
                                          double unit_squared, const kernel_params *kernel, const double *table,
                                          int few)
{
    const kernel_params own = *kernel;
    if (table != NULL && few)
        return VARIANT(weigh_all)(numbers, coefficients, count, unit_squared, &own, table, 1, 0);
    if (table != NULL)
        return VARIANT(weigh_all)(numbers, coefficients, count, unit_squared, &own, table, 0, 0);
    if (own.kind == KERNEL_GAUSSIAN)
        return VARIANT(weigh_all)(numbers, coefficients, count, unit_squared, &own, NULL, 0, 1);
    return VARIANT(weigh_all)(numbers, coefficients, count, unit_squared, &own, NULL, 0, 0);
}

/* values[j] += coefficient K for integers. */
TARGET static void VARIANT(add_values)(const int32_t *numbers, ptrdiff_t count, double unit_squared,
                                       const kernel_params *kernel, double coefficient, double *values)
{
    const kernel_params own = *kernel;
    const int gaussian = own.kind == KERNEL_GAUSSIAN;
    ptrdiff_t j = 0;
    for (; j + WIDTH <= count; j += WIDTH)
        *(VARIANT(loose) *)(values + j) +=
            VARIANT(double_value)(VARIANT(from_whole)(numbers + j) * unit_squared, &own, gaussian) * coefficient;
    for (; j < count; j++)
        values[j] += VARIANT(double_value)((double)numbers[j] * unit_squared - (vd){0}, &own, gaussian)[0] * coefficient;
}

/* Inner products of point j and the queries in `work`, [d][DOUBLE_LANES]. */
TARGET static void VARIANT(csr_dots)(const double_csr *points, ptrdiff_t j, const double *work, double *dots)
{
    enum { SUMS = DOUBLE_LANES / WIDTH };
    vd sums[SUMS];
#pragma GCC unroll 4
    for (int s = 0; s < SUMS; s++)
        sums[s] = (vd){0};
    for (int64_t k = points->indptr[j]; k < points->indptr[j + 1]; k++) {
        const double *at = work + (ptrdiff_t)points->indices[k] * DOUBLE_LANES;
#pragma GCC unroll 4
        for (int s = 0; s < SUMS; s++)
            sums[s] += points->values[k] * *(const vd *)(at + s * WIDTH);
    }
    __builtin_memcpy(dots, sums, sizeof sums);
}

/* totals[lane] += coefficient K for the squared distances or inner products of DOUBLE_LANES queries. */
TARGET static void VARIANT(csr_add)(const double *numbers, double coefficient, const kernel_params *kernel,
                                    double *totals)
{
    for (int at = 0; at < DOUBLE_LANES; at += WIDTH) {
        const vd value =
            VARIANT(double_value)(*(const vd *)(numbers + at), kernel, kernel->kind == KERNEL_GAUSSIAN);
        *(vd *)(totals + at) += coefficient * value;
    }
}
