/* The passes over the values of the dual that select a violating pair; see working_pair.pyx. */
#ifndef SVMBENCH_WORKING_PAIR_H
#define SVMBENCH_WORKING_PAIR_H

#include <stddef.h>

typedef struct {
    double m_up;    /* largest value that can move up, -inf if none */
    double M_low;   /* least value that can move down, +inf if none */
    ptrdiff_t i_up; /* the first of each: together the maximal violating pair */
    ptrdiff_t i_low;
} svmbench_extrema;

/* values[k] -= step (a[k] - b[k]), one row if b is NULL, no change if a is NULL. The same pass finds the extrema: the
 * largest of values + up and the least of values + down. Values within `tie` of an extremum count as equal to it, and
 * the first of them is taken. If no value can move that way, `i_up` or `i_low` is unchanged. */
void svmbench_pair_move(int level, double *values, const float *a, const float *b, double step, const double *up,
                        const double *down, ptrdiff_t n, double tie, svmbench_extrema *extrema);

/* The place of the partner of `i_up` with the largest (m_up - value)^2 / |Phi(x) - Phi(x')|^2 of those below it, the
 * first of equals; `i_low` if there is none. diagonal: K(x, x) of all examples; row: the kernel row of `i_up`. */
ptrdiff_t svmbench_pair_partner(int level, const double *values, const double *down, const double *diagonal,
                                const float *row, ptrdiff_t n, const svmbench_extrema *extrema);

#endif
