/* Passes over a vector that the compiler does not vectorise by itself.
 *
 * Eight values at a time in four independent chains of two: the order of the additions is fixed, so that the
 * result is the same on every machine, and no chain waits for another. Vectors are those of GCC and Clang.
 */
#ifndef SVMBENCH_LANES_H
#define SVMBENCH_LANES_H

#include <stddef.h>
#include <stdint.h>

typedef double lanes __attribute__((vector_size(16), aligned(8), may_alias));
typedef int64_t lane_bits __attribute__((vector_size(16)));

/* The largest of the n values and start. */
static inline double largest(const double *x, ptrdiff_t n, double start)
{
    lanes m[4] = {{start, start}, {start, start}, {start, start}, {start, start}};
    ptrdiff_t i = 0;
    for (; i + 8 <= n; i += 8) {
        for (int chain = 0; chain < 4; chain++) {
            lanes v = *(const lanes *)(x + i + 2 * chain);
            lane_bits more = v > m[chain];
            m[chain] = (lanes)((more & (lane_bits)v) | (~more & (lane_bits)m[chain]));
        }
    }
    for (int chain = 0; chain < 4; chain++) {
        start = m[chain][0] > start ? m[chain][0] : start;
        start = m[chain][1] > start ? m[chain][1] : start;
    }
    for (; i < n; i++)
        start = x[i] > start ? x[i] : start;
    return start;
}

/* The sum of weights[k] x[k], in double precision. */
static inline double inner_product(const double *weights, const float *x, ptrdiff_t n)
{
    lanes sum[4] = {{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}};
    double total = 0.0;
    ptrdiff_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int chain = 0; chain < 4; chain++) {
            const ptrdiff_t k = i + 2 * chain;
            sum[chain] += *(const lanes *)(weights + k) * (lanes){x[k], x[k + 1]};
        }
    for (int chain = 0; chain < 4; chain++)
        total += sum[chain][0] + sum[chain][1];
    for (; i < n; i++)
        total += weights[i] * x[i];
    return total;
}

#endif
