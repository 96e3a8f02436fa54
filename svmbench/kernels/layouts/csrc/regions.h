/* Regions of examples that are close to each other, stored side by side. If a region is so far from a query that all
 * its Gaussian values are 0, none of them is computed. */
#ifndef SVMBENCH_REGIONS_H
#define SVMBENCH_REGIONS_H

#include "tiled.h"

enum {
    REGION_TILES = 4,
    REGION = REGION_TILES * TILE, /* examples in a region */
    REGION_QUERIES = 1024         /* most queries whose rows are added together */
};

typedef struct {
    ptrdiff_t count;         /* regions; region p has the places [p REGION, (p + 1) REGION) */
    ptrdiff_t columns;       /* columns whose minimum and maximum in each region are known */
    ptrdiff_t stride;        /* from the bounds of one column to those of the next, a multiple of 16 */
    const float *low;
    const float *high;
    const int64_t *words;    /* positions of these columns in a query, in words of 32 bits */
    const int64_t *examples; /* the example in each place */
    float farthest;          /* squared distance at and beyond which every value is 0 */
} region_set;

/* Kernel rows of `count` queries, out[r * stride + example]. */
void svmbench_region_rows(const tiled_job *, const region_set *, const char *queries, ptrdiff_t count, float *out,
                          ptrdiff_t stride);

/* sums[example] += coefficients[r] K(query r, example), in the order of r, for at most REGION_QUERIES, with the same
 * bits as svmbench_tiled_add. Returns 0, or -1 if a work buffer could not be allocated. */
int svmbench_region_add(const tiled_job *, const region_set *, const char *queries, ptrdiff_t count,
                        const double *coefficients, double *sums);

/* scores[q] = sum_j coefficients[j] K(query q, example in place j). Returns 0, or -1 likewise. */
int svmbench_region_scores(const tiled_job *, const region_set *, const char *queries, ptrdiff_t count,
                           const double *coefficients, double *scores);

#endif
