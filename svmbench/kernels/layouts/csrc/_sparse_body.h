/* The loops of the sparse layout. Two partial sums, the same for one query as for many. */
#include "finish.h"


TARGET INLINE void VARIANT(sparse_finish)(const kernel_params *kernel, float *out, ptrdiff_t count)
{
    for (ptrdiff_t j = 0; j < count; j += LANES) {
        const size_t bytes = (size_t)(count - j < LANES ? count - j : LANES) * sizeof(float);
        vf s = (vf){0};
        __builtin_memcpy(&s, out + j, bytes);
        s = VARIANT(finish)(s, kernel, kernel->kind == KERNEL_GAUSSIAN);
        __builtin_memcpy(out + j, &s, bytes);
    }
}

/* A squared distance or an inner product. Where the norms are so large that their rounding counts, a distance far below
 * them is made of differences. */
TARGET INLINE float VARIANT(sparse_score)(const sparse_store *store, int distance, ptrdiff_t j, const sparse_query *query,
                                          double dot)
{
    if (!distance)
        return (float)dot;
    const double norms = store->squared[j] + query->squared, s = norms - 2.0 * dot;
    if (store->careful && s < CANCELLED * norms)
        return (float)sparse_distance(store, j, query);
    return (float)(s < 0.0 ? 0.0 : s);
}

TARGET INLINE double VARIANT(sparse_dot)(const sparse_store *store, ptrdiff_t j, const float *work)
{
    const int64_t end = store->indptr[j + 1];
    int64_t k = store->indptr[j];
    double even = 0.0, odd = 0.0;
    for (; k + 2 <= end; k += 2) {
        even += (double)store->values[k] * (double)work[store->indices[k]];
        odd += (double)store->values[k + 1] * (double)work[store->indices[k + 1]];
    }
    if (k < end)
        even += (double)store->values[k] * (double)work[store->indices[k]];
    return even + odd;
}

TARGET INLINE void VARIANT(sparse_add)(vd *sums, float value, const float *work)
{
    const vd factor = (double)value - (vd){0};
#pragma GCC unroll 8
    for (int s = 0; s < QUERIES * 8 / BYTES; s++)
        sums[s] += factor * VARIANT(widen)(work + s * BYTES / 8);
}

TARGET INLINE void VARIANT(sparse_dots)(const sparse_store *store, ptrdiff_t j, const float *work, double *dots)
{
    enum { SUMS = QUERIES * 8 / BYTES };
    const int64_t end = store->indptr[j + 1];
    int64_t k = store->indptr[j];
    vd even[SUMS], odd[SUMS];
#pragma GCC unroll 8
    for (int s = 0; s < SUMS; s++)
        even[s] = odd[s] = (vd){0};
    for (; k + 2 <= end; k += 2) {
        VARIANT(sparse_add)(even, store->values[k], work + (ptrdiff_t)store->indices[k] * QUERIES);
        VARIANT(sparse_add)(odd, store->values[k + 1], work + (ptrdiff_t)store->indices[k + 1] * QUERIES);
    }
    if (k < end)
        VARIANT(sparse_add)(even, store->values[k], work + (ptrdiff_t)store->indices[k] * QUERIES);
#pragma GCC unroll 8
    for (int s = 0; s < SUMS; s++)
        *(vd *)(dots + s * BYTES / 8) = even[s] + odd[s];
}

TARGET static void VARIANT(sparse_block)(const sparse_store *store, const kernel_params *kernel,
                                         const float *work, const sparse_query *asked, int lanes, int queries,
                                         ptrdiff_t first, ptrdiff_t last, float *out, ptrdiff_t stride)
{
    const int distance = kernel->kind == KERNEL_GAUSSIAN;
    for (ptrdiff_t j = first; j < last; j++) {
        if (lanes == 1) {
            const double dot = VARIANT(sparse_dot)(store, j, work);
            out[j] = VARIANT(sparse_score)(store, distance, j, asked, dot);
        } else {
            double dots[QUERIES] __attribute__((aligned(64)));
            VARIANT(sparse_dots)(store, j, work, dots);
            for (int r = 0; r < queries; r++)
                out[r * stride + j] = VARIANT(sparse_score)(store, distance, j, asked + r, dots[r]);
        }
    }
    for (int r = 0; r < queries; r++)
        VARIANT(sparse_finish)(kernel, out + r * stride + first, last - first);
}
