/* Kernel expansions in double precision: what certificates are made of. */
#ifndef SVMBENCH_DOUBLE_H
#define SVMBENCH_DOUBLE_H

#include "tiled.h"

#define DOUBLE_TILE 16 /* points side by side in memory: two 512-bit registers of float64 */
#define DOUBLE_LANES 8 /* queries that share one pass over sparse points */

/* scores[q] += sum_j coefficients[j] K(query q, point j). The points lie in tiles, [n_tiles][d][DOUBLE_TILE], zero
 * padded, and so do the coefficients; queries are [count][d]. Squared distances are sums of squared differences. */
void svmbench_double_scores(int level, const kernel_params *, const double *tiles, ptrdiff_t n_tiles, ptrdiff_t d,
                            const double *coefficients, const double *queries, ptrdiff_t count, double *scores,
                            int threads);

/* The same for a layout that computes in whole numbers of `unit_squared`: they are exact, and the kernel is evaluated
 * in double precision. `job->kernel` is that of the layout. Returns 0, or -1 when a work buffer could not be had. */
int svmbench_whole_scores(const tiled_job *job, double unit_squared, const char *queries, ptrdiff_t count,
                          const double *coefficients, double *scores);

typedef struct {
    const double *values;
    const int32_t *indices; /* ascending in each row */
    const int64_t *indptr;
    const double *squared;  /* |x_j|^2 */
    ptrdiff_t n;
    ptrdiff_t d;
} double_csr;

/* The same for sparse points and queries. A squared distance far below the norms that it is the difference of is made
 * again from differences. Returns 0, or -1 when a work buffer could not be had. */
int svmbench_double_csr_scores(int level, const kernel_params *, const double_csr *points, const double *coefficients,
                               const double_csr *queries, double *scores, int threads);

#endif
