/* Operations of linear solvers on float32 rows and float64 weights. Loops over sparse rows are short and inlined;
 * those over dense rows are compiled for each instruction set. Additions have a fixed order, and no
 * multiplication is fused with an addition, so that results have the same bits with every instruction set. */
#ifndef SVMBENCH_ROWS_H
#define SVMBENCH_ROWS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SVMBENCH_PREFETCH(address) __builtin_prefetch(address)
#else
#define SVMBENCH_PREFETCH(address) ((void)(address))
#endif

enum { CACHE_LINE = 64 };

typedef struct {
    const float *values; /* NULL: all are 1 */
    const int32_t *columns;
    const int64_t *begin; /* of each row, n + 1 numbers; NULL: the rows are dense */
} sparse_rows;

/* Four independent sums are used, since each addition to a sum waits for the previous one. */
static inline double svmbench_sparse_product(const sparse_rows *rows, ptrdiff_t i, const double *w)
{
    const int32_t *at = rows->columns + rows->begin[i];
    const ptrdiff_t n = rows->begin[i + 1] - rows->begin[i];
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
    ptrdiff_t k = 0;
    if (rows->values) {
        const float *x = rows->values + rows->begin[i];
        for (; k + 4 <= n; k += 4) {
            a += x[k] * w[at[k]];
            b += x[k + 1] * w[at[k + 1]];
            c += x[k + 2] * w[at[k + 2]];
            d += x[k + 3] * w[at[k + 3]];
        }
        for (; k < n; k++)
            a += x[k] * w[at[k]];
    } else {
        for (; k + 4 <= n; k += 4) {
            a += w[at[k]];
            b += w[at[k + 1]];
            c += w[at[k + 2]];
            d += w[at[k + 3]];
        }
        for (; k < n; k++)
            a += w[at[k]];
    }
    return (a + b) + (c + d);
}

/* w += factor x */
static inline void svmbench_sparse_add(const sparse_rows *rows, ptrdiff_t i, double factor, double *w)
{
    const int64_t end = rows->begin[i + 1];
    if (rows->values)
        for (int64_t k = rows->begin[i]; k < end; k++)
            w[rows->columns[k]] += factor * rows->values[k];
    else
        for (int64_t k = rows->begin[i]; k < end; k++)
            w[rows->columns[k]] += factor;
}

/* The same; returns the change of |w|^2. */
static inline double svmbench_sparse_add_measured(const sparse_rows *rows, ptrdiff_t i, double factor, double *w)
{
    double change = 0.0;
    for (int64_t k = rows->begin[i]; k < rows->begin[i + 1]; k++) {
        const double step = rows->values ? factor * rows->values[k] : factor;
        double *at = w + rows->columns[k];
        change += step * (2.0 * *at + step);
        *at += step;
    }
    return change;
}

/* Prefetch the first cache lines of this many bytes; the hardware prefetcher continues after them. */
static inline void svmbench_prefetch(const void *address, ptrdiff_t bytes)
{
    const char *at = (const char *)address;
    const ptrdiff_t end = bytes < 32 * CACHE_LINE ? bytes : 32 * CACHE_LINE;
    for (ptrdiff_t k = 0; k < end; k += CACHE_LINE)
        SVMBENCH_PREFETCH(at + k);
}

typedef struct {
    /* <x, w> */
    double (*product)(const float *x, const double *w, ptrdiff_t n);
    /* w += factor x */
    void (*add)(const float *x, double factor, double *w, ptrdiff_t n);
    /* the same; returns the change of |w|^2 */
    double (*add_measured)(const float *x, double factor, double *w, ptrdiff_t n);
} dense_loops;

/* The loops of an instruction set, an enum isa_level of isa.h. */
const dense_loops *svmbench_dense_loops(int level);

#endif
