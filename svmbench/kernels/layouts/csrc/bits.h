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

/* Sums of values times coefficients in whole numbers (columns.h). */
typedef struct {
    ptrdiff_t blocks;
    int distance;          /* whether the table is that of squared distances */
    const uint8_t *table;  /* digits of the values at 0 to 31, [3][32], the lowest first */
    const int8_t *digits;  /* of the coefficients, [blocks][3][examples of a block], in the order of `place` */
} quick_sums;

/* Adds the sums of all queries, each with at most MOST_COLUMNS columns and only numbers below 32. Returns 0, without an
 * effect, on an instruction set that has none. */
int svmbench_bits_quick(int level, const bits_store *, const quick_sums *, const char *queries, ptrdiff_t query_bytes,
                        ptrdiff_t count, int threads, double *sums);

#endif
