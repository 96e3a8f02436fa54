/* Rows and expansions of any layout in tiles, over its block function. */
#ifndef SVMBENCH_TILED_H
#define SVMBENCH_TILED_H

#include "kernels.h"

typedef struct {
    block_fn block;
    const void *store;
    kernel_params kernel;
    ptrdiff_t n;           /* examples */
    ptrdiff_t n_tiles;
    ptrdiff_t tile_bytes;  /* size of one tile in the store */
    ptrdiff_t query_bytes;
    int level;
    int threads;
} tiled_job;

/* Kernel rows of `count` queries; the examples are divided among the threads. */
void svmbench_tiled_rows(const tiled_job *, const char *queries, ptrdiff_t count, float *out, ptrdiff_t stride);

/* sums[j] += coefficients[r] K(example r, stored example j), in the order of r, for at most ROW_GROUP examples. Rows
 * that are not NULL in `held` are read from there. `queries` has the queries of the other rows, in order; these
 * rows are computed, and also written to `kept` unless that is NULL. Without `sums`, rows are only computed.
 * The stored examples are divided among the threads. Returns 0, or -1 if a work buffer could not be
 * allocated. */
int svmbench_tiled_add(const tiled_job *, const char *queries, ptrdiff_t count, const double *coefficients,
                       const float *const *held, float *const *kept, double *sums);

/* scores[q] = sum_j coefficients[j] K(query q, example j), in float64; the queries are divided among the
 * threads. Returns 0, or -1 if a work buffer could not be allocated. */
int svmbench_tiled_scores(const tiled_job *, const char *queries, ptrdiff_t count, const double *coefficients,
                          double *scores);

#endif
