/* See tiled.h. */
#include "tiled.h"

#include <stdlib.h>
#include <string.h>

enum { ADD_TILES = 16 }; /* of a chunk of `add_range` */

#define BODY "_tiled_body.h"
#include "variants.h"

typedef double (*weigh_fn)(const float *values, const double *coefficients, ptrdiff_t count);
static const weigh_fn WEIGH[ISA_LEVELS] = VARIANTS(weigh);

typedef void (*combine_fn)(const float *const *rows, const double *coefficients, ptrdiff_t count,
                           ptrdiff_t columns, double *sums);
static const combine_fn COMBINE[ISA_LEVELS] = VARIANTS(combine);

void svmbench_tiled_rows(const tiled_job *job, const char *queries, ptrdiff_t count, float *out, ptrdiff_t stride)
{
#pragma omp parallel for num_threads(job->threads) schedule(static) if (job->threads > 1)
    for (int part = 0; part < job->threads; part++) {
        const ptrdiff_t first = share(job->n_tiles, part, job->threads);
        const ptrdiff_t last = share(job->n_tiles, part + 1, job->threads);
        job->block(job->store, &job->kernel, queries, job->query_bytes, count, first, last, out + first * TILE,
                   stride);
    }
}

/* Stored examples in chunks: the rows are made, added and copied to where they are kept before they leave the
 * second-level cache. What is held is added before anything is kept in its place. */
static void add_range(const tiled_job *job, const char *queries, ptrdiff_t count, const double *coefficients,
                      const float *const *held, float *const *kept, double *sums, ptrdiff_t first, ptrdiff_t last,
                      float *block)
{
    enum { STRIDE = ADD_TILES * TILE };
    ptrdiff_t missing = 0;
    for (ptrdiff_t r = 0; r < count; r++)
        missing += held[r] == NULL;
    for (ptrdiff_t tile = first; tile < last; tile += ADD_TILES) {
        const ptrdiff_t end = last - tile < ADD_TILES ? last : tile + ADD_TILES;
        const ptrdiff_t columns = (job->n < end * TILE ? job->n : end * TILE) - tile * TILE;
        const float *rows[ROW_GROUP];
        if (missing > 0)
            job->block(job->store, &job->kernel, queries, job->query_bytes, missing, tile, end, block, STRIDE);
        for (ptrdiff_t r = 0, made = 0; r < count; r++)
            rows[r] = held[r] != NULL ? held[r] + tile * TILE : block + STRIDE * made++;
        if (sums != NULL)
            COMBINE[job->level](rows, coefficients, count, columns, sums + tile * TILE);
        for (ptrdiff_t r = 0; r < count; r++)
            if (held[r] == NULL && kept[r] != NULL)
                memcpy(kept[r] + tile * TILE, rows[r], (size_t)columns * sizeof(float));
    }
}

int svmbench_tiled_add(const tiled_job *job, const char *queries, ptrdiff_t count, const double *coefficients,
                       const float *const *held, float *const *kept, double *sums)
{
    int failed = 0;
#pragma omp parallel for num_threads(job->threads) schedule(static) if (job->threads > 1)
    for (int part = 0; part < job->threads; part++) {
        float *block = aligned_alloc(64, (size_t)ADD_TILES * TILE * ROW_GROUP * sizeof(float));
        if (block == NULL) {
#pragma omp atomic write
            failed = 1;
            continue;
        }
        add_range(job, queries, count, coefficients, held, kept, sums, share(job->n_tiles, part, job->threads),
                  share(job->n_tiles, part + 1, job->threads), block);
        free(block);
    }
    return failed ? -1 : 0;
}

enum { SCORE_GROUP = 16, CHUNK_BYTES = 256 * 1024, CHUNK_TILES = 16 };

/* Stored examples in chunks that stay in the second-level cache while a range of queries passes over them. */
static void score_range(const tiled_job *job, const char *queries, ptrdiff_t first, ptrdiff_t last,
                        const double *coefficients, double *scores, ptrdiff_t chunk, float *block)
{
    const ptrdiff_t stride = chunk * TILE;
    for (ptrdiff_t tile = 0; tile < job->n_tiles; tile += chunk) {
        const ptrdiff_t end = job->n_tiles - tile < chunk ? job->n_tiles : tile + chunk;
        const ptrdiff_t columns = (job->n < end * TILE ? job->n : end * TILE) - tile * TILE;
        for (ptrdiff_t q = first; q < last; q += SCORE_GROUP) {
            const ptrdiff_t group = last - q < SCORE_GROUP ? last - q : SCORE_GROUP;
            job->block(job->store, &job->kernel, queries + q * job->query_bytes, job->query_bytes, group, tile,
                       end, block, stride);
            for (ptrdiff_t r = 0; r < group; r++)
                scores[q + r] += WEIGH[job->level](block + r * stride, coefficients + tile * TILE, columns);
        }
    }
}

int svmbench_tiled_scores(const tiled_job *job, const char *queries, ptrdiff_t count, const double *coefficients,
                          double *scores)
{
    ptrdiff_t chunk = CHUNK_BYTES / (job->tile_bytes > 0 ? job->tile_bytes : 1);
    chunk = chunk < 2 ? 2 : chunk > CHUNK_TILES ? CHUNK_TILES : chunk;
    int failed = 0;
    memset(scores, 0, (size_t)count * sizeof(double));
#pragma omp parallel for num_threads(job->threads) schedule(static) if (job->threads > 1)
    for (int part = 0; part < job->threads; part++) {
        float *block = aligned_alloc(64, (size_t)chunk * TILE * SCORE_GROUP * sizeof(float));
        if (block == NULL) {
#pragma omp atomic write
            failed = 1;
            continue;
        }
        score_range(job, queries, share(count, part, job->threads), share(count, part + 1, job->threads),
                    coefficients, scores, chunk, block);
        free(block);
    }
    return failed ? -1 : 0;
}
