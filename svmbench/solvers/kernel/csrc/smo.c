/* See smo.h. */
#include "smo.h"

#include <string.h>

#define BODY "_smo_body.h"
#include "svmbench/simd/csrc/variants.h"

typedef double (*score_fn)(const smo_pass *, ptrdiff_t, ptrdiff_t, const float *, double, double *, double *);
static const score_fn SCORE[ISA_LEVELS] = VARIANTS(score_block);

static ptrdiff_t length(const smo_pass *pass, ptrdiff_t begin)
{
    return pass->n - begin < SMO_BLOCK ? pass->n - begin : SMO_BLOCK;
}

ptrdiff_t svmbench_smo_best_of(int level, const smo_pass *pass, ptrdiff_t block)
{
    double scores[SMO_BLOCK], violation = 0.0;
    const ptrdiff_t begin = block * SMO_BLOCK;
    const double highest = SCORE[level](pass, begin, length(pass, begin), NULL, 0.0, scores, &violation);
    ptrdiff_t k = 0;
    while (scores[k] != highest && begin + k + 1 < pass->n && k + 1 < SMO_BLOCK) /* NaN: the last */
        k++;
    return begin + k;
}

double svmbench_smo_move(int level, const smo_pass *pass, const float *row, double factor, ptrdiff_t *best)
{
    double scores[SMO_BLOCK], violation = 0.0;
    ptrdiff_t first = 0;
    for (ptrdiff_t begin = 0, block = 0; begin < pass->n; begin += SMO_BLOCK, block++) {
        pass->highest[block] = SCORE[level](pass, begin, length(pass, begin), row, factor, scores, &violation);
        if (pass->highest[block] > pass->highest[first])
            first = block;
    }
    *best = svmbench_smo_best_of(level, pass, first);
    return violation;
}
