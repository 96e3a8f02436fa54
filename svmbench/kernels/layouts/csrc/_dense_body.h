/* The loops of the dense layout. Columns are summed in chunks, so that rounding grows with the chunk and not with d. */
#include "finish.h"

#undef ROWS
#if LEVEL >= 2
#define ROWS 4
#elif LEVEL == 1
#define ROWS 3
#else
#define ROWS 1
#endif
#define STORE dense_store
#define SUM vf
#define COLUMNS(store) ((store)->d)
#define BORDER(store) PTRDIFF_MAX
#define CHUNK DENSE_CHUNK
#define UNFINISHED(mode) 0

TARGET INLINE vf VARIANT(add)(vf sum, vu column, vu query, const sweep_mode mode)
{
    const vf difference = (vf)column - (vf)query;
    if (mode.distance)
        return sum + difference * difference;
    return sum + (vf)column * (vf)query;
}

TARGET INLINE vf VARIANT(whole)(vf sum) { return sum; }

TARGET INLINE vf VARIANT(argument)(const dense_store *store, const uint32_t *query, vf sum, ptrdiff_t at,
                                   const sweep_mode mode)
{
    (void)store, (void)query, (void)at, (void)mode;
    return sum;
}

#include "sweep.h"

TARGET static void VARIANT(dense_block)(const void *store, const kernel_params *kernel, const kernel_block *block)
{
    if (kernel->kind == KERNEL_GAUSSIAN)
        VARIANT(sweep)(store, kernel, block, (sweep_mode){.distance = 1});
    else
        VARIANT(sweep)(store, kernel, block, (sweep_mode){0});
}
