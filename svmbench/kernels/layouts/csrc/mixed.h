/* A few numeric columns, float32 as in the dense layout, and groups of indicators of which every example has
 * exactly one. A group is stored as the code of its indicator, four codes per lane. A group in which two examples
 * differ adds 2 to their squared distance; one in which they agree adds 1 to their inner product. A query is its
 * numbers, then its codes. */
#ifndef SVMBENCH_MIXED_H
#define SVMBENCH_MIXED_H

#include "kernels.h"

typedef struct {
    const uint32_t *tiles; /* [n_tiles][numeric + lanes][TILE]: float32, then codes; 64-byte aligned, zero padded */
    ptrdiff_t numeric;
    ptrdiff_t lanes;       /* ceil(groups / 4) */
    ptrdiff_t groups;
} mixed_store;

block_fn svmbench_mixed_block(int level);

#endif
