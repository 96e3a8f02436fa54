/* Kernel expansions in double precision, from which certificates are computed. */
#ifndef SVMBENCH_DOUBLE_H
#define SVMBENCH_DOUBLE_H

#include "tiled.h"

#define DOUBLE_TILE 16 /* points side by side in memory: two 512-bit registers of float64 */
#define DOUBLE_LANES 16 /* queries that share one pass over sparse points: four sums that do not wait in AVX2 */

/* Points in tiles, [n_tiles][d][DOUBLE_TILE], and their coefficients, zero padded. The last columns may be codes of
 * groups of indicators, of which each point has exactly one. A code adds the same terms of 1 to a sum, one
 * after the other, as its indicators would. */
typedef struct {
    ptrdiff_t d;     /* columns, codes included */
    ptrdiff_t codes;
    const double *tiles;
    const double *coefficients;
    const int64_t *which; /* the tiles to use; NULL: all */
    ptrdiff_t n_tiles;    /* their number */
} double_points;

/* scores[q] += sum_j coefficients[j] K(query q, point j); queries are [count][d]. Squared distances are sums of squared
 * differences. */
void svmbench_double_scores(int level, const kernel_params *, const double_points *, const double *queries,
                            ptrdiff_t count, double *scores, int threads);

/* The same scores, bit for bit, with all tiles and with queries of which the first `inner` are the points, in order.
 * The values between these are computed once. All values are kept, [count][DOUBLE_TILE n_tiles]. Without scores, only
 * these are computed. */
void svmbench_double_square(int level, const kernel_params *, const double_points *, const double *queries,
                            ptrdiff_t inner, ptrdiff_t count, double *values, double *scores, int threads);

/* Errors of values in single precision, singles[q * stride + j], of the Gaussian kernel: adds to sums[q] the sum over j
 * of the differences times coefficients[j], and to squares[q] the sum of the squares of these products. */
void svmbench_double_errors(int level, const kernel_params *, const double_points *points, const double *queries,
                            ptrdiff_t count, const float *singles, ptrdiff_t stride, double *sums, double *squares,
                            int threads);

/* scores[j] += coefficient K(query, example j) for the n examples of a dense layout, [n_tiles][d][TILE] in float32. */
void svmbench_double_row(int level, const kernel_params *, const float *tiles, ptrdiff_t n, ptrdiff_t d,
                         const double *query, double coefficient, double *scores, int threads);

/* For a layout that computes exactly in integers; the kernel is evaluated in double precision. */
typedef struct {
    double unit_squared; /* the value of one integer unit */
    ptrdiff_t largest;   /* integer that occurs; -1: not known */
} whole_numbers;

/* svmbench_double_scores and svmbench_double_row for such a layout. `job->kernel` is that of the layout. The first
 * returns 0, or -1 if a work buffer could not be allocated. */
int svmbench_whole_scores(const tiled_job *job, whole_numbers, const char *queries, ptrdiff_t count,
                          const double *coefficients, double *scores);
void svmbench_whole_row(const tiled_job *job, whole_numbers, const char *query, double coefficient, double *scores);

typedef struct {
    const double *values;
    const int32_t *indices; /* ascending in each row */
    const int64_t *indptr;
    const double *squared;  /* |x_j|^2 */
    ptrdiff_t n;
    ptrdiff_t d;
} double_csr;

/* The same for sparse points and queries. A squared distance far below the two norms is recomputed
 * from differences. Returns 0, or -1 if a work buffer could not be allocated. */
int svmbench_double_csr_scores(int level, const kernel_params *, const double_csr *points, const double *coefficients,
                               const double_csr *queries, double *scores, int threads);

#endif
