/* The loops of the bytes layout. ROWS x TILES * SPLIT sums fill the registers of the instruction set. */
#undef ROWS
#undef TILES
#if LEVEL == 3
#define ROWS 8
#define TILES 3
#elif LEVEL == 2
#define ROWS 4
#define TILES 4
#elif LEVEL == 1
#define ROWS 4
#define TILES 1
#else
#define ROWS 2
#define TILES 1
#endif

/* sum + the products of four stored bytes and four bytes of the query in each lane. */
#if LEVEL < 3
TARGET INLINE vi VARIANT(madd)(vs a, vs b)
{
#if LEVEL == 2
    return (vi)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif LEVEL == 1
    return (vi)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return (vi)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
    const vi low = (((vi)a << 16) >> 16) * (((vi)b << 16) >> 16);
    return low + ((vi)a >> 16) * ((vi)b >> 16);
#endif
}
#endif

TARGET INLINE vi VARIANT(accumulate)(vi sum, vi x, uint32_t q)
{
    const vu query = q - (vu){0};
#if LEVEL == 3
    return (vi)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)query, (__m512i)x);
#else
    const vs even = (vs)((vu)x << 8) >> 8, odd = (vs)x >> 8; /* bytes 0, 2 and 1, 3 as int16 */
    const vs query_even = (vs)(query & 0x00FF00FFu), query_odd = (vs)((query >> 8) & 0x00FF00FFu);
    return sum + VARIANT(madd)(even, query_even) + VARIANT(madd)(odd, query_odd);
#endif
}

TARGET INLINE void VARIANT(bytes_micro)(const bytes_store *store, const kernel_params *kernel,
                                        const char *queries, ptrdiff_t query_bytes, const int rows,
                                        const int vectors, ptrdiff_t tile, float *out, ptrdiff_t stride)
{
    const ptrdiff_t quads = store->quads;
    const int8_t *x = store->tiles + tile * quads * TILE * 4;
    vi sum[32];
#pragma GCC unroll 32
    for (int a = 0; a < rows * vectors; a++)
        sum[a] = (vi){0};
    for (ptrdiff_t k = 0; k < quads; k++) {
        vi column[4];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            column[v] = *(const vi *)(x + 4 * (AT(v, quads) + k * TILE));
#pragma GCC unroll 8
        for (int r = 0; r < rows; r++) {
            const uint32_t q = ((const uint32_t *)(queries + r * query_bytes))[k];
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++)
                sum[r * vectors + v] = VARIANT(accumulate)(sum[r * vectors + v], column[v], q);
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++) {
        const uint32_t *query = (const uint32_t *)(queries + r * query_bytes) + quads;
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) {
            /* Unsigned, because partial results may pass 2^31; what comes out never does. */
            vu whole = (vu)sum[r * vectors + v] + query[0];
            if (kernel->kind == KERNEL_GAUSSIAN)
                whole = *(const vu *)(store->squared + tile * TILE + v * LANES) + query[1] - (whole << 1);
            const vf value = __builtin_convertvector((vi)whole, vf) * store->unit_squared;
            VARIANT(store)(out + r * stride + v * LANES, VARIANT(finish)(value, kernel));
        }
    }
}

/* A few tiles stay in the cache while all queries pass over them. */
TARGET INLINE void VARIANT(bytes_pass)(const bytes_store *store, const kernel_params *kernel,
                                       const char *queries, ptrdiff_t query_bytes, ptrdiff_t count,
                                       const int vectors, ptrdiff_t tile, float *out, ptrdiff_t stride)
{
    ptrdiff_t r = 0;
    for (; r + ROWS <= count; r += ROWS)
        VARIANT(bytes_micro)(store, kernel, queries + r * query_bytes, query_bytes, ROWS, vectors, tile,
                             out + r * stride, stride);
    for (; r < count; r++)
        VARIANT(bytes_micro)(store, kernel, queries + r * query_bytes, query_bytes, 1, vectors, tile,
                             out + r * stride, stride);
}

TARGET static void VARIANT(bytes_block)(const void *opaque, const kernel_params *kernel, const char *queries,
                                        ptrdiff_t query_bytes, ptrdiff_t count, ptrdiff_t first, ptrdiff_t last,
                                        float *out, ptrdiff_t stride)
{
    const bytes_store *store = opaque;
    ptrdiff_t tile = first;
    for (; tile + TILES <= last; tile += TILES)
        VARIANT(bytes_pass)(store, kernel, queries, query_bytes, count, TILES * SPLIT, tile,
                            out + (tile - first) * TILE, stride);
    for (; tile < last; tile++)
        VARIANT(bytes_pass)(store, kernel, queries, query_bytes, count, SPLIT, tile, out + (tile - first) * TILE,
                            stride);
}
