/* The loops of the dense layout in double precision: a value does not depend on the rest of its block, because each
 * query has separate sums, in which the columns are added in order. */
#include "finish_double.h"

#undef SPAN
#undef GROUP
#define SPAN (TILE / WIDTH) /* registers of a column of a tile */
#if LEVEL >= 2
#define GROUP 4 /* queries whose sums fill the registers */
#else
#define GROUP 1
#endif

/* `count` queries of a block, one or GROUP, from the one numbered `first` on, and a tile. */
TARGET INLINE void VARIANT(dense_double_tile)(const kernel_params *kernel, const double *tile, ptrdiff_t d,
                                              const kernel_block *block, ptrdiff_t first, const int count,
                                              const int gaussian, float *out)
{
    const char *queries = block->queries + first * block->query_bytes;
    vd sums[GROUP * SPAN];
#pragma GCC unroll 16
    for (int a = 0; a < count * SPAN; a++)
        sums[a] = (vd){0};
    for (ptrdiff_t k = 0; k < d; k++)
#pragma GCC unroll 4
        for (int r = 0; r < count; r++) {
            const vd q = ((const double *)(queries + r * block->query_bytes))[k] - (vd){0};
#pragma GCC unroll 16
            for (int v = 0; v < SPAN; v++) {
                const vd x = *(const vd *)(tile + k * TILE + v * WIDTH);
                const vd difference = x - q;
                sums[r * SPAN + v] += gaussian ? difference * difference : x * q;
            }
        }
    for (int r = 0; r < count; r++)
        for (int v = 0; v < SPAN; v++) {
            const vd value = VARIANT(double_value)(sums[r * SPAN + v], kernel, gaussian);
            for (int lane = 0; lane < WIDTH; lane++)
                out[(first + r) * block->stride + v * WIDTH + lane] = (float)value[lane];
        }
}

TARGET INLINE void VARIANT(dense_double_rows)(const dense_double_store *store, const kernel_params *kernel,
                                              const kernel_block *block, const int gaussian)
{
    float *out = block->out;
    for (ptrdiff_t tile = block->first; tile < block->last; tile++, out += TILE) {
        const double *x = store->tiles + tile * store->d * TILE;
        ptrdiff_t r = 0;
        for (; GROUP > 1 && r + GROUP <= block->count; r += GROUP)
            VARIANT(dense_double_tile)(kernel, x, store->d, block, r, GROUP, gaussian, out);
        for (; r < block->count; r++)
            VARIANT(dense_double_tile)(kernel, x, store->d, block, r, 1, gaussian, out);
    }
}

TARGET static void VARIANT(dense_double_block)(const void *opaque, const kernel_params *given,
                                               const kernel_block *shared)
{
    const dense_double_store store = *(const dense_double_store *)opaque;
    const kernel_params kernel = *given;
    const kernel_block block = *shared;
    if (kernel.kind == KERNEL_GAUSSIAN)
        VARIANT(dense_double_rows)(&store, &kernel, &block, 1);
    else
        VARIANT(dense_double_rows)(&store, &kernel, &block, 0);
}
