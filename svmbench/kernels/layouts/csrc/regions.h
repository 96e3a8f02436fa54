/* Examples that lie near each other, stored side by side: whole regions of them are so far from a query that all their
 * Gaussian values are 0, and none of these is made. */
#ifndef SVMBENCH_REGIONS_H
#define SVMBENCH_REGIONS_H

#include "tiled.h"

enum {
    REGION_TILES = 4,
    REGION = REGION_TILES * TILE, /* examples of a region */
    REGION_QUERIES = 1024         /* whose rows are added together */
};

typedef struct {
    ptrdiff_t count;         /* regions; region p has the places [p REGION, (p + 1) REGION) */
    ptrdiff_t columns;       /* whose least and greatest value in each region are known */
    ptrdiff_t stride;        /* from the bounds of one column to those of the next, a multiple of 16 */
    const float *low;
    const float *high;
    const int64_t *words;    /* where these columns stand in a query, in words of 32 bits */
    const int64_t *examples; /* the example in each place */
    float farthest;          /* squared distance from which on every value is 0 */
} region_set;

/* Kernel rows of `count` queries, out[r * stride + example]. */
void svmbench_region_rows(const tiled_job *, const region_set *, const char *queries, ptrdiff_t count, float *out,
                          ptrdiff_t stride);

/* sums[example] += coefficients[r] K(query r, example), r after r, of at most REGION_QUERIES: to the bits of
 * svmbench_tiled_add. Returns 0, or -1 when a work buffer could not be had. */
int svmbench_region_add(const tiled_job *, const region_set *, const char *queries, ptrdiff_t count,
                        const double *coefficients, double *sums);

/* scores[q] = sum_j coefficients[j] K(query q, example in place j). Returns 0, or -1 likewise. */
int svmbench_region_scores(const tiled_job *, const region_set *, const char *queries, ptrdiff_t count,
                           const double *coefficients, double *scores);

#endif
