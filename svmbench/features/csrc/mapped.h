/* Loops that make features: products with the frequencies, and waves. */
#ifndef SVMBENCH_MAPPED_H
#define SVMBENCH_MAPPED_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    /* out[l] = sum of x[j] V[columns[j]][l] over j < count; V has rows of `width`; columns NULL: 0, 1, ...; x NULL:
     * all 1 */
    void (*combine)(const float *x, const int32_t *columns, ptrdiff_t count, const float *V, ptrdiff_t width,
                    float *out);
    /* out[l] = scale cos(t[l] + phase[l]), to 1e-7 scale for |t| < 1e5; out may be t */
    void (*waves)(const float *t, const float *phase, float scale, float *out, ptrdiff_t n);
} mapped_loops;

/* Those of an instruction set: enum isa_level of kernels.h. */
const mapped_loops *svmbench_mapped_loops(int level);

#endif
