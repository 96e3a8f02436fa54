/* Shared by the compiled parts of the layouts: kernels, tiles, and the form of a block of kernel rows. */
#ifndef SVMBENCH_KERNELS_H
#define SVMBENCH_KERNELS_H

#include "svmbench/simd/csrc/isa.h"

/* Examples side by side in memory: two 512-bit registers of float32, so that the sums of one tile hide each other's
 * latency while memory is read strictly forward, as hardware prefetchers expect. */
#define TILE 32

enum kernel_kind { KERNEL_GAUSSIAN = 0, KERNEL_LINEAR = 1, KERNEL_POLYNOMIAL = 2 };

/* Further kinds, for layouts that compute in integers: the integer itself, as int32, instead of a float32 value. */
enum whole_number { WHOLE_DISTANCE = 3, WHOLE_PRODUCT = 4 };

#define ROW_GROUP 64 /* queries of one block: the stored examples are read from memory once per block */

typedef struct {
    int kind;
    int degree;
    double gamma;
    double coef0;
} kernel_params;

/* A request: kernel values of `count` queries and the examples of the tiles [first, last),
 * out[r * stride + j - first * TILE] = K(query r, example j). */
typedef struct {
    const char *queries;
    ptrdiff_t query_bytes; /* from one query to the next */
    ptrdiff_t count;
    ptrdiff_t first;
    ptrdiff_t last;
    float *out;
    ptrdiff_t stride;      /* values from one row of `out` to the next */
} kernel_block;

/* A value depends only on its query and its example, bit for bit, and not on the rest of the block. */
typedef void (*block_fn)(const void *store, const kernel_params *kernel, const kernel_block *block);

/* For sweep.h: what its `add` and `argument` compute. What `add` reads is a constant in each compiled loop. */
typedef struct {
    int distance; /* a squared distance, else an inner product */
    int whole;    /* the integer itself, not its kernel value */
    int second;   /* the columns are of the second kind */
    int tables;   /* bits: tables of 32 values that are held in registers; 0: the table is read in memory */
    int pair;     /* mixed: the one lane of codes has at most two */
    int skips;    /* columns where the words of all queries of a group are 0 add nothing and are left out */
} sweep_mode;

/* For sweep.h: the columns [begin, end) of a tile. */
typedef struct {
    ptrdiff_t tile;
    ptrdiff_t begin;
    ptrdiff_t end;
} sweep_piece;

#endif
