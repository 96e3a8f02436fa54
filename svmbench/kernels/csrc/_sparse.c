#include "sparse.h"

#define BODY "_sparse_body.h"
#include "variants.h"

typedef void (*sparse_fn)(const sparse_store *, const kernel_params *, const float *work,
                          const double *query_squared, int lanes, int queries, ptrdiff_t first, ptrdiff_t last,
                          float *out, ptrdiff_t stride);
static const sparse_fn BLOCK[ISA_LEVELS] = VARIANTS(sparse_block);

void svmbench_sparse_rows(int level, const sparse_store *store, const kernel_params *kernel, const float *work,
                          const double *query_squared, int lanes, int queries, float *out, ptrdiff_t stride,
                          int threads)
{
    if (threads == 1) { /* without OpenMP, which takes half a microsecond even then */
        BLOCK[level](store, kernel, work, query_squared, lanes, queries, 0, store->n, out, stride);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int part = 0; part < threads; part++)
        BLOCK[level](store, kernel, work, query_squared, lanes, queries, share(store->n, part, threads),
                     share(store->n, part + 1, threads), out, stride);
}
