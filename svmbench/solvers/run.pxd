"""C-level interface of a running solver."""

from libc.stdint cimport int64_t

from svmbench.kernels._linear_data cimport LinearData
from svmbench.kernels._ledger cimport Ledger
from svmbench.kernels._oracle cimport Oracle


# Work between two looks for signals, in multiplications: a fraction of a second. A method whose iterations
# can be long, however few the data, sets its `work` to this.
cdef enum:
    WORK_BETWEEN_SIGNALS = 4_000_000

# How many coming visits a method with a known order looks at for the rows that it will need.
cdef enum:
    VISITS_AHEAD = 4096


cdef class CountedRun:
    """Base of the compiled runs; see run.pyx."""

    cdef Ledger ledger
    cdef int64_t work                   # of one iteration, in multiplications, roughly
    cdef Py_ssize_t n
    cdef double[::1] labels
    cdef const double* y
    cdef float[::1] signs               # the labels again
    cdef readonly int64_t iterations
    cdef readonly bint whole            # `advance` was called, and no iteration is begun and not ended
    cdef readonly bint converged
    cdef public bint pauses             # `advance` returns where the responses have caught up
    cdef readonly bint caught_up        # since `advance` was called they were behind, and now are not
    cdef readonly bint stalled          # the method gains nothing any more in its arithmetic

    # One iteration, from a consistent state to a consistent state; counts itself in the ledger.
    cdef int step(self) except -1 nogil
    # Raise FloatingPointError: the state has overflowed.
    cdef int overflowed(self) except -1 nogil


cdef class SteppedRun(CountedRun):
    """Base of the compiled runs of kernel methods."""

    cdef Oracle oracle

    # Row i of the kernel matrix; where it has to be made, with rows that `prefetch_hints` asks for.
    cdef const float* row(self, Py_ssize_t i) noexcept nogil
    # Tell the oracle, in order, the rows that the coming iterations will probably ask for; none by default.
    cdef void prefetch_hints(self) noexcept nogil


cdef class LinearRun(CountedRun):
    """Base of the compiled runs of linear methods."""

    cdef LinearData examples


# Look for signals within a long iteration: it is given up if its run is, and goes on otherwise.
cdef int look_for_signals() except -1 nogil

# responses[j] += factor y_j K(x_i, x_j) for all j.
cdef void add_row(SteppedRun run, Py_ssize_t i, double factor, double* responses) noexcept nogil
