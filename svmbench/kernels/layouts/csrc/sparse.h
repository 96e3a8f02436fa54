/* CSR examples with float32 values. Queries are scattered into a dense work array; products of float32 numbers
 * are exact in float64, in which they are summed. */
#ifndef SVMBENCH_SPARSE_H
#define SVMBENCH_SPARSE_H

#include "kernels.h"

#define QUERIES 16 /* queries that share one pass over the examples: one cache line of float32 per feature */

typedef struct {
    const float *values;
    const int32_t *indices;
    const int64_t *indptr;   /* n + 1 */
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

/* Kernel rows of one query (lanes == 1) or of up to QUERIES queries side by side (lanes == QUERIES) in `work`,
 * [d][lanes]; the examples are shared out over the threads. */
void svmbench_sparse_rows(int level, const sparse_store *, const kernel_params *, const float *work,
                          const sparse_query *asked, int lanes, int queries, float *out, ptrdiff_t stride,
                          int threads);

#endif
