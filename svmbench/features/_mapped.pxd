"""C-level interface of mapped examples."""

from libc.stdint cimport int32_t, int64_t

from svmbench.kernels._linear_data cimport LinearData, sparse_rows


cdef extern from "svmbench/features/csrc/mapped.h" nogil:
    ctypedef struct mapped_loops:
        void (*combine)(const float *x, const int32_t *columns, const int64_t *begin, ptrdiff_t rows,
                        const float *V, ptrdiff_t width, float *out, ptrdiff_t stride) noexcept nogil
        ptrdiff_t (*nonzeros)(const float *x, ptrdiff_t n, float *values, int32_t *columns) noexcept nogil
        void (*waves)(const float *t, const float *phase, float scale, float *out,
                      ptrdiff_t n) noexcept nogil


cdef class MappedData(LinearData):
    """Examples whose features were made beforehand; see _mapped.pyx."""

    cdef object map


cdef class LazyMappedData(LinearData):
    """Examples whose Fourier features are made one example at a time; see _mapped.pyx."""

    cdef object X                       # the examples themselves
    cdef object map
    cdef const float[:, ::1] frequencies
    cdef const float[::1] phases
    cdef float scale
    cdef float[::1] z                   # the features of one example
    cdef Py_ssize_t held                # which one, or -1
    cdef int64_t width                  # of the examples themselves
    cdef sparse_rows source             # as they are stored
    cdef bint source_sparse
