/* The pass of SMO without bias over all coordinates: it updates the gradient by a row of the kernel matrix and
 * computes what each coordinate would gain by a step of its own. */
#ifndef SVMBENCH_SMO_H
#define SVMBENCH_SMO_H

#include <stddef.h>
#include <stdint.h>

#define SMO_BLOCK 256 /* coordinates per block; the best gain of each block is stored */

/* State of a coordinate in one byte: for most coordinates, 21 bytes are read and written instead of 52. */
enum { SMO_AT_C = 1, SMO_FREE = 2, SMO_NEGATIVE = -128 };

typedef struct {
    ptrdiff_t n;
    double C;
    int clipped;            /* scores are gains of steps within the box; else g^2 / K(x, x) where it can move */
    double *gradient;
    const double *alpha;
    const double *diagonal; /* K(x, x) and its inverse, 0 where it is 0; both NULL if all are 1 */
    const double *inverse;
    const int8_t *marks;    /* SMO_AT_C, SMO_FREE or neither, at 0; and SMO_NEGATIVE for y = -1 */
    double *highest;        /* the largest score of each block */
} smo_pass;

/* gradient[t] += factor y_t row[t], unless the row is NULL; fills `highest`. Returns the largest projected gradient
 * and writes the position of the largest score, the first of equals. */
double svmbench_smo_move(int level, const smo_pass *, const float *row, double factor, ptrdiff_t *best);

/* Position of the largest score of a block, the first of equals. */
ptrdiff_t svmbench_smo_best_of(int level, const smo_pass *, ptrdiff_t block);

#endif
