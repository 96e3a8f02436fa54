"""C-level interface of the oracle for compiled solvers."""

cimport cython
from libc.stdint cimport int64_t

from svmbench.kernels._cache cimport RowCache
from svmbench.kernels._layout cimport Layout


cdef class Ledger:
    """Every published and every real count of one run, in 64 bit."""

    cdef readonly bint kernels
    cdef public int64_t kev_ondemand
    cdef public int64_t kev_rowupdate
    cdef public int64_t kev_iter
    cdef public int64_t kev_computed
    cdef public int64_t inner_products
    cdef public int64_t iterations
    cdef public int64_t kev_setup
    cdef public int64_t kev_observation
    cdef public int64_t kev_prediction
    cdef public int64_t kev_discarded

    # Where a counter is kept, by its position in svmbench.solvers.base.COUNTERS.
    cdef const int64_t* counter(self, int which) noexcept nogil

    # One iteration over n examples: kev_iter += n, iterations += 1.
    @cython.final
    cdef inline void iteration(self, int64_t n) noexcept nogil:
        self.iterations += 1
        self.kev_iter += n

    # A response computed on demand from `nonzeros` coefficients: kev_ondemand += nonzeros.
    cdef void lookup(self, int64_t nonzeros) noexcept nogil
    # A coefficient change of a method whose responses could be had on demand: kev_rowupdate += n.
    cdef void change(self, int64_t n) noexcept nogil
    # A coefficient change of a method that must maintain all responses: n to kev_ondemand and kev_rowupdate.
    cdef void maintained_change(self, int64_t n) noexcept nogil


cdef class Oracle:
    """The only source of kernel values; see _oracle.pyx."""

    cdef readonly Py_ssize_t n
    cdef readonly Py_ssize_t d
    cdef readonly Ledger ledger
    cdef Layout layout
    cdef RowCache cache
    cdef object _diagonal
    # Of an oracle made by `part`: the oracle that it is a part of, and its examples there.
    cdef Oracle whole
    cdef int64_t[::1] examples
    # Rows that are made in one block ahead of need, at most; 1: none are.
    cdef readonly Py_ssize_t ahead
    cdef float[:, ::1] block_values
    cdef int64_t[::1] planned
    cdef Py_ssize_t n_planned
    cdef Py_ssize_t n_expected
    cdef Py_ssize_t window      # rows of the next block; at most `ahead`
    cdef Py_ssize_t guessed     # rows of the last block that were made ahead
    cdef Py_ssize_t right       # rows made ahead that were asked for since

    cdef void count(self, int64_t evaluations) noexcept nogil
    # Begin the plan of a block with row i, needed now; False if it is at hand, or none are made ahead.
    cdef bint plan(self, Py_ssize_t i) noexcept nogil
    # Add a row that will soon be needed; False once no more are of use.
    cdef bint expect(self, Py_ssize_t i) noexcept nogil
    # Make the rows of the plan.
    cdef void make_planned(self) noexcept nogil
    # Row i of the kernel matrix, n values, valid until the next call; from the cache or computed and counted.
    cdef const float* row_pointer(self, Py_ssize_t i) noexcept nogil
    # out[r * stride + c] = K(x_rows[r], x_cols[c]), computed and counted; stride is at least `width` padded
    # to whole tiles.
    cdef int pairs(self, const int64_t* rows, Py_ssize_t count, const int64_t* cols, Py_ssize_t width,
                   float* out, Py_ssize_t stride) except -1
    # Take these examples of the whole oracle instead of the last ones.
    cdef int take(self, const int64_t* examples, Py_ssize_t count) except -1
    # sums[j] += coefficients[r] K(x_indices[r], x_j) for all j, r after r: rows from the cache, or made in
    # blocks and counted.
    cdef int add_rows(self, const int64_t* indices, const double* coefficients, Py_ssize_t count,
                      double* sums) except -1 nogil
