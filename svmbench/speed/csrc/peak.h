/* Loops of one kind of operation each, in registers and the first-level cache. Each returns a value that depends on
 * all its operations, so that the compiler cannot remove any. */
#ifndef SVMBENCH_PEAK_H
#define SVMBENCH_PEAK_H

#include <stddef.h>
#include <stdint.h>

typedef double (*limit_fn)(ptrdiff_t rounds);

/* Every function below does this many operations per round. */
#define LIMIT_WORK 4096

limit_fn svmbench_limit_popcount(int level);     /* population counts of 32-bit words */
limit_fn svmbench_limit_bytes(int level);        /* products of bytes added to an int32 */
limit_fn svmbench_limit_fma(int level);          /* float32 multiply-adds */
limit_fn svmbench_limit_exponential(int level);  /* exponentials of float32, as in a Gaussian kernel */

/* The sum of `count` 32-bit words, computed `passes` times, at the speed of reading memory. */
uint32_t svmbench_limit_read(int level, const uint32_t *words, ptrdiff_t count, ptrdiff_t passes);

#endif
