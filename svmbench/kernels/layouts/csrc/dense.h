/* float32 examples, stored feature by feature within a tile, so that a register holds the same feature of several
 * examples and no sum crosses lanes. A query is its d values.
 *
 * Squared distances are sums of squared differences, never |x|^2 + |y|^2 - 2<x,y>: the latter loses all
 * digits if the norms are large compared with the distance (unscaled covtype). */
#ifndef SVMBENCH_DENSE_H
#define SVMBENCH_DENSE_H

#include "kernels.h"

#define DENSE_CHUNK 64 /* features in a chunk; terms are added within a chunk, then the sums of chunks */

typedef struct {
    const float *tiles; /* [n_tiles][d][TILE], 64-byte aligned, zero padded */
    ptrdiff_t d;
} dense_store;

block_fn svmbench_dense_block(int level);

#endif
