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
    ptrdiff_t tile_bytes;  /* memory that one tile takes in the store */
    ptrdiff_t query_bytes;
    int level;
    int threads;
} tiled_job;

/* Kernel rows of `count` queries; the examples are shared out over the threads. */
void svmbench_tiled_rows(const tiled_job *, const char *queries, ptrdiff_t count, float *out, ptrdiff_t stride);

/* sums[j] += coefficients[r] K(example r, stored example j), r after r, at most ROW_GROUP of them. Rows that are not
 * NULL in `held` are read there; those of the others, in this order, are the queries; they are also written to
 * `kept`, where that is not NULL. Without sums they are made only. The stored examples are shared out over the
 * threads. Returns 0, or -1 when a work buffer could not be had. */
int svmbench_tiled_add(const tiled_job *, const char *queries, ptrdiff_t count, const double *coefficients,
                       const float *const *held, float *const *kept, double *sums);

/* scores[q] = sum_j coefficients[j] K(query q, example j), in float64; the queries are shared out over the
 * threads. Returns 0, or -1 when a work buffer could not be had. */
int svmbench_tiled_scores(const tiled_job *, const char *queries, ptrdiff_t count, const double *coefficients,
                          double *scores);

#endif
