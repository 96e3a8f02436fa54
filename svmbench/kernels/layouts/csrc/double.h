/* Kernel expansions in double precision: what certificates are made of. */
#ifndef SVMBENCH_DOUBLE_H
#define SVMBENCH_DOUBLE_H

#include "tiled.h"

#define DOUBLE_TILE 16 /* points side by side in memory: two 512-bit registers of float64 */
#define DOUBLE_LANES 8 /* queries that share one pass over sparse points */

/* Points in tiles, [n_tiles][d][DOUBLE_TILE], zero padded, and so their coefficients. The last columns may be codes of
 * groups of indicators of which each point has exactly one: what they add to a sum are the same terms of 1, one after
 * the other, as those of the indicators. */
typedef struct {
    ptrdiff_t d;     /* columns, codes included */
    ptrdiff_t codes;
    const double *tiles;
    const double *coefficients;
    const int64_t *which; /* the tiles that are meant; NULL: all */
    ptrdiff_t n_tiles;    /* so many of them */
} double_points;

/* scores[q] += sum_j coefficients[j] K(query q, point j); queries are [count][d]. Squared distances are sums of squared
 * differences. */
void svmbench_double_scores(int level, const kernel_params *, const double_points *, const double *queries,
                            ptrdiff_t count, double *scores, int threads);

/* What values in single precision, singles[q * stride + j], are off by, of the Gaussian kernel: sums[q] += sum_j of the
 * differences times coefficients[j], and squares[q] of the squares of these. */
void svmbench_double_errors(int level, const kernel_params *, const double_points *points, const double *queries,
                            ptrdiff_t count, const float *singles, ptrdiff_t stride, double *sums, double *squares,
                            int threads);

/* scores[j] += coefficient K(query, example j) for the n examples of a dense layout, [n_tiles][d][TILE] in float32. */
void svmbench_double_row(int level, const kernel_params *, const float *tiles, ptrdiff_t n, ptrdiff_t d,
                         const double *query, double coefficient, double *scores, int threads);

/* Of a layout that computes in whole numbers, which are exact; the kernel is evaluated in double precision. */
typedef struct {
    double unit_squared; /* what a whole number stands for */
    ptrdiff_t largest;   /* of the whole numbers that occur; -1: not known */
} whole_numbers;

/* svmbench_double_scores and svmbench_double_row for such a layout. `job->kernel` is that of the layout. The first
 * returns 0, or -1 when a work buffer could not be had. */
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

/* The same for sparse points and queries. A squared distance far below the norms that it is the difference of is made
 * again from differences. Returns 0, or -1 when a work buffer could not be had. */
int svmbench_double_csr_scores(int level, const kernel_params *, const double_csr *points, const double *coefficients,
                               const double_csr *queries, double *scores, int threads);

#endif
