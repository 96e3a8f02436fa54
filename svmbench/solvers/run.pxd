"""C-level interface of a running solver."""

from libc.stdint cimport int64_t

from svmbench.kernels._linear_data cimport LinearData
from svmbench.kernels._ledger cimport Ledger
from svmbench.kernels._oracle cimport Oracle


# Work between two checks for signals, in multiplications: a fraction of a second. A method whose iterations
# may be long even for few data sets its `work` to this.
cdef enum:
    WORK_BETWEEN_SIGNALS = 4_000_000

# Number of coming visits that a method with a known order checks for the rows that it will need.
cdef enum:
    VISITS_AHEAD = 4096


cdef class CountedRun:
    """Base class of the compiled runs; see run.pyx."""

    cdef Ledger ledger
    cdef int64_t work                   # of one iteration, in multiplications, approximately
    cdef Py_ssize_t n
    cdef double[::1] labels
    cdef const double* y
    cdef float[::1] signs               # the labels in float32
    cdef readonly int64_t iterations
    cdef readonly bint whole            # `advance` was called, and no iteration is incomplete
    cdef readonly bint converged
    cdef public bint pauses             # `advance` returns when stale responses are up to date
    cdef readonly bint caught_up        # stale responses have been brought up to date in `advance`
    cdef readonly bint stalled          # no further progress is possible in floating point
    cdef public double eps              # tolerance of the stopping rule; 0: it has none

    # One iteration, between consistent states; counts itself in the ledger.
    cdef int step(self) except -1 nogil
    # Raise FloatingPointError: the state has overflowed.
    cdef int overflowed(self) except -1 nogil


cdef class SteppedRun(CountedRun):
    """Base class of the compiled runs of kernel methods."""

    cdef Oracle oracle

    # Row i of the kernel matrix; if it must be computed, together with rows requested by `prefetch_hints`.
    cdef const float* row(self, Py_ssize_t i) noexcept nogil
    # Row i for other values than those of a step; charged n evaluations under every convention.
    cdef const float* fetch(self, Py_ssize_t i) noexcept nogil
    # Request from the oracle, in order, the rows that coming iterations will probably need; none by default.
    cdef void prefetch_hints(self) noexcept nogil


cdef class LinearRun(CountedRun):
    """Base class of the compiled runs of linear methods."""

    cdef LinearData examples


# Check for signals within a long iteration, which is cut if its run ends.
cdef int look_for_signals() except -1 nogil

# responses[j] += factor y_j K(x_i, x_j) for all j.
cdef void add_row(SteppedRun run, Py_ssize_t i, double factor, double* responses) noexcept nogil
