"""C-level interface of mapped examples."""

from libc.stdint cimport int32_t, int64_t

from svmbench.kernels._linear_data cimport LinearData, sparse_rows


cdef extern from "svmbench/features/csrc/mapped.h" nogil:
    ctypedef struct mapped_loops:
        void (*combine)(const float *x, const int32_t *columns, const int64_t *begin, const int64_t *end,
                        ptrdiff_t rows, const float *V, ptrdiff_t width, float *out,
                        ptrdiff_t stride) noexcept nogil
        ptrdiff_t (*nonzeros)(const float *x, ptrdiff_t n, float *values, int32_t *columns) noexcept nogil
        void (*waves)(const float *t, const float *phase, float scale, float *out,
                      ptrdiff_t n) noexcept nogil


cdef class MappedData(LinearData):
    """Examples whose features were made beforehand; see _mapped.pyx."""

    cdef object map


cdef enum:
    PANEL = 128                         # columns stored together: a whole number of strips of every target
    NARROW = 1024                       # most columns stored as one panel: 10 to 15 % faster with 512 columns
    TOGETHER = 32                       # examples whose features are made in one pass over the frequencies


cdef class Panels:
    """A matrix in panels of columns; see _mapped.pyx."""

    cdef readonly Py_ssize_t d          # rows
    cdef readonly Py_ssize_t k          # columns
    cdef Py_ssize_t width               # of a panel; the last one may be narrower
    cdef const float[::1] memory

    # out[i] = sum of x[j] times row columns[j] over begin[i] <= j < end[i]; out has rows of `stride`.
    cdef void combine(self, const float* x, const int32_t* columns, const int64_t* begin, const int64_t* end,
                      Py_ssize_t rows, float* out, Py_ssize_t stride) noexcept nogil


cdef class LazyMappedData(LinearData):
    """Examples whose Fourier features are computed on demand; see _mapped.pyx."""

    cdef object X                       # the examples themselves
    cdef object map
    cdef Panels frequencies
    cdef const float[::1] phases
    cdef float scale
    cdef float[:, ::1] z                # features of the examples computed last, at most TOGETHER
    cdef Py_ssize_t[TOGETHER] made      # these examples
    cdef Py_ssize_t count               # their number
    cdef Py_ssize_t held                # row of z of the example needed last, whose features are charged
    cdef Py_ssize_t[TOGETHER] asked     # examples announced as needed next, in this order
    cdef Py_ssize_t waiting             # their number
    cdef int64_t width                  # number of original features
    cdef sparse_rows source             # the examples as they are stored
    cdef bint source_sparse
    cdef float[::1] values              # nonzero values of dense examples
    cdef int32_t[::1] columns           # their columns

    cdef Py_ssize_t place_of(self, Py_ssize_t i) noexcept nogil
    cdef void make(self, Py_ssize_t i) noexcept nogil
