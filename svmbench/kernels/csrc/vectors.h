/* Vectors of one register of an instruction set, and the way from a squared distance or an inner product to the
 * kernel value; included by variants.h. */

#undef vf
#undef vd
#undef vi
#undef vu
#undef vs
#define vf VARIANT(vf)
#define vd VARIANT(vd)
#define vi VARIANT(vi)
#define vu VARIANT(vu)
#define vs VARIANT(vs)
typedef float vf __attribute__((vector_size(BYTES), may_alias));
typedef double vd __attribute__((vector_size(BYTES), may_alias));
typedef int32_t vi __attribute__((vector_size(BYTES), may_alias));
typedef uint32_t vu __attribute__((vector_size(BYTES), may_alias));
typedef int16_t vs __attribute__((vector_size(BYTES), may_alias));

#undef LANES
#undef SPLIT
#undef AT
#define LANES (BYTES / 4)      /* examples in a register */
#define SPLIT (TILE / LANES)   /* registers of a column of a tile */
/* Where vector v of a column begins, counted over tiles of `width` columns. */
#define AT(v, width) ((v) / SPLIT * (width) * TILE + (v) % SPLIT * LANES)

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

TARGET INLINE void VARIANT(store)(float *out, vf value) { __builtin_memcpy(out, &value, sizeof value); }

/* As many float32 numbers as float64 ones fill a register. */
TARGET INLINE vd VARIANT(widen)(const float *from)
{
#if LEVEL >= 2
    return (vd)_mm512_cvtps_pd(_mm256_loadu_ps(from));
#elif LEVEL == 1
    return (vd)_mm256_cvtps_pd(_mm_loadu_ps(from));
#else
    typedef float few __attribute__((vector_size(BYTES / 2), may_alias, aligned(4)));
    return __builtin_convertvector(*(const few *)from, vd);
#endif
}
