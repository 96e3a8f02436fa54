/* The passes over the vectors of a working set, a chunk at a time: CHAINS registers, so that none waits for another.
 * Only the chunk of a maximum is carried along, and searched afterwards. */
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
        const vl marks = values[c] == wanted;
#if LEVEL >= 2
        same |= (uint32_t)_mm512_movepi64_mask((__m512i)marks) << (c * WIDTH);
#elif LEVEL == 1
        same |= (uint32_t)_mm256_movemask_pd((__m256d)marks) << (c * WIDTH);
#else
        for (int lane = 0; lane < WIDTH; lane++)
            same |= (uint32_t)(marks[lane] & 1) << (c * WIDTH + lane);
#endif
    }
    return same ? __builtin_ctz(same) : 0;
}

TARGET INLINE void VARIANT(mark)(working_set *set, ptrdiff_t i)
{
    set->up[i] = set->beta[i] < set->most[i] ? 0.0 : -INFINITY;
    set->down[i] = set->beta[i] > set->least[i] ? 0.0 : INFINITY;
}

/* After a step that ends within the box, the values of a pair are equal up to rounding. Without the last 20 bits,
 * rounding does not choose between them. */
TARGET INLINE vd VARIANT(coarse)(vd value) { return (vd)((vl)value & ~(int64_t)0xFFFFF); }

/* What a register of variables is chosen by as the highest. */
TARGET INLINE vd VARIANT(height)(const working_set *set, ptrdiff_t at)
{
    return VARIANT(coarse)(LOAD(set->values + at)) + LOAD(set->up + at);
}

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
            least = VARIANT(larger)(-(value + LOAD(down + at)), least);
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

/* The gains of a register of partners of the highest, to second order. */
TARGET INLINE vd VARIANT(gain)(const working_set *set, const float *row, double high, double own, ptrdiff_t at)
{
    const vd below = VARIANT(larger)(high - (LOAD(set->values + at) + LOAD(set->down + at)), (vd){0});
    const vd curvature = own + LOAD(set->diagonal + at) - 2.0 * VARIANT(widen)(row + at);
    return below * below / VARIANT(all_positive)(curvature);
}

/* The partner with the largest gain. */
TARGET INLINE ptrdiff_t VARIANT(partner)(const working_set *set, const float *row, double high, double own)
{
    leader best = {(vd){0}, (vl){0}};
    vd gains[CHAINS];
    ptrdiff_t begin;
    for (ptrdiff_t k = 0; k < set->stride; k += CHUNK) {
        vd top = {0};
#pragma GCC unroll 4
        for (int c = 0; c < CHAINS; c++)
            top = VARIANT(larger)(VARIANT(gain)(set, row, high, own, k + c * WIDTH), top);
        VARIANT(compete)(&best, top, k - (vl){0});
    }
    const double most = VARIANT(winner)(&best, &begin);
#pragma GCC unroll 4
    for (int c = 0; c < CHAINS; c++)
        gains[c] = VARIANT(gain)(set, row, high, own, begin + c * WIDTH);
    return begin + VARIANT(first_of)(gains, most);
}

TARGET static int64_t VARIANT(solve_pairs)(working_set *set, double eps, int64_t steps)
{
    const float *row_i = set->kernel, *row_j = row_i;
    double step = 0.0;
    for (ptrdiff_t k = 0; k < set->stride; k++)
        VARIANT(mark)(set, k);
    for (int64_t made = 0;; made++) {
        ptrdiff_t i, j;
        double low;
        const double high = VARIANT(move_pair)(set, row_i, row_j, step, &i, &low);
        if (!(high - low >= eps) || made == steps)
            return made;
        row_i = kernel_row(set, i);
        j = VARIANT(partner)(set, row_i, high, set->diagonal[i]);
        row_j = kernel_row(set, j);
        const double room_i = set->most[i] - set->beta[i], room_j = set->beta[j] - set->least[j];
        step = (high - set->values[j]) / VARIANT(positive)(set->diagonal[i] + set->diagonal[j] - 2.0 * row_i[j]);
        step = step < room_i ? step : room_i;
        step = step < room_j ? step : room_j;
        set->beta[i] = step == room_i ? set->most[i] : set->beta[i] + step;
        set->beta[j] = step == room_j ? set->least[j] : set->beta[j] - step;
        VARIANT(mark)(set, i);
        VARIANT(mark)(set, j);
    }
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

/* A variable and its partner, and the rows and steps of both. */
typedef struct {
    ptrdiff_t i, j;
    const float *row_i, *row_j;
    double step_i, step_j;
} VARIANT(two);
#undef two
#define two VARIANT(two)

/* The gains of a register of variables, each by a step of its own. */
TARGET INLINE vd VARIANT(gain_alone)(const working_set *set, vd value, ptrdiff_t at)
{
    const vd own = LOAD(set->diagonal + at);
    const vd step = VARIANT(inside)(set, at, value / VARIANT(all_positive)(own));
    return step * (value - 0.5 * own * step);
}

/* values -= step_i row_i, values -= step_j row_j; returns the largest violation, the variable with the largest gain
 * by a step of its own, and that gain. */
TARGET INLINE double VARIANT(move_two)(working_set *set, const two *last, ptrdiff_t *which, double *gain)
{
    leader best = {(vd){0}, (vl){0}};
    vd worst = {0}, gains[CHAINS];
    double violation = 0.0;
    ptrdiff_t begin;
    for (ptrdiff_t k = 0; k < set->stride; k += CHUNK) {
        vd top = {0};
#pragma GCC unroll 4
        for (int c = 0; c < CHAINS; c++) {
            const ptrdiff_t at = k + c * WIDTH;
            const vd value = (LOAD(set->values + at) - last->step_i * VARIANT(widen)(last->row_i + at)) -
                             last->step_j * VARIANT(widen)(last->row_j + at);
            STORE(set->values + at, value);
            top = VARIANT(larger)(VARIANT(gain_alone)(set, value, at), top);
            worst = VARIANT(larger)(value + LOAD(set->up + at), worst);
            worst = VARIANT(larger)(-(value + LOAD(set->down + at)), worst);
        }
        VARIANT(compete)(&best, top, k - (vl){0});
    }
    for (int lane = 0; lane < WIDTH; lane++)
        violation = worst[lane] > violation ? worst[lane] : violation;
    *gain = VARIANT(winner)(&best, &begin);
#pragma GCC unroll 4
    for (int c = 0; c < CHAINS; c++)
        gains[c] = VARIANT(gain_alone)(set, LOAD(set->values + begin + c * WIDTH), begin + c * WIDTH);
    *which = *gain > 0.0 ? begin + VARIANT(first_of)(gains, *gain) : 0;
    return violation;
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

/* The partner with which a variable gains most. Returns the gain. */
TARGET INLINE double VARIANT(second)(const working_set *set, const two *chosen, ptrdiff_t *which)
{
    leader best = {(vd){0}, (vl){0}};
    vd gains[CHAINS];
    ptrdiff_t begin;
    for (ptrdiff_t k = 0; k < set->stride; k += CHUNK) {
        vd top = {0};
#pragma GCC unroll 4
        for (int c = 0; c < CHAINS; c++)
            top = VARIANT(larger)(VARIANT(gain_together)(set, chosen, k + c * WIDTH), top);
        VARIANT(compete)(&best, top, k - (vl){0});
    }
    const double gain = VARIANT(winner)(&best, &begin);
#pragma GCC unroll 4
    for (int c = 0; c < CHAINS; c++)
        gains[c] = VARIANT(gain_together)(set, chosen, begin + c * WIDTH);
    *which = gain > 0.0 ? begin + VARIANT(first_of)(gains, gain) : 0;
    return gain;
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
        const int paired = VARIANT(second)(set, &chosen, &chosen.j) > alone;
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
