/* Examples whose features are integer multiples, 0 to 255, of one unit (pixels, counts), as bytes. Inner products
 * and squared distances are exact integers; only their scaling and the kernel are rounded.
 *
 * 128 is subtracted from the stored bytes, which makes them signed, as the instruction that multiplies
 * unsigned by signed bytes needs: sum q (x - 128) = <q, x> - 128 sum q. A query is its bytes, then the int32
 * 128 sum q and |q|^2. */
#ifndef SVMBENCH_BYTES_H
#define SVMBENCH_BYTES_H

#include "kernels.h"

typedef struct {
    const int8_t *tiles;      /* [n_tiles][quads][TILE][4], 64-byte aligned */
    const uint32_t *squared;  /* |x|^2 in units, [n_tiles][TILE] */
    ptrdiff_t quads;          /* ceil(d / 4) */
    float unit_squared;
} bytes_store;

block_fn svmbench_bytes_block(int level);

#endif
