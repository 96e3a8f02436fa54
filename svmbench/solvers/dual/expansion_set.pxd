"""C-level interface of the dual over an expansion set."""

from libc.stdint cimport int64_t

from svmbench.kernels._rows cimport KernelRows
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

    cdef bint compact               # only members have positions; else every example, its own
    cdef KernelRows members         # rows over the positions, where it is compact
    cdef int64_t[::1] examples      # at the positions
    cdef int64_t[::1] position      # of the members
    cdef double[::1] own            # K(x, x) by position
    cdef double[::1] beta           # α y by position, where it is compact
    cdef double[::1] everywhere     # y - f of all examples: of the α in `known` where it is compact, else v
    cdef double[::1] known
    cdef int64_t[::1] changed       # scratch: examples whose α is not the known one, and by how much
    cdef double[::1] changes
    cdef Py_ssize_t count           # of members
    cdef signed char[::1] inside    # whether an example is a member
    cdef Py_ssize_t n_zeros
    cdef int64_t[::1] zeros         # the members with α = 0, and some that had it a moment ago
    cdef signed char[::1] listed    # whether an example is among them

    # The value of an example outside: maintained, or made of its row over the members.
    cdef double look(self, Py_ssize_t k) noexcept nogil
    # Make an example of this value a member; return its position.
    cdef Py_ssize_t enter(self, Py_ssize_t k, double value) noexcept nogil
    # Take over `everywhere` and α, which have been replaced; who has a coefficient is a member.
    cdef void take_over(self) noexcept nogil
    # The extrema of the members; without bias the worse of the two, the other one 0 and of nobody.
    cdef Extrema worst(self) noexcept nogil
    # Where the partner of i_up stands whose step gains most, to second order.
    cdef Py_ssize_t second_order_partner(self, const Extrema* extrema) noexcept nogil
    # Whether an example outside makes no violating pair with members of these extrema.
    cdef bint settled(self, Py_ssize_t k, double value, const Extrema* extrema) noexcept nogil
    # Make the step of the pair at two positions, of which one may be NOBODY and without a row.
    cdef void improve(
        self, Py_ssize_t p, Py_ssize_t q, const float* row_p, const float* row_q
    ) noexcept nogil
    # Remove the members with α = 0 that lie on the right side of the two bounds.
    cdef void remove(self, double high, double low) noexcept nogil
    # Let all examples enter that violate the conditions by more than eps; write the largest violation, and
    # between which bounds b is optimal if there is none.
    cdef int admit_violators(self, double eps, double* worst, double* bounds) except -1 nogil
    cdef Py_ssize_t first_at(self, const double* shift, double sign, double least) noexcept nogil
    cdef Py_ssize_t earliest(
        self, const double* scores, Py_ssize_t begin, Py_ssize_t count, double least, Py_ssize_t found
    ) noexcept nogil
    cdef int update_everywhere(self) except -1 nogil
    cdef void leave(self, Py_ssize_t s) noexcept nogil
    cdef void note(self, Py_ssize_t p) noexcept nogil
    cdef double rise(self, Py_ssize_t p) noexcept nogil
