/* Loops that do nothing but one kind of work, in registers and the first-level cache. Each returns something that
 * depends on all of it, so that no compiler can leave it out. */
#ifndef SVMBENCH_PEAK_H
#define SVMBENCH_PEAK_H

#include <stddef.h>
#include <stdint.h>

typedef double (*limit_fn)(ptrdiff_t rounds);

/* Every function below does this many operations per round. */
#define LIMIT_WORK 4096

limit_fn svmbench_limit_popcount(int level);     /* 32-bit words whose ones are counted */
limit_fn svmbench_limit_bytes(int level);        /* products of bytes added to an int32 */
limit_fn svmbench_limit_fma(int level);          /* float32 products added */
limit_fn svmbench_limit_exponential(int level);  /* exponentials of float32, as in a Gaussian kernel */

/* The sum of `count` 32-bit words, added up `passes` times: as fast as memory can be read. */
uint32_t svmbench_limit_read(int level, const uint32_t *words, ptrdiff_t count, ptrdiff_t passes);

#endif
