"""C-level interface of shrinking in decomposition."""

from libc.stdint cimport int64_t

from svmbench.solvers.dual.partial_level cimport PartialLevel


cdef class Shrunk(PartialLevel):
    """The dual over some examples, with the coefficients of others fixed; see shrunk_level.pyx."""

    cdef int64_t[::1] members       # the active examples, ascending
    cdef double[::1] before         # their initial coefficients
    cdef double enough              # violation to reach
    cdef int64_t most_rounds

    # Of the active examples.
    cdef double violation(self) noexcept nogil
    cdef int begin(self) except -1
