/* Sparse examples with float32 values, by rows and by columns. The inner products of a query with all examples are
 * summed over its features, each over the examples that have it: most pairs of examples share few. Products of float32
 * numbers are exact in float64, in which they are summed, a pair's in the order of the features. */
#ifndef SVMBENCH_SPARSE_H
#define SVMBENCH_SPARSE_H

#include "kernels.h"

typedef struct {
    const float *values;     /* by rows */
    const int32_t *indices;
    const int64_t *indptr;   /* n + 1 */
    const float *entries;    /* by columns, those of each ascending */
    const int32_t *owners;
    const int64_t *begin;    /* d + 1 */
    const double *squared;   /* |x_j|^2, n */
    ptrdiff_t n;
    int careful;             /* whether squared distances may be too small beside the norms to be their difference */
} sparse_store;

/* The example behind a query. */
typedef struct {
    const float *values;
    const int32_t *indices; /* ascending */
    int64_t count;
    double squared; /* |x|^2 */
} sparse_query;

/* Kernel rows of some queries; the examples are shared out over the threads. `places` is room for as many numbers as
 * all queries have features, for each thread. */
void svmbench_sparse_rows(int level, const sparse_store *, const kernel_params *, const sparse_query *asked,
                          ptrdiff_t count, int32_t *places, float *out, ptrdiff_t stride, int threads);

#endif
