"""C-level interface of rows made ahead of need."""

cimport cython
from libc.stdint cimport int64_t

from svmbench.kernels._cache cimport RowCache
from svmbench.kernels._ledger cimport Ledger
from svmbench.kernels.layouts._layout cimport Layout


@cython.final
cdef class Prefetch:
    """Rows made in blocks ahead of need; see _prefetch.pyx."""

    cdef Layout layout
    cdef RowCache cache
    cdef Ledger ledger
    # Most rows of a block that is computed ahead of need; 1: no prefetching.
    cdef readonly Py_ssize_t most
    cdef float[:, ::1] values
    cdef int64_t[::1] planned
    cdef Py_ssize_t n_planned
    cdef Py_ssize_t n_expected
    cdef Py_ssize_t window      # rows of the next block; at most `most`
    cdef Py_ssize_t guessed     # number of prefetched rows in the last block
    cdef Py_ssize_t right       # how many of them have been requested since

    # Begin the plan of a block with row i, which is needed now; False if it is cached or prefetching is off.
    cdef bint begin(self, Py_ssize_t i) noexcept nogil
    # Add a row that will soon be needed; False once the plan is full.
    cdef bint request(self, Py_ssize_t i) noexcept nogil
    # Compute the rows of the plan.
    cdef void make(self) noexcept nogil
    # Record that the row just found in the cache was needed.
    cdef void found(self) noexcept nogil
