/* The loops of mapped.h for one instruction set. */
#include "svmbench/simd/csrc/intrinsics.h"

#undef STRIP
#define STRIP 8 /* registers of the result that one pass computes */

/* During a pass over a row, a strip of the result stays in registers, and the matching part of V in the cache. */
TARGET static void VARIANT(combine)(const float *x, const int32_t *columns, const int64_t *begin,
                                    const int64_t *end, ptrdiff_t rows, const float *V, ptrdiff_t width, float *out,
                                    ptrdiff_t stride)
{
    ptrdiff_t l = 0;
    for (; l + STRIP * LANES <= width; l += STRIP * LANES)
        for (ptrdiff_t i = 0; i < rows; i++) {
            vf sums[STRIP] = {{0}};
            for (int64_t j = begin[i]; j < end[i]; j++) {
                const float *row = V + (columns ? columns[j] : j - begin[i]) * width + l;
                const float factor = x ? x[j] : 1.0f;
#pragma GCC unroll 8
                for (int c = 0; c < STRIP; c++) {
                    vf value;
                    __builtin_memcpy(&value, row + c * LANES, sizeof value);
                    sums[c] += factor * value;
                }
            }
            __builtin_memcpy(out + i * stride + l, sums, sizeof sums);
        }
    for (; l < width; l++)
        for (ptrdiff_t i = 0; i < rows; i++) {
            float sum = 0.0f;
            for (int64_t j = begin[i]; j < end[i]; j++)
                sum += (x ? x[j] : 1.0f) * V[(columns ? columns[j] : j - begin[i]) * width + l];
            out[i * stride + l] = sum;
        }
}

TARGET static ptrdiff_t VARIANT(nonzeros)(const float *x, ptrdiff_t n, float *values, int32_t *columns)
{
    ptrdiff_t count = 0, k = 0;
#if LEVEL >= 2
    __m512i at = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (; k + LANES <= n; k += LANES, at = _mm512_add_epi32(at, _mm512_set1_epi32(LANES))) {
        const __m512 value = _mm512_loadu_ps(x + k);
        const __mmask16 kept = _mm512_cmp_ps_mask(value, _mm512_setzero_ps(), _CMP_NEQ_UQ);
        _mm512_storeu_ps(values + count, _mm512_maskz_compress_ps(kept, value));
        _mm512_storeu_si512(columns + count, _mm512_maskz_compress_epi32(kept, at));
        count += __builtin_popcount(kept);
    }
#endif
    for (; k < n; k++) {
        values[count] = x[k];
        columns[count] = (int32_t)k;
        count += x[k] != 0.0f;
    }
    return count;
}

/* cos(x) = (-1)^k cos(r), x = k pi + r with |r| <= pi/2 and pi in three parts; Taylor's series to r^12. */
TARGET INLINE vf VARIANT(cosine)(vf x)
{
    const float magic = 12582912.0f; /* 1.5 * 2^23: adding it rounds to an integer */
    const vf t = x * 0.318309886183790672f + magic;
    const vf k = t - magic;
    vf r = x - k * 3.140625f;
    r = r - k * 9.67502593994140625e-4f;
    r = r - k * 1.509957990978376432e-7f;
    const vf q = r * r;
    vf p = q * 2.08767570e-9f - 2.75573192e-7f;
    p = p * q + 2.48015873e-5f;
    p = p * q - 1.38888889e-3f;
    p = p * q + 4.16666667e-2f;
    p = p * q - 0.5f;
    p = p * q + 1.0f;
    return (vf)((vu)p ^ ((vu)t << 31));
}

TARGET INLINE void VARIANT(wave)(const float *t, const float *phase, float scale, float *out, size_t bytes)
{
    vf value = {0}, shift = {0};
    __builtin_memcpy(&value, t, bytes);
    __builtin_memcpy(&shift, phase, bytes);
    value = scale * VARIANT(cosine)(value + shift);
    __builtin_memcpy(out, &value, bytes);
}

TARGET static void VARIANT(waves)(const float *t, const float *phase, float scale, float *out, ptrdiff_t n)
{
    ptrdiff_t l = 0;
    for (; l + LANES <= n; l += LANES)
        VARIANT(wave)(t + l, phase + l, scale, out + l, BYTES);
    if (l < n) /* the remaining numbers, in one more register */
        VARIANT(wave)(t + l, phase + l, scale, out + l, (size_t)(n - l) * sizeof(float));
}

static const mapped_loops VARIANT(mapped) = {VARIANT(combine), VARIANT(nonzeros), VARIANT(waves)};
