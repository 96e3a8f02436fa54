/* See working_set.h. */
#include "working_set.h"

#include <math.h>
#include <string.h>

/* Row k of the kernel matrix, computed now if it is missing. */
static inline const float *kernel_row(working_set *set, ptrdiff_t k)
{
    if (set->make != NULL && !set->made[k]) {
        set->make(set->maker, k);
        set->made[k] = 1;
    }
    return set->kernel + k * set->stride;
}

/* Factor of a bound that leaves out what rounding may change. */
#define SURELY (1.0 - 1e-6)

enum kind { ALONE, TOGETHER, PAIR }; /* of a gain */

#define BODY "_working_set_body.h"
#include "svmbench/simd/csrc/variants.h"

typedef int64_t (*solve_fn)(working_set *, double eps, int64_t steps);
static const solve_fn PAIRS[ISA_LEVELS] = VARIANTS(solve_pairs);
static const solve_fn FREE[ISA_LEVELS] = VARIANTS(solve_free);

int64_t svmbench_working_set_solve(int level, working_set *set, int balanced, double eps, int64_t steps)
{
    return (balanced ? PAIRS : FREE)[level](set, eps, steps);
}

/* Rows that are written together, because they map to the same lines of the first-level cache: as many as it has
 * ways. */
enum { BESIDE = 8 };

void svmbench_working_set_put(float *matrix, ptrdiff_t stride, ptrdiff_t size, const float *rows,
                              const int64_t *places, ptrdiff_t count, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (ptrdiff_t begin = 0; begin < size; begin += BESIDE) {
        const ptrdiff_t end = size - begin < BESIDE ? size : begin + BESIDE;
        for (ptrdiff_t r = 0; r < count; r++)
            for (ptrdiff_t s = begin; s < end; s++)
                matrix[s * stride + places[r]] = rows[r * stride + s];
    }
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (ptrdiff_t r = 0; r < count; r++)
        memcpy(matrix + places[r] * stride, rows + r * stride, (size_t)size * sizeof(float));
}
