"""C-level interface of the common code of warm start and shrinking."""

from libc.stdint cimport int64_t

from svmbench.solvers.dual.nested_sets cimport Level


cdef class PartialLevel:
    """Rounds over a part of the examples, alternating with values at others; see partial_level.pyx."""

    cdef object oracle
    cdef object problem
    cdef Py_ssize_t least           # size of the sets within the set of a level
    cdef Level whole                # the level over all examples
    cdef readonly Level level       # over the current part
    # Values being computed: the expansion, the examples, and the number of those done.
    cdef object terms
    cdef object at
    cdef Py_ssize_t done
    cdef readonly bint solving      # the dual over the part is being solved; else values are computed
    cdef readonly bint finished
    cdef readonly bint changed      # the iteration under way has changed something, or none is under way

    # One iteration; return the kernel values charged.
    cdef int64_t step(self) except -1 nogil
    cdef int reconstruct(self, indices, coefficients, at) except -1
    cdef int64_t evaluate(self) except -1

    # Implemented by subclasses: whether the rounds are over, called after each; what follows; processing of
    # the values at some of the requested examples; what follows after the last of them.
    cdef bint solved(self) noexcept nogil
    cdef int end_rounds(self) except -1
    cdef int take(self, part, values) except -1
    cdef int end_values(self) except -1
