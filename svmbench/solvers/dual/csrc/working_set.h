/* The dual in the variables of a working set alone, whose kernel matrix is in memory; see working_set.pyx. */
#ifndef SVMBENCH_WORKING_SET_H
#define SVMBENCH_WORKING_SET_H

#include <stddef.h>
#include <stdint.h>

#define WORKING_SET_PAD 32 /* the vectors are as long as `stride`, a multiple of this */

typedef struct {
    ptrdiff_t size;         /* variables */
    ptrdiff_t stride;       /* of a row of the kernel matrix, at least size */
    const float *kernel;    /* size rows, finite, also beyond the size */
    const double *diagonal;
    const double *least;    /* bounds of beta; 0 beyond the size */
    const double *most;
    double *beta;           /* alpha y, within its bounds; updated to the solution */
    double *values;         /* y - f(x); updated with beta */
    double *up;             /* scratch: 0, or -inf where beta cannot grow */
    double *down;           /* scratch: 0, or -inf where it cannot fall */
    /* If this is not NULL, rows are computed when they are first read: `make` fills row k, and `made` is 1 for each
     * row that is filled. */
    void (*make)(void *maker, ptrdiff_t k);
    void *maker;
    unsigned char *made;
} working_set;

/* Makes at most `steps` steps, until the violation is below eps, and returns their number. `balanced`: the sum of beta
 * is constant. */
int64_t svmbench_working_set_solve(int level, working_set *, int balanced, double eps, int64_t steps);

/* Writes `count` symmetric rows of `size` values into the kernel matrix, each as row and column of its place. */
void svmbench_working_set_put(float *matrix, ptrdiff_t stride, ptrdiff_t size, const float *rows,
                              const int64_t *places, ptrdiff_t count, int threads);

#endif
