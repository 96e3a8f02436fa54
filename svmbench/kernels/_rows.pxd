"""C-level interface of kernel rows for compiled solvers; those cimport it as part of `Oracle`."""

from libc.stdint cimport int64_t

from svmbench.kernels._cache cimport RowCache
from svmbench.kernels._ledger cimport Ledger
from svmbench.kernels._prefetch cimport Prefetch
from svmbench.kernels.layouts._layout cimport Layout


cdef class KernelRows:
    """Rows of the kernel matrix, cached and counted; see _rows.pyx."""

    cdef readonly Py_ssize_t n
    cdef readonly Py_ssize_t d
    cdef readonly Ledger ledger
    cdef Layout layout
    cdef RowCache cache
    cdef Prefetch prefetch
    # For rows over a subset of the examples of other rows: those rows, and the examples in them.
    cdef KernelRows whole
    cdef int64_t[::1] examples

    # Row i of the kernel matrix, n values, valid until the next call; from the cache or computed and counted.
    cdef const float* get_row(self, Py_ssize_t i) noexcept nogil
    # out[r * stride + c] = K(x_rows[r], x_cols[c]), computed and counted; stride is at least `width` padded
    # to whole tiles.
    cdef int pairs(self, const int64_t* rows, Py_ssize_t count, const int64_t* cols, Py_ssize_t width,
                   float* out, Py_ssize_t stride) except -1
    # Replace the examples by these of the whole.
    cdef int take(self, const int64_t* examples, Py_ssize_t count) except -1
    # Put one example of the whole into a place, at most one after the last; only if the layout supports it.
    cdef void place(self, Py_ssize_t p, int64_t example) noexcept nogil
    # Use only the first `count` places from now on; kept rows cover the places they were computed for.
    cdef void resize(self, Py_ssize_t count) noexcept nogil
    # sums[j] += coefficients[r] K(x_indices[r], x_j) for all j, in the order of r: rows from the cache, or
    # computed in blocks and counted.
    cdef int add_rows(self, const int64_t* indices, const double* coefficients, Py_ssize_t count,
                      double* sums) except -1 nogil
