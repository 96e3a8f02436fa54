/* Examples whose features are all 0 or 1, packed into words. The kernel value is a function of an integer,
 * the squared distance or the number of common ones. It is read from a table made in float64, so that its only error
 * is rounding to float32. A query is its words, followed by its number of ones. */
#ifndef SVMBENCH_BITS_H
#define SVMBENCH_BITS_H

#include "kernels.h"

typedef struct {
    const uint32_t *tiles; /* [n_tiles][words][TILE], 64-byte aligned, zero padded */
    ptrdiff_t words;
    const float *table;    /* values for 0, 1, 2, ...; padded with meaningless ones to a multiple of 128 */
    int32_t most;          /* largest number of ones of an example */
    /* The same examples by columns (columns.h), NULL without: [blocks][features + 1][bytes of a register], the last
     * column zeros; the number of ones of each example, [blocks][examples of a block]; and the first, second, third
     * and fourth bytes of the first 32 values of the table. */
    uint8_t *columns;
    uint8_t *ones;
    ptrdiff_t features;
    const uint8_t *split;
} bits_store;

#define MOST_COLUMNS 255 /* of a query; sums and distances are bytes */

/* The examples of a block of columns, and the byte of an example in it: byte q of register j has bit j of byte q. */
typedef struct {
    int bytes; /* of a register */
    int (*place)(int x);
} column_form;

const column_form *svmbench_column_form(int level);

block_fn svmbench_bits_block(int level);

/* Sums of values in whole numbers (columns.h), in one of two forms. With digits, values are multiplied by coefficients
 * before they are summed, and all numbers are below 32. Otherwise the coefficients are equal, and the examples, which have
 * from 1 to 31 ones each, are in the order of these numbers. */
typedef enum { QUICK_NONE, QUICK_EQUAL, QUICK_DIGITS } quick_form;

typedef struct {
    ptrdiff_t n;
    int distance;         /* whether the values are those of squared distances */
    const uint8_t *table; /* digits of the values, the lowest first: of those at 0 to 31, [3][32]; or of those at s - 2 c,
                           * [s][3][c to 31], for s ones of an example and a query together, c of them in common */
    const int8_t *digits; /* of the coefficients, [blocks][3][examples of a block], in the order of `place` */
} quick_sums;

/* The form that an instruction set has. */
quick_form svmbench_bits_form(int level);

/* Adds the sums of all queries, each with at most MOST_COLUMNS columns. */
void svmbench_bits_quick(int level, const bits_store *, const quick_sums *, const char *queries, ptrdiff_t query_bytes,
                         ptrdiff_t count, int threads, double *sums);

#endif
