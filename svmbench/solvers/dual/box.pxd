"""C-level interface of the dual in its box."""

from libc.stdint cimport int64_t

from svmbench.kernels._oracle cimport Oracle
from svmbench.solvers.dual.working_pair cimport Extrema


cdef class BoxDual:
    """A point of the dual, its values and which ways it can move; see box.pyx."""

    cdef Oracle oracle
    cdef Py_ssize_t n
    cdef bint balanced              # Σ α y stays 0: there is a bias
    # Of all examples.
    cdef double[::1] y
    cdef double[::1] diagonal       # K(x, x)
    cdef double[::1] bound          # of α from above
    cdef double[::1] alpha
    # By position, which is the example but in `ActiveDual`.
    cdef double[::1] v
    cdef double[::1] up             # 0, or -inf where α y cannot grow
    cdef double[::1] down           # 0, or +inf where it cannot fall
    cdef Py_ssize_t n_active        # positions in use
    cdef Extrema extrema

    # How far the signed coefficient of example i can go: up for a direction of 1, down for -1.
    cdef double slack(self, Py_ssize_t i, double direction) noexcept nogil
    # Note which ways example i, at position p, can move.
    cdef void mark(self, Py_ssize_t p, Py_ssize_t i) noexcept nogil
    # Mark all, where positions are examples, and find the extrema.
    cdef void mark_all(self) noexcept nogil
    # Move the signed coefficient of example i by delta, onto its bound if that is as far as it can go.
    cdef void change(self, Py_ssize_t p, Py_ssize_t i, double delta) noexcept nogil
    # Values -= delta (row_i - row_j), rows by position; not if row_i is NULL. Find the extrema.
    cdef void move(self, const float* row_i, const float* row_j, double delta) noexcept nogil
    cdef void find_extrema(self) noexcept nogil
    # By how much the optimality conditions are violated: m_up - M_low, or the larger of m_up and -M_low.
    cdef double violation(self) noexcept nogil
    # The mean value of the free ones of some positions (all in use if NULL), or between the extrema.
    cdef double mean_free(self, const int64_t* positions, Py_ssize_t count) noexcept nogil


# A step of two coefficients.
cdef struct Pair:
    int64_t i                       # example whose signed coefficient grows
    int64_t j                       # and the one whose falls
    const float* row_i              # their rows, over all examples
    const float* row_j


cdef class ActiveDual(BoxDual):
    """The dual of which some coefficients are fixed: only the others have positions."""

    cdef int64_t[::1] active        # the example at each position, ascending
    cdef double[::1] own            # its K(x, x)
    cdef float[::1] row_i
    cdef float[::1] row_j

    # Give every example a position; their values are known.
    cdef void activate_all(self) noexcept nogil
    # Give an example the next position.
    cdef void activate(self, Py_ssize_t i, double value) noexcept nogil
    # Fix the coefficients that their value pushes against their bound.
    cdef void shrink(self) noexcept nogil
    # The values of a row that belong to the positions.
    cdef const float* packed(self, const float* row, float[::1] buffer) noexcept nogil
    # Make the step of the maximal violating pair, or of the one chosen to second order; move all values.
    cdef Pair improve_pair(self, bint second_order) noexcept nogil
