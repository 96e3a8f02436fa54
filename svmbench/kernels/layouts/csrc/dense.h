/* float32 examples: within a tile feature by feature, so that one register holds a feature of TILE examples and
 * no sum crosses lanes. A query is its d values.
 *
 * Squared distances are sums of squared differences, never |x|^2 + |y|^2 - 2<x,y>: the latter loses every digit
 * when the norms are large beside the distance (raw covtype). */
#ifndef SVMBENCH_DENSE_H
#define SVMBENCH_DENSE_H

#include "kernels.h"

#define DENSE_CHUNK 64 /* features whose squares are added up before the sums of chunks are */

typedef struct {
    const float *tiles; /* [n_tiles][d][TILE], 64-byte aligned, zero padded */
    ptrdiff_t d;
} dense_store;

block_fn svmbench_dense_block(int level);

#endif
