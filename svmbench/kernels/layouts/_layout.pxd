"""C-level interface of the storage layouts."""

from libc.stdint cimport int64_t


cdef extern from "svmbench/kernels/layouts/csrc/kernels.h" nogil:
    enum: ROW_GROUP
    enum: TILE
    enum: KERNEL_GAUSSIAN
    enum: WHOLE_DISTANCE
    enum: WHOLE_PRODUCT
    ctypedef struct kernel_params:
        int kind
        int degree
        double gamma
        double coef0


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
    # Of a layout that computes in exact whole numbers: the square of their unit; 0: another layout.
    cdef readonly double unit_squared
    # Whether reading a row back from memory is faster than making it again.
    cdef readonly bint kept

    # The largest number of rows that one call of `rows` may make.
    cdef Py_ssize_t group(self) noexcept nogil
    # Kernel rows of `count` stored examples; out holds count rows of `stride` values.
    cdef void rows(self, const int64_t *indices, Py_ssize_t count, float *out) noexcept nogil
    # out[r * stride + c] = K(x_rows[r], x_cols[c]); stride is at least `width` padded to whole tiles.
    cdef int pairs(self, const int64_t *rows, Py_ssize_t count, const int64_t *cols, Py_ssize_t width,
                   float *out, Py_ssize_t stride) except -1
    # This layout over `count` examples of another instead of its own, no more than it was made with; self if
    # it could be changed.
    cdef Layout over(self, Layout whole, const int64_t *examples, Py_ssize_t count)
    # sums[j] += coefficients[r] K(x_indices[r], x_j), r after r, for all j. A row that is not NULL in `held`
    # is read there, the others are made, and those not NULL in `kept` also written there. A row may be kept
    # where one before it is held. The sums are bit for bit the same, whatever is held. Without sums (NULL)
    # rows are made only.
    cdef int add_rows(self, const int64_t *indices, const double *coefficients, Py_ssize_t count,
                      const float **held, float **kept, double *sums) except -1 nogil
    # Whether reading a row from memory is quicker than making it.
    cdef bint worth_keeping(self) noexcept nogil
