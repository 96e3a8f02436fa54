"""C-level interface of decomposition over the examples that still matter."""

from libc.stdint cimport int64_t

from svmbench.solvers.dual.nested_sets cimport Nested


cdef class Shrunk:
    """The dual over some of the examples, the coefficients of the others fixed; see shrunk_level.pyx."""

    cdef object oracle
    cdef object problem
    cdef Py_ssize_t least           # size of the sets within the set of the level
    cdef Nested whole               # the level over all examples
    cdef readonly Nested level      # over the active ones
    cdef int64_t[::1] members       # these, ascending
    cdef double[::1] before         # their coefficients at the beginning
    cdef double enough              # violation that is solved to
    cdef int64_t most_rounds
    # The values of the others in the making: what is taken from them, at these, of which so many are done.
    cdef object terms
    cdef object others
    cdef Py_ssize_t done
    cdef readonly bint solving      # else the values are in the making
    cdef readonly bint finished

    # Of the active examples.
    cdef double violation(self) noexcept nogil
    # One iteration; return the kernel values that it is charged.
    cdef int64_t step(self) except -1 nogil
    cdef void write_back(self) noexcept nogil
    cdef int begin(self) except -1
    cdef int look_up(self) except -1
    cdef int64_t evaluate(self) except -1
