"""C-level interface of the training examples for compiled linear solvers."""

cimport cython
from libc.stdint cimport int32_t, int64_t

from svmbench.kernels._ledger cimport Ledger


cdef extern from "svmbench/kernels/csrc/rows.h" nogil:
    ctypedef struct sparse_rows:
        const float *values
        const int32_t *columns
        const int64_t *begin

    ctypedef struct dense_loops:
        double (*product)(const float *x, const double *w, ptrdiff_t n) noexcept nogil
        void (*add)(const float *x, double factor, double *w, ptrdiff_t n) noexcept nogil
        double (*add_measured)(const float *x, double factor, double *w, ptrdiff_t n) noexcept nogil

    double svmbench_sparse_product(const sparse_rows *rows, ptrdiff_t i, const double *w) noexcept
    void svmbench_sparse_add(const sparse_rows *rows, ptrdiff_t i, double factor, double *w) noexcept
    double svmbench_sparse_add_measured(
        const sparse_rows *rows, ptrdiff_t i, double factor, double *w) noexcept
    void svmbench_prefetch(const void *address, ptrdiff_t bytes) noexcept


cdef class LinearData:
    """The rows, and counted inner products with them; see _linear_data.pyx."""

    cdef readonly Py_ssize_t n
    cdef readonly Py_ssize_t d
    cdef readonly Ledger ledger
    cdef public int64_t observed
    cdef readonly Py_ssize_t stored     # number of stored values, including zeros of dense rows
    cdef object arrays                  # owners of the memory that the pointers below refer to
    cdef bint sparse
    cdef sparse_rows rows               # for dense rows, only the values are set
    cdef const dense_loops* loops
    cdef int64_t[::1] column_begin      # start of the rows of each column, d + 1 values
    cdef int32_t[::1] column_rows

    # The d values of example i; only for dense rows.
    cdef const float* row(self, Py_ssize_t i) noexcept nogil
    # Prefetch example i into the processor's cache.
    cdef void prefetch(self, Py_ssize_t i) noexcept nogil
    # |x_i|^2; one inner product.
    cdef double squared_norm(self, Py_ssize_t i) noexcept nogil
    cdef double square(self, Py_ssize_t i) noexcept nogil
    # out_i += factor y_i x_ij for all i; for sparse rows only after `index_columns`.
    cdef void add_column(self, Py_ssize_t j, double factor, const double* y, double* out) noexcept nogil
    # <u, v> of two vectors of a solver, d values each; one inner product.
    cdef double between(self, const double* u, const double* v) noexcept nogil

    # <x_i, w>, not counted.
    @cython.final
    cdef inline double product(self, Py_ssize_t i, const double* w) noexcept nogil:
        if self.sparse:
            return svmbench_sparse_product(&self.rows, i, w)
        return self.loops.product(self.row(i), w, self.d)

    # <x_i, w>; one inner product.
    @cython.final
    cdef inline double dot(self, Py_ssize_t i, const double* w) noexcept nogil:
        self.ledger.inner_products += 1
        return self.product(i, w)

    # w += factor x_i.
    @cython.final
    cdef inline void add(self, Py_ssize_t i, double factor, double* w) noexcept nogil:
        if self.sparse:
            svmbench_sparse_add(&self.rows, i, factor, w)
        else:
            self.loops.add(self.row(i), factor, w, self.d)

    # The same; returns the change of |w|^2, which is <factor x_i, 2 w + factor x_i>: one inner product.
    @cython.final
    cdef inline double add_measured(self, Py_ssize_t i, double factor, double* w) noexcept nogil:
        self.ledger.inner_products += 1
        if self.sparse:
            return svmbench_sparse_add_measured(&self.rows, i, factor, w)
        return self.loops.add_measured(self.row(i), factor, w, self.d)
