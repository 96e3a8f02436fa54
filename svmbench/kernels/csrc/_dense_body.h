/* The loops of the dense layout. ROWS x TILES sums fill the registers of the instruction set. */
#undef ROWS
#undef TILES
#if LEVEL >= 2
#define ROWS 8
#define TILES 3
#else
#define ROWS 2
#define TILES 2
#endif

/* Features in chunks, so that rounding grows with the chunk and not with d. */
TARGET INLINE void VARIANT(dense_micro)(const dense_store *store, const kernel_params *kernel,
                                        const char *queries, ptrdiff_t query_bytes, const int rows,
                                        const int tiles, const int distance, ptrdiff_t tile, float *out,
                                        ptrdiff_t stride)
{
    const ptrdiff_t d = store->d;
    const float *x = store->tiles + tile * d * TILE;
    vf total[32];
    for (int a = 0; a < rows * tiles; a++)
        total[a] = (vf){0};
    for (ptrdiff_t begin = 0; begin < d; begin += 64) {
        const ptrdiff_t end = begin + 64 < d ? begin + 64 : d;
        vf part[32];
#pragma GCC unroll 32
        for (int a = 0; a < rows * tiles; a++)
            part[a] = (vf){0};
        for (ptrdiff_t k = begin; k < end; k++) {
            vf column[4];
#pragma GCC unroll 4
            for (int t = 0; t < tiles; t++)
                column[t] = *(const vf *)(x + (t * d + k) * TILE);
#pragma GCC unroll 8
            for (int r = 0; r < rows; r++) {
                const vf q = ((const float *)(queries + r * query_bytes))[k] - (vf){0};
#pragma GCC unroll 4
                for (int t = 0; t < tiles; t++) {
                    if (distance) {
                        const vf difference = column[t] - q;
                        part[r * tiles + t] += difference * difference;
                    } else {
                        part[r * tiles + t] += column[t] * q;
                    }
                }
            }
        }
#pragma GCC unroll 32
        for (int a = 0; a < rows * tiles; a++)
            total[a] += part[a];
    }
    for (int r = 0; r < rows; r++)
        for (int t = 0; t < tiles; t++)
            VARIANT(store)(out + r * stride + t * TILE, VARIANT(finish)(total[r * tiles + t], kernel));
}

/* A few tiles stay in the cache while all queries pass over them. */
TARGET INLINE void VARIANT(dense_pass)(const dense_store *store, const kernel_params *kernel,
                                       const char *queries, ptrdiff_t query_bytes, ptrdiff_t count,
                                       const int tiles, const int distance, ptrdiff_t tile, float *out,
                                       ptrdiff_t stride)
{
    ptrdiff_t r = 0;
    for (; r + ROWS <= count; r += ROWS)
        VARIANT(dense_micro)(store, kernel, queries + r * query_bytes, query_bytes, ROWS, tiles, distance, tile,
                             out + r * stride, stride);
    for (; r < count; r++)
        VARIANT(dense_micro)(store, kernel, queries + r * query_bytes, query_bytes, 1, tiles, distance, tile,
                             out + r * stride, stride);
}

TARGET INLINE void VARIANT(dense_span)(const dense_store *store, const kernel_params *kernel,
                                       const char *queries, ptrdiff_t query_bytes, ptrdiff_t count,
                                       const int distance, ptrdiff_t first, ptrdiff_t last, float *out,
                                       ptrdiff_t stride)
{
    ptrdiff_t tile = first;
    if (count == 1) /* four streams hide the latency of the sum */
        for (; tile + 4 <= last; tile += 4)
            VARIANT(dense_micro)(store, kernel, queries, query_bytes, 1, 4, distance, tile,
                                 out + (tile - first) * TILE, stride);
    for (; tile + TILES <= last; tile += TILES)
        VARIANT(dense_pass)(store, kernel, queries, query_bytes, count, TILES, distance, tile,
                            out + (tile - first) * TILE, stride);
    for (; tile < last; tile++)
        VARIANT(dense_pass)(store, kernel, queries, query_bytes, count, 1, distance, tile,
                            out + (tile - first) * TILE, stride);
}

TARGET static void VARIANT(dense_block)(const void *store, const kernel_params *kernel, const char *queries,
                                        ptrdiff_t query_bytes, ptrdiff_t count, ptrdiff_t first, ptrdiff_t last,
                                        float *out, ptrdiff_t stride)
{
    if (kernel->kind == KERNEL_GAUSSIAN)
        VARIANT(dense_span)(store, kernel, queries, query_bytes, count, 1, first, last, out, stride);
    else
        VARIANT(dense_span)(store, kernel, queries, query_bytes, count, 0, first, last, out, stride);
}
