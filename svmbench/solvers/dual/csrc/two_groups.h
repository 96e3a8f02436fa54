/* SMO on a kernel matrix of float32, with values in float32; see two_groups.pyx. */
#ifndef SVMBENCH_TWO_GROUPS_H
#define SVMBENCH_TWO_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "working_set.h"

typedef struct {
    ptrdiff_t stride;       /* variables and length of a row, a multiple of TWO_GROUPS_PAD, at most 2^16 */
    const float *kernel;    /* rows, in the order of `slots` */
    int32_t *slots;         /* number of the row of a variable */
    const float *diagonal;
    const double *least;    /* bounds of beta; both 0 where there is no variable */
    const double *most;
    double *beta;           /* alpha y, within its bounds; its sum is constant */
    float *rising;          /* y - f(x) less a constant, or -inf where beta cannot grow; updated with beta */
    float *falling;         /* the same, or +inf where it cannot fall */
    float high;             /* their extrema, before the last step */
    float low;
    double dual;            /* objective; grows by what steps gain */
    /* Rows are made when they are first read: `make` fills that of variable k, and `made` is 1 where it did. */
    void (*make)(void *maker, ptrdiff_t k);
    void *maker;
    unsigned char *made;
} two_groups;

#define TWO_GROUPS_PAD 32

/* Sets `rising` and `falling` from beta, and from the one of them that is finite. */
void svmbench_two_groups_mark(two_groups *);

/* Makes at most `steps` steps, until the violation is below eps, and returns their number. */
int64_t svmbench_two_groups_make(int level, two_groups *, double eps, int64_t steps);

/* sums[t] = the sum of beta_k K_kt over all k in this order. Rows of coefficients that are not 0 were made. */
void svmbench_two_groups_sum(int level, const two_groups *, double *sums);

/* values = those of the set plus a constant, that of a variable that cannot move alone. */
void svmbench_two_groups_read(int level, const two_groups *, double center, double *values);

/* Whether the value of a coefficient is within `reach` of one that it can move with. */
static inline int svmbench_two_groups_may_change(const two_groups *set, ptrdiff_t k, float reach)
{
    return (set->rising[k] > set->low - reach) | (set->falling[k] < set->high + reach);
}

/* The number of such variables. */
ptrdiff_t svmbench_two_groups_count(int level, const two_groups *, float reach);

/* The dual objective by the values; the linear term is the sum of gains times beta. */
double svmbench_two_groups_dual(int level, const working_set *, const double *gains);

/* The relative gap estimated from the values of the variables that may add to it, and from the dual objective. */
double svmbench_two_groups_gap(int level, const working_set *, double dual, int balanced);

#define PICKED 8 /* neighbours in a row that are picked together: a register of the AVX2 instruction set */

/* Ascending places of a row whose numbers are picked, grouped by the runs of PICKED neighbours that hold any. */
typedef struct {
    ptrdiff_t count;  /* places */
    ptrdiff_t stride; /* numbers written, zeros behind the picked ones */
    ptrdiff_t runs;
    int32_t *from;    /* where a run begins in the row, and where its first picked number goes; [runs] */
    int32_t *to;
    int32_t *lanes;   /* places within a run, the picked ones first; [runs][PICKED] */
} picks;

/* Fills the arrays, which have room for `count` runs. */
void svmbench_two_groups_arrange(picks *, const int64_t *places);

/* packed = the picked numbers of a row. */
void svmbench_two_groups_pick(int level, const picks *, const float *row, float *packed);

#endif
