"""C-level interface of the dual over an expansion set."""

from libc.stdint cimport int64_t

from svmbench.kernels._rows cimport KernelRows
from svmbench.solvers.dual.box cimport BoxDual
from svmbench.solvers.dual.working_pair cimport Extrema

cdef enum:
    NOBODY = -1             # no partner

# Differences up to this are ties: the values of a pair are equal after their step, and rounding must not
# choose between them.
cdef extern from *:
    """
    #define SVMBENCH_TIE 1e-12
    """
    const double TIE "SVMBENCH_TIE"


cdef class ExpansionSet(BoxDual):
    """The dual in which only members can move; see expansion_set.pyx."""

    cdef bint compact               # only members have positions; otherwise all examples do
    cdef KernelRows members         # rows over the positions, if compact
    cdef int64_t[::1] examples      # at the positions
    cdef int64_t[::1] position      # of the members
    cdef double[::1] own            # K(x, x) by position
    cdef double[::1] beta           # α y by position, if compact
    cdef double[::1] everywhere     # y - f of all examples: for the α in `known` if compact, else v
    cdef double[::1] known
    cdef int64_t[::1] changed       # scratch: examples whose α differs from `known`, and the differences
    cdef double[::1] changes
    cdef Py_ssize_t count           # of members
    cdef signed char[::1] inside    # whether an example is a member
    cdef Py_ssize_t n_zeros
    cdef int64_t[::1] zeros         # the members with α = 0, and some that recently had it
    cdef signed char[::1] listed    # whether an example is among them

    # The value of an example outside: maintained, or computed from its row over the members.
    cdef double look(self, Py_ssize_t k) noexcept nogil
    # Add an example with this value to the members; return its position.
    cdef Py_ssize_t enter(self, Py_ssize_t k, double value) noexcept nogil
    # Adopt new `everywhere` and α; the members are the examples with a coefficient.
    cdef void take_over(self) noexcept nogil
    # The extrema of the members; without bias only the worse of the two, the other is 0 and NOBODY.
    cdef Extrema worst(self) noexcept nogil
    # The position of the partner of i_up whose step gains most, to second order.
    cdef Py_ssize_t second_order_partner(self, const Extrema* extrema) noexcept nogil
    # Whether an example outside forms no violating pair with members of these extrema.
    cdef bint settled(self, Py_ssize_t k, double value, const Extrema* extrema) noexcept nogil
    # Make the step of the pair at two positions, one of which may be NOBODY and without a row.
    cdef void improve(
        self, Py_ssize_t p, Py_ssize_t q, const float* row_p, const float* row_q
    ) noexcept nogil
    # Remove the members with α = 0 that satisfy the conditions for the two bounds.
    cdef void remove(self, double high, double low) noexcept nogil
    # Add all examples that violate the conditions by more than eps; write the largest violation, and the
    # range of optimal b if there is none.
    cdef int admit_violators(self, double eps, double* worst, double* bounds) except -1 nogil
    cdef Py_ssize_t first_at(self, const double* shift, double sign, double least) noexcept nogil
    cdef Py_ssize_t earliest(
        self, const double* scores, Py_ssize_t begin, Py_ssize_t count, double least, Py_ssize_t found
    ) noexcept nogil
    cdef int update_everywhere(self) except -1 nogil
    cdef void leave(self, Py_ssize_t s) noexcept nogil
    cdef void note(self, Py_ssize_t p) noexcept nogil
    cdef double rise(self, Py_ssize_t p) noexcept nogil
