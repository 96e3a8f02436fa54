/* Loops that compute features: products with the frequencies, and cosines. */
#ifndef SVMBENCH_MAPPED_H
#define SVMBENCH_MAPPED_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    /* out[i][l] = sum of x[j] V[columns[j]][l] over begin[i] <= j < end[i]; V has rows of `width`, out of `stride`;
     * columns NULL: 0, 1, ... in each row; x NULL: all 1 */
    void (*combine)(const float *x, const int32_t *columns, const int64_t *begin, const int64_t *end, ptrdiff_t rows,
                    const float *V, ptrdiff_t width, float *out, ptrdiff_t stride);
    /* Writes those of n numbers that are not zero, and their positions; returns their count. Both arrays need room for
     * n + 16. */
    ptrdiff_t (*nonzeros)(const float *x, ptrdiff_t n, float *values, int32_t *columns);
    /* out[l] = scale cos(t[l] + phase[l]), to 1e-7 scale for |t| < 1e5; out may be t */
    void (*waves)(const float *t, const float *phase, float scale, float *out, ptrdiff_t n);
} mapped_loops;

/* The loops of an instruction set, an enum isa_level of isa.h. */
const mapped_loops *svmbench_mapped_loops(int level);

#endif
