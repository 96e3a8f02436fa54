/* Memory of the layouts and of the row cache. */
#ifndef SVMBENCH_MEMORY_H
#define SVMBENCH_MEMORY_H

#include <stddef.h>

/* At least `size` bytes, aligned to a cache line; release them with free(). NULL if there is no memory. Blocks larger
 * than a huge page request such pages (Linux): they double the speed of reading main memory in a virtual machine, where
 * every miss of the translation buffer walks two page tables. */
void *svmbench_allocate(size_t size);

#endif
