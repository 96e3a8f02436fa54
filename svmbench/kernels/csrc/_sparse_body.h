/* The loops of the sparse layout. Four partial sums, the same for one query as for many. */

TARGET INLINE void VARIANT(sparse_finish)(const kernel_params *kernel, float *out, ptrdiff_t count)
{
    for (ptrdiff_t j = 0; j < count; j += TILE) {
        const size_t bytes = (size_t)(count - j < TILE ? count - j : TILE) * sizeof(float);
        vf s = (vf){0};
        __builtin_memcpy(&s, out + j, bytes);
        s = VARIANT(finish)(s, kernel);
        __builtin_memcpy(out + j, &s, bytes);
    }
}

TARGET INLINE float VARIANT(sparse_score)(int distance, double squared_j, double squared_q, double dot)
{
    double s = distance ? squared_j + squared_q - 2.0 * dot : dot;
    return (float)(distance && s < 0.0 ? 0.0 : s);
}

TARGET INLINE double VARIANT(sparse_dot)(const sparse_store *store, ptrdiff_t j, const float *work)
{
    const int64_t end = store->indptr[j + 1];
    int64_t k = store->indptr[j];
    double part[4] = {0.0, 0.0, 0.0, 0.0};
    for (; k + 4 <= end; k += 4)
#pragma GCC unroll 4
        for (int p = 0; p < 4; p++)
            part[p] += (double)store->values[k + p] * (double)work[store->indices[k + p]];
    for (int p = 0; k < end; k++, p++)
        part[p] += (double)store->values[k] * (double)work[store->indices[k]];
    return (part[0] + part[1]) + (part[2] + part[3]);
}

TARGET INLINE void VARIANT(sparse_dots)(const sparse_store *store, ptrdiff_t j, const float *work, double *dots)
{
    typedef float half __attribute__((vector_size(32), may_alias));
    const int64_t end = store->indptr[j + 1];
    int64_t k = store->indptr[j];
    vd part[8];
#pragma GCC unroll 8
    for (int p = 0; p < 8; p++)
        part[p] = (vd){0};
    for (; k + 4 <= end; k += 4)
#pragma GCC unroll 4
        for (int p = 0; p < 4; p++) {
            const half *lanes = (const half *)(work + (ptrdiff_t)store->indices[k + p] * LANES);
            const double value = (double)store->values[k + p];
            part[p] += value * __builtin_convertvector(lanes[0], vd);
            part[4 + p] += value * __builtin_convertvector(lanes[1], vd);
        }
#pragma GCC unroll 3
    for (int p = 0; p < 3; p++)
        if (k + p < end) {
            const half *lanes = (const half *)(work + (ptrdiff_t)store->indices[k + p] * LANES);
            const double value = (double)store->values[k + p];
            part[p] += value * __builtin_convertvector(lanes[0], vd);
            part[4 + p] += value * __builtin_convertvector(lanes[1], vd);
        }
    const vd sums[2] = {(part[0] + part[1]) + (part[2] + part[3]), (part[4] + part[5]) + (part[6] + part[7])};
    __builtin_memcpy(dots, sums, sizeof sums);
}

TARGET static void VARIANT(sparse_block)(const sparse_store *store, const kernel_params *kernel,
                                         const float *work, const double *query_squared, int lanes,
                                         ptrdiff_t first, ptrdiff_t last, float *out, ptrdiff_t stride)
{
    const int distance = kernel->kind == KERNEL_GAUSSIAN;
    for (ptrdiff_t j = first; j < last; j++) {
        if (lanes == 1) {
            const double dot = VARIANT(sparse_dot)(store, j, work);
            out[j] = VARIANT(sparse_score)(distance, store->squared[j], query_squared[0], dot);
        } else {
            double dots[LANES];
            VARIANT(sparse_dots)(store, j, work, dots);
            for (int r = 0; r < LANES; r++)
                out[r * stride + j] =
                    VARIANT(sparse_score)(distance, store->squared[j], query_squared[r], dots[r]);
        }
    }
    for (int r = 0; r < lanes; r++)
        VARIANT(sparse_finish)(kernel, out + r * stride + first, last - first);
}
