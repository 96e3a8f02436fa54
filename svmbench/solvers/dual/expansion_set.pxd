"""C-level interface of the dual over an expansion set."""

from libc.stdint cimport int64_t

from svmbench.solvers.dual.box cimport BoxDual
from svmbench.solvers.dual.working_pair cimport Extrema

cdef enum:
    NOBODY = -1             # the partner there is not

# Values and scores nearer than this are equal: those of a pair are so after their step, and rounding shall
# not choose between them.
cdef extern from *:
    """
    #define SVMBENCH_TIE 1e-12
    """
    const double TIE "SVMBENCH_TIE"


cdef class ExpansionSet(BoxDual):
    """The dual of which only members can move; see expansion_set.pyx."""

    cdef Py_ssize_t count           # of members
    cdef signed char[::1] inside    # whether an example is a member
    cdef Py_ssize_t n_zeros
    cdef int64_t[::1] zeros         # the members with α = 0, and some that had it a moment ago
    cdef signed char[::1] listed    # whether an example is among them

    cdef void enter(self, Py_ssize_t k) noexcept nogil
    # Mark all members again after their coefficients have been replaced; who has one is a member.
    cdef void mark_members(self) noexcept nogil
    # The extrema of the members; without bias the worse of the two, the other one 0 and of nobody.
    cdef Extrema worst(self) noexcept nogil
    # Where the partner of i_up stands whose step gains most, to second order.
    cdef Py_ssize_t second_order_partner(self, const Extrema* extrema) noexcept nogil
    # Whether an example outside makes no violating pair with members of these extrema.
    cdef bint settled(self, Py_ssize_t k, const Extrema* extrema) noexcept nogil
    # Make the step of a pair, of which one may be NOBODY and without a row.
    cdef void improve(
        self, Py_ssize_t i, Py_ssize_t j, const float* row_i, const float* row_j
    ) noexcept nogil
    # Remove the members with α = 0 that lie on the right side of the two bounds.
    cdef void remove(self, double high, double low) noexcept nogil
    # Let all examples enter that violate the conditions by more than eps; return the largest violation.
    cdef double admit_violators(self, double eps) noexcept nogil
    cdef void note(self, Py_ssize_t i) noexcept nogil
    cdef double rise(self, Py_ssize_t i) noexcept nogil
