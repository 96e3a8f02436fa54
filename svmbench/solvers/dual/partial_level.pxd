"""C-level interface of what the start on subsets and shrinking have in common."""

from libc.stdint cimport int64_t

from svmbench.solvers.dual.nested_sets cimport Nested


cdef class PartialLevel:
    """Rounds over a part of the examples, and values at others in between; see partial_level.pyx."""

    cdef object oracle
    cdef object problem
    cdef Py_ssize_t least           # size of the sets within the set of a level
    cdef Nested whole               # the level over all examples
    cdef readonly Nested level      # over the present part
    # Values in the making: of an expansion, at these examples, of which so many are done.
    cdef object terms
    cdef object at
    cdef Py_ssize_t done
    cdef readonly bint solving      # the dual over the part; else values are in the making
    cdef readonly bint finished

    # One iteration; return the kernel values that it is charged.
    cdef int64_t step(self) except -1 nogil
    cdef int look_up(self, indices, coefficients, at) except -1
    cdef int64_t evaluate(self) except -1

    # What a subclass says: whether the rounds are over, asked after each; what comes then; what becomes of
    # the values at some of the examples asked for; what comes after the last of them.
    cdef bint solved(self) noexcept nogil
    cdef int end_rounds(self) except -1
    cdef int take(self, part, values) except -1
    cdef int end_values(self) except -1
