/* The loops of the sparse layout. */
#include "finish.h"

/* Turn inner products with the examples [first, first + count) into the argument of the kernel. */
TARGET INLINE void VARIANT(sparse_arguments)(const sparse_store *store, const sparse_query *query, const double *dots,
                                             ptrdiff_t first, ptrdiff_t count, const int distance, float *out)
{
    if (!distance) {
        for (ptrdiff_t j = 0; j < count; j++)
            out[j] = (float)dots[j];
        return;
    }
    const double *squared = store->squared + first, own = query->squared;
    for (ptrdiff_t j = 0; j < count; j++) {
        const double s = squared[j] + own - 2.0 * dots[j];
        out[j] = (float)(s < 0.0 ? 0.0 : s);
    }
    /* If the norms are so large that their rounding matters, small distances are computed from differences. */
    if (store->careful)
        for (ptrdiff_t j = 0; j < count; j++) {
            const double norms = squared[j] + own;
            if (norms - 2.0 * dots[j] < CANCELLED * norms)
                out[j] = (float)sparse_distance(store, first + j, query);
        }
}

TARGET INLINE void VARIANT(sparse_finish)(const kernel_params *kernel, float *out, ptrdiff_t count)
{
    enum { BESIDE = 4 };
    const int gaussian = kernel->kind == KERNEL_GAUSSIAN;
    for (ptrdiff_t j = 0; j < count; j += BESIDE * LANES) {
        const size_t bytes = (size_t)(count - j < BESIDE * LANES ? count - j : BESIDE * LANES) * sizeof(float);
        vf s[BESIDE] = {(vf){0}};
        __builtin_memcpy(s, out + j, bytes);
        VARIANT(finish_all)(s, BESIDE, kernel, gaussian);
        __builtin_memcpy(out + j, s, bytes);
    }
}

TARGET static void VARIANT(sparse_values)(const sparse_store *store, const kernel_params *kernel,
                                          const sparse_query *query, const double *dots, ptrdiff_t first,
                                          ptrdiff_t count, float *out)
{
    VARIANT(sparse_arguments)(store, query, dots, first, count, kernel->kind == KERNEL_GAUSSIAN, out);
    VARIANT(sparse_finish)(kernel, out, count);
}
