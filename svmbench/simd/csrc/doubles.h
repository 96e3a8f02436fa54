/* Vectors of float64 numbers compared, and narrower ones widened; included by a body, once per instruction set. */
#include "intrinsics.h"

/* a > b ? a : b and a < b ? a : b in each lane: b where one of them is not a number. */
TARGET INLINE vd VARIANT(larger)(vd a, vd b)
{
#if LEVEL >= 2
    return (vd)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif LEVEL == 1
    return (vd)_mm256_max_pd((__m256d)a, (__m256d)b);
#else
    const vl first = a > b;
    return (vd)((first & (vl)a) | (~first & (vl)b));
#endif
}

TARGET INLINE vd VARIANT(smaller)(vd a, vd b)
{
#if LEVEL >= 2
    return (vd)_mm512_min_pd((__m512d)a, (__m512d)b);
#elif LEVEL == 1
    return (vd)_mm256_min_pd((__m256d)a, (__m256d)b);
#else
    const vl first = a < b;
    return (vd)((first & (vl)a) | (~first & (vl)b));
#endif
}

/* As many 8-bit integers as 64-bit integers fit a register; compilers widen them one by one. */
TARGET INLINE vl VARIANT(widen_bytes)(const int8_t *from)
{
#if LEVEL >= 2
    return (vl)_mm512_cvtepi8_epi64(_mm_loadl_epi64((const __m128i *)from));
#elif LEVEL == 1
    int32_t four;
    __builtin_memcpy(&four, from, sizeof four);
    return (vl)_mm256_cvtepi8_epi64(_mm_cvtsi32_si128(four));
#else
    return (vl){from[0], from[1]};
#endif
}

/* As many float32 numbers as float64 numbers fit a register. */
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
