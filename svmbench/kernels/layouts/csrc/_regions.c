/* See regions.h. */
#include "regions.h"

#include <stdlib.h>
#include <string.h>

enum {
    ADD_TILES = REGION_TILES,
    SPAN = 32,      /* regions that are tested together, so that the results stay in the first-level cache */
    MARKS = SPAN + 16,
    RUN_REGIONS = 8 /* most adjacent regions in which a row is computed at once */
};

#define BODY "_regions_body.h"
#include "svmbench/simd/csrc/variants.h"

typedef void (*reach_fn)(const region_set *set, const char *query, ptrdiff_t first, ptrdiff_t last, uint8_t *reached);
static const reach_fn REACH[ISA_LEVELS] = VARIANTS(reach);

typedef double (*weigh_fn)(const float *values, const double *coefficients, ptrdiff_t count);
static const weigh_fn WEIGH[ISA_LEVELS] = VARIANTS(weigh);

typedef void (*combine_fn)(const float *const *rows, const double *coefficients, ptrdiff_t count,
                           ptrdiff_t columns, double *sums);
static const combine_fn COMBINE[ISA_LEVELS] = VARIANTS(combine);

static ptrdiff_t least(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }

static void row_part(const tiled_job *job, const region_set *set, const char *query, float *row, int part)
{
    const ptrdiff_t last = share(set->count, part + 1, job->threads);
    uint8_t reached[MARKS];
    float values[RUN_REGIONS * REGION] __attribute__((aligned(64)));
    for (ptrdiff_t from = share(set->count, part, job->threads); from < last; from += SPAN) {
        const ptrdiff_t to = least(last, from + SPAN);
        REACH[job->level](set, query, from, to, reached);
        for (ptrdiff_t p = from, end; p < to; p = end) {
            end = p + 1;
            if (!reached[p - from])
                continue;
            while (end < to && end - p < RUN_REGIONS && reached[end - from])
                end++;
            const ptrdiff_t places = least(job->n, end * REGION);
            job->block(job->store, &job->kernel,
                       &(kernel_block){query, job->query_bytes, 1, p * REGION_TILES,
                                       least(job->n_tiles, end * REGION_TILES), values, sizeof values / 4});
            for (ptrdiff_t s = p * REGION; s < places; s++)
                row[set->examples[s]] = values[s - p * REGION];
        }
    }
}

void svmbench_region_rows(const tiled_job *job, const region_set *set, const char *queries, ptrdiff_t count, float *out,
                          ptrdiff_t stride)
{
    for (ptrdiff_t r = 0; r < count; r++) {
        const char *query = queries + r * job->query_bytes;
        float *row = out + r * stride;
        memset(row, 0, (size_t)job->n_tiles * TILE * sizeof(float));
        if (job->threads == 1) {
            row_part(job, set, query, row, 0);
            continue;
        }
#pragma omp parallel for num_threads(job->threads) schedule(static)
        for (int part = 0; part < job->threads; part++)
            row_part(job, set, query, row, part);
    }
}

/* Which of some queries reach a region, and the values of a group of these there. */
typedef struct {
    ptrdiff_t from;   /* the first region of the span */
    uint8_t *reached; /* [queries][MARKS] */
    char *chosen;     /* [queries][query_bytes] */
    ptrdiff_t *which; /* [queries], in ascending order */
    float *values;    /* [ROW_GROUP][REGION] */
} region_work;

static void give_back(region_work *work)
{
    free(work->reached), free(work->chosen), free(work->which), free(work->values);
}

static int take_memory(region_work *work, const tiled_job *job, ptrdiff_t queries)
{
    work->reached = malloc((size_t)queries * MARKS);
    work->chosen = malloc((size_t)(queries * job->query_bytes) + 1);
    work->which = malloc((size_t)queries * sizeof *work->which);
    work->values = aligned_alloc(64, (size_t)ROW_GROUP * REGION * sizeof(float));
    if (work->reached != NULL && work->chosen != NULL && work->which != NULL && work->values != NULL)
        return 0;
    give_back(work);
    return -1;
}

static void look_around(region_work *work, const tiled_job *job, const region_set *set, const char *queries,
                        ptrdiff_t count, ptrdiff_t from, ptrdiff_t to)
{
    work->from = from;
    for (ptrdiff_t r = 0; r < count; r++)
        REACH[job->level](set, queries + r * job->query_bytes, from, to, work->reached + r * MARKS);
}

/* Selects the queries that reach region p and returns their number. */
static ptrdiff_t choose(region_work *work, const tiled_job *job, const char *queries, ptrdiff_t count, ptrdiff_t p)
{
    ptrdiff_t chosen = 0;
    for (ptrdiff_t r = 0; r < count; r++)
        if (work->reached[r * MARKS + p - work->from]) {
            memcpy(work->chosen + chosen * job->query_bytes, queries + r * job->query_bytes, (size_t)job->query_bytes);
            work->which[chosen++] = r;
        }
    return chosen;
}

/* Computes the values in region p for `count` of the selected queries, at most ROW_GROUP. */
static void make_values(const region_work *work, const tiled_job *job, ptrdiff_t begin, ptrdiff_t count, ptrdiff_t p)
{
    job->block(job->store, &job->kernel,
               &(kernel_block){work->chosen + begin * job->query_bytes, job->query_bytes, count, p * REGION_TILES,
                               least(job->n_tiles, (p + 1) * REGION_TILES), work->values, REGION});
}

/* The sums of a region lie far apart: they are read and written once for all queries. */
static void add_region(const region_work *work, const tiled_job *job, const region_set *set, ptrdiff_t chosen,
                       const double *coefficients, double *sums, ptrdiff_t p)
{
    const ptrdiff_t places = least(job->n - p * REGION, REGION);
    const int64_t *examples = set->examples + p * REGION;
    const float *rows[ROW_GROUP];
    double weights[ROW_GROUP], own[REGION];
    for (ptrdiff_t s = 0; s < places; s++)
        own[s] = sums[examples[s]];
    for (ptrdiff_t begin = 0; begin < chosen; begin += ROW_GROUP) {
        const ptrdiff_t count = least(ROW_GROUP, chosen - begin);
        make_values(work, job, begin, count, p);
        for (ptrdiff_t r = 0; r < count; r++) {
            rows[r] = work->values + r * REGION;
            weights[r] = coefficients[work->which[begin + r]];
        }
        COMBINE[job->level](rows, weights, count, places, own);
    }
    for (ptrdiff_t s = 0; s < places; s++)
        sums[examples[s]] = own[s];
}

static int add_part(const tiled_job *job, const region_set *set, const char *queries, ptrdiff_t count,
                    const double *coefficients, double *sums, int part, int parts)
{
    const ptrdiff_t last = share(set->count, part + 1, parts);
    region_work work;
    if (take_memory(&work, job, count))
        return -1;
    for (ptrdiff_t from = share(set->count, part, parts); from < last; from += SPAN) {
        const ptrdiff_t to = least(last, from + SPAN);
        look_around(&work, job, set, queries, count, from, to);
        for (ptrdiff_t p = from; p < to; p++) {
            const ptrdiff_t chosen = choose(&work, job, queries, count, p);
            if (chosen > 0)
                add_region(&work, job, set, chosen, coefficients, sums, p);
        }
    }
    give_back(&work);
    return 0;
}

enum { PARTS = 4 }; /* parts into which each thread's work is divided, so that no thread waits long for another */

int svmbench_region_add(const tiled_job *job, const region_set *set, const char *queries, ptrdiff_t count,
                        const double *coefficients, double *sums)
{
    if (job->threads == 1)
        return add_part(job, set, queries, count, coefficients, sums, 0, 1);
    int failed = 0;
#pragma omp parallel for num_threads(job->threads) schedule(dynamic) reduction(| : failed)
    for (int part = 0; part < PARTS * job->threads; part++)
        failed |= add_part(job, set, queries, count, coefficients, sums, part, PARTS * job->threads);
    return failed;
}

static int score_part(const tiled_job *job, const region_set *set, const char *queries, ptrdiff_t count,
                      const double *coefficients, double *scores, int part, int parts)
{
    const ptrdiff_t last = share(count, part + 1, parts);
    region_work work;
    if (take_memory(&work, job, ROW_GROUP))
        return -1;
    for (ptrdiff_t q = share(count, part, parts); q < last; q += ROW_GROUP) {
        const char *group = queries + q * job->query_bytes;
        const ptrdiff_t size = least(ROW_GROUP, last - q);
        for (ptrdiff_t p = 0; p < set->count; p++) {
            if (p % SPAN == 0)
                look_around(&work, job, set, group, size, p, least(set->count, p + SPAN));
            const ptrdiff_t places = least(job->n - p * REGION, REGION);
            const ptrdiff_t chosen = choose(&work, job, group, size, p);
            if (chosen > 0)
                make_values(&work, job, 0, chosen, p);
            for (ptrdiff_t c = 0; c < chosen; c++)
                scores[q + work.which[c]] +=
                    WEIGH[job->level](work.values + c * REGION, coefficients + p * REGION, places);
        }
    }
    give_back(&work);
    return 0;
}

int svmbench_region_scores(const tiled_job *job, const region_set *set, const char *queries, ptrdiff_t count,
                           const double *coefficients, double *scores)
{
    memset(scores, 0, (size_t)count * sizeof(double));
    if (job->threads == 1)
        return score_part(job, set, queries, count, coefficients, scores, 0, 1);
    const int parts = count / ROW_GROUP >= PARTS * job->threads ? PARTS * job->threads : job->threads;
    int failed = 0;
#pragma omp parallel for num_threads(job->threads) schedule(dynamic) reduction(| : failed)
    for (int part = 0; part < parts; part++)
        failed |= score_part(job, set, queries, count, coefficients, scores, part, parts);
    return failed;
}
