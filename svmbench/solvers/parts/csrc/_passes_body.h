/* The passes of passes.h, eight values at a time. */
#undef WIDTH
#undef CHAINS
#define WIDTH (BYTES / 8)    /* float64 numbers in a register */
#define CHAINS (8 / WIDTH)   /* registers that hold eight of them */

typedef double VARIANT(doubles) __attribute__((vector_size(BYTES), may_alias, aligned(8)));
typedef int64_t VARIANT(longs) __attribute__((vector_size(BYTES)));

/* What eight interleaved partial sums have met below a level. */
typedef struct {
    vd sum[CHAINS];
    VARIANT(longs) count[CHAINS];
} VARIANT(tally);

TARGET INLINE void VARIANT(note)(VARIANT(tally) *tally, const int chain, vd value, double level)
{
    const VARIANT(longs) below = value < level;
    tally->sum[chain] += (vd)(below & (VARIANT(longs))value);
    tally->count[chain] -= below;
}

/* Close the partial sums, with the few values that make no eight. */
TARGET INLINE void VARIANT(close)(const VARIANT(tally) *tally, const double *rest, ptrdiff_t n, double level,
                                  double *sum, ptrdiff_t *count)
{
    double s[8];
    int64_t k[8];
    __builtin_memcpy(s, tally->sum, sizeof s);
    __builtin_memcpy(k, tally->count, sizeof k);
    double last = 0.0;
    for (ptrdiff_t j = 0; j < n; j++) {
        last += rest[j] < level ? rest[j] : 0.0;
        *count += rest[j] < level;
    }
    *sum += (((s[0] + s[2]) + (s[4] + s[6])) + ((s[1] + s[3]) + (s[5] + s[7]))) + last;
    *count += (ptrdiff_t)(((k[0] + k[1]) + (k[2] + k[3])) + ((k[4] + k[5]) + (k[6] + k[7])));
}

/* A few blocks beside each other, so that no sum waits for another. */
TARGET INLINE void VARIANT(survey_blocks)(const double *x, ptrdiff_t n, const int blocks, double level, double *sum,
                                          ptrdiff_t *count)
{
    VARIANT(tally) tally[4];
    __builtin_memset(tally, 0, sizeof tally);
    ptrdiff_t j = 0;
    for (; j + 8 <= n; j += 8)
#pragma GCC unroll 4
        for (int b = 0; b < blocks; b++)
#pragma GCC unroll 4
            for (int chain = 0; chain < CHAINS; chain++)
                VARIANT(note)(&tally[b], chain,
                              *(const VARIANT(doubles) *)(x + b * BLOCK + j + chain * WIDTH), level);
    for (int b = 0; b < blocks; b++)
        VARIANT(close)(&tally[b], x + b * BLOCK + j, n - j, level, sum, count);
}

TARGET static void VARIANT(survey)(const double *x, ptrdiff_t n, double level, double *sum, ptrdiff_t *count)
{
    enum { BESIDE = CHAINS < 4 ? 4 / CHAINS : 1 };
    ptrdiff_t begin = 0;
    *sum = 0.0;
    *count = 0;
    for (; begin + BESIDE * BLOCK <= n; begin += BESIDE * BLOCK)
        VARIANT(survey_blocks)(x + begin, BLOCK, BESIDE, level, sum, count);
    for (; begin < n; begin += BLOCK)
        VARIANT(survey_blocks)(x + begin, n - begin < BLOCK ? n - begin : BLOCK, 1, level, sum, count);
}

/* Without branches that would be guessed wrong: every value is written, and kept by stepping on. */
TARGET static void VARIANT(collect)(const double *x, const float *signs, ptrdiff_t n, float sign, double floor,
                                    double ceiling, double *band, ptrdiff_t *count, double *sum, ptrdiff_t *below)
{
    ptrdiff_t kept = 0;
    *sum = 0.0;
    *below = 0;
    for (ptrdiff_t begin = 0; begin < n; begin += BLOCK) {
        const ptrdiff_t end = n - begin < BLOCK ? n : begin + BLOCK;
        double part = 0.0;
        ptrdiff_t j = begin;
#if LEVEL >= 2
        vd low = {0};
        for (; j + WIDTH <= end; j += WIDTH) {
            const __m512d value = _mm512_loadu_pd(x + j);
            const __mmask8 ours = _mm256_cmp_ps_mask(_mm256_loadu_ps(signs + j), _mm256_set1_ps(sign), _CMP_EQ_OQ);
            const __mmask8 under = _mm512_mask_cmp_pd_mask(ours, value, _mm512_set1_pd(floor), _CMP_LT_OQ);
            const __mmask8 inside = ~under & _mm512_mask_cmp_pd_mask(ours, value, _mm512_set1_pd(ceiling), _CMP_LT_OQ);
            low = (vd)_mm512_mask_add_pd((__m512d)low, under, (__m512d)low, value);
            *below += __builtin_popcount(under);
            _mm512_storeu_pd(band + kept, _mm512_maskz_compress_pd(inside, value));
            kept += __builtin_popcount(inside);
        }
        for (int lane = 0; lane < WIDTH; lane++)
            part += low[lane];
#endif
        for (; j < end; j++) {
            const int ours = signs[j] == sign, under = ours & (x[j] < floor);
            band[kept] = x[j];
            kept += ours & !under & (x[j] < ceiling);
            *below += under;
            part += under ? x[j] : 0.0;
        }
        *sum += part;
    }
    *count = kept;
}

/* row[j] with the sign of the label, WIDTH of them; exact. */
TARGET INLINE vd VARIANT(signed_row)(const float *signs, const float *row)
{
    return VARIANT(widen)(signs) * VARIANT(widen)(row);
}

TARGET static void VARIANT(add_row)(double *x, const float *signs, const float *row, ptrdiff_t n, double factor)
{
    ptrdiff_t j = 0;
    for (; j + WIDTH <= n; j += WIDTH)
        *(VARIANT(doubles) *)(x + j) += factor * VARIANT(signed_row)(signs + j, row + j);
    for (; j < n; j++)
        x[j] += factor * ((double)signs[j] * (double)row[j]);
}

TARGET INLINE void VARIANT(move_block)(double *x, double *total, const float *signs, const float *row, ptrdiff_t n,
                                       double step, double scale, double level, double *sum, ptrdiff_t *count)
{
    VARIANT(tally) tally;
    __builtin_memset(&tally, 0, sizeof tally);
    ptrdiff_t j = 0;
    for (; j + 8 <= n; j += 8)
#pragma GCC unroll 4
        for (int chain = 0; chain < CHAINS; chain++) {
            const ptrdiff_t at = j + chain * WIDTH;
            VARIANT(doubles) *const to = (VARIANT(doubles) *)(x + at);
            const vd value = scale * (*to + step * VARIANT(signed_row)(signs + at, row + at));
            *to = value;
            *(VARIANT(doubles) *)(total + at) += value;
            VARIANT(note)(&tally, chain, value, level);
        }
    for (ptrdiff_t k = j; k < n; k++) {
        x[k] = scale * (x[k] + step * ((double)signs[k] * (double)row[k]));
        total[k] += x[k];
    }
    VARIANT(close)(&tally, x + j, n - j, level, sum, count);
}

TARGET static void VARIANT(move)(double *x, double *total, const float *signs, const float *row, ptrdiff_t n,
                                 double step, double scale, double level, double *sum, ptrdiff_t *count)
{
    *sum = 0.0;
    *count = 0;
    for (ptrdiff_t begin = 0; begin < n; begin += BLOCK)
        VARIANT(move_block)(x + begin, total + begin, signs + begin, row + begin, n - begin < BLOCK ? n - begin : BLOCK,
                            step, scale, level, sum, count);
}

TARGET static void VARIANT(scale)(double *x, double *total, ptrdiff_t n, double scale)
{
    ptrdiff_t j = 0;
    for (; j + WIDTH <= n; j += WIDTH) {
        const vd value = scale * *(VARIANT(doubles) *)(x + j);
        *(VARIANT(doubles) *)(x + j) = value;
        *(VARIANT(doubles) *)(total + j) += value;
    }
    for (; j < n; j++) {
        x[j] *= scale;
        total[j] += x[j];
    }
}
