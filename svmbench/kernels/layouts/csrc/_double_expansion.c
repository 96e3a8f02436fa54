/* See double_expansion.h. */
#include "double_expansion.h"

#include <stdlib.h>
#include <string.h>

enum {
    DOUBLE_QUERIES = 32, /* queries that use a tile of double precision before it leaves the caches */
    WHOLE_TILES = 32,    /* tiles in a chunk of integers */
    WHOLE_TABLE = 2048,  /* most entries of a table of kernel values, half of the first-level cache */
    WHOLE_FEW = 32,      /* entries that fit into registers */
};

#define BODY "_double_expansion_body.h"
#include "svmbench/simd/csrc/variants.h"

typedef void (*double_fn)(const kernel_params *, const double_points *, const double *queries, ptrdiff_t count,
                          double *scores);
static const double_fn BLOCK[ISA_LEVELS] = VARIANTS(double_block);

typedef void (*errors_fn)(const kernel_params *, const double_points *, const double *queries, ptrdiff_t count,
                          const float *singles, ptrdiff_t stride, double *sums, double *squares);
static const errors_fn ERRORS[ISA_LEVELS] = VARIANTS(double_errors);

typedef void (*values_of_fn)(const kernel_params *, const double_points *, const double *queries, ptrdiff_t count,
                             double *values, ptrdiff_t stride);
static const values_of_fn VALUES[ISA_LEVELS] = VARIANTS(double_values);

typedef double (*weigh_values_fn)(const double *values, const double *coefficients, ptrdiff_t count);
static const weigh_values_fn WEIGH_VALUES[ISA_LEVELS] = VARIANTS(weigh_values);

typedef void (*row_fn)(const kernel_params *, const float *tile, ptrdiff_t d, const double *query, double coefficient,
                       double *values);
static const row_fn ROW[ISA_LEVELS] = VARIANTS(double_row);

typedef double (*weigh_fn)(const int32_t *numbers, const double *coefficients, ptrdiff_t count, double unit_squared,
                           const kernel_params *, const double *table, int few);
static const weigh_fn WEIGH[ISA_LEVELS] = VARIANTS(weigh_whole);

typedef void (*values_fn)(const int32_t *numbers, ptrdiff_t count, double unit_squared, const kernel_params *,
                          double coefficient, double *values);
static const values_fn ADD_VALUES[ISA_LEVELS] = VARIANTS(add_values);

typedef void (*dots_fn)(const double_csr *, ptrdiff_t j, const double *work, double *dots);
static const dots_fn DOTS[ISA_LEVELS] = VARIANTS(csr_dots);

typedef void (*add_fn)(const double *numbers, double coefficient, const kernel_params *, double *totals);
static const add_fn ADD[ISA_LEVELS] = VARIANTS(csr_add);

static ptrdiff_t together(ptrdiff_t left) { return left < DOUBLE_QUERIES ? left : DOUBLE_QUERIES; }

void svmbench_double_scores(int level, const kernel_params *kernel, const double_points *points, const double *queries,
                            ptrdiff_t count, double *scores, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1)
    for (ptrdiff_t q = 0; q < count; q += DOUBLE_QUERIES)
        BLOCK[level](kernel, points, queries + q * points->d, together(count - q), scores + q);
}

/* The values of queries from q on that are not known from those of earlier ones. */
static void square_values(int level, const kernel_params *kernel, const double_points *points, const double *queries,
                          ptrdiff_t q, ptrdiff_t count, int mirrored, double *values)
{
    const ptrdiff_t stride = points->n_tiles * DOUBLE_TILE, first = mirrored ? q : 0;
    double_points later = *points;
    later.tiles += first * points->d;
    later.coefficients += first;
    later.n_tiles -= first / DOUBLE_TILE;
    VALUES[level](kernel, &later, queries + q * points->d, count, values + q * stride + first, stride);
}

void svmbench_double_square(int level, const kernel_params *kernel, const double_points *points, const double *queries,
                            ptrdiff_t inner, ptrdiff_t count, double *values, double *scores, int threads)
{
    const ptrdiff_t stride = points->n_tiles * DOUBLE_TILE;
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
#pragma omp for schedule(dynamic)
        for (ptrdiff_t q = 0; q < inner; q += DOUBLE_QUERIES)
            square_values(level, kernel, points, queries, q, together(inner - q), 1, values);
#pragma omp for schedule(dynamic)
        for (ptrdiff_t q = inner; q < count; q += DOUBLE_QUERIES)
            square_values(level, kernel, points, queries, q, together(count - q), 0, values);
#pragma omp for schedule(dynamic)
        for (ptrdiff_t q = 0; q < inner; q += DOUBLE_QUERIES)
            for (ptrdiff_t j = 0; j < q; j++)
                for (ptrdiff_t r = q; r < q + together(inner - q); r++)
                    values[r * stride + j] = values[j * stride + r];
#pragma omp for schedule(static)
        for (ptrdiff_t q = 0; q < (scores == NULL ? 0 : count); q++)
            scores[q] = WEIGH_VALUES[level](values + q * stride, points->coefficients, stride);
    }
}

void svmbench_double_errors(int level, const kernel_params *kernel, const double_points *points, const double *queries,
                            ptrdiff_t count, const float *singles, ptrdiff_t stride, double *sums, double *squares,
                            int threads)
{
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1)
    for (ptrdiff_t q = 0; q < count; q += DOUBLE_QUERIES)
        ERRORS[level](kernel, points, queries + q * points->d, together(count - q), singles + q * stride, stride,
                      sums + q, squares + q);
}

void svmbench_double_row(int level, const kernel_params *kernel, const float *tiles, ptrdiff_t n, ptrdiff_t d,
                         const double *query, double coefficient, double *scores, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (ptrdiff_t j = 0; j < n; j += TILE) {
        double values[TILE] __attribute__((aligned(64)));
        ROW[level](kernel, tiles + j * d, d, query, coefficient, values);
        for (ptrdiff_t lane = 0; lane < TILE && j + lane < n; lane++)
            scores[j + lane] += values[lane];
    }
}

static kernel_params whole_kind(const tiled_job *job)
{
    kernel_params numbers = job->kernel;
    numbers.kind = job->kernel.kind == KERNEL_GAUSSIAN ? WHOLE_DISTANCE : WHOLE_PRODUCT;
    return numbers;
}

/* The kernel values of all integers up to the largest, and at least WHOLE_FEW. NULL if there are more integers than the table holds, or than
 * values to look up. */
static const double *whole_table(const tiled_job *job, whole_numbers whole, ptrdiff_t values, double *table)
{
    if (whole.largest < 0 || whole.largest >= WHOLE_TABLE || whole.largest >= values)
        return NULL;
    for (int32_t number = 0; number <= whole.largest || number < WHOLE_FEW; number++) {
        table[number] = 0.0;
        ADD_VALUES[job->level](&number, 1, whole.unit_squared, &job->kernel, 1.0, table + number);
    }
    return table;
}

static int whole_part(const tiled_job *job, whole_numbers whole, const double *table, const char *queries,
                      ptrdiff_t count, const double *coefficients, double *scores, int part)
{
    enum { STRIDE = WHOLE_TILES * TILE };
    const ptrdiff_t last = share(count, part + 1, job->threads);
    const kernel_params numbers = whole_kind(job);
    int32_t *values = aligned_alloc(64, (size_t)STRIDE * ROW_GROUP * sizeof(int32_t));
    if (values == NULL)
        return -1;
    for (ptrdiff_t tile = 0; tile < job->n_tiles; tile += WHOLE_TILES) {
        const ptrdiff_t end = job->n_tiles - tile < WHOLE_TILES ? job->n_tiles : tile + WHOLE_TILES;
        const ptrdiff_t columns = (job->n < end * TILE ? job->n : end * TILE) - tile * TILE;
        const double *weights = coefficients + tile * TILE;
        for (ptrdiff_t q = share(count, part, job->threads); q < last; q += ROW_GROUP) {
            const ptrdiff_t group = last - q < ROW_GROUP ? last - q : ROW_GROUP;
            job->block(job->store, &numbers,
                       &(kernel_block){queries + q * job->query_bytes, job->query_bytes, group, tile, end,
                                       (float *)values, STRIDE});
            for (ptrdiff_t r = 0; r < group; r++)
                scores[q + r] += WEIGH[job->level](values + r * STRIDE, weights, columns, whole.unit_squared,
                                                   &job->kernel, table, whole.largest < WHOLE_FEW);
        }
    }
    free(values);
    return 0;
}

int svmbench_whole_scores(const tiled_job *job, whole_numbers whole, const char *queries, ptrdiff_t count,
                          const double *coefficients, double *scores)
{
    double values[WHOLE_TABLE];
    const double *table = whole_table(job, whole, count * job->n, values);
    int failed = 0;
#pragma omp parallel for num_threads(job->threads) schedule(static) reduction(| : failed) if (job->threads > 1)
    for (int part = 0; part < job->threads; part++)
        failed |= whole_part(job, whole, table, queries, count, coefficients, scores, part);
    return failed;
}

static void row_part(const tiled_job *job, whole_numbers whole, const char *query, double coefficient, double *scores,
                     int part)
{
    enum { STRIDE = WHOLE_TILES * TILE };
    const ptrdiff_t last = share(job->n_tiles, part + 1, job->threads);
    const kernel_params numbers = whole_kind(job);
    int32_t values[STRIDE] __attribute__((aligned(64)));
    for (ptrdiff_t tile = share(job->n_tiles, part, job->threads); tile < last; tile += WHOLE_TILES) {
        const ptrdiff_t end = last - tile < WHOLE_TILES ? last : tile + WHOLE_TILES;
        const ptrdiff_t columns = (job->n < end * TILE ? job->n : end * TILE) - tile * TILE;
        job->block(job->store, &numbers,
                   &(kernel_block){query, job->query_bytes, 1, tile, end, (float *)values, STRIDE});
        ADD_VALUES[job->level](values, columns, whole.unit_squared, &job->kernel, coefficient, scores + tile * TILE);
    }
}

void svmbench_whole_row(const tiled_job *job, whole_numbers whole, const char *query, double coefficient,
                        double *scores)
{
#pragma omp parallel for num_threads(job->threads) schedule(static) if (job->threads > 1)
    for (int part = 0; part < job->threads; part++)
        row_part(job, whole, query, coefficient, scores, part);
}

/* A squared distance below this fraction of the two norms is computed from differences, since its loss by cancellation
 * would exceed the rounding of the exponential. For larger distances, the kernel value is below 1e-300 before
 * that loss matters. */
static const double CANCELLED = 1.0 / 16.0;

static double csr_distance(const double_csr *points, ptrdiff_t j, const double_csr *queries, ptrdiff_t q)
{
    int64_t a = points->indptr[j], b = queries->indptr[q];
    const int64_t a_end = points->indptr[j + 1], b_end = queries->indptr[q + 1];
    double sum = 0.0;
    while (a < a_end || b < b_end) {
        const int32_t at = a < a_end ? points->indices[a] : INT32_MAX;
        const int32_t other = b < b_end ? queries->indices[b] : INT32_MAX;
        double difference = 0.0;
        if (at <= other)
            difference = points->values[a++];
        if (other <= at)
            difference -= queries->values[b++];
        sum += difference * difference;
    }
    return sum;
}

/* Write the queries [first, first + lanes) side by side, or zero them again. */
static void scatter(const double_csr *queries, ptrdiff_t first, ptrdiff_t lanes, double *work, int clear)
{
    for (ptrdiff_t lane = 0; lane < lanes; lane++)
        for (int64_t k = queries->indptr[first + lane]; k < queries->indptr[first + lane + 1]; k++)
            work[(ptrdiff_t)queries->indices[k] * DOUBLE_LANES + lane] = clear ? 0.0 : queries->values[k];
}

static void csr_group(int level, const kernel_params *kernel, const double_csr *points, const double *coefficients,
                      const double_csr *queries, ptrdiff_t first, ptrdiff_t lanes, const double *work, double *scores)
{
    double totals[DOUBLE_LANES] __attribute__((aligned(64))) = {0};
    double numbers[DOUBLE_LANES] __attribute__((aligned(64)));
    for (ptrdiff_t j = 0; j < points->n; j++) {
        DOTS[level](points, j, work, numbers);
        if (kernel->kind == KERNEL_GAUSSIAN)
            for (ptrdiff_t lane = 0; lane < lanes; lane++) {
                const double norms = points->squared[j] + queries->squared[first + lane];
                numbers[lane] = norms - 2.0 * numbers[lane];
                if (numbers[lane] < CANCELLED * norms)
                    numbers[lane] = csr_distance(points, j, queries, first + lane);
            }
        ADD[level](numbers, coefficients[j], kernel, totals);
    }
    for (ptrdiff_t lane = 0; lane < lanes; lane++)
        scores[first + lane] += totals[lane];
}

int svmbench_double_csr_scores(int level, const kernel_params *kernel, const double_csr *points,
                               const double *coefficients, const double_csr *queries, double *scores, int threads)
{
    int failed = 0;
#pragma omp parallel num_threads(threads) reduction(| : failed) if (threads > 1)
    {
        const size_t size = ((size_t)queries->d * DOUBLE_LANES + 1) * sizeof(double);
        double *work = aligned_alloc(64, (size + 63) / 64 * 64);
        if (work == NULL)
            failed = 1;
        else
            memset(work, 0, size);
#pragma omp for schedule(dynamic)
        for (ptrdiff_t first = 0; first < queries->n; first += DOUBLE_LANES) {
            const ptrdiff_t lanes = queries->n - first < DOUBLE_LANES ? queries->n - first : DOUBLE_LANES;
            if (work == NULL)
                continue;
            scatter(queries, first, lanes, work, 0);
            csr_group(level, kernel, points, coefficients, queries, first, lanes, work, scores);
            scatter(queries, first, lanes, work, 1);
        }
        free(work);
    }
    return -failed;
}
