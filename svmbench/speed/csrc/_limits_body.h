/* One register at a time into eight independent sums, which hides all latency. */
#include "svmbench/simd/csrc/intrinsics.h"

#undef STREAMS
#undef OPAQUE
#define STREAMS 8
#if LEVEL >= 1 /* hides a value from the compiler's optimisation, at no cost */
#define OPAQUE(v) __asm__ volatile("" : "+v"(v))
#else
#define OPAQUE(v) __asm__ volatile("" : "+m"(v))
#endif

TARGET INLINE double VARIANT(total)(const vu *sums)
{
    double total = 0.0;
    for (int s = 0; s < STREAMS; s++)
        for (int lane = 0; lane < LANES; lane++)
            total += sums[s][lane];
    return total;
}

TARGET static double VARIANT(popcount)(ptrdiff_t rounds)
{
    vu sums[STREAMS] = {{1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}};
    for (ptrdiff_t k = 0; k < rounds * (LIMIT_WORK / LANES / STREAMS); k++)
#pragma GCC unroll 8
        for (int s = 0; s < STREAMS; s++) {
            vu v = sums[s];
            OPAQUE(v);
#if LEVEL == 3
            sums[s] += (vu)_mm512_popcnt_epi32((__m512i)v);
#else
            v = v - ((v >> 1) & 0x55555555u);
            v = (v & 0x33333333u) + ((v >> 2) & 0x33333333u);
            sums[s] += (v + (v >> 4)) & 0x0F0F0F0Fu;
#endif
        }
    return VARIANT(total)(sums);
}

TARGET static double VARIANT(products)(ptrdiff_t rounds)
{
    vu sums[STREAMS] = {{1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}};
    vu factor = 0x01010101u - (vu){0};
    OPAQUE(factor);
    for (ptrdiff_t k = 0; k < rounds * (LIMIT_WORK / LANES / STREAMS / 4); k++)
#pragma GCC unroll 8
        for (int s = 0; s < STREAMS; s++) {
#if LEVEL == 3
            sums[s] = (vu)_mm512_dpbusd_epi32((__m512i)sums[s], (__m512i)factor, (__m512i)factor);
#elif LEVEL == 2
            sums[s] += (vu)_mm512_madd_epi16((__m512i)sums[s], (__m512i)factor);
            sums[s] += (vu)_mm512_madd_epi16((__m512i)sums[s], (__m512i)factor);
#elif LEVEL == 1
            sums[s] += (vu)_mm256_madd_epi16((__m256i)sums[s], (__m256i)factor);
            sums[s] += (vu)_mm256_madd_epi16((__m256i)sums[s], (__m256i)factor);
#else
            sums[s] += (sums[s] & 255u) * (factor & 255u) + (sums[s] >> 24) * (factor >> 24);
            sums[s] += (sums[s] >> 8) * (factor & 255u) + (sums[s] >> 16) * (factor >> 24);
#endif
        }
    return VARIANT(total)(sums);
}

TARGET static double VARIANT(fma)(ptrdiff_t rounds)
{
    vf sums[STREAMS], factor = 0.999f - (vf){0};
    OPAQUE(factor);
    for (int s = 0; s < STREAMS; s++)
        sums[s] = factor * (float)s;
    for (ptrdiff_t k = 0; k < rounds * (LIMIT_WORK / LANES / STREAMS); k++)
#pragma GCC unroll 8
        for (int s = 0; s < STREAMS; s++)
            sums[s] = sums[s] * factor + factor;
    return VARIANT(total)((const vu *)sums);
}

TARGET static double VARIANT(exponential)(ptrdiff_t rounds)
{
    vf sums[STREAMS];
    for (int s = 0; s < STREAMS; s++)
        sums[s] = (vf){0} - (float)s;
    for (ptrdiff_t k = 0; k < rounds * (LIMIT_WORK / LANES / STREAMS); k++) {
#pragma GCC unroll 8
        for (int s = 0; s < STREAMS; s++)
            sums[s] = -sums[s];
        VARIANT(powers_of_two)(sums, STREAMS);
    }
    return VARIANT(total)((const vu *)sums);
}

TARGET static uint32_t VARIANT(read)(const uint32_t *words, ptrdiff_t count, ptrdiff_t passes)
{
    vu sums[STREAMS] = {{0}};
    for (ptrdiff_t pass = 0; pass < passes; pass++)
        for (ptrdiff_t k = 0; k + STREAMS * LANES <= count; k += STREAMS * LANES)
#pragma GCC unroll 8
            for (int s = 0; s < STREAMS; s++)
                sums[s] += *(const vu *)(words + k + s * LANES);
    return (uint32_t)VARIANT(total)(sums);
}
