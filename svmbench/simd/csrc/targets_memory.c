/* See memory.h. */
#if defined(__linux__)
#define _DEFAULT_SOURCE
#include <sys/mman.h>
#endif

#include "memory.h"

#include <stdlib.h>

enum { LINE = 64 };
static const size_t PAGE = (size_t)2 << 20;

void *svmbench_allocate(size_t size)
{
    const size_t alignment = size >= PAGE ? PAGE : LINE;
    const size_t rounded = (size / alignment + 1) * alignment;
    void *memory = aligned_alloc(alignment, rounded);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (memory != NULL && alignment == PAGE)
        (void)madvise(memory, rounded, MADV_HUGEPAGE); /* only a hint: without it the memory is slower */
#endif
    return memory;
}
