"""C-level interface of the row cache."""

from libc.stdint cimport int64_t, uint8_t


cdef class RowCache:
    """Least-recently-used kernel rows within a byte budget; see _cache.pyx."""

    cdef readonly Py_ssize_t slots
    cdef Py_ssize_t stride
    cdef float *memory
    cdef int64_t[::1] slot_of_row
    cdef int64_t[::1] row_of_slot
    cdef int64_t[::1] newer
    cdef int64_t[::1] older
    cdef uint8_t[::1] early             # per slot: 1 from its prefetch until it is requested
    cdef Py_ssize_t used
    cdef int64_t newest
    cdef int64_t oldest

    # The row's values, which become the most recently used ones, or NULL.
    cdef float *find(self, Py_ssize_t row) noexcept nogil
    # Memory for the row's values; if all is used, that of the least recently used row.
    cdef float *insert(self, Py_ssize_t row) noexcept nogil
    # Whether a row is cached. Asking does not count as a use.
    cdef bint holds_row(self, Py_ssize_t row) noexcept nogil
    # The row's values, or NULL. Asking does not count as a use.
    cdef const float *seen(self, Py_ssize_t row) noexcept nogil
    # Drop all rows.
    cdef void clear(self) noexcept nogil
    cdef void unlink(self, int64_t slot) noexcept nogil
    cdef void push(self, int64_t slot) noexcept nogil
