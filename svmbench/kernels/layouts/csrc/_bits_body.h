/* The loops of the bits layout. */
#include "finish.h"

#include "svmbench/simd/csrc/intrinsics.h"

#undef ROWS
#if LEVEL >= 2
#define ROWS 8
#else
#define ROWS 1
#endif
#define STORE bits_store
#define SUM vu
#define COLUMNS(store) ((store)->words)
#define BORDER(store) PTRDIFF_MAX
#define CHUNK 31 /* words whose counts per byte fit into a byte */
#define UNFINISHED(mode) 1

/* Number of ones in each 32-bit lane or, without an instruction for it, in each byte of the lane. */
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

/* From sums of `ones` over CHUNK words to the count of each lane. */
TARGET INLINE vu VARIANT(whole)(vu v)
{
#if LEVEL == 3
    return v;
#elif LEVEL == 1
    return (vu)_mm256_madd_epi16(_mm256_maddubs_epi16((__m256i)v, _mm256_set1_epi8(1)), _mm256_set1_epi16(1));
#else
    v = (v & 0x00FF00FFu) + ((v >> 8) & 0x00FF00FFu);
    return (v + (v >> 16)) & 0xFFFFu;
#endif
}

/* table[number] in each lane; `tables` of 32 values are held in registers, 0: any size. */
TARGET INLINE vf VARIANT(look_up)(const float *table, vu number, const int tables)
{
    (void)tables;
#if LEVEL >= 2
    if (tables == 0)
        return (vf)_mm512_i32gather_ps((__m512i)number, table, 4);
    __m512 value = _mm512_permutex2var_ps(_mm512_loadu_ps(table), (__m512i)number, _mm512_loadu_ps(table + 16));
#pragma GCC unroll 4
    for (int part = 1; part < tables; part++) {
        const __mmask16 here = _mm512_cmpge_epu32_mask((__m512i)number, _mm512_set1_epi32(32 * part));
        const __m512 other = _mm512_permutex2var_ps(_mm512_loadu_ps(table + 32 * part), (__m512i)number,
                                                    _mm512_loadu_ps(table + 32 * part + 16));
        value = _mm512_mask_mov_ps(value, here, other);
    }
    return (vf)value;
#else
#if LEVEL == 1
    if (tables == 1) {
        /* A permutation reads the lowest three bits; the two above select the result, each shifted to the sign. */
        const __m256 fourth = (__m256)(number << 28), fifth = (__m256)(number << 27);
        __m256 eight[4];
#pragma GCC unroll 4
        for (int part = 0; part < 4; part++)
            eight[part] = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table + 8 * part), (__m256i)number);
        return (vf)_mm256_blendv_ps(_mm256_blendv_ps(eight[0], eight[1], fourth),
                                    _mm256_blendv_ps(eight[2], eight[3], fourth), fifth);
    }
#endif
    vf value;
    for (int lane = 0; lane < LANES; lane++)
        value[lane] = table[number[lane]];
    return value;
#endif
}

TARGET INLINE vu VARIANT(add)(vu sum, vu column, vu query, const sweep_mode mode)
{
    if (mode.distance)
        return sum + VARIANT(ones)(column ^ query);
    return sum + VARIANT(ones)(column & query);
}

/* The number, or the kernel value, because looking it up takes no longer. */
TARGET INLINE vf VARIANT(argument)(const bits_store *store, const uint32_t *query, vu sum, ptrdiff_t at,
                                   const sweep_mode mode)
{
    (void)query, (void)at;
    if (mode.whole)
        return (vf)sum;
    return VARIANT(look_up)(store->table, sum, mode.tables);
}

#include "sweep.h"

#include "columns.h"

/* Values from the words of examples. */
TARGET static void VARIANT(by_words)(const bits_store *store, const kernel_params *kernel, const kernel_block *block)
{
    int32_t most = 0;
    for (ptrdiff_t r = 0; r < block->count; r++) {
        const int32_t ones = ((const int32_t *)(block->queries + r * block->query_bytes))[store->words];
        most = ones > most ? ones : most;
    }
    const int whole = kernel->kind == WHOLE_DISTANCE || kernel->kind == WHOLE_PRODUCT;
    const int distance = kernel->kind == KERNEL_GAUSSIAN || kernel->kind == WHOLE_DISTANCE;
    const int32_t largest = store->most + (distance ? most : 0);
    const int tables = whole || largest >= 128 ? 0 : largest < 32 ? 1 : 4;
    if (distance)
        VARIANT(sweep)(store, kernel, block, (sweep_mode){.distance = 1, .whole = whole, .tables = tables});
    else
        VARIANT(sweep)(store, kernel, block, (sweep_mode){.whole = whole, .tables = tables});
}

/* Whether columns are faster for a query, and their sums fit into bytes: measured, with half of the features ones both
 * ways take as long. A part of a block takes as long as a whole one. With an instruction that counts ones, words are
 * faster for examples of one word, and for queries that share their loads if examples are short, or the tiles few. */
TARGET INLINE int VARIANT(suits)(const bits_store *store, const kernel_params *kernel, const kernel_block *block,
                                 const uint32_t *query)
{
    const int sharing = LEVEL == 3 && block->count > 1;
    const ptrdiff_t few = LEVEL < 3 ? 0 : sharing ? 6 : 1; /* words */
    const ptrdiff_t least = sharing ? 256 : LEVEL == 3 ? 48 : 16; /* words of tiles */
    const int32_t ones = (int32_t)query[store->words];
    const int distance = kernel->kind == KERNEL_GAUSSIAN || kernel->kind == WHOLE_DISTANCE;
    return store->columns != NULL && (block->last - block->first) * store->words >= least &&
           store->words > few && 2 * ones <= store->features &&
           ones + (distance ? store->most : 0) <= MOST_COLUMNS;
}

TARGET static void VARIANT(bits_block)(const void *opaque, const kernel_params *kernel, const kernel_block *block)
{
    const bits_store *store = opaque;
    const ptrdiff_t bytes = block->query_bytes;
    kernel_block part = *block;
    for (ptrdiff_t r = 0; r < block->count; r += part.count) {
        part.queries = block->queries + r * bytes;
        part.out = block->out + r * block->stride;
        part.count = 0;
        while (r + part.count < block->count &&
               !VARIANT(suits)(store, kernel, block, (const uint32_t *)(part.queries + part.count * bytes)))
            part.count++;
        if (part.count > 0) {
            VARIANT(by_words)(store, kernel, &part);
        } else {
            VARIANT(by_columns)(store, kernel, &part);
            part.count = 1;
        }
    }
}
