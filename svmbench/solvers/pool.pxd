"""C-level interface of drawing without replacement."""

from libc.stdint cimport int64_t

from svmbench.rng cimport Generator


cdef class Pool:
    """Examples in an order from which they are drawn; see pool.pyx."""

    cdef int64_t[::1] order         # first those that are left
    cdef int64_t[:, ::1] swaps      # since the last `remember`
    cdef Py_ssize_t swapped         # how many they are

    # Draw the candidate of that place at random from those left, places before it taken; return it.
    cdef int64_t draw(self, Generator rng, Py_ssize_t place, int64_t left) noexcept nogil
    # Take the candidate of that place out of those left; return it.
    cdef int64_t take(self, Py_ssize_t place, int64_t left) noexcept nogil
    # From here on all draws can be undone, as many as the capacity.
    cdef void remember(self) noexcept nogil
    cdef void undo(self) noexcept nogil
    cdef void swap(self, Py_ssize_t q, Py_ssize_t p) noexcept nogil
