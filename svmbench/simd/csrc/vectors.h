/* Vectors of one register of an instruction set, and the exponential; included by variants.h. */

#undef vf
#undef vd
#undef vi
#undef vu
#undef vs
#undef vl
#define vf VARIANT(vf)
#define vd VARIANT(vd)
#define vi VARIANT(vi)
#define vu VARIANT(vu)
#define vs VARIANT(vs)
#define vl VARIANT(vl)
typedef float vf __attribute__((vector_size(BYTES), may_alias));
typedef double vd __attribute__((vector_size(BYTES), may_alias));
typedef int32_t vi __attribute__((vector_size(BYTES), may_alias));
typedef uint32_t vu __attribute__((vector_size(BYTES), may_alias));
typedef int16_t vs __attribute__((vector_size(BYTES), may_alias));
typedef int64_t vl __attribute__((vector_size(BYTES), may_alias));

#undef LANES
#define LANES (BYTES / 4) /* float32 numbers in a register */

/* Makes the compiler load a vector into a register once, instead of at each use. */
#undef IN_REGISTER
#undef HELD
#if LEVEL >= 1
#define IN_REGISTER(v) __asm__("" : "+v"(v))
#else
#define IN_REGISTER(v) (void)(v)
#endif

/* The same for a constant; with 32 registers the compiler keeps constants there by itself. */
#if LEVEL == 1
#define HELD(v) IN_REGISTER(v)
#else
#define HELD(v) (void)(v)
#endif

/* 2^x for x <= 0: the integer part goes to the exponent; for the fraction, the best polynomial of degree 6 that is 1 at
 * 0 has an error of 2e-9, below rounding. A result below the smallest normal number is 0. Each step waits for the
 * previous one, so four registers are computed side by side, unless there are only 16 registers, which the sums need.
 * There the constants are loaded once: loading them at each use costs a fifth of the speed on Zen 3. */
TARGET INLINE void VARIANT(powers_of_two)(vf *x, const int count)
{
    enum { BESIDE = LEVEL >= 2 ? 4 : 1, DEGREE = 6 };
    static const float terms[DEGREE + 1] = {1.535336194558773e-4f, 1.339887440097125e-3f, 9.618437357400467e-3f,
                                            5.550332471160333e-2f, 2.402264791363313e-1f, 6.931472028550505e-1f,
                                            1.0f};
    vf magic = 12582912.0f - (vf){0}; /* 1.5 * 2^23: adding it rounds to an integer, in the lowest bits */
    vf least = -125.0f - (vf){0}, term[DEGREE + 1];
    HELD(magic);
    HELD(least);
#pragma GCC unroll 8
    for (int k = 0; k <= DEGREE; k++) {
        term[k] = terms[k] - (vf){0};
        HELD(term[k]);
    }
#pragma GCC unroll 16
    for (int begin = 0; begin < count; begin += BESIDE) {
        const int some = count - begin < BESIDE ? count - begin : BESIDE;
        vf whole[BESIDE], r[BESIDE], p[BESIDE];
#pragma GCC unroll 4
        for (int a = 0; a < some; a++) {
            whole[a] = x[begin + a] + magic;
            r[a] = x[begin + a] - (whole[a] - magic);
            p[a] = r[a] * term[0] + term[1];
            IN_REGISTER(p[a]);
        }
#pragma GCC unroll 8
        for (int k = 2; k <= DEGREE; k++)
#pragma GCC unroll 4
            for (int a = 0; a < some; a++) {
                p[a] = p[a] * r[a] + term[k];
                IN_REGISTER(p[a]);
            }
#pragma GCC unroll 4
        for (int a = 0; a < some; a++) {
            const vi keep = x[begin + a] >= least; /* all ones where the exponent stays in its range */
            x[begin + a] = (vf)(((vu)p[a] + ((vu)whole[a] << 23)) & (vu)keep); /* wraps */
        }
    }
}

TARGET INLINE void VARIANT(store)(float *out, vf value) { __builtin_memcpy(out, &value, sizeof value); }
