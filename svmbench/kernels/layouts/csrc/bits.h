/* Examples whose features are all 0 or 1, packed into words. The kernel value is a function of an integer,
 * the squared distance or the number of common ones. It is read from a table made in float64, so that its only error
 * is rounding to float32. A query is its words, followed by its number of ones. */
#ifndef SVMBENCH_BITS_H
#define SVMBENCH_BITS_H

#include "kernels.h"

typedef struct {
    const uint32_t *tiles; /* [n_tiles][words][TILE], 64-byte aligned, zero padded */
    ptrdiff_t words;
    const float *table;    /* values for 0, 1, 2, ...; padded with meaningless ones to a multiple of 128 */
    int32_t most;          /* largest number of ones of an example */
} bits_store;

block_fn svmbench_bits_block(int level);

#endif
