"""C-level interface of drawing without replacement."""

from libc.stdint cimport int64_t

from svmbench.rng cimport Generator


cdef class Pool:
    """Examples to draw from; see pool.pyx."""

    cdef int64_t[::1] order         # first the remaining ones
    cdef int64_t[:, ::1] swaps      # since the last `remember`
    cdef Py_ssize_t swapped         # their number

    # Draw candidate number `place` at random from the remaining ones, after the candidates before it; return
    # it.
    cdef int64_t draw(self, Generator rng, Py_ssize_t place, int64_t left) noexcept nogil
    # Remove candidate number `place` from the remaining ones; return it.
    cdef int64_t take(self, Py_ssize_t place, int64_t left) noexcept nogil
    # Make all later draws undoable, as many as the capacity.
    cdef void remember(self) noexcept nogil
    cdef void undo(self) noexcept nogil
    cdef void swap(self, Py_ssize_t q, Py_ssize_t p) noexcept nogil
