/* Examples whose features are all 0 or 1, packed into words. The kernel value is a function of a whole number,
 * the distance or the ones in common, and is looked up in a table made in float64: exact but for its rounding
 * to float32. A query is its words and, after them, the number of its ones. */
#ifndef SVMBENCH_BITS_H
#define SVMBENCH_BITS_H

#include "kernels.h"

typedef struct {
    const uint32_t *tiles; /* [n_tiles][words][TILE], 64-byte aligned, zero padded */
    ptrdiff_t words;
    const float *table;    /* values for 0, 1, 2, ...; defined, if meaningless, up to a multiple of 128 */
    int32_t most;          /* ones of the example that has most */
} bits_store;

block_fn svmbench_bits_block(int level);

#endif
