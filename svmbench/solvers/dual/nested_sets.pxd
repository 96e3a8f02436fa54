"""C-level interface of decomposition by sets within sets."""

from libc.stdint cimport int64_t

from svmbench.solvers.dual.box cimport BoxDual
from svmbench.solvers.dual.working_set cimport Top, working_set


cdef class Level(BoxDual):
    """The dual over some examples, and the working set to solve next; see nested_sets.pyx."""

    cdef int64_t[::1] place             # in the set, or OUTSIDE
    cdef bint untouched                 # all coefficients are still 0
    cdef int64_t rounds
    # Of the set, by place.
    cdef Py_ssize_t most                # capacity
    cdef Py_ssize_t size                # number of members
    cdef int64_t[::1] members
    cdef int64_t[::1] since             # round of entering
    cdef Py_ssize_t coming              # number of entering variables in this round
    # Scratch: the entering variables and their places; the changed coefficients; two heaps.
    cdef int64_t[::1] entering
    cdef int64_t[::1] places
    cdef int64_t[::1] changed
    cdef double[::1] changes
    cdef double[:, ::1] keys
    cdef int64_t[:, ::1] owners

    # Change the coefficients of one set; return the kernel values charged.
    cdef int64_t round(self) except -1 nogil
    cdef Top top(self, Py_ssize_t which, Py_ssize_t capacity) noexcept nogil
    cdef Py_ssize_t choose(self) noexcept nogil
    cdef void mark_worst(self, Py_ssize_t each) noexcept nogil
    cdef void mark_spread(self, Py_ssize_t each, double label) noexcept nogil
    cdef void make_room(self, Py_ssize_t coming) noexcept nogil
    # Insert the entering variables at their places; then solve the dual in the set. Both return what is
    # charged.
    cdef int64_t take_in(self, Py_ssize_t coming) except -1 nogil
    cdef int64_t solve(self) except -1 nogil
    # Adopt a member's signed coefficient after `count` that have changed; return how many have changed now.
    cdef Py_ssize_t accept(self, Py_ssize_t s, double beta, Py_ssize_t count) noexcept nogil
    cdef int64_t apply(self, Py_ssize_t count) except -1 nogil


cdef class Flat(Level):
    """A level whose set is small enough for its kernel matrix."""

    cdef Py_ssize_t stride              # of a row of the matrix
    cdef float[::1] matrix
    cdef float[::1] rows                # of the entering variables
    cdef double[:, ::1] vectors         # what `working_set` works on
    cdef working_set inner

    # Start again with the members of another level's set as all examples.
    cdef int load(self, Level outer) except -1
    cdef double origin(self) noexcept nogil


cdef class Nested(Level):
    """A level whose set is solved by nested sets."""

    cdef Flat inner
