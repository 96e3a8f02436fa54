/* The loops of whole.h for one instruction set: plain loops without branches, which the compiler vectorises. */

/* Nonnegative floats are ordered like their bits. */
TARGET static int VARIANT(range)(const float *x, ptrdiff_t n, float *top, float *least)
{
    int32_t most = 0, negative = 0;
    uint32_t low = 0x7F800000u - 1u; /* bits minus 1, so that 0 becomes the largest */
    for (ptrdiff_t k = 0; k < n; k++) {
        const float value = x[k] + 0.0f; /* -0 is 0 */
        int32_t bits;
        __builtin_memcpy(&bits, &value, sizeof bits);
        const uint32_t above = (uint32_t)bits - 1u;
        most = bits > most ? bits : most;
        low = above < low ? above : low;
        negative |= bits;
    }
    low += 1u;
    __builtin_memcpy(top, &most, sizeof *top);
    __builtin_memcpy(least, &low, sizeof *least);
    return negative >= 0 && most <= 0x7F800000;
}

TARGET static int VARIANT(whole)(const float *x, ptrdiff_t n, float unit, float slack, uint8_t *out)
{
    const float magic = 12582912.0f; /* 1.5 * 2^23: adding it rounds to an integer */
    int misses = 0;
    for (ptrdiff_t k = 0; k < n; k++) {
        const float multiple = (x[k] / unit + magic) - magic, miss = multiple * unit - x[k];
        /* NaN fails this test, too. */
        misses |= !(multiple >= 0.0f) | !(multiple <= 255.0f) | !(miss <= slack) | !(-miss <= slack);
    }
    if (out && !misses)
        for (ptrdiff_t k = 0; k < n; k++)
            out[k] = (uint8_t)(int32_t)(x[k] / unit + 0.5f);
    return !misses;
}

TARGET static void VARIANT(sums)(const uint8_t *x, ptrdiff_t n, uint32_t *sum, uint32_t *squares)
{
    uint32_t total = 0, squared = 0;
    for (ptrdiff_t k = 0; k < n; k++) {
        total += x[k];
        squared += (uint32_t)x[k] * x[k];
    }
    *sum = total;
    *squares = squared;
}

static const whole_loops VARIANT(whole_set) = {VARIANT(range), VARIANT(whole), VARIANT(sums)};
