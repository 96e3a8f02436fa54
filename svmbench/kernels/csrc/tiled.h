/* Rows and expansions of any layout in tiles, over its block function. */
#ifndef SVMBENCH_TILED_H
#define SVMBENCH_TILED_H

#include "kernels.h"

#define ROW_GROUP 64 /* queries of one block: the stored examples are read from memory once for so many */

typedef struct {
    block_fn block;
    const void *store;
    kernel_params kernel;
    ptrdiff_t n;           /* examples */
    ptrdiff_t n_tiles;
    ptrdiff_t tile_bytes;  /* memory that one tile takes in the store */
    ptrdiff_t query_bytes;
    int level;
    int threads;
} tiled_job;

/* Kernel rows of `count` queries; the examples are shared out over the threads. */
void svmbench_tiled_rows(const tiled_job *, const char *queries, ptrdiff_t count, float *out, ptrdiff_t stride);

/* scores[q] = sum_j coefficients[j] K(query q, example j), in float64; the queries are shared out over the
 * threads. Returns 0, or -1 when a work buffer could not be had. */
int svmbench_tiled_scores(const tiled_job *, const char *queries, ptrdiff_t count, const double *coefficients,
                          double *scores);

#endif
