/* Memory of the layouts and of the row cache. */
#ifndef SVMBENCH_MEMORY_H
#define SVMBENCH_MEMORY_H

#include <stddef.h>

/* At least `size` bytes, aligned to a line of the cache; to be given back by free(). NULL: there is none. What is
 * larger than a large page asks for such pages (Linux): main memory is then read at twice the speed in a virtual
 * machine, where every miss of the translation buffer walks two page tables. */
void *svmbench_allocate(size_t size);

#endif
