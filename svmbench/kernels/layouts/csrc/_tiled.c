/* See tiled.h. */
#include "tiled.h"

#include <stdlib.h>
#include <string.h>

enum {
    ADD_TILES = 16,   /* per chunk when rows are added */
    SCORE_TILES = 32, /* per chunk when queries are scored */
    PARTS = 4         /* of the work of each thread */
};

#define BODY "_tiled_body.h"
#include "svmbench/simd/csrc/variants.h"

typedef double (*weigh_fn)(const float *values, const double *coefficients, ptrdiff_t count);
static const weigh_fn WEIGH[ISA_LEVELS] = VARIANTS(weigh);

typedef void (*combine_fn)(const float *const *rows, const double *coefficients, ptrdiff_t count,
                           ptrdiff_t columns, double *sums);
static const combine_fn COMBINE[ISA_LEVELS] = VARIANTS(combine);

static void rows_part(const tiled_job *job, const char *queries, ptrdiff_t count, float *out, ptrdiff_t stride,
                      int part)
{
    const ptrdiff_t first = share(job->n_tiles, part, job->threads);
    const ptrdiff_t last = share(job->n_tiles, part + 1, job->threads);
    const kernel_block block = {queries, job->query_bytes, count, first, last, out + first * TILE, stride};
    job->block(job->store, &job->kernel, &block);
}

/* Splits the work into parts of equal length: several per thread if it is long, so that no thread waits for one that
 * other programs have delayed. `pieces`: the number of pieces that are each worth a part. */
static int parts_of(const tiled_job *job, ptrdiff_t pieces)
{
    return pieces >= PARTS * job->threads ? PARTS * job->threads : job->threads;
}

/* Here and below a single thread avoids OpenMP, which costs half a microsecond even then. */
void svmbench_tiled_rows(const tiled_job *job, const char *queries, ptrdiff_t count, float *out, ptrdiff_t stride)
{
    if (job->threads == 1) {
        rows_part(job, queries, count, out, stride, 0);
        return;
    }
#pragma omp parallel for num_threads(job->threads) schedule(static)
    for (int part = 0; part < job->threads; part++)
        rows_part(job, queries, count, out, stride, part);
}

/* Processes stored examples in chunks: rows are computed, added and copied to `kept` before they leave the
 * second-level cache. Held rows are added before others are written in their place. */
static int add_part(const tiled_job *job, const char *queries, ptrdiff_t count, const double *coefficients,
                    const float *const *held, float *const *kept, double *sums, int part, int parts)
{
    enum { STRIDE = ADD_TILES * TILE };
    const ptrdiff_t first = share(job->n_tiles, part, parts);
    const ptrdiff_t last = share(job->n_tiles, part + 1, parts);
    ptrdiff_t missing = 0;
    float *values = aligned_alloc(64, (size_t)STRIDE * ROW_GROUP * sizeof(float));
    if (values == NULL)
        return -1;
    for (ptrdiff_t r = 0; r < count; r++)
        missing += held[r] == NULL;
    for (ptrdiff_t tile = first; tile < last; tile += ADD_TILES) {
        const ptrdiff_t end = last - tile < ADD_TILES ? last : tile + ADD_TILES;
        const ptrdiff_t columns = (job->n < end * TILE ? job->n : end * TILE) - tile * TILE;
        const float *rows[ROW_GROUP];
        if (missing > 0)
            job->block(job->store, &job->kernel,
                       &(kernel_block){queries, job->query_bytes, missing, tile, end, values, STRIDE});
        for (ptrdiff_t r = 0, made = 0; r < count; r++)
            rows[r] = held[r] != NULL ? held[r] + tile * TILE : values + STRIDE * made++;
        if (sums != NULL)
            COMBINE[job->level](rows, coefficients, count, columns, sums + tile * TILE);
        for (ptrdiff_t r = 0; r < count; r++)
            if (held[r] == NULL && kept[r] != NULL)
                memcpy(kept[r] + tile * TILE, rows[r], (size_t)columns * sizeof(float));
    }
    free(values);
    return 0;
}

int svmbench_tiled_add(const tiled_job *job, const char *queries, ptrdiff_t count, const double *coefficients,
                       const float *const *held, float *const *kept, double *sums)
{
    if (job->threads == 1)
        return add_part(job, queries, count, coefficients, held, kept, sums, 0, 1);
    const int parts = parts_of(job, job->n_tiles / (4 * ADD_TILES));
    int failed = 0;
#pragma omp parallel for num_threads(job->threads) schedule(dynamic) reduction(| : failed)
    for (int part = 0; part < parts; part++)
        failed |= add_part(job, queries, count, coefficients, held, kept, sums, part, parts);
    return failed;
}

/* Processes stored examples in chunks, each with a range of queries. */
static int score_part(const tiled_job *job, const char *queries, ptrdiff_t count, const double *coefficients,
                      double *scores, int part, int parts)
{
    enum { STRIDE = SCORE_TILES * TILE };
    const ptrdiff_t last = share(count, part + 1, parts);
    float *values = aligned_alloc(64, (size_t)STRIDE * ROW_GROUP * sizeof(float));
    if (values == NULL)
        return -1;
    for (ptrdiff_t tile = 0; tile < job->n_tiles; tile += SCORE_TILES) {
        const ptrdiff_t end = job->n_tiles - tile < SCORE_TILES ? job->n_tiles : tile + SCORE_TILES;
        const ptrdiff_t columns = (job->n < end * TILE ? job->n : end * TILE) - tile * TILE;
        for (ptrdiff_t q = share(count, part, parts); q < last; q += ROW_GROUP) {
            const ptrdiff_t group = last - q < ROW_GROUP ? last - q : ROW_GROUP;
            job->block(job->store, &job->kernel,
                       &(kernel_block){queries + q * job->query_bytes, job->query_bytes, group, tile, end, values,
                                       STRIDE});
            for (ptrdiff_t r = 0; r < group; r++)
                scores[q + r] += WEIGH[job->level](values + r * STRIDE, coefficients + tile * TILE, columns);
        }
    }
    free(values);
    return 0;
}

int svmbench_tiled_scores(const tiled_job *job, const char *queries, ptrdiff_t count, const double *coefficients,
                          double *scores)
{
    memset(scores, 0, (size_t)count * sizeof(double));
    if (job->threads == 1)
        return score_part(job, queries, count, coefficients, scores, 0, 1);
    const int parts = parts_of(job, count / ROW_GROUP);
    int failed = 0;
#pragma omp parallel for num_threads(job->threads) schedule(dynamic) reduction(| : failed)
    for (int part = 0; part < parts; part++)
        failed |= score_part(job, queries, count, coefficients, scores, part, parts);
    return failed;
}
