"""C-level interface of a running solver."""

from libc.stdint cimport int64_t

from svmbench.kernels._examples cimport Examples
from svmbench.kernels._oracle cimport Ledger, Oracle


cdef class CountedRun:
    """Base of the compiled runs; see stepping.pyx."""

    cdef Ledger ledger
    cdef int64_t work                   # of one iteration, in multiplications, roughly
    cdef Py_ssize_t n
    cdef double[::1] labels
    cdef const double* y
    cdef readonly int64_t iterations
    cdef readonly bint converged

    # One iteration, from a consistent state to a consistent state; counts itself in the ledger.
    cdef int step(self) except -1 nogil
    # Raise FloatingPointError: the state has overflowed.
    cdef int overflowed(self) except -1 nogil


cdef class SteppedRun(CountedRun):
    """Base of the compiled runs of kernel methods."""

    cdef Oracle oracle


cdef class LinearRun(CountedRun):
    """Base of the compiled runs of linear methods."""

    cdef Examples examples


# responses[j] += factor y_j K(x_i, x_j) for all j.
cdef void add_row(SteppedRun run, Py_ssize_t i, double factor, double* responses) noexcept nogil
