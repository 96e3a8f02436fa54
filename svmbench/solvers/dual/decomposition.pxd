"""C-level interface of the decomposition methods."""

from libc.stdint cimport int64_t

from svmbench.solvers.dual.box cimport BoxDual
from svmbench.solvers.dual.small_qp cimport SmallQP
from svmbench.solvers.dual.refinement cimport Refinement
from svmbench.solvers.run cimport SteppedRun


cdef class DecompositionRun(SteppedRun):
    """Base class of the decomposition methods; see decomposition.pyx."""

    cdef BoxDual dual               # shrunk coefficients are marked as immovable
    cdef double b                   # bias in the optimality conditions; 0 without bias
    cdef Py_ssize_t active          # number of examples that are not shrunk, in ascending order
    cdef int64_t[::1] members
    # The working set.
    cdef Py_ssize_t most            # its largest size, q
    cdef Py_ssize_t limit           # its largest size from now on
    cdef Py_ssize_t fresh           # most members that were not in the previous set
    cdef Py_ssize_t size
    cdef int64_t[::1] batch
    cdef int64_t[::1] before        # the previous set
    cdef int64_t[::1] entered       # iteration at which a member entered the set; -1: not in it
    cdef unsigned char[::1] chosen  # whether an example is in the set being chosen
    cdef Py_ssize_t added           # number of new members
    cdef int64_t[::1] risen         # positions of the highest that can move up, the lowest that can move down
    cdef int64_t[::1] fallen
    cdef double[::1] up_keys        # sort keys of the active examples
    cdef double[::1] down_keys
    cdef double[::1] Q
    cdef double[::1] own
    cdef double[::1] bounds
    cdef double[::1] signs
    cdef double[::1] z
    cdef double[::1] gradient
    cdef readonly Refinement refinement

    # Minimise over the variables of the working set.
    cdef void solve(self, SmallQP* qp) noexcept nogil
    # Recompute the values if rows are too inaccurate for them, at the end of a step.
    cdef int refine(self) except -1 nogil
    cdef double violation_left(self) noexcept nogil
    cdef void activate(self) noexcept nogil
    cdef bint is_free(self, Py_ssize_t i) noexcept nogil
    cdef bint is_shrunk(self, Py_ssize_t i) noexcept nogil
    cdef void update_extrema(self) noexcept nogil
    cdef void choose(self) noexcept nogil
    cdef void choose_pairs(self) noexcept nogil
    cdef void choose_ones(self) noexcept nogil
    cdef bint join(self, const int64_t* examples, Py_ssize_t count) noexcept nogil
    cdef void refill(self, Py_ssize_t count) noexcept nogil
    cdef int64_t rank(self, Py_ssize_t i) noexcept nogil
    cdef void gather(self, SmallQP* qp) noexcept nogil
    cdef void apply(self) noexcept nogil
    cdef void subtract(self, const float* row, double factor) noexcept nogil
