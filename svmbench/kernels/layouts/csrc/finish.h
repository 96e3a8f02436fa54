/* The way from a squared distance or an inner product to the kernel value; once per body. */
#include "kernels.h"

#undef SPLIT
#define SPLIT (TILE / LANES) /* registers of a column of a tile */

/* The kernel value of a squared distance, if the kernel is Gaussian, or of an inner product. */
TARGET INLINE vf VARIANT(finish)(vf s, const kernel_params *kernel, const int gaussian)
{
    if (gaussian)
        return VARIANT(power_of_two)(s * (float)(kernel->gamma * -1.44269504088896341));
    if (kernel->kind == KERNEL_LINEAR)
        return s;
    vf base = s * (float)kernel->gamma + (float)kernel->coef0;
    vf value = base;
    for (int power = 1; power < kernel->degree; power++)
        value *= base;
    return value;
}
