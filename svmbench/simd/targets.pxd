"""C-level interface of the choice of an instruction set, and memory for vector code."""


# The instruction set of the loops: enum isa_level of csrc/isa.h.
cdef int isa_level() noexcept nogil

# Memory of at least `size` bytes, aligned to a cache line; see csrc/memory.h.
cdef void *allocate(size_t size) except NULL nogil
