/* Dense examples in float64. Every value is computed in float64 and rounded once. A query is its float64 features. */
#ifndef SVMBENCH_DENSE_DOUBLE_H
#define SVMBENCH_DENSE_DOUBLE_H

#include "kernels.h"

typedef struct {
    const double *tiles; /* [n_tiles][d][TILE], 64-byte aligned, zero padded */
    ptrdiff_t d;
} dense_double_store;

block_fn svmbench_dense_double_block(int level);

#endif
