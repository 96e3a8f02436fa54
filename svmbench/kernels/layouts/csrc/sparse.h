/* Sparse examples with float32 values, by rows and by columns. The inner products of a query with all examples are
 * summed feature by feature, over the examples that have the feature, because most pairs share few features. Products
 * of float32 numbers are exact in float64, and those of a pair are summed in float64 in the order of the features. */
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
    int careful;             /* whether computing small squared distances from the norms loses accuracy */
} sparse_store;

/* The example behind a query. */
typedef struct {
    const float *values;
    const int32_t *indices; /* ascending */
    int64_t count;
    double squared; /* |x|^2 */
} sparse_query;

/* Kernel rows of some queries; the examples are divided among the threads. `places` has room, per thread, for one
 * number per feature of all queries. */
void svmbench_sparse_rows(int level, const sparse_store *, const kernel_params *, const sparse_query *asked,
                          ptrdiff_t count, int32_t *places, float *out, ptrdiff_t stride, int threads);

#endif
