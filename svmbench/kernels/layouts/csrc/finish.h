/* From a squared distance or an inner product to the kernel value; included once per body. */
#include "kernels.h"

#undef SPLIT
#define SPLIT (TILE / LANES) /* registers of a column of a tile */

/* Turns squared distances (Gaussian kernel) or inner products into kernel values. */
TARGET INLINE void VARIANT(finish_all)(vf *s, const int count, const kernel_params *kernel, const int gaussian)
{
    if (gaussian) {
#pragma GCC unroll 16
        for (int a = 0; a < count; a++)
            s[a] *= (float)(kernel->gamma * -1.44269504088896341);
        VARIANT(powers_of_two)(s, count);
        return;
    }
    if (kernel->kind == KERNEL_LINEAR)
        return;
    for (int a = 0; a < count; a++) {
        const vf base = s[a] * (float)kernel->gamma + (float)kernel->coef0;
        s[a] = base;
        for (int power = 1; power < kernel->degree; power++)
            s[a] *= base;
    }
}
