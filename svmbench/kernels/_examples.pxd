"""C-level interface of the training examples for compiled linear solvers."""

from libc.stdint cimport int32_t, int64_t

from svmbench.kernels._oracle cimport Ledger


cdef class Examples:
    """The rows themselves, and the inner products with them that are counted; see _examples.pyx."""

    cdef readonly Py_ssize_t n
    cdef readonly Py_ssize_t d
    cdef readonly Ledger ledger
    cdef readonly int64_t observed
    cdef readonly Py_ssize_t stored     # values kept, zeros of dense rows included
    cdef object arrays                  # what the pointers below point into
    cdef const float* values
    cdef const int32_t* columns         # NULL for dense rows
    cdef const int64_t* indptr          # NULL for dense rows
    cdef int64_t[::1] column_begin      # where the rows of each column begin, d + 1 values
    cdef int32_t[::1] column_rows

    # <x_i, w>; one inner product.
    cdef double dot(self, Py_ssize_t i, const double* w) noexcept nogil
    # w += factor x_i.
    cdef void add(self, Py_ssize_t i, double factor, double* w) noexcept nogil
    # The same; returns the change of |w|^2, which is <factor x_i, 2 w + factor x_i>: one inner product.
    cdef double add_measured(self, Py_ssize_t i, double factor, double* w) noexcept nogil
    # |x_i|^2; one inner product.
    cdef double squared_norm(self, Py_ssize_t i) noexcept nogil
    # Begin to bring example i into the cache of the processor.
    cdef void prefetch(self, Py_ssize_t i) noexcept nogil
    cdef double product(self, Py_ssize_t i, const double* w) noexcept nogil
    # out_i += factor y_i x_ij for all i; of sparse rows only after `index_columns`.
    cdef void add_column(self, Py_ssize_t j, double factor, const double* y, double* out) noexcept nogil
    # <u, v> of two vectors of a solver, d values each; one inner product.
    cdef double between(self, const double* u, const double* v) noexcept nogil
