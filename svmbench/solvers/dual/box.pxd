"""C-level interface of the dual in its box."""

from libc.stdint cimport int64_t

from svmbench.kernels._oracle cimport Oracle
from svmbench.solvers.dual.working_pair cimport Extrema


cdef class BoxDual:
    """A point of the dual, its values, and the feasible directions of coefficients; see box.pyx."""

    cdef Oracle oracle
    cdef Py_ssize_t n
    cdef bint balanced              # Σ α y stays 0: there is a bias
    # Of all examples.
    cdef double[::1] y
    cdef double[::1] diagonal       # K(x, x)
    cdef double[::1] bound          # upper bounds of α
    cdef double[::1] alpha
    # By position, which is the example except in `ActiveDual`.
    cdef double[::1] v
    cdef double[::1] up             # 0, or -inf where α y cannot increase
    cdef double[::1] down           # 0, or +inf where it cannot decrease
    cdef Py_ssize_t n_active        # positions in use
    cdef Extrema extrema

    # Distance of the signed coefficient of example i to its bound, upwards for a direction of 1, else down.
    cdef double slack(self, Py_ssize_t i, double direction) noexcept nogil
    # Update the feasible directions of example i, at position p.
    cdef void mark(self, Py_ssize_t p, Py_ssize_t i) noexcept nogil
    # Mark all, where positions are examples, and find the extrema.
    cdef void mark_all(self) noexcept nogil
    # Change the signed coefficient of example i by delta, exactly onto its bound if it gets there.
    cdef void change(self, Py_ssize_t p, Py_ssize_t i, double delta) noexcept nogil
    # Values -= delta (row_i - row_j), rows by position; not if row_i is NULL. Find the extrema.
    cdef void move(self, const float* row_i, const float* row_j, double delta) noexcept nogil
    cdef void find_extrema(self) noexcept nogil
    # Violation of the optimality conditions: m_up - M_low, or without bias the larger of m_up and -M_low.
    cdef double violation(self) noexcept nogil
    # The mean value of free coefficients at some positions (all in use if NULL), or between the extrema.
    cdef double mean_free(self, const int64_t* positions, Py_ssize_t count) noexcept nogil


# A step of two coefficients.
cdef struct Pair:
    int64_t i                       # example whose signed coefficient increases
    int64_t j                       # and whose decreases
    const float* row_i              # their rows, over all examples
    const float* row_j
    Py_ssize_t p                    # their positions
    Py_ssize_t q


cdef class ActiveDual(BoxDual):
    """The dual with some coefficients fixed: only the others have positions."""

    cdef int64_t[::1] active        # the example at each position, ascending
    cdef double[::1] own            # its K(x, x)
    cdef float[::1] row_i
    cdef float[::1] row_j

    # Give every example a position; their values are known.
    cdef void activate_all(self) noexcept nogil
    # Give an example the next position.
    cdef void activate(self, Py_ssize_t i, double value) noexcept nogil
    # Fix the coefficients at a bound whose value pushes them against it.
    cdef void shrink(self) noexcept nogil
    # The values of a row at the positions.
    cdef const float* packed(self, const float* row, float[::1] buffer) noexcept nogil
    # The maximal violating pair, or the second-order pair.
    cdef Pair choose_pair(self, bint second_order) noexcept nogil
    # Make the step of the maximal violating pair, or of the second-order pair; update all values.
    cdef Pair improve_pair(self, bint second_order) noexcept nogil
