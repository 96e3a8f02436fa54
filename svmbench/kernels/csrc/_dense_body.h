/* The loops of the dense layout. ROWS x TILES * SPLIT sums fill the registers of the instruction set. */
#undef ROWS
#undef TILES
#if LEVEL >= 2
#define ROWS 8
#define TILES 3
#elif LEVEL == 1
#define ROWS 4
#define TILES 1
#else
#define ROWS 2
#define TILES 1
#endif

/* Features in chunks, so that rounding grows with the chunk and not with d. */
TARGET INLINE void VARIANT(dense_micro)(const dense_store *store, const kernel_params *kernel,
                                        const char *queries, ptrdiff_t query_bytes, const int rows,
                                        const int vectors, const int distance, ptrdiff_t tile, float *out,
                                        ptrdiff_t stride)
{
    const ptrdiff_t d = store->d;
    const float *x = store->tiles + tile * d * TILE;
    vf total[32];
    for (int a = 0; a < rows * vectors; a++)
        total[a] = (vf){0};
    for (ptrdiff_t begin = 0; begin < d; begin += 64) {
        const ptrdiff_t end = begin + 64 < d ? begin + 64 : d;
        vf part[32];
#pragma GCC unroll 32
        for (int a = 0; a < rows * vectors; a++)
            part[a] = (vf){0};
        for (ptrdiff_t k = begin; k < end; k++) {
            vf column[4];
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++)
                column[v] = *(const vf *)(x + AT(v, d) + k * TILE);
#pragma GCC unroll 8
            for (int r = 0; r < rows; r++) {
                const vf q = ((const float *)(queries + r * query_bytes))[k] - (vf){0};
#pragma GCC unroll 4
                for (int v = 0; v < vectors; v++) {
                    if (distance) {
                        const vf difference = column[v] - q;
                        part[r * vectors + v] += difference * difference;
                    } else {
                        part[r * vectors + v] += column[v] * q;
                    }
                }
            }
        }
#pragma GCC unroll 32
        for (int a = 0; a < rows * vectors; a++)
            total[a] += part[a];
    }
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < vectors; v++)
            VARIANT(store)(out + r * stride + v * LANES, VARIANT(finish)(total[r * vectors + v], kernel));
}

/* A few tiles stay in the cache while all queries pass over them. */
TARGET INLINE void VARIANT(dense_pass)(const dense_store *store, const kernel_params *kernel,
                                       const char *queries, ptrdiff_t query_bytes, ptrdiff_t count,
                                       const int vectors, const int distance, ptrdiff_t tile, float *out,
                                       ptrdiff_t stride)
{
    ptrdiff_t r = 0;
    for (; r + ROWS <= count; r += ROWS)
        VARIANT(dense_micro)(store, kernel, queries + r * query_bytes, query_bytes, ROWS, vectors, distance, tile,
                             out + r * stride, stride);
    for (; r < count; r++)
        VARIANT(dense_micro)(store, kernel, queries + r * query_bytes, query_bytes, 1, vectors, distance, tile,
                             out + r * stride, stride);
}

TARGET INLINE void VARIANT(dense_span)(const dense_store *store, const kernel_params *kernel,
                                       const char *queries, ptrdiff_t query_bytes, ptrdiff_t count,
                                       const int distance, ptrdiff_t first, ptrdiff_t last, float *out,
                                       ptrdiff_t stride)
{
    ptrdiff_t tile = first;
    if (count == 1) /* four streams hide the latency of the sum */
        for (; tile + 4 / SPLIT <= last; tile += 4 / SPLIT)
            VARIANT(dense_micro)(store, kernel, queries, query_bytes, 1, 4, distance, tile,
                                 out + (tile - first) * TILE, stride);
    for (; tile + TILES <= last; tile += TILES)
        VARIANT(dense_pass)(store, kernel, queries, query_bytes, count, TILES * SPLIT, distance, tile,
                            out + (tile - first) * TILE, stride);
    for (; tile < last; tile++)
        VARIANT(dense_pass)(store, kernel, queries, query_bytes, count, SPLIT, distance, tile,
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
