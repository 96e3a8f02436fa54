/* The loops of the mixed layout. ROWS x TILES * SPLIT sums fill the registers of the instruction set. */
#undef ROWS
#undef TILES
#if LEVEL >= 2
#define ROWS 4
#define TILES 4
#else
#define ROWS 2
#define TILES (LEVEL + 1)
#endif

TARGET INLINE void VARIANT(mixed_micro)(const mixed_store *store, const kernel_params *kernel,
                                        const char *queries, ptrdiff_t query_bytes, const int rows,
                                        const int vectors, const int distance, ptrdiff_t tile, float *out,
                                        ptrdiff_t stride)
{
    const ptrdiff_t columns = store->numeric + store->lanes;
    const uint32_t *x = store->tiles + tile * columns * TILE;
    vf sum[16];
#pragma GCC unroll 16
    for (int a = 0; a < rows * vectors; a++)
        sum[a] = (vf){0};
    for (ptrdiff_t k = 0; k < store->numeric; k++) {
        vf column[4];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            column[v] = *(const vf *)(x + AT(v, columns) + k * TILE);
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++) {
            const float q = ((const float *)(queries + r * query_bytes))[k];
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++) {
                const vf difference = column[v] - q;
                sum[r * vectors + v] += distance ? difference * difference : column[v] * q;
            }
        }
    }
    for (ptrdiff_t g = 0; g < store->groups; g++) {
        const ptrdiff_t k = store->numeric + g / 4;
        const uint32_t byte = (uint32_t)255 << (8 * (g % 4));
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++) {
            const uint32_t q = ((const uint32_t *)(queries + r * query_bytes))[k];
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++) {
                const vu other = (*(const vu *)(x + AT(v, columns) + k * TILE) ^ q) & byte;
                const vi counted = distance ? other != 0 : other == 0;
                sum[r * vectors + v] += (vf)(counted & (vi)((vf){0} + (distance ? 2.0f : 1.0f)));
            }
        }
    }
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            VARIANT(store)(out + r * stride + v * LANES, VARIANT(finish)(sum[r * vectors + v], kernel));
}

/* A few tiles stay in the cache while all queries pass over them. */
TARGET INLINE void VARIANT(mixed_pass)(const mixed_store *store, const kernel_params *kernel,
                                       const char *queries, ptrdiff_t query_bytes, ptrdiff_t count,
                                       const int vectors, const int distance, ptrdiff_t tile, float *out,
                                       ptrdiff_t stride)
{
    ptrdiff_t r = 0;
    for (; r + ROWS <= count; r += ROWS)
        VARIANT(mixed_micro)(store, kernel, queries + r * query_bytes, query_bytes, ROWS, vectors, distance, tile,
                             out + r * stride, stride);
    for (; r < count; r++)
        VARIANT(mixed_micro)(store, kernel, queries + r * query_bytes, query_bytes, 1, vectors, distance, tile,
                             out + r * stride, stride);
}

TARGET INLINE void VARIANT(mixed_span)(const mixed_store *store, const kernel_params *kernel,
                                       const char *queries, ptrdiff_t query_bytes, ptrdiff_t count,
                                       const int distance, ptrdiff_t first, ptrdiff_t last, float *out,
                                       ptrdiff_t stride)
{
    ptrdiff_t tile = first;
    for (; tile + TILES <= last; tile += TILES)
        VARIANT(mixed_pass)(store, kernel, queries, query_bytes, count, TILES * SPLIT, distance, tile,
                            out + (tile - first) * TILE, stride);
    for (; tile < last; tile++)
        VARIANT(mixed_pass)(store, kernel, queries, query_bytes, count, SPLIT, distance, tile,
                            out + (tile - first) * TILE, stride);
}

TARGET static void VARIANT(mixed_block)(const void *store, const kernel_params *kernel, const char *queries,
                                        ptrdiff_t query_bytes, ptrdiff_t count, ptrdiff_t first, ptrdiff_t last,
                                        float *out, ptrdiff_t stride)
{
    if (kernel->kind == KERNEL_GAUSSIAN)
        VARIANT(mixed_span)(store, kernel, queries, query_bytes, count, 1, first, last, out, stride);
    else
        VARIANT(mixed_span)(store, kernel, queries, query_bytes, count, 0, first, last, out, stride);
}
