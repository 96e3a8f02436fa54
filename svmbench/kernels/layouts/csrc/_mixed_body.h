/* The loops of the mixed layout: numeric columns, then lanes of four codes. */
#include "finish.h"

#include "svmbench/simd/csrc/intrinsics.h"

#undef ROWS
#if LEVEL >= 2
#define ROWS 8
#elif LEVEL == 1
#define ROWS 3
#else
#define ROWS 1
#endif
#define STORE mixed_store
#define SUM vf
#define COLUMNS(store) ((store)->numeric + (store)->lanes)
#define BORDER(store) ((store)->numeric)
#define CHUNK 64
#define UNFINISHED(mode) 0

/* A group in which two examples differ adds 2 to their squared distance, or takes 1 from their inner product. */
TARGET INLINE vf VARIANT(add_codes)(vf sum, vu column, vu query, const sweep_mode mode)
{
    const vu other = column ^ query;
    const int codes = mode.pair ? 2 : 4;
#if LEVEL == 1
    if (mode.distance) {
        /* Its byte is 1 where a group differs; shifted to two bits below the sign, this is 2 in float32. */
        const vu differ = (vu)_mm256_min_epu8((__m256i)other, _mm256_set1_epi8(1));
        sum += (vf)(differ << 30);
#pragma GCC unroll 4
        for (int g = 1; g < codes; g++)
            sum += (vf)(differ >> 8 * g << 30);
        return sum;
    }
#endif
    const vf step = (vf){0} + (mode.distance ? 2.0f : -1.0f);
#pragma GCC unroll 4
    for (int g = 0; g < codes; g++) {
        const vi differ = (other & ((uint32_t)255 << (8 * g))) != 0;
        sum += (vf)(differ & (vi)step);
    }
    return sum;
}

TARGET INLINE vf VARIANT(add)(vf sum, vu column, vu query, const sweep_mode mode)
{
    const vf difference = (vf)column - (vf)query;
    if (mode.second)
        return VARIANT(add_codes)(sum, column, query, mode);
    if (mode.distance)
        return sum + difference * difference;
    return sum + (vf)column * (vf)query;
}

TARGET INLINE vf VARIANT(whole)(vf sum) { return sum; }

TARGET INLINE vf VARIANT(argument)(const mixed_store *store, const uint32_t *query, vf sum, ptrdiff_t at,
                                   const sweep_mode mode)
{
    (void)query, (void)at;
    if (!mode.distance)
        sum += (float)store->groups;
    return sum;
}

#include "sweep.h"

TARGET static void VARIANT(mixed_block)(const void *opaque, const kernel_params *kernel, const kernel_block *block)
{
    const mixed_store *store = opaque;
    if (kernel->kind != KERNEL_GAUSSIAN)
        VARIANT(sweep)(store, kernel, block, (sweep_mode){0});
    else if (store->groups <= 2)
        VARIANT(sweep)(store, kernel, block, (sweep_mode){.distance = 1, .pair = 1});
    else
        VARIANT(sweep)(store, kernel, block, (sweep_mode){.distance = 1});
}
