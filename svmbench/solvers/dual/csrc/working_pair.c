/* See working_pair.h. */
#include "working_pair.h"

#include <math.h>

#define BLOCK 256 /* values between comparisons with the extrema so far */

#define BODY "_working_pair_body.h"
#include "svmbench/simd/csrc/variants.h"

typedef void (*move_fn)(double *, const float *, const float *, double, const double *, const double *, ptrdiff_t,
                        double *, double *);
typedef ptrdiff_t (*partner_fn)(const double *, const double *, const double *, const float *, ptrdiff_t, double,
                                double, ptrdiff_t);
static const move_fn MOVE[ISA_LEVELS] = VARIANTS(move_block);
static const partner_fn PARTNER[ISA_LEVELS] = VARIANTS(partner);

/* Position of the first value that, plus its mask and times the sign, is at least this. */
static ptrdiff_t first(const double *values, const double *way, double sign, double least)
{
    ptrdiff_t k = 0;
    while (!(sign * (values[k] + way[k]) >= least))
        k++;
    return k;
}

void svmbench_pair_move(int level, double *values, const float *a, const float *b, double step, const double *up,
                        const double *down, ptrdiff_t n, double tie, svmbench_extrema *extrema)
{
    double high = -INFINITY, low = -INFINITY; /* low: of the negated values */
    for (ptrdiff_t begin = 0; begin < n; begin += BLOCK) {
        const ptrdiff_t count = n - begin < BLOCK ? n - begin : BLOCK;
        double highest = high, lowest = low;
        MOVE[level](values + begin, a != NULL ? a + begin : NULL, b != NULL ? b + begin : NULL, step, up + begin,
                    down + begin, count, &highest, &lowest);
        if (highest > high + tie) {
            extrema->i_up = begin + first(values + begin, up + begin, 1.0, highest - tie);
            high = values[extrema->i_up] + up[extrema->i_up];
        }
        if (lowest > low + tie) {
            extrema->i_low = begin + first(values + begin, down + begin, -1.0, lowest - tie);
            low = -(values[extrema->i_low] + down[extrema->i_low]);
        }
    }
    extrema->m_up = high;
    extrema->M_low = -low;
}

ptrdiff_t svmbench_pair_partner(int level, const double *values, const double *down, const double *diagonal,
                                const float *row, ptrdiff_t n, const svmbench_extrema *extrema)
{
    return PARTNER[level](values, down, diagonal, row, n, extrema->m_up, diagonal[extrema->i_up], extrema->i_low);
}
