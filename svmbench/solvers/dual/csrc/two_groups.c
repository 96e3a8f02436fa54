/* See two_groups.h. */
#include "two_groups.h"

#include <math.h>
#include <string.h>

/* Row k of the kernel matrix, computed now if it is missing. */
static inline const float *kernel_row(two_groups *set, ptrdiff_t k)
{
    if (!set->made[k]) {
        set->make(set->maker, k);
        set->made[k] = 1;
    }
    return set->kernel + set->slots[k] * set->stride;
}

/* The value of a variable; 0 of one that cannot move. */
static inline float value_of(const two_groups *set, ptrdiff_t k)
{
    const float value = set->rising[k] > -INFINITY ? set->rising[k] : set->falling[k];
    return value < INFINITY ? value : 0.0f;
}

static inline void mark(two_groups *set, ptrdiff_t k)
{
    const float value = value_of(set, k);
    set->rising[k] = set->beta[k] < set->most[k] ? value : -INFINITY;
    set->falling[k] = set->beta[k] > set->least[k] ? value : INFINITY;
}

void svmbench_two_groups_mark(two_groups *set)
{
    for (ptrdiff_t k = 0; k < set->stride; k++)
        mark(set, k);
}

/* The place of the lowest value that can move down. */
static ptrdiff_t lowest(const two_groups *set)
{
    ptrdiff_t k = 0;
    while (k + 1 < set->stride && set->falling[k] != set->low)
        k++;
    return k;
}

#define BODY "_two_groups_body.h"
#include "svmbench/simd/csrc/variants.h"

typedef int64_t (*make_fn)(two_groups *, double eps, int64_t steps);
typedef void (*sum_fn)(const two_groups *, double *sums);
typedef void (*read_fn)(const two_groups *, double center, double *values);
typedef ptrdiff_t (*count_fn)(const two_groups *, float reach);
typedef double (*dual_fn)(const working_set *, const double *gains);
typedef double (*gap_fn)(const working_set *, double dual, int balanced);
typedef void (*pick_fn)(const picks *, const float *row, float *packed);
static const make_fn MAKE[ISA_LEVELS] = VARIANTS(make_steps);
static const sum_fn SUM[ISA_LEVELS] = VARIANTS(add_rows);
static const read_fn READ[ISA_LEVELS] = VARIANTS(read);
static const count_fn COUNT[ISA_LEVELS] = VARIANTS(count);
static const dual_fn DUAL[ISA_LEVELS] = VARIANTS(dual);
static const gap_fn GAP[ISA_LEVELS] = VARIANTS(gap);
static const pick_fn PICK[ISA_LEVELS] = VARIANTS(pick);

int64_t svmbench_two_groups_make(int level, two_groups *set, double eps, int64_t steps)
{
    return MAKE[level](set, eps, steps);
}

void svmbench_two_groups_sum(int level, const two_groups *set, double *sums)
{
    SUM[level](set, sums);
}

void svmbench_two_groups_read(int level, const two_groups *set, double center, double *values)
{
    READ[level](set, center, values);
}

ptrdiff_t svmbench_two_groups_count(int level, const two_groups *set, float reach)
{
    return COUNT[level](set, reach);
}

double svmbench_two_groups_dual(int level, const working_set *part, const double *gains)
{
    return DUAL[level](part, gains);
}

double svmbench_two_groups_gap(int level, const working_set *part, double dual, int balanced)
{
    return GAP[level](part, dual, balanced);
}

void svmbench_two_groups_arrange(picks *chosen, const int64_t *places)
{
    chosen->runs = 0;
    for (ptrdiff_t t = 0; t < chosen->count; t++) {
        const int32_t place = (int32_t)places[t], from = place / PICKED * PICKED;
        if (chosen->runs == 0 || chosen->from[chosen->runs - 1] != from) {
            chosen->from[chosen->runs] = from;
            chosen->to[chosen->runs] = (int32_t)t;
            memset(chosen->lanes + chosen->runs * PICKED, 0, PICKED * sizeof(int32_t));
            chosen->runs++;
        }
        const ptrdiff_t run = chosen->runs - 1;
        chosen->lanes[run * PICKED + t - chosen->to[run]] = place - from;
    }
}

void svmbench_two_groups_pick(int level, const picks *chosen, const float *row, float *packed)
{
    PICK[level](chosen, row, packed);
}
