/* Sum of values times coefficients in float64, eight lanes at a time and in the same order everywhere. */
TARGET static double VARIANT(weigh)(const float *values, const double *coefficients, ptrdiff_t count)
{
    typedef float half __attribute__((vector_size(32), may_alias, aligned(4)));
    typedef double whole __attribute__((vector_size(64), may_alias, aligned(8)));
    vd sums[4] = {{0}, {0}, {0}, {0}};
    ptrdiff_t j = 0;
    for (; j + 32 <= count; j += 32)
        for (int s = 0; s < 4; s++)
            sums[s] += __builtin_convertvector(*(const half *)(values + j + 8 * s), vd) *
                       *(const whole *)(coefficients + j + 8 * s);
    const vd lanes = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    double total = 0.0;
    for (int lane = 0; lane < 8; lane++)
        total += lanes[lane];
    for (; j < count; j++)
        total += (double)values[j] * coefficients[j];
    return total;
}
