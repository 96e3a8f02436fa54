/* See passes.h. */
#include "passes.h"

#include <string.h>

enum action { LOOKING, MOVING, MOVING_AND_ADDING }; /* what a pass does with values before filling the band */

#define BODY "_passes_body.h"
#include "variants.h"

enum {
    LOTS = 8,   /* equal parts of the values, independent of the number of threads */
    SAMPLES = 8 /* blocks of a sample */
};

typedef void (*sum_below_fn)(const double *, ptrdiff_t, double, double *, ptrdiff_t *);
typedef void (*sample_fn)(const double *, const float *, const float *, ptrdiff_t, double, double *, ptrdiff_t *);
typedef void (*collect_fn)(const double *, const float *, ptrdiff_t, ptrdiff_t, svmbench_band *);
typedef void (*add_row_fn)(double *, const float *, const float *, ptrdiff_t, double);
typedef void (*move_fn)(double *, double *, const float *, const float *, ptrdiff_t, ptrdiff_t, double, double,
                        svmbench_band *);
typedef void (*scale_fn)(double *, double *, ptrdiff_t, double);

static const sum_below_fn SUM_BELOW[ISA_LEVELS] = VARIANTS(sum_below);
static const sample_fn SAMPLE[ISA_LEVELS] = VARIANTS(sample);
static const collect_fn COLLECT[ISA_LEVELS] = VARIANTS(collect);
static const add_row_fn ADD_ROW[ISA_LEVELS] = VARIANTS(add_row);
static const move_fn MOVE[ISA_LEVELS] = VARIANTS(move);
static const scale_fn SCALE[ISA_LEVELS] = VARIANTS(scale);

void svmbench_sum_below(int isa, const double *x, ptrdiff_t n, double level, double *sum, ptrdiff_t *count)
{
    SUM_BELOW[isa](x, n, level, sum, count);
}

void svmbench_sample(int isa, const double *x, const float *signs, const float *row, ptrdiff_t n, double level,
                     double *sum, ptrdiff_t *count)
{
    *sum = 0.0;
    *count = 0;
    if (n <= SAMPLES * BLOCK) {
        for (ptrdiff_t begin = 0; begin < n; begin += BLOCK)
            SAMPLE[isa](x + begin, signs + begin, row + begin, n - begin < BLOCK ? n - begin : BLOCK, level, sum,
                        count);
        return;
    }
    for (int part = 0; part < SAMPLES; part++) {
        const ptrdiff_t begin = (n - BLOCK) * part / (SAMPLES - 1);
        SAMPLE[isa](x + begin, signs + begin, row + begin, BLOCK, level, sum, count);
    }
}

static void clear(svmbench_band *band)
{
    band->sum = 0.0;
    for (int s = 0; s < 2; s++)
        band->count[s] = band->below[s] = 0;
}

void svmbench_collect(int isa, const double *x, const float *signs, ptrdiff_t n, svmbench_band *band)
{
    clear(band);
    COLLECT[isa](x, signs, 0, n, band);
}

void svmbench_add_row(int isa, double *x, const float *signs, const float *row, ptrdiff_t n, double factor)
{
    ADD_ROW[isa](x, signs, row, n, factor);
}

/* A lot's part of the band, which lies where all values before it would end. */
static svmbench_band lot_of(const svmbench_band *band, ptrdiff_t first)
{
    svmbench_band lot = *band;
    clear(&lot);
    for (int s = 0; s < band->classes; s++) {
        lot.values[s] += first;
        if (band->classes == 2)
            lot.owners[s] += first;
    }
    return lot;
}

static void append(svmbench_band *band, const svmbench_band *lot)
{
    for (int s = 0; s < band->classes; s++) {
        const size_t count = (size_t)lot->count[s];
        memmove(band->values[s] + band->count[s], lot->values[s], count * sizeof(double));
        if (band->classes == 2)
            memmove(band->owners[s] + band->count[s], lot->owners[s], count * sizeof(int64_t));
        band->count[s] += lot->count[s];
        band->below[s] += lot->below[s];
    }
    band->sum += lot->sum;
}

void svmbench_move(int isa, int threads, double *x, double *total, const float *signs, const float *row, ptrdiff_t n,
                   double step, double scale, svmbench_band *band)
{
    const ptrdiff_t blocks = (n + BLOCK - 1) / BLOCK;
    svmbench_band lots[LOTS];
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (int k = 0; k < LOTS; k++) {
        const ptrdiff_t first = share(blocks, k, LOTS) * BLOCK;
        const ptrdiff_t end = share(blocks, k + 1, LOTS) * BLOCK;
        lots[k] = lot_of(band, first);
        MOVE[isa](x, total, signs, row, first, end < n ? end : n, step, scale, &lots[k]);
    }
    clear(band);
    for (int k = 0; k < LOTS; k++)
        append(band, &lots[k]);
}

void svmbench_scale(int isa, double *x, double *total, ptrdiff_t n, double scale)
{
    SCALE[isa](x, total, n, scale);
}
