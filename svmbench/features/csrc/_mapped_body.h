/* The loops of mapped.h for one instruction set. */

/* One strip of the result stays in registers while the rows pass over it. */
TARGET static void VARIANT(combine)(const float *x, const int32_t *columns, ptrdiff_t count, const float *V,
                                    ptrdiff_t width, float *out)
{
    ptrdiff_t l = 0;
    for (; l + 8 * LANES <= width; l += 8 * LANES) {
        vf sums[8] = {{0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}};
        for (ptrdiff_t j = 0; j < count; j++) {
            const float *row = V + (columns ? columns[j] : j) * width + l;
#pragma GCC unroll 8
            for (int c = 0; c < 8; c++) {
                vf value;
                __builtin_memcpy(&value, row + c * LANES, sizeof value);
                sums[c] += (x ? x[j] : 1.0f) * value;
            }
        }
        __builtin_memcpy(out + l, sums, sizeof sums);
    }
    for (; l < width; l++) {
        float sum = 0.0f;
        for (ptrdiff_t j = 0; j < count; j++)
            sum += (x ? x[j] : 1.0f) * V[(columns ? columns[j] : j) * width + l];
        out[l] = sum;
    }
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

TARGET static void VARIANT(waves)(const float *t, const float *phase, float scale, float *out, ptrdiff_t n)
{
    for (ptrdiff_t l = 0; l < n; l += LANES) {
        /* The last few numbers in a register of their own. */
        const size_t bytes = (size_t)(n - l < LANES ? n - l : LANES) * sizeof(float);
        vf value = {0}, shift = {0};
        __builtin_memcpy(&value, t + l, bytes);
        __builtin_memcpy(&shift, phase + l, bytes);
        value = scale * VARIANT(cosine)(value + shift);
        __builtin_memcpy(out + l, &value, bytes);
    }
}

static const mapped_loops VARIANT(mapped) = {VARIANT(combine), VARIANT(waves)};
