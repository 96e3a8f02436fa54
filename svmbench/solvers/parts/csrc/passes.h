/* Passes over the responses of all examples, for compiled solvers. The order of every addition is stated in the
 * bodies, and nothing is fused, so that the result is the same bits on every instruction set. */
#ifndef SVMBENCH_PASSES_H
#define SVMBENCH_PASSES_H

#include <stddef.h>

#define BLOCK 512 /* values per partial sum: short sums keep their digits */

/* Number and sum of those of the n values that are below the level. */
void svmbench_survey(int isa, const double *x, ptrdiff_t n, double level, double *sum, ptrdiff_t *count);

/* Of the values whose sign is the given one: those of [floor, ceiling) to `band`, which has room for n + 8, and how
 * many; number and sum of those below. */
void svmbench_collect(int isa, const double *x, const float *signs, ptrdiff_t n, float sign, double floor,
                      double ceiling, double *band, ptrdiff_t *count, double *sum, ptrdiff_t *below);

/* x[j] += factor signs[j] row[j] */
void svmbench_add_row(int isa, double *x, const float *signs, const float *row, ptrdiff_t n, double factor);

/* x[j] = scale (x[j] + step signs[j] row[j]), total[j] += x[j]; the survey of the new values. */
void svmbench_move(int isa, double *x, double *total, const float *signs, const float *row, ptrdiff_t n,
                   double step, double scale, double level, double *sum, ptrdiff_t *count);

/* x[j] *= scale, total[j] += x[j] */
void svmbench_scale(int isa, double *x, double *total, ptrdiff_t n, double scale);

#endif
