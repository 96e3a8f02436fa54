/* Passes over the responses of all examples, for compiled solvers. The order of every addition is fixed in the
 * bodies and nothing is fused, so that the result has the same bits on every instruction set and number of
 * threads. */
#ifndef SVMBENCH_PASSES_H
#define SVMBENCH_PASSES_H

#include <stddef.h>
#include <stdint.h>

#define BLOCK 512 /* values per partial sum: short sums keep their digits */

/* Result of a pass near a level: the responses in [floor, ceiling) one by one, those below the floor as their number
 * and sum. Of two classes the first has the positive signs; a single class has all examples, whatever their signs. */
typedef struct {
    int classes;
    double floor[2];
    double ceiling[2];
    double *values[2];  /* room for n, in the order of the examples */
    int64_t *owners[2]; /* their examples, room for n; only with two classes */
    ptrdiff_t count[2];
    ptrdiff_t below[2];
    double sum;         /* of the responses below the floors */
} svmbench_band;

/* Number and sum of the values, of n, below the level. */
void svmbench_sum_below(int isa, const double *x, ptrdiff_t n, double level, double *sum, ptrdiff_t *count);

/* In a sample of the n values: the number of those below the level, and the sum of signs[j] row[j] over them. */
void svmbench_sample(int isa, const double *x, const float *signs, const float *row, ptrdiff_t n, double level,
                     double *sum, ptrdiff_t *count);

/* Fill the band from the n values. */
void svmbench_collect(int isa, const double *x, const float *signs, ptrdiff_t n, svmbench_band *band);

/* x[j] += factor signs[j] row[j] */
void svmbench_add_row(int isa, double *x, const float *signs, const float *row, ptrdiff_t n, double factor);

/* x[j] = scale (x[j] + step signs[j] row[j]), and fill the band from the new values. If total is not NULL, the
 * old x[j] and then the new one are added to total[j], so that only every second move needs to add. */
void svmbench_move(int isa, int threads, double *x, double *total, const float *signs, const float *row, ptrdiff_t n,
                   double step, double scale, svmbench_band *band);

/* x[j] *= scale, total[j] += x[j] */
void svmbench_scale(int isa, double *x, double *total, ptrdiff_t n, double scale);

#endif
