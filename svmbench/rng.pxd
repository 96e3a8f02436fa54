"""C-level interface of the random generator."""

cimport cython
from libc.stdint cimport int64_t, uint32_t, uint64_t


@cython.final
cdef class Generator:
    """One stream of xoshiro256++; see rng.pyx."""

    cdef uint64_t[4] state

    # Stand where another generator stands: the same stream from there.
    cdef void follow(self, Generator other) noexcept nogil
    # The next 64 random bits.
    cdef uint64_t next64(self) noexcept nogil
    # A uniform integer in [0, n), 1 <= n < 2^32.
    cdef uint32_t below(self, uint32_t n) noexcept nogil
    # A uniform double in [0, 1), a multiple of 2^-53.
    cdef double uniform(self) noexcept nogil
    # Put n items into a uniformly random order.
    cdef void shuffle(self, int64_t* items, Py_ssize_t n) noexcept nogil
