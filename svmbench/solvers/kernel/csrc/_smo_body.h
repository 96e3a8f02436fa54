/* The pass over one block of coordinates; see smo.h. Products and sums are not fused and values are computed
 * independently, so that all instruction sets give the same bits. */
#include "svmbench/simd/csrc/doubles.h"

typedef double VARIANT(many) __attribute__((vector_size(BYTES), may_alias, aligned(8)));

#undef WIDTH
#undef GROUP
#define WIDTH (BYTES / 8)
#define GROUP 8 /* coordinates per group; alpha is read only if one of the group is free */

#undef LOAD
#undef STORE
#define LOAD(from) (*(const VARIANT(many) *)(from))
#define STORE(to, value) (*(VARIANT(many) *)(to) = (value))

TARGET INLINE vd VARIANT(clip)(vd x, vd C) { return VARIANT(smaller)(VARIANT(larger)(x, (vd){0}), C); }

/* Updates `WIDTH` values of the gradient and returns their scores; marks are 64-bit integers. */
TARGET INLINE vd VARIANT(score_some)(const smo_pass *pass, ptrdiff_t t, const float *row, double factor, vl marks,
                                     vd alpha, int unit, vd *violation)
{
    const vd C = pass->C - (vd){0};
    vd g = LOAD(pass->gradient + t);
    if (row != NULL) {
        const vd signed_factor = (vd)((vl)(factor - (vd){0}) ^ (marks & INT64_MIN));
        g = g + signed_factor * VARIANT(widen)(row + t);
        STORE(pass->gradient + t, g);
    }
    const vl stays = ((alpha <= 0.0) & (g > 0.0)) | ((alpha >= C) & (g < 0.0));
    const vd steep = (vd)(~stays & (vl)g & INT64_MAX);
    *violation = VARIANT(larger)(steep, *violation);
    if (unit) {
        const vd step = VARIANT(clip)(alpha - g, C) - alpha;
        return pass->clipped ? -step * (g + 0.5 * step) : steep * steep;
    }
    const vd own = LOAD(pass->diagonal + t), inverse = LOAD(pass->inverse + t);
    const vd step = VARIANT(clip)(alpha - g * inverse, C) - alpha;
    return pass->clipped ? -step * (g + 0.5 * own * step) : steep * steep * inverse;
}

/* Whole groups of coordinates. */
TARGET INLINE double VARIANT(score_groups)(const smo_pass *pass, ptrdiff_t begin, ptrdiff_t count, const float *row,
                                           double factor, double *scores, double *worst, int unit)
{
    const vl at_C = (vl)(pass->C - (vd){0});
    vd violation = *worst - (vd){0}, most = -1.0 - (vd){0};
    for (ptrdiff_t k = 0; k < count; k += GROUP) {
        uint64_t marks;
        memcpy(&marks, pass->marks + begin + k, sizeof marks);
        const int some_free = (marks & 0x0202020202020202) != 0;
#pragma GCC unroll 4
        for (int v = 0; v < GROUP / WIDTH; v++) {
            const ptrdiff_t t = begin + k + v * WIDTH;
            const vl mark = VARIANT(widen_bytes)(pass->marks + t);
            const vd alpha = some_free ? LOAD(pass->alpha + t) : (vd)(-(mark & SMO_AT_C) & at_C);
            const vd score = VARIANT(score_some)(pass, t, row, factor, mark, alpha, unit, &violation);
            STORE(scores + k + v * WIDTH, score);
            most = VARIANT(larger)(score, most);
        }
    }
    double highest = -1.0;
    for (int lane = 0; lane < WIDTH; lane++) {
        highest = most[lane] > highest ? most[lane] : highest;
        *worst = violation[lane] > *worst ? violation[lane] : *worst;
    }
    return highest;
}

/* The last coordinates, in a partly filled group. */
TARGET INLINE double VARIANT(score_rest)(const smo_pass *pass, ptrdiff_t begin, ptrdiff_t count, const float *row,
                                         double factor, double *scores, double *worst, int unit)
{
    double gradient[GROUP] = {0}, alpha[GROUP] = {0}, diagonal[GROUP] = {0}, inverse[GROUP] = {0}, found[GROUP];
    float values[GROUP] = {0};
    int8_t marks[GROUP] = {0};
    double highest = -1.0;
    smo_pass rest = *pass;
    for (ptrdiff_t k = 0; k < count; k++) {
        gradient[k] = pass->gradient[begin + k];
        alpha[k] = pass->alpha[begin + k];
        marks[k] = pass->marks[begin + k];
        diagonal[k] = unit ? 1.0 : pass->diagonal[begin + k];
        inverse[k] = unit ? 1.0 : pass->inverse[begin + k];
        values[k] = row != NULL ? row[begin + k] : 0.0f;
    }
    rest.gradient = gradient;
    rest.alpha = alpha;
    rest.marks = marks;
    rest.diagonal = diagonal;
    rest.inverse = inverse;
    VARIANT(score_groups)(&rest, 0, GROUP, row != NULL ? values : NULL, factor, found, worst, unit);
    for (ptrdiff_t k = 0; k < count; k++) {
        pass->gradient[begin + k] = gradient[k];
        scores[k] = found[k];
        highest = found[k] > highest ? found[k] : highest;
    }
    return highest;
}

TARGET INLINE double VARIANT(score_all)(const smo_pass *pass, ptrdiff_t begin, ptrdiff_t count, const float *row,
                                        double factor, double *scores, double *worst, int unit)
{
    const ptrdiff_t whole = count / GROUP * GROUP;
    double highest = VARIANT(score_groups)(pass, begin, whole, row, factor, scores, worst, unit);
    if (whole < count) {
        const double last = VARIANT(score_rest)(pass, begin + whole, count - whole, row, factor, scores + whole, worst,
                                                unit);
        highest = last > highest ? last : highest;
    }
    return highest;
}

TARGET static double VARIANT(score_block)(const smo_pass *pass, ptrdiff_t begin, ptrdiff_t count, const float *row,
                                          double factor, double *scores, double *worst)
{
    if (pass->diagonal == NULL)
        return VARIANT(score_all)(pass, begin, count, row, factor, scores, worst, 1);
    return VARIANT(score_all)(pass, begin, count, row, factor, scores, worst, 0);
}
