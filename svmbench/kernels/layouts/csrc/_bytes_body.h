/* The loops of the bytes layout. */
#include "finish.h"

#include "svmbench/simd/csrc/intrinsics.h"

#undef ROWS
#if LEVEL >= 2
#define ROWS 8
#elif LEVEL == 1
#define ROWS 2
#else
#define ROWS 1
#endif
#define STORE bytes_store
#define SUM vi
#define COLUMNS(store) ((store)->quads)
#define BORDER(store) PTRDIFF_MAX
#define CHUNK 40
#define UNFINISHED(mode) ((mode).whole)

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

/* sum + the products of four stored bytes and four bytes of the query in each lane. */
TARGET INLINE vi VARIANT(add)(vi sum, vu x, vu query, const sweep_mode mode)
{
    (void)mode;
#if LEVEL == 3
    return (vi)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)query, (__m512i)x);
#else
    const vs even = (vs)(x << 8) >> 8, odd = (vs)x >> 8; /* bytes 0, 2 and 1, 3 as int16 */
    const vs query_even = (vs)(query & 0x00FF00FFu), query_odd = (vs)((query >> 8) & 0x00FF00FFu);
    return sum + VARIANT(madd)(even, query_even) + VARIANT(madd)(odd, query_odd);
#endif
}

TARGET INLINE vi VARIANT(whole)(vi sum) { return sum; }

TARGET INLINE vf VARIANT(argument)(const bytes_store *store, const uint32_t *query, vi sum, ptrdiff_t at,
                                   const sweep_mode mode)
{
    /* Unsigned, because partial results may exceed 2^31; the final result never does. */
    vu number = (vu)sum + query[store->quads];
    if (mode.distance) {
        vu squared;
        __builtin_memcpy(&squared, store->squared + at, sizeof squared);
        number = squared + query[store->quads + 1] - (number << 1);
    }
    if (mode.whole)
        return (vf)number;
    return __builtin_convertvector((vi)number, vf) * store->unit_squared;
}

#include "sweep.h"

/* Whether at least a third of the words of the queries is 0, as of most pixels. Measured with AVX2 only. */
TARGET INLINE int VARIANT(skips)(const bytes_store *store, const kernel_block *block)
{
    ptrdiff_t zeros = 0;
    for (ptrdiff_t r = 0; r < block->count; r++)
        for (ptrdiff_t k = 0; k < store->quads; k++)
            zeros += ((const uint32_t *)(block->queries + r * block->query_bytes))[k] == 0;
    return 3 * zeros >= block->count * store->quads && zeros > 0;
}

TARGET static void VARIANT(bytes_block)(const void *store, const kernel_params *kernel, const kernel_block *block)
{
    const int whole = kernel->kind == WHOLE_DISTANCE || kernel->kind == WHOLE_PRODUCT;
    const int distance = kernel->kind == KERNEL_GAUSSIAN || kernel->kind == WHOLE_DISTANCE;
    if (LEVEL <= 1 && kernel->kind == KERNEL_GAUSSIAN && VARIANT(skips)(store, block))
        VARIANT(sweep)(store, kernel, block, (sweep_mode){.distance = 1, .skips = 1});
    else
        VARIANT(sweep)(store, kernel, block, (sweep_mode){.distance = distance, .whole = whole});
}
