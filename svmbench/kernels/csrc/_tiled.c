/* See tiled.h. */
#include "tiled.h"

#include <stdlib.h>
#include <string.h>

#define BODY "_tiled_body.h"
#include "variants.h"

typedef double (*weigh_fn)(const float *values, const double *coefficients, ptrdiff_t count);
static const weigh_fn WEIGH[ISA_LEVELS] = VARIANTS(weigh);

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

enum { SCORE_GROUP = 16, CHUNK_BYTES = 256 * 1024, CHUNK_TILES = 32 };

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
