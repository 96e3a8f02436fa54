"""C-level interface of kernel rows for compiled solvers, which cimport it as part of `Oracle`."""

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
    # For rows over a subset of the examples: the rows over all of them, and the examples of the subset.
    cdef KernelRows whole
    cdef int64_t[::1] examples

    # Row i of the kernel matrix, n values, from the cache or computed and counted; valid until the next call.
    cdef const float* get_row(self, Py_ssize_t i) noexcept nogil
    # out[r * stride + c] = K(x_rows[r], x_cols[c]), computed and counted; stride is at least `width` padded
    # to whole tiles.
    cdef int pairs(self, const int64_t* rows, Py_ssize_t count, const int64_t* cols, Py_ssize_t width,
                   float* out, Py_ssize_t stride) except -1
    # Replace the examples by these of `whole`.
    cdef int take(self, const int64_t* examples, Py_ssize_t count) except -1
    # Put one example of `whole` into place p, at most one after the last; only if the layout supports it.
    cdef void place(self, Py_ssize_t p, int64_t example) noexcept nogil
    # Use only the first `count` places from now on. Cached rows cover the places for which they were
    # computed.
    cdef void resize(self, Py_ssize_t count) noexcept nogil
    # sums[j] += coefficients[r] K(x_indices[r], x_j) for all j, in the order of r. Rows are read from the
    # cache, or computed in blocks and counted.
    cdef int add_rows(self, const int64_t* indices, const double* coefficients, Py_ssize_t count,
                      double* sums) except -1 nogil
