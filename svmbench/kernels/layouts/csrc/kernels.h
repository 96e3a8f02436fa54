/* What the compiled parts of the layouts share: the kernels, tiles, and the form of a block of kernel rows. */
#ifndef SVMBENCH_KERNELS_H
#define SVMBENCH_KERNELS_H

#include "svmbench/simd/csrc/isa.h"

/* Examples side by side in memory: two 512-bit registers of float32, so that the sums of one tile hide each other's
 * latency while memory is read strictly forward, as the prefetchers of processors want it. */
#define TILE 32

enum kernel_kind { KERNEL_GAUSSIAN = 0, KERNEL_LINEAR = 1, KERNEL_POLYNOMIAL = 2 };

/* Of the layouts that compute in whole numbers, beside the kernels: the number itself as int32, in the place of the
 * float32 value. */
enum whole_number { WHOLE_DISTANCE = 3, WHOLE_PRODUCT = 4 };

#define ROW_GROUP 64 /* queries of one block: the stored examples are read from memory once for so many */

/* Of the columns of a tile, those of the second kind; see sweep.h. */
#define SECOND 256

typedef struct {
    int kind;
    int degree;
    double gamma;
    double coef0;
} kernel_params;

/* Kernel values of `count` queries, `query_bytes` apart, and the examples of the tiles [first, last):
 * out[r * stride + j - first * TILE] = K(query r, example j). A value depends on its query and its example
 * alone, bit for bit, never on what else is in the block. */
typedef void (*block_fn)(const void *store, const kernel_params *kernel, const char *queries,
                         ptrdiff_t query_bytes, ptrdiff_t count, ptrdiff_t first, ptrdiff_t last, float *out,
                         ptrdiff_t stride);

#endif
