/* Tests whether numbers are integer multiples, 0 to 255, of one unit, and computes the multiples, which the bytes
 * layout stores. The arithmetic is float32, with the same bits on every instruction set. */
#ifndef SVMBENCH_WHOLE_H
#define SVMBENCH_WHOLE_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    /* Maximum of n numbers and 0, minimum of the positive ones and infinity; false if any is negative or NaN. */
    int (*range)(const float *x, ptrdiff_t n, float *top, float *least);
    /* The multiples, to `out` unless it is NULL; false if one is not 0 to 255 or misses x by more than `slack`. */
    int (*whole)(const float *x, ptrdiff_t n, float unit, float slack, uint8_t *out);
    /* Sum and sum of squares of n bytes. */
    void (*sums)(const uint8_t *x, ptrdiff_t n, uint32_t *sum, uint32_t *squares);
} whole_loops;

/* The loops of an instruction set, an enum isa_level of isa.h. */
const whole_loops *svmbench_whole_loops(int level);

#endif
