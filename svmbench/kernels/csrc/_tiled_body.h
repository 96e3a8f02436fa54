/* Sum of values times coefficients in float64, the same 32 partial sums on every instruction set. */
TARGET static double VARIANT(weigh)(const float *values, const double *coefficients, ptrdiff_t count)
{
    enum { SUMS = 32, WIDTH = BYTES / 8 };
    typedef double many __attribute__((vector_size(BYTES), may_alias, aligned(8)));
    vd sums[SUMS / WIDTH];
#pragma GCC unroll 16
    for (int s = 0; s < SUMS / WIDTH; s++)
        sums[s] = (vd){0};
    ptrdiff_t j = 0;
    for (; j + SUMS <= count; j += SUMS)
#pragma GCC unroll 16
        for (int s = 0; s < SUMS / WIDTH; s++)
            sums[s] += VARIANT(widen)(values + j + WIDTH * s) *
                       *(const many *)(coefficients + j + WIDTH * s);
    double total = 0.0;
    for (int s = 0; s < SUMS; s++)
        total += sums[s / WIDTH][s % WIDTH];
    for (; j < count; j++)
        total += (double)values[j] * coefficients[j];
    return total;
}
