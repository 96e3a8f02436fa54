/* See working_set.h. */
#include "working_set.h"

#include <math.h>

#define BODY "_working_set_body.h"
#include "svmbench/simd/csrc/variants.h"

typedef int64_t (*solve_fn)(working_set *, double eps, int64_t steps);
static const solve_fn PAIRS[ISA_LEVELS] = VARIANTS(solve_pairs);
static const solve_fn FREE[ISA_LEVELS] = VARIANTS(solve_free);

int64_t svmbench_working_set_solve(int level, working_set *set, int balanced, double eps, int64_t steps)
{
    return (balanced ? PAIRS : FREE)[level](set, eps, steps);
}
