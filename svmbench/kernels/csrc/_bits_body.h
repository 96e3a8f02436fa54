/* The loops of the bits layout. ROWS x TILES * SPLIT counts fill the registers of the instruction set. */
#undef ROWS
#undef TILES
#if LEVEL >= 2
#define ROWS 4
#define TILES 4
#else
#define ROWS 2
#define TILES 1
#endif

/* Ones of each 32-bit lane, or, where the processor does not count, of each of its bytes. */
TARGET INLINE vu VARIANT(ones)(vu v)
{
#if LEVEL == 3
    return (vu)_mm512_popcnt_epi32((__m512i)v);
#elif LEVEL == 1
    const __m256i of_four = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, /**/
                                             0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_shuffle_epi8(of_four, (__m256i)(v & 0x0F0F0F0Fu));
    return (vu)_mm256_add_epi8(low, _mm256_shuffle_epi8(of_four, (__m256i)((v >> 4) & 0x0F0F0F0Fu)));
#else
    v = v - ((v >> 1) & 0x55555555u);
    v = (v & 0x33333333u) + ((v >> 2) & 0x33333333u);
    return (v + (v >> 4)) & 0x0F0F0F0Fu;
#endif
}

/* From sums of `ones` over at most 31 words to the count of each lane. */
TARGET INLINE vu VARIANT(gathered)(vu v)
{
#if LEVEL == 3
    return v;
#else
    v = (v & 0x00FF00FFu) + ((v >> 8) & 0x00FF00FFu);
    return (v + (v >> 16)) & 0xFFFFu;
#endif
}

/* table[number] in each lane; `parts` tables of 32 are held in registers, 0: any size. */
TARGET INLINE vf VARIANT(look_up)(const float *table, vu number, const int parts)
{
    (void)parts;
#if LEVEL >= 2
    if (parts == 0)
        return (vf)_mm512_i32gather_ps((__m512i)number, table, 4);
    __m512 value = _mm512_permutex2var_ps(_mm512_loadu_ps(table), (__m512i)number, _mm512_loadu_ps(table + 16));
#pragma GCC unroll 4
    for (int part = 1; part < parts; part++) {
        const __mmask16 here = _mm512_cmpge_epu32_mask((__m512i)number, _mm512_set1_epi32(32 * part));
        const __m512 other = _mm512_permutex2var_ps(_mm512_loadu_ps(table + 32 * part), (__m512i)number,
                                                    _mm512_loadu_ps(table + 32 * part + 16));
        value = _mm512_mask_mov_ps(value, here, other);
    }
    return (vf)value;
#else
#if LEVEL == 1
    if (parts == 1) {
        __m256 value = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), (__m256i)number);
#pragma GCC unroll 3
        for (int eight = 8; eight < 32; eight += 8) {
            const __m256i here = _mm256_cmpgt_epi32((__m256i)number, _mm256_set1_epi32(eight - 1));
            const __m256 other = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table + eight), (__m256i)number);
            value = _mm256_blendv_ps(value, other, _mm256_castsi256_ps(here));
        }
        return (vf)value;
    }
#endif
    vf value;
    for (int lane = 0; lane < LANES; lane++)
        value[lane] = table[number[lane]];
    return value;
#endif
}

TARGET INLINE void VARIANT(bits_micro)(const bits_store *store, const char *queries, ptrdiff_t query_bytes,
                                       const int rows, const int vectors, const int distance, const int parts,
                                       ptrdiff_t tile, float *out, ptrdiff_t stride)
{
    const ptrdiff_t words = store->words;
    const uint32_t *x = store->tiles + tile * words * TILE;
    vu total[16];
#pragma GCC unroll 16
    for (int a = 0; a < rows * vectors; a++)
        total[a] = (vu){0};
    for (ptrdiff_t begin = 0; begin < words; begin += 31) {
        const ptrdiff_t end = begin + 31 < words ? begin + 31 : words;
        vu part[16];
#pragma GCC unroll 16
        for (int a = 0; a < rows * vectors; a++)
            part[a] = (vu){0};
        for (ptrdiff_t w = begin; w < end; w++) {
            vu column[4];
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++)
                column[v] = *(const vu *)(x + AT(v, words) + w * TILE);
#pragma GCC unroll 4
            for (int r = 0; r < rows; r++) {
                const uint32_t q = ((const uint32_t *)(queries + r * query_bytes))[w];
#pragma GCC unroll 4
                for (int v = 0; v < vectors; v++)
                    part[r * vectors + v] += VARIANT(ones)(distance ? column[v] ^ q : column[v] & q);
            }
        }
#pragma GCC unroll 16
        for (int a = 0; a < rows * vectors; a++)
            total[a] += VARIANT(gathered)(part[a]);
    }
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            VARIANT(store)(out + r * stride + v * LANES,
                           VARIANT(look_up)(store->table, total[r * vectors + v], parts));
}

TARGET INLINE void VARIANT(bits_span)(const bits_store *store, const char *queries, ptrdiff_t query_bytes,
                                      const int rows, const int distance, const int parts, ptrdiff_t first,
                                      ptrdiff_t last, float *out, ptrdiff_t stride)
{
    ptrdiff_t tile = first;
    for (; tile + TILES <= last; tile += TILES)
        VARIANT(bits_micro)(store, queries, query_bytes, rows, TILES * SPLIT, distance, parts, tile,
                            out + (tile - first) * TILE, stride);
    for (; tile < last; tile++)
        VARIANT(bits_micro)(store, queries, query_bytes, rows, SPLIT, distance, parts, tile,
                            out + (tile - first) * TILE, stride);
}

TARGET INLINE void VARIANT(bits_rows)(const bits_store *store, const char *queries, ptrdiff_t query_bytes,
                                      ptrdiff_t count, const int distance, const int parts, ptrdiff_t first,
                                      ptrdiff_t last, float *out, ptrdiff_t stride)
{
    ptrdiff_t r = 0;
    for (; r + ROWS <= count; r += ROWS)
        VARIANT(bits_span)(store, queries + r * query_bytes, query_bytes, ROWS, distance, parts, first, last,
                           out + r * stride, stride);
    for (; r < count; r++)
        VARIANT(bits_span)(store, queries + r * query_bytes, query_bytes, 1, distance, parts, first, last,
                           out + r * stride, stride);
}

TARGET INLINE void VARIANT(bits_any)(const bits_store *store, const char *queries, ptrdiff_t query_bytes,
                                     ptrdiff_t count, const int distance, int32_t largest, ptrdiff_t first,
                                     ptrdiff_t last, float *out, ptrdiff_t stride)
{
    if (LEVEL >= 1 && largest < 32)
        VARIANT(bits_rows)(store, queries, query_bytes, count, distance, 1, first, last, out, stride);
    else if (LEVEL >= 2 && largest < 128)
        VARIANT(bits_rows)(store, queries, query_bytes, count, distance, 4, first, last, out, stride);
    else
        VARIANT(bits_rows)(store, queries, query_bytes, count, distance, 0, first, last, out, stride);
}

TARGET static void VARIANT(bits_block)(const void *opaque, const kernel_params *kernel, const char *queries,
                                       ptrdiff_t query_bytes, ptrdiff_t count, ptrdiff_t first, ptrdiff_t last,
                                       float *out, ptrdiff_t stride)
{
    const bits_store *store = opaque;
    int32_t most = 0;
    for (ptrdiff_t r = 0; r < count; r++) {
        const int32_t ones = ((const int32_t *)(queries + r * query_bytes))[store->words];
        most = ones > most ? ones : most;
    }
    if (kernel->kind == KERNEL_GAUSSIAN)
        VARIANT(bits_any)(store, queries, query_bytes, count, 1, store->most + most, first, last, out, stride);
    else
        VARIANT(bits_any)(store, queries, query_bytes, count, 0, store->most, first, last, out, stride);
}
