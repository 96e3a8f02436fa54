/* From a squared distance or an inner product to the kernel value, in double precision; included once per body. */
#include "kernels.h"

#undef WIDTH
#define WIDTH (BYTES / 8) /* float64 numbers in a register */

typedef double VARIANT(loose) __attribute__((vector_size(BYTES), may_alias, aligned(8)));
typedef uint64_t VARIANT(vw) __attribute__((vector_size(BYTES), may_alias));

/* exp(x) for x <= 0, to 2 units in the last place: after a power of two is factored out, the Taylor polynomial of
 * degree 12 has an error below 2e-16. ln 2 is in two parts, the first short enough for exact products. Below 2^-1021
 * the result is 0. */
TARGET INLINE vd VARIANT(exponential)(vd x)
{
    const double magic = 6755399441055744.0; /* 1.5 * 2^52: adding it rounds to a whole number, in the lowest bits */
    const vd whole = x * 1.4426950408889634 + magic;
    const vd power = whole - magic;
    const vd r = (x - power * 6.93147180369123816490e-01) - power * 1.90821492927058770002e-10;
    vd p = r * (1.0 / 479001600.0) + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    const vl keep = x >= -707.0;
    return (vd)(((VARIANT(vw))p + ((VARIANT(vw))whole << 52)) & (VARIANT(vw))keep); /* wraps */
}

/* The kernel value of a squared distance, if the kernel is Gaussian, or of an inner product. */
TARGET INLINE vd VARIANT(double_value)(vd s, const kernel_params *kernel, const int gaussian)
{
    if (gaussian)
        return VARIANT(exponential)(s * -kernel->gamma);
    if (kernel->kind == KERNEL_LINEAR)
        return s;
    const vd base = s * kernel->gamma + kernel->coef0;
    vd value = base;
    for (int power = 1; power < kernel->degree; power++)
        value *= base;
    return value;
}
