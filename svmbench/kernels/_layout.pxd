"""C-level interface of the storage layouts."""

from libc.stdint cimport int64_t


cdef extern from "svmbench/kernels/csrc/kernels.h" nogil:
    enum: TILE
    ctypedef struct kernel_params:
        int kind
        int degree
        float gamma
        float coef0


cdef void *allocate(size_t size) except NULL
# Instruction set of the loops: enum isa_level of kernels.h.
cdef int isa_level() noexcept nogil


cdef class Layout:
    """Stored examples of one kernel; see _layout.pyx."""

    cdef readonly Py_ssize_t n
    cdef readonly Py_ssize_t d
    # Length of an output row: n, padded to whole tiles where the layout has tiles.
    cdef readonly Py_ssize_t stride
    cdef readonly object kernel
    cdef readonly int threads
    cdef kernel_params params
    cdef int level          # isa_level()
    # Rows that one block makes far faster than one by one; 1: it does not.
    cdef readonly Py_ssize_t ahead
    # Whether reading a row back from memory is faster than making it again.
    cdef readonly bint kept

    # The largest number of rows that one call of `rows` may make.
    cdef Py_ssize_t group(self) noexcept nogil
    # Kernel rows of `count` stored examples; out holds count rows of `stride` values.
    cdef void rows(self, const int64_t *indices, Py_ssize_t count, float *out) noexcept nogil
