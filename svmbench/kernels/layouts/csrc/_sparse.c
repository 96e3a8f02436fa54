#include "sparse.h"

#include <string.h>

/* Examples per block: inner products with all queries are summed block by block, so that the entries of a block stay
 * in the second-level cache. */
enum { SPAN = 2048 };

/* A squared distance below this fraction of the two norms would lose too much if computed as a difference of norms. */
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

typedef void (*values_fn)(const sparse_store *, const kernel_params *, const sparse_query *, const double *dots,
                          ptrdiff_t first, ptrdiff_t count, float *out);
static const values_fn VALUES[ISA_LEVELS] = VARIANTS(sparse_values);

/* Position in a column of its first example at or after `first`. */
static int32_t place_of(const sparse_store *store, int32_t column, ptrdiff_t first)
{
    const int32_t *owners = store->owners + store->begin[column];
    int64_t low = 0, high = store->begin[column + 1] - store->begin[column];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (owners[middle] < first)
            low = middle + 1;
        else
            high = middle;
    }
    return (int32_t)low;
}

/* Inner products of a query with the examples [first, last); advances `places`, the positions in its columns. */
static void sum_span(const sparse_store *store, const sparse_query *query, int32_t *places, ptrdiff_t first,
                     ptrdiff_t last, double *dots)
{
    memset(dots, 0, (size_t)(last - first) * sizeof(double));
    for (int64_t k = 0; k < query->count; k++) {
        const int64_t begin = store->begin[query->indices[k]], count = store->begin[query->indices[k] + 1] - begin;
        const int32_t *owners = store->owners + begin;
        const float *entries = store->entries + begin;
        const double factor = query->values[k];
        int64_t at = places[k];
        for (; at < count && owners[at] < last; at++)
            dots[owners[at] - first] += factor * (double)entries[at];
        places[k] = (int32_t)at;
    }
}

static void rows_part(int level, const sparse_store *store, const kernel_params *kernel, const sparse_query *asked,
                      ptrdiff_t count, int32_t *places, ptrdiff_t first, ptrdiff_t last, float *out, ptrdiff_t stride)
{
    double dots[SPAN];
    int32_t *place = places;
    for (ptrdiff_t r = 0; r < count; r++)
        for (int64_t k = 0; k < asked[r].count; k++)
            *place++ = first == 0 ? 0 : place_of(store, asked[r].indices[k], first);
    for (ptrdiff_t begin = first; begin < last; begin += SPAN) {
        const ptrdiff_t end = last - begin < SPAN ? last : begin + SPAN;
        place = places;
        for (ptrdiff_t r = 0; r < count; r++) {
            sum_span(store, asked + r, place, begin, end, dots);
            place += asked[r].count;
            VALUES[level](store, kernel, asked + r, dots, begin, end - begin, out + r * stride + begin);
        }
    }
}

void svmbench_sparse_rows(int level, const sparse_store *store, const kernel_params *kernel, const sparse_query *asked,
                          ptrdiff_t count, int32_t *places, float *out, ptrdiff_t stride, int threads)
{
    if (threads == 1) { /* without OpenMP, which costs half a microsecond even for one thread */
        rows_part(level, store, kernel, asked, count, places, 0, store->n, out, stride);
        return;
    }
    int64_t features = 0;
    for (ptrdiff_t r = 0; r < count; r++)
        features += asked[r].count;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int part = 0; part < threads; part++)
        rows_part(level, store, kernel, asked, count, places + part * features, share(store->n, part, threads),
                  share(store->n, part + 1, threads), out, stride);
}
