/* Instruction-set variants of the kernel loops, chosen at run time. See _layouts.h. */
#include "_layouts.h"

#include <stdlib.h>
#include <string.h>

#ifdef __FAST_MATH__
#error "compile without -ffast-math: the exponential rounds by adding a constant, which fast-math removes"
#endif

#define INLINE static inline __attribute__((always_inline))

typedef float vf __attribute__((vector_size(64), may_alias));
typedef int32_t vi __attribute__((vector_size(64), may_alias));
typedef double vd __attribute__((vector_size(64), may_alias));

INLINE vf widen_base(const uint8_t *bytes)
{
    vf values;
    for (int lane = 0; lane < TILE; lane++)
        values[lane] = (float)bytes[lane];
    return values;
}

#define VARIANT(name) name##_base
#define TARGET
#define ROWS 2
#define WIDEN widen_base
#include "_layouts_body.h"
#undef VARIANT
#undef TARGET
#undef ROWS
#undef WIDEN
static const kernel_table table_base = {"base", dense_block_base, sparse_block_base};

#if defined(__x86_64__)
#include <immintrin.h>

#define VARIANT(name) name##_v3
#define TARGET __attribute__((target("avx2,fma")))
#define ROWS 2
TARGET INLINE vf widen_v3(const uint8_t *bytes)
{
    union { __m256 halves[2]; vf whole; } values;
    for (int half = 0; half < 2; half++)
        values.halves[half] =
            _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(bytes + 8 * half))));
    return values.whole;
}
#define WIDEN widen_v3
#include "_layouts_body.h"
#undef VARIANT
#undef TARGET
#undef ROWS
#undef WIDEN
static const kernel_table table_v3 = {"v3", dense_block_v3, sparse_block_v3};

#define VARIANT(name) name##_v4
#ifdef __clang__
#define TARGET __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,fma"), min_vector_width(512)))
#else
#define TARGET __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,fma,prefer-vector-width=512")))
#endif
#define ROWS 4
TARGET INLINE vf widen_v4(const uint8_t *bytes)
{
    return (vf)_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_load_si128((const __m128i *)bytes)));
}
#define WIDEN widen_v4
#include "_layouts_body.h"
#undef VARIANT
#undef TARGET
#undef ROWS
#undef WIDEN
static const kernel_table table_v4 = {"v4", dense_block_v4, sparse_block_v4};
#endif

const kernel_table *svmbench_select(const char *forced)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    const int v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const int v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
    if (forced == NULL || forced[0] == '\0')
        return v4 ? &table_v4 : v3 ? &table_v3 : &table_base;
    if (v4 && strcmp(forced, "v4") == 0)
        return &table_v4;
    if (v3 && strcmp(forced, "v3") == 0)
        return &table_v3;
#endif
    if (forced == NULL || forced[0] == '\0' || strcmp(forced, "base") == 0)
        return &table_base;
    return NULL;
}

static ptrdiff_t share(ptrdiff_t count, int part, int parts) { return count * part / parts; }

void svmbench_dense(const kernel_table *table, const dense_store *store, const kernel_params *kernel,
                    const float *const *queries, ptrdiff_t n_queries, float *out, ptrdiff_t stride, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (int part = 0; part < threads; part++)
        table->dense_block(store, kernel, queries, n_queries, share(store->n_tiles, part, threads),
                           share(store->n_tiles, part + 1, threads), out, stride);
}

void svmbench_sparse(const kernel_table *table, const sparse_store *store, const kernel_params *kernel,
                     const double *work, const double *query_squared, int group, float *out, ptrdiff_t stride,
                     int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (int part = 0; part < threads; part++)
        table->sparse_block(store, kernel, work, query_squared, group, share(store->n, part, threads),
                            share(store->n, part + 1, threads), out, stride);
}

enum { QUERY_GROUP = 4, CHUNK_BYTES = 256 * 1024 };

/* Stored examples in chunks that stay in the second-level cache while a range of queries passes over them. */
static void dense_scores_range(const kernel_table *table, const dense_store *store, const kernel_params *kernel,
                               const float *queries, ptrdiff_t first, ptrdiff_t last, const double *coefficients,
                               ptrdiff_t n, double *scores, ptrdiff_t chunk, float *block)
{
    const ptrdiff_t stride = chunk * TILE;
    for (ptrdiff_t tile = 0; tile < store->n_tiles; tile += chunk) {
        dense_store part = *store;
        part.tiles = (const char *)store->tiles + tile * store->d * TILE * (store->narrow ? 1 : 4);
        part.n_tiles = store->n_tiles - tile < chunk ? store->n_tiles - tile : chunk;
        const ptrdiff_t columns = n - tile * TILE < part.n_tiles * TILE ? n - tile * TILE : part.n_tiles * TILE;
        for (ptrdiff_t q = first; q < last; q += QUERY_GROUP) {
            const ptrdiff_t group = last - q < QUERY_GROUP ? last - q : QUERY_GROUP;
            const float *rows[QUERY_GROUP];
            for (ptrdiff_t r = 0; r < group; r++)
                rows[r] = queries + (q + r) * store->d;
            table->dense_block(&part, kernel, rows, group, 0, part.n_tiles, block, stride);
            for (ptrdiff_t r = 0; r < group; r++) {
                double sum = 0.0;
#pragma omp simd reduction(+ : sum)
                for (ptrdiff_t j = 0; j < columns; j++)
                    sum += coefficients[tile * TILE + j] * (double)block[r * stride + j];
                scores[q + r] += sum;
            }
        }
    }
}

int svmbench_dense_scores(const kernel_table *table, const dense_store *store, const kernel_params *kernel,
                          const float *queries, ptrdiff_t n_queries, const double *coefficients, ptrdiff_t n,
                          double *scores, int threads)
{
    ptrdiff_t chunk = CHUNK_BYTES / (ptrdiff_t)sizeof(float) / TILE / (store->d > 0 ? store->d : 1);
    chunk = chunk < 2 ? 2 : chunk > 64 ? 64 : chunk;
    const size_t bytes = (size_t)chunk * TILE * QUERY_GROUP * sizeof(float);
    int failed = 0;
    memset(scores, 0, (size_t)n_queries * sizeof(double));
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (int part = 0; part < threads; part++) {
        float *block = malloc(bytes);
        if (block == NULL) {
#pragma omp atomic write
            failed = 1;
            continue;
        }
        dense_scores_range(table, store, kernel, queries, share(n_queries, part, threads),
                           share(n_queries, part + 1, threads), coefficients, n, scores, chunk, block);
        free(block);
    }
    return failed ? -1 : 0;
}
