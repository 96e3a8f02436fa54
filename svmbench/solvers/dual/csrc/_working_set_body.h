/* The passes over the vectors of a working set, a chunk at a time: CHAINS registers, so that none waits for another.
 *
 * Gains take divisions and all vectors of the set. They are computed for the few chunks where a bound without division,
 * of the gain without the boxes, exceeds the best gain of those before: the result is that of all gains, bit for bit. */
#include "svmbench/simd/csrc/doubles.h"

#undef WIDTH
#undef CHAINS
#undef CHUNK
#define WIDTH (BYTES / 8)
#define CHAINS (WORKING_SET_PAD / WIDTH < 4 ? WORKING_SET_PAD / WIDTH : 4)
#define CHUNK (CHAINS * WIDTH)

typedef double VARIANT(many) __attribute__((vector_size(BYTES), may_alias, aligned(8)));

#undef LOAD
#undef STORE
#define LOAD(from) (*(const VARIANT(many) *)(from))
#define STORE(to, value) (*(VARIANT(many) *)(to) = (value))

/* The largest number of each lane so far, and where the chunk begins that had it first. */
typedef struct {
    vd value;
    vl where;
} VARIANT(leader);
#undef leader
#define leader VARIANT(leader)

TARGET INLINE void VARIANT(compete)(leader *best, vd value, vl where)
{
#if LEVEL >= 2
    const __mmask8 more = _mm512_cmp_pd_mask((__m512d)value, (__m512d)best->value, _CMP_GT_OQ);
    best->value = (vd)_mm512_mask_mov_pd((__m512d)best->value, more, (__m512d)value);
    best->where = (vl)_mm512_mask_mov_epi64((__m512i)best->where, more, (__m512i)where);
#else
    const vl more = value > best->value;
    best->value = (vd)((more & (vl)value) | (~more & (vl)best->value));
    best->where = (more & where) | (~more & best->where);
#endif
}

/* The curvature along a direction, never 0: a step along a direction without curvature ends at the box. */
TARGET INLINE double VARIANT(positive)(double curvature) { return curvature > 0.0 ? curvature : 1e-12; }

TARGET INLINE vd VARIANT(all_positive)(vd curvature)
{
#if LEVEL >= 2
    const __mmask8 fine = _mm512_cmp_pd_mask((__m512d)curvature, _mm512_setzero_pd(), _CMP_GT_OQ);
    return (vd)_mm512_mask_mov_pd(_mm512_set1_pd(1e-12), fine, (__m512d)curvature);
#else
    const vl fine = curvature > 0.0;
    return (vd)((fine & (vl)curvature) | (~fine & (vl)(1e-12 - (vd){0})));
#endif
}

/* The maximum over all lanes, and where the chunk begins that had it first. */
TARGET INLINE double VARIANT(winner)(const leader *best, ptrdiff_t *begin)
{
    double value = best->value[0];
    ptrdiff_t first = PTRDIFF_MAX;
#pragma GCC unroll 8
    for (int lane = 1; lane < WIDTH; lane++)
        value = best->value[lane] > value ? best->value[lane] : value;
#pragma GCC unroll 8
    for (int lane = 0; lane < WIDTH; lane++) {
        const ptrdiff_t here = best->value[lane] == value ? best->where[lane] : PTRDIFF_MAX;
        first = here < first ? here : first;
    }
    *begin = first < PTRDIFF_MAX ? first : 0;
    return value;
}

/* The first of the numbers of a chunk that is equal to one of them. */
TARGET INLINE ptrdiff_t VARIANT(first_of)(const vd *values, double wanted)
{
    uint32_t same = 0;
#pragma GCC unroll 4
    for (int c = 0; c < CHAINS; c++) {
#if LEVEL >= 2
        same |= (uint32_t)_mm512_cmp_pd_mask((__m512d)values[c], _mm512_set1_pd(wanted), _CMP_EQ_OQ) << (c * WIDTH);
#elif LEVEL == 1
        same |= (uint32_t)_mm256_movemask_pd((__m256d)(values[c] == wanted)) << (c * WIDTH);
#else
        const vl marks = values[c] == wanted;
        for (int lane = 0; lane < WIDTH; lane++)
            same |= (uint32_t)(marks[lane] & 1) << (c * WIDTH + lane);
#endif
    }
    return same ? __builtin_ctz(same) : 0;
}

TARGET INLINE int VARIANT(any_above)(vd values, double bar)
{
#if LEVEL >= 2
    return _mm512_cmp_pd_mask((__m512d)values, _mm512_set1_pd(bar), _CMP_GT_OQ) != 0;
#elif LEVEL == 1
    return _mm256_movemask_pd((__m256d)(values > bar)) != 0;
#else
    const vl marks = values > bar;
    return (marks[0] | marks[1]) != 0;
#endif
}

TARGET INLINE double VARIANT(most_of)(vd values)
{
    double most = values[0];
#pragma GCC unroll 8
    for (int lane = 1; lane < WIDTH; lane++)
        most = values[lane] > most ? values[lane] : most;
    return most;
}

TARGET INLINE void VARIANT(mark)(working_set *set, ptrdiff_t i)
{
    set->up[i] = set->beta[i] < set->most[i] ? 0.0 : -INFINITY;
    set->down[i] = set->beta[i] > set->least[i] ? 0.0 : -INFINITY;
}

/* After a step that ends within the box, the values of a pair are equal up to rounding. Without the last 20 bits,
 * rounding does not choose between them. */
TARGET INLINE vd VARIANT(coarse)(vd value) { return (vd)((vl)value & ~(int64_t)0xFFFFF); }

/* What a register of variables is chosen by as the highest. */
TARGET INLINE vd VARIANT(height)(const working_set *set, ptrdiff_t at)
{
    return VARIANT(coarse)(LOAD(set->values + at)) + LOAD(set->up + at);
}

/* A variable and its partner, and the rows and steps of both. */
typedef struct {
    ptrdiff_t i, j;
    const float *row_i, *row_j;
    double step_i, step_j;
} VARIANT(two);
#undef two
#define two VARIANT(two)

/* values -= step (row_i - row_j); returns the highest value that can move up, its position, and the lowest that
 * can move down. */
TARGET INLINE double VARIANT(move_pair)(working_set *set, const float *row_i, const float *row_j, double step,
                                        ptrdiff_t *highest, double *low)
{
    const vd never = -INFINITY - (vd){0};
    leader best = {never, (vl){0}};
    vd least = never, heights[CHAINS];
    const double *up = set->up, *down = set->down;
    const ptrdiff_t stride = set->stride;
    double *values = set->values;
    ptrdiff_t begin;
    for (ptrdiff_t k = 0; k < stride; k += CHUNK) {
        vd top = never;
#pragma GCC unroll 4
        for (int c = 0; c < CHAINS; c++) {
            const ptrdiff_t at = k + c * WIDTH;
            const vd value =
                LOAD(values + at) - step * (VARIANT(widen)(row_i + at) - VARIANT(widen)(row_j + at));
            STORE(values + at, value);
            top = VARIANT(larger)(VARIANT(coarse)(value) + LOAD(up + at), top);
            least = VARIANT(larger)(LOAD(down + at) - value, least);
        }
        VARIANT(compete)(&best, top, k - (vl){0});
    }
    *low = INFINITY;
    for (int lane = 0; lane < WIDTH; lane++)
        *low = -least[lane] < *low ? -least[lane] : *low;
    const double height = VARIANT(winner)(&best, &begin);
#pragma GCC unroll 4
    for (int c = 0; c < CHAINS; c++)
        heights[c] = VARIANT(height)(set, begin + c * WIDTH);
    *highest = begin + VARIANT(first_of)(heights, height);
    return height > -INFINITY ? values[*highest] : -INFINITY;
}

/* beta + step within the box, less beta. */
TARGET INLINE vd VARIANT(inside)(const working_set *set, ptrdiff_t at, vd step)
{
    const vd beta = LOAD(set->beta + at);
    return VARIANT(larger)(-VARIANT(larger)(-(beta + step), -LOAD(set->most + at)), LOAD(set->least + at)) - beta;
}

TARGET INLINE double VARIANT(inside_one)(const working_set *set, ptrdiff_t i, double step)
{
    const double wanted = set->beta[i] + step;
    const double below = wanted < set->most[i] ? wanted : set->most[i];
    return (below > set->least[i] ? below : set->least[i]) - set->beta[i];
}

/* How much a register of variables violates the optimality conditions: their values where their box lets them follow
 * these, else 0. */
TARGET INLINE vd VARIANT(violations)(const working_set *set, vd value, ptrdiff_t at)
{
    const vd rising = VARIANT(larger)(value + LOAD(set->up + at), (vd){0});
    return VARIANT(larger)(LOAD(set->down + at) - value, rising);
}

/* The gains of a register of variables, each by a step of its own. */
TARGET INLINE vd VARIANT(gain_alone)(const working_set *set, ptrdiff_t at)
{
    const vd own = LOAD(set->diagonal + at), value = LOAD(set->values + at);
    const vd step = VARIANT(inside)(set, at, value / VARIANT(all_positive)(own));
    return step * (value - 0.5 * own * step);
}

/* The gains of a register of partners, each with a variable: the partner moves to its value at the optimum of both,
 * clipped to its box, and the variable to its optimum given that. */
TARGET INLINE vd VARIANT(gain_together)(const working_set *set, const two *chosen, ptrdiff_t at)
{
    const ptrdiff_t i = chosen->i;
    const double value_i = set->values[i], own_i = set->diagonal[i], inverse = 1.0 / VARIANT(positive)(own_i);
    const double most = set->most[i] - set->beta[i], least = set->least[i] - set->beta[i];
    const vd both = VARIANT(widen)(chosen->row_i + at), own = LOAD(set->diagonal + at);
    const vd value = LOAD(set->values + at);
    const vd step = VARIANT(inside)(set, at, (own_i * value - value_i * both) /
                                                 VARIANT(all_positive)(own_i * own - both * both));
    const vd wanted = (value_i - both * step) * inverse;
    const vd step_i = VARIANT(larger)(-VARIANT(larger)(-wanted, -most - (vd){0}), least - (vd){0});
    const vd gain = (step_i * (value_i - 0.5 * own_i * step_i) + step * (value - 0.5 * own * step)) -
                    both * (step_i * step);
    vl here;
#pragma GCC unroll 8
    for (int lane = 0; lane < WIDTH; lane++)
        here[lane] = at + lane;
    return (vd)((here != i) & (vl)gain);
}

/* How far a register of partners is below the highest, where they can move down, else 0. */
TARGET INLINE vd VARIANT(below)(const working_set *set, double high, ptrdiff_t at)
{
    return VARIANT(larger)(high - LOAD(set->values + at) + LOAD(set->down + at), (vd){0});
}

/* The curvature along a register of pairs. */
TARGET INLINE vd VARIANT(curvature)(const working_set *set, const two *chosen, ptrdiff_t at)
{
    return set->diagonal[chosen->i] + LOAD(set->diagonal + at) - 2.0 * VARIANT(widen)(chosen->row_i + at);
}

/* The gains of a register of partners of the highest, to second order. */
TARGET INLINE vd VARIANT(gain_of_pair)(const working_set *set, const two *chosen, ptrdiff_t at)
{
    const vd below = VARIANT(below)(set, set->values[chosen->i], at);
    return below * below / VARIANT(all_positive)(VARIANT(curvature)(set, chosen, at));
}

/* Compute the gains of a chunk, and keep the first largest if it exceeds the best so far. */
TARGET INLINE void VARIANT(look)(const working_set *set, const two *chosen, enum kind kind, ptrdiff_t k,
                                 double *best, ptrdiff_t *which)
{
    vd gains[CHAINS], top = {0};
#pragma GCC unroll 4
    for (int c = 0; c < CHAINS; c++) {
        const ptrdiff_t at = k + c * WIDTH;
        gains[c] = kind == ALONE      ? VARIANT(gain_alone)(set, at)
                   : kind == TOGETHER ? VARIANT(gain_together)(set, chosen, at)
                                      : VARIANT(gain_of_pair)(set, chosen, at);
        top = VARIANT(larger)(gains[c], top);
    }
    const double most = VARIANT(most_of)(top);
    if (most > *best) {
        *best = most;
        *which = k + VARIANT(first_of)(gains, most);
    }
}

/* The first partner with the largest gain. */
TARGET INLINE ptrdiff_t VARIANT(partner)(const working_set *set, const two *chosen)
{
    ptrdiff_t which = 0;
    double best = 0.0;
    for (ptrdiff_t k = 0; k < set->stride; k += CHUNK) {
        vd above = {0};
        const double bar = best * SURELY;
#pragma GCC unroll 4
        for (int c = 0; c < CHAINS; c++) {
            const ptrdiff_t at = k + c * WIDTH;
            const vd below = VARIANT(below)(set, set->values[chosen->i], at);
            above = VARIANT(larger)(below * below - bar * VARIANT(curvature)(set, chosen, at), above);
        }
        if (VARIANT(any_above)(above, 0.0))
            VARIANT(look)(set, chosen, PAIR, k, &best, &which);
    }
    return which;
}

TARGET static int64_t VARIANT(solve_pairs)(working_set *set, double eps, int64_t steps)
{
    two chosen = {0, 0, set->kernel, set->kernel, 0.0, 0.0};
    double step = 0.0;
    for (ptrdiff_t k = 0; k < set->stride; k++)
        VARIANT(mark)(set, k);
    for (int64_t made = 0;; made++) {
        double low;
        const double high = VARIANT(move_pair)(set, chosen.row_i, chosen.row_j, step, &chosen.i, &low);
        if (!(high - low >= eps) || made == steps)
            return made;
        const ptrdiff_t i = chosen.i;
        chosen.row_i = kernel_row(set, i);
        const ptrdiff_t j = VARIANT(partner)(set, &chosen);
        chosen.row_j = kernel_row(set, j);
        const double room_i = set->most[i] - set->beta[i], room_j = set->beta[j] - set->least[j];
        step = (high - set->values[j]) /
               VARIANT(positive)(set->diagonal[i] + set->diagonal[j] - 2.0 * chosen.row_i[j]);
        step = step < room_i ? step : room_i;
        step = step < room_j ? step : room_j;
        set->beta[i] = step == room_i ? set->most[i] : set->beta[i] + step;
        set->beta[j] = step == room_j ? set->least[j] : set->beta[j] - step;
        VARIANT(mark)(set, i);
        VARIANT(mark)(set, j);
    }
}

/* values -= step_i row_i, values -= step_j row_j; returns the largest violation, the first variable with the largest
 * gain by a step of its own, and that gain, which without its box is (violation)^2 / 2 K(x, x). */
TARGET INLINE double VARIANT(move_two)(working_set *set, const two *last, ptrdiff_t *which, double *gain)
{
    vd worst = {0};
    *which = 0;
    *gain = 0.0;
    for (ptrdiff_t k = 0; k < set->stride; k += CHUNK) {
        const double bar = 2.0 * SURELY * *gain;
        vd above = {0};
#pragma GCC unroll 4
        for (int c = 0; c < CHAINS; c++) {
            const ptrdiff_t at = k + c * WIDTH;
            const vd value = (LOAD(set->values + at) - last->step_i * VARIANT(widen)(last->row_i + at)) -
                             last->step_j * VARIANT(widen)(last->row_j + at);
            STORE(set->values + at, value);
            const vd violation = VARIANT(violations)(set, value, at);
            worst = VARIANT(larger)(violation, worst);
            above = VARIANT(larger)(violation * violation - bar * LOAD(set->diagonal + at), above);
        }
        if (VARIANT(any_above)(above, 0.0))
            VARIANT(look)(set, last, ALONE, k, gain, which);
    }
    return VARIANT(most_of)(worst);
}

/* The first partner with which a variable gains most, if that is more than alone. Returns the gain.
 *
 * Without boxes both gain (v_i^2 / K_ii + m^2 / d) / 2, where m = v_j - K_ij v_i / K_ii and d = K_jj - K_ij^2 / K_ii.
 * Where a box forbids a step in the direction of m, the gain is that of m = 0. Where d is so small that rounding
 * decides, the bound is infinite. */
TARGET INLINE double VARIANT(second)(const working_set *set, const two *chosen, double alone, ptrdiff_t *which)
{
    const double value_i = set->values[chosen->i], inverse = 1.0 / VARIANT(positive)(set->diagonal[chosen->i]);
    const double share = value_i * inverse, part = inverse / SURELY;
    double best = alone;
    for (ptrdiff_t k = 0; k < set->stride; k += CHUNK) {
        const double bar = 2.0 * SURELY * best - value_i * share;
        vd above = {0};
#pragma GCC unroll 4
        for (int c = 0; c < CHAINS; c++) {
            const ptrdiff_t at = k + c * WIDTH;
            const vd both = VARIANT(widen)(chosen->row_i + at);
            const vd m = VARIANT(violations)(set, LOAD(set->values + at) - share * both, at);
            const vd d = VARIANT(larger)(LOAD(set->diagonal + at) - part * (both * both), (vd){0});
            above = VARIANT(larger)(m * m - bar * d, above);
        }
        if (VARIANT(any_above)(above, 0.0))
            VARIANT(look)(set, chosen, TOGETHER, k, &best, which);
    }
    return best;
}

/* Move one variable by a step that keeps it in its box, exactly onto the bound if it ends there. */
TARGET INLINE void VARIANT(go)(working_set *set, ptrdiff_t i, double step)
{
    set->beta[i] = step == set->most[i] - set->beta[i]    ? set->most[i]
                   : step == set->least[i] - set->beta[i] ? set->least[i]
                                                          : set->beta[i] + step;
    VARIANT(mark)(set, i);
}

TARGET static int64_t VARIANT(solve_free)(working_set *set, double eps, int64_t steps)
{
    two chosen = {0, 0, set->kernel, set->kernel, 0.0, 0.0};
    for (ptrdiff_t k = 0; k < set->stride; k++)
        VARIANT(mark)(set, k);
    for (int64_t made = 0;; made++) {
        double alone;
        const double violation = VARIANT(move_two)(set, &chosen, &chosen.i, &alone);
        if (!(violation >= eps) || made == steps)
            return made;
        const ptrdiff_t i = chosen.i;
        const double own = set->diagonal[i], value = set->values[i];
        chosen.row_i = kernel_row(set, i);
        chosen.step_j = 0.0;
        chosen.row_j = chosen.row_i;
        const int paired = VARIANT(second)(set, &chosen, alone, &chosen.j) > alone;
        const ptrdiff_t j = chosen.j;
        const double both = paired ? chosen.row_i[j] : 0.0;
        if (paired) {
            chosen.row_j = kernel_row(set, j);
            chosen.step_j = VARIANT(inside_one)(set, j, (own * set->values[j] - value * both) /
                                                            VARIANT(positive)(own * set->diagonal[j] - both * both));
            VARIANT(go)(set, j, chosen.step_j);
        }
        chosen.step_i = VARIANT(inside_one)(set, i, (value - both * chosen.step_j) / VARIANT(positive)(own));
        VARIANT(go)(set, i, chosen.step_i);
    }
}
