#include "sparse.h"

/* A squared distance below this part of the two norms would lose too much as their difference. */
static const double CANCELLED = 1.0 / 16.0;

static double sparse_distance(const sparse_store *store, ptrdiff_t j, const sparse_query *query)
{
    int64_t a = store->indptr[j], b = 0;
    const int64_t end = store->indptr[j + 1];
    double sum = 0.0;
    while (a < end || b < query->count) {
        const int32_t at = a < end ? store->indices[a] : INT32_MAX;
        const int32_t other = b < query->count ? query->indices[b] : INT32_MAX;
        double difference = 0.0;
        if (at <= other)
            difference = store->values[a++];
        if (other <= at)
            difference -= query->values[b++];
        sum += difference * difference;
    }
    return sum;
}

#define BODY "_sparse_body.h"
#include "svmbench/simd/csrc/variants.h"

typedef void (*sparse_fn)(const sparse_store *, const kernel_params *, const float *work,
                          const sparse_query *asked, int lanes, int queries, ptrdiff_t first, ptrdiff_t last,
                          float *out, ptrdiff_t stride);
static const sparse_fn BLOCK[ISA_LEVELS] = VARIANTS(sparse_block);

void svmbench_sparse_rows(int level, const sparse_store *store, const kernel_params *kernel, const float *work,
                          const sparse_query *asked, int lanes, int queries, float *out, ptrdiff_t stride,
                          int threads)
{
    if (threads == 1) { /* without OpenMP, which takes half a microsecond even then */
        BLOCK[level](store, kernel, work, asked, lanes, queries, 0, store->n, out, stride);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int part = 0; part < threads; part++)
        BLOCK[level](store, kernel, work, asked, lanes, queries, share(store->n, part, threads),
                     share(store->n, part + 1, threads), out, stride);
}
