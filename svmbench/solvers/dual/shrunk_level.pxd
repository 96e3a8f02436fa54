"""C-level interface of decomposition over the examples that still matter."""

from libc.stdint cimport int64_t

from svmbench.solvers.dual.partial_level cimport PartialLevel


cdef class Shrunk(PartialLevel):
    """The dual over some of the examples, the coefficients of the others fixed; see shrunk_level.pyx."""

    cdef int64_t[::1] members       # the active examples, ascending
    cdef double[::1] before         # their coefficients at the beginning
    cdef double enough              # violation that is solved to
    cdef int64_t most_rounds

    # Of the active examples.
    cdef double violation(self) noexcept nogil
    cdef int begin(self) except -1
