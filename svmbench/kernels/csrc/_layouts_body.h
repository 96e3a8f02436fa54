/* The loops themselves, included once per instruction-set variant with VARIANT(name), TARGET, ROWS and
 * WIDEN (TILE bytes to floats) defined.
 * Vectors are the compiler's generic ones: on a narrower machine they are split, never wrong. */

TARGET INLINE vf VARIANT(exp_neg)(vf x)
{
    /* exp(x) for x <= 0: x = k ln 2 + r, polynomial of degree 7 in r (relative error below 1e-7). */
    const float magic = 12582912.0f; /* 1.5 * 2^23: adding it rounds to an integer */
    vf t = x * 1.44269504088896341f + magic;
    vf k = t - magic;
    vf r = x - k * 0.693145751953125f;
    r = r - k * 1.42860677e-6f;
    vf p = r * 1.9875691500e-4f + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * (r * r) + r + 1.0f;
    vi power = ((vi)t - 0x4B400000 + 127) << 23;
    vi keep = x >= -87.0f; /* all ones where the result is not below the smallest normal number */
    return (vf)((vi)(p * (vf)power) & keep);
}

TARGET INLINE vf VARIANT(finish)(vf s, const kernel_params *kernel)
{
    if (kernel->kind == KERNEL_GAUSSIAN)
        return VARIANT(exp_neg)(s * -kernel->gamma);
    if (kernel->kind == KERNEL_LINEAR)
        return s;
    vf base = s * kernel->gamma + kernel->coef0;
    vf value = base;
    for (int power = 1; power < kernel->degree; power++)
        value *= base;
    return value;
}

TARGET INLINE vf VARIANT(load)(const dense_store *store, ptrdiff_t position, const int narrow)
{
    if (narrow)
        return WIDEN((const uint8_t *)store->tiles + position);
    return *(const vf *)((const float *)store->tiles + position);
}

/* rows x tiles accumulators; features in chunks so that rounding grows with the chunk and not with d. */
TARGET INLINE void VARIANT(dense_micro)(const dense_store *store, const kernel_params *kernel,
                                        const float *const *queries, const int rows, const int tiles,
                                        const int narrow, ptrdiff_t tile, float *out, ptrdiff_t stride)
{
    const ptrdiff_t d = store->d;
    const ptrdiff_t base = tile * d * TILE;
    const int distance = kernel->kind == KERNEL_GAUSSIAN;
    vf total[ROWS * 4];
    for (int a = 0; a < rows * tiles; a++)
        total[a] = (vf){0};
    for (ptrdiff_t begin = 0; begin < d; begin += 64) {
        const ptrdiff_t end = begin + 64 < d ? begin + 64 : d;
        vf part[ROWS * 4];
        for (int a = 0; a < rows * tiles; a++)
            part[a] = (vf){0};
        if (distance) {
            for (ptrdiff_t k = begin; k < end; k++)
                for (int t = 0; t < tiles; t++) {
                    vf x = VARIANT(load)(store, base + (t * d + k) * TILE, narrow);
                    for (int r = 0; r < rows; r++) {
                        vf difference = x - queries[r][k];
                        part[r * tiles + t] += difference * difference;
                    }
                }
        } else {
            for (ptrdiff_t k = begin; k < end; k++)
                for (int t = 0; t < tiles; t++) {
                    vf x = VARIANT(load)(store, base + (t * d + k) * TILE, narrow);
                    for (int r = 0; r < rows; r++)
                        part[r * tiles + t] += x * queries[r][k];
                }
        }
        for (int a = 0; a < rows * tiles; a++)
            total[a] += part[a];
    }
    for (int r = 0; r < rows; r++)
        for (int t = 0; t < tiles; t++) {
            vf value = VARIANT(finish)(total[r * tiles + t] * store->unit_squared, kernel);
            __builtin_memcpy(out + r * stride + (tile + t) * TILE, &value, sizeof value);
        }
}

TARGET INLINE void VARIANT(dense_strip)(const dense_store *store, const kernel_params *kernel,
                                        const float *const *queries, const int rows, const int tiles,
                                        ptrdiff_t first, ptrdiff_t last, float *out, ptrdiff_t stride)
{
    ptrdiff_t tile = first;
    if (store->narrow) {
        for (; tile + tiles <= last; tile += tiles)
            VARIANT(dense_micro)(store, kernel, queries, rows, tiles, 1, tile, out, stride);
        for (; tile < last; tile++)
            VARIANT(dense_micro)(store, kernel, queries, rows, 1, 1, tile, out, stride);
    } else {
        for (; tile + tiles <= last; tile += tiles)
            VARIANT(dense_micro)(store, kernel, queries, rows, tiles, 0, tile, out, stride);
        for (; tile < last; tile++)
            VARIANT(dense_micro)(store, kernel, queries, rows, 1, 0, tile, out, stride);
    }
}

TARGET static void VARIANT(dense_block)(const dense_store *store, const kernel_params *kernel,
                                        const float *const *queries, ptrdiff_t n_queries, ptrdiff_t first,
                                        ptrdiff_t last, float *out, ptrdiff_t stride)
{
    ptrdiff_t q = 0;
    for (; q + ROWS <= n_queries; q += ROWS)
        VARIANT(dense_strip)(store, kernel, queries + q, ROWS, 2, first, last, out + q * stride, stride);
    for (; q < n_queries; q++) /* one query: four streams hide the latency of the sum */
        VARIANT(dense_strip)(store, kernel, queries + q, 1, 4, first, last, out + q * stride, stride);
}

TARGET INLINE void VARIANT(sparse_finish)(const kernel_params *kernel, float *out, ptrdiff_t count)
{
    ptrdiff_t j = 0;
    vf s;
    for (; j + TILE <= count; j += TILE) {
        __builtin_memcpy(&s, out + j, sizeof s);
        s = VARIANT(finish)(s, kernel);
        __builtin_memcpy(out + j, &s, sizeof s);
    }
    if (j < count) {
        s = (vf){0};
        __builtin_memcpy(&s, out + j, (size_t)(count - j) * sizeof(float));
        s = VARIANT(finish)(s, kernel);
        __builtin_memcpy(out + j, &s, (size_t)(count - j) * sizeof(float));
    }
}

TARGET INLINE float VARIANT(sparse_score)(int distance, double squared_j, double squared_q, double dot)
{
    double s = distance ? squared_j + squared_q - 2.0 * dot : dot;
    return (float)(distance && s < 0.0 ? 0.0 : s);
}

TARGET static void VARIANT(sparse_block)(const sparse_store *store, const kernel_params *kernel,
                                         const double *work, const double *query_squared, int group,
                                         ptrdiff_t first, ptrdiff_t last, float *out, ptrdiff_t stride)
{
    const int distance = kernel->kind == KERNEL_GAUSSIAN;
    for (ptrdiff_t j = first; j < last; j++) {
        const int64_t begin = store->indptr[j], end = store->indptr[j + 1];
        if (group == 1) {
            double dot = 0.0;
            for (int64_t k = begin; k < end; k++)
                dot += (double)store->values[k] * work[store->indices[k]];
            out[j] = VARIANT(sparse_score)(distance, store->squared[j], query_squared[0], dot);
        } else {
            vd dot = (vd){0};
            for (int64_t k = begin; k < end; k++)
                dot += (double)store->values[k] * *(const vd *)(work + (ptrdiff_t)store->indices[k] * SPARSE_GROUP);
            for (int r = 0; r < SPARSE_GROUP; r++)
                out[r * stride + j] =
                    VARIANT(sparse_score)(distance, store->squared[j], query_squared[r], dot[r]);
        }
    }
    for (int r = 0; r < group; r++)
        VARIANT(sparse_finish)(kernel, out + r * stride + first, last - first);
}
