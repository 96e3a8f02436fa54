/* Kernel values between query rows and stored examples: the compiled innermost loops.
 *
 * Two storage layouts are served. `dense`: float32, tiles of TILE examples with the features of a tile stored
 * feature by feature, so that one vector register holds one feature of TILE examples and no sum crosses lanes.
 * Where every feature is a small whole number times a common unit, a tile stores the numbers as bytes (`narrow`)
 * and a row reads a quarter of the memory; queries are then given in units too, and sums of 64 are exact.
 * `sparse`: CSR with float32 values and int32 indices; queries are scattered into a dense float64 work array.
 *
 * Squared distances in the dense layout are sums of squared differences, never |x|^2 + |y|^2 - 2<x,y>: the
 * latter loses every digit when the norms are large beside the distance (raw covtype).
 */
#ifndef SVMBENCH_LAYOUTS_H
#define SVMBENCH_LAYOUTS_H

#include <stddef.h>
#include <stdint.h>

#define TILE 16          /* examples per dense tile */
#define SPARSE_GROUP 8   /* queries that share one pass over the sparse examples */

enum kernel_kind { KERNEL_GAUSSIAN = 0, KERNEL_LINEAR = 1, KERNEL_POLYNOMIAL = 2 };

typedef struct {
    int kind;
    int degree;
    float gamma;
    float coef0;
} kernel_params;

typedef struct {
    const void *tiles;   /* [n_tiles][d][TILE] of float, or of uint8_t if narrow; 64-byte aligned, zero padded */
    ptrdiff_t n_tiles;
    ptrdiff_t d;
    int narrow;
    float unit_squared;  /* 1 unless narrow */
} dense_store;

typedef struct {
    const float *values;
    const int32_t *indices;
    const int64_t *indptr;   /* n + 1 */
    const double *squared;   /* |x_j|^2, n */
    ptrdiff_t n;
} sparse_store;

/* out[r * stride + j] = K(query r, example j) for the examples of tiles [first, last). */
typedef void (*dense_block_fn)(const dense_store *, const kernel_params *, const float *const *queries,
                               ptrdiff_t n_queries, ptrdiff_t first, ptrdiff_t last, float *out,
                               ptrdiff_t stride);

/* One query (group == 1) or SPARSE_GROUP queries interleaved in `work` ([d] or [d][SPARSE_GROUP]). */
typedef void (*sparse_block_fn)(const sparse_store *, const kernel_params *, const double *work,
                                const double *query_squared, int group, ptrdiff_t first, ptrdiff_t last,
                                float *out, ptrdiff_t stride);

typedef struct {
    const char *name;
    dense_block_fn dense_block;
    sparse_block_fn sparse_block;
} kernel_table;

/* The variant for this processor, or the one that SVMBENCH_ISA names; NULL if that one cannot run here. */
const kernel_table *svmbench_select(const char *forced);

/* Both split the stored examples over `threads` OpenMP threads where the build has OpenMP. */
void svmbench_dense(const kernel_table *, const dense_store *, const kernel_params *,
                    const float *const *queries, ptrdiff_t n_queries, float *out, ptrdiff_t stride, int threads);
void svmbench_sparse(const kernel_table *, const sparse_store *, const kernel_params *, const double *work,
                     const double *query_squared, int group, float *out, ptrdiff_t stride, int threads);

/* scores[q] = sum_j coefficients[j] K(query q, example j) for dense queries [n_queries][d]; split over queries.
 * Returns 0, or -1 when a work buffer could not be had. */
int svmbench_dense_scores(const kernel_table *, const dense_store *, const kernel_params *, const float *queries,
                          ptrdiff_t n_queries, const double *coefficients, ptrdiff_t n, double *scores,
                          int threads);

#endif
