/* See passes.h. */
#include "passes.h"

#define BODY "_passes_body.h"
#include "svmbench/kernels/csrc/variants.h"

typedef void (*survey_fn)(const double *, ptrdiff_t, double, double *, ptrdiff_t *);
typedef void (*collect_fn)(const double *, const float *, ptrdiff_t, float, double, double, double *, ptrdiff_t *,
                           double *, ptrdiff_t *);
typedef void (*add_row_fn)(double *, const float *, const float *, ptrdiff_t, double);
typedef void (*move_fn)(double *, double *, const float *, const float *, ptrdiff_t, double, double, double, double *,
                        ptrdiff_t *);
typedef void (*scale_fn)(double *, double *, ptrdiff_t, double);

static const survey_fn SURVEY[ISA_LEVELS] = VARIANTS(survey);
static const collect_fn COLLECT[ISA_LEVELS] = VARIANTS(collect);
static const add_row_fn ADD_ROW[ISA_LEVELS] = VARIANTS(add_row);
static const move_fn MOVE[ISA_LEVELS] = VARIANTS(move);
static const scale_fn SCALE[ISA_LEVELS] = VARIANTS(scale);

void svmbench_survey(int isa, const double *x, ptrdiff_t n, double level, double *sum, ptrdiff_t *count)
{
    SURVEY[isa](x, n, level, sum, count);
}

void svmbench_collect(int isa, const double *x, const float *signs, ptrdiff_t n, float sign, double floor,
                      double ceiling, double *band, ptrdiff_t *count, double *sum, ptrdiff_t *below)
{
    COLLECT[isa](x, signs, n, sign, floor, ceiling, band, count, sum, below);
}

void svmbench_add_row(int isa, double *x, const float *signs, const float *row, ptrdiff_t n, double factor)
{
    ADD_ROW[isa](x, signs, row, n, factor);
}

void svmbench_move(int isa, double *x, double *total, const float *signs, const float *row, ptrdiff_t n, double step,
                   double scale, double level, double *sum, ptrdiff_t *count)
{
    MOVE[isa](x, total, signs, row, n, step, scale, level, sum, count);
}

void svmbench_scale(int isa, double *x, double *total, ptrdiff_t n, double scale)
{
    SCALE[isa](x, total, n, scale);
}
