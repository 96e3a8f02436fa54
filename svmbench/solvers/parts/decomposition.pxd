"""C-level interface of the decomposition methods."""

from libc.stdint cimport int64_t

from svmbench.solvers.parts.small_qp cimport SmallQP
from svmbench.solvers.parts.stepping cimport SteppedRun
from svmbench.solvers.parts.violating_pair cimport Ends


cdef class DecompositionRun(SteppedRun):
    """Base of the decomposition methods; see decomposition.pyx."""

    cdef double C
    cdef double eps
    cdef bint with_bias
    cdef double b                   # around which the conditions are checked; 0 without bias
    cdef Ends ends                  # as examples
    cdef double[::1] alpha
    cdef double[::1] v
    cdef double[::1] up             # 0, or -inf where it cannot move up or is put aside
    cdef double[::1] down           # 0, or +inf where it cannot move down or is put aside
    cdef Py_ssize_t active          # examples that are not put aside, in ascending order
    cdef int64_t[::1] members
    # The working set.
    cdef Py_ssize_t most            # its size at most, q
    cdef Py_ssize_t fresh           # at most so many of it that were not in the last one
    cdef Py_ssize_t size
    cdef int64_t[::1] batch
    cdef int64_t[::1] before        # the last one
    cdef int64_t[::1] entered       # iteration at which an example of the set came into it; -1: not in it
    cdef unsigned char[::1] chosen  # whether an example is in the set being chosen
    cdef Py_ssize_t added           # how many of it are new
    cdef int64_t[::1] risen         # the highest that can move up, the lowest that can move down, as places
    cdef int64_t[::1] fallen
    cdef double[::1] up_keys        # of the active examples, what they are found by
    cdef double[::1] down_keys
    cdef double[::1] Q
    cdef double[::1] own
    cdef double[::1] signs
    cdef double[::1] z
    cdef double[::1] gradient

    # Minimise over the variables of the working set.
    cdef void solve(self, SmallQP* qp) noexcept nogil
    cdef void mark(self, Py_ssize_t i) noexcept nogil
    cdef bint is_free(self, Py_ssize_t i) noexcept nogil
    cdef bint is_aside(self, Py_ssize_t i) noexcept nogil
    cdef void look(self) noexcept nogil
    cdef double middle(self) noexcept nogil
    cdef void choose(self) noexcept nogil
    cdef void choose_pairs(self) noexcept nogil
    cdef void choose_ones(self) noexcept nogil
    cdef bint join(self, const int64_t* examples, Py_ssize_t count) noexcept nogil
    cdef void refill(self, Py_ssize_t count) noexcept nogil
    cdef int64_t rank(self, Py_ssize_t i) noexcept nogil
    cdef void gather(self, SmallQP* qp) noexcept nogil
    cdef void apply(self) noexcept nogil
    cdef void subtract(self, const float* row, double factor) noexcept nogil


# Of n keys, the places of the k largest above the floor, in descending order, the first of equals first;
# return how many there are.
cdef Py_ssize_t leading(
    const double* keys, Py_ssize_t n, double floor, Py_ssize_t k, int64_t* places
) noexcept nogil
