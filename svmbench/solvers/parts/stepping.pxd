"""C-level interface of a running solver."""

from libc.stdint cimport int64_t

from svmbench.kernels._examples cimport Examples
from svmbench.kernels._oracle cimport Ledger, Oracle


# How many coming visits a method with a known order looks at for the rows that it will need.
cdef enum:
    VISITS_AHEAD = 4096


cdef class CountedRun:
    """Base of the compiled runs; see stepping.pyx."""

    cdef Ledger ledger
    cdef int64_t work                   # of one iteration, in multiplications, roughly
    cdef Py_ssize_t n
    cdef double[::1] labels
    cdef const double* y
    cdef float[::1] signs               # the labels again
    cdef readonly int64_t iterations
    cdef readonly bint converged

    # One iteration, from a consistent state to a consistent state; counts itself in the ledger.
    cdef int step(self) except -1 nogil
    # Raise FloatingPointError: the state has overflowed.
    cdef int overflowed(self) except -1 nogil


cdef class SteppedRun(CountedRun):
    """Base of the compiled runs of kernel methods."""

    cdef Oracle oracle

    # Row i of the kernel matrix; where it has to be made, with rows that `foresee` expects to need soon.
    cdef const float* row(self, Py_ssize_t i) noexcept nogil
    # Tell the oracle, in order, the rows that the coming iterations will probably ask for; none by default.
    cdef void foresee(self) noexcept nogil


cdef class LinearRun(CountedRun):
    """Base of the compiled runs of linear methods."""

    cdef Examples examples


# responses[j] += factor y_j K(x_i, x_j) for all j.
cdef void add_row(SteppedRun run, Py_ssize_t i, double factor, double* responses) noexcept nogil
