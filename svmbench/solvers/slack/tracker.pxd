"""C-level interface of the responses whose water level is tracked."""

from libc.stdint cimport int64_t

from svmbench.kernels._oracle cimport Oracle
from svmbench.rng cimport Generator
from svmbench.simd.passes cimport Band
from svmbench.solvers.slack.water_level cimport Water
from svmbench.solvers.slack.water_level_bias cimport Basins


cdef class LevelTracker:
    """Responses and their water level; see tracker.pyx."""

    cdef Py_ssize_t n
    cdef double volume
    cdef double[::1] c
    cdef double[::1] c_sum          # over all iterates, except the last one if it is behind
    cdef bint behind
    cdef float[::1] signs
    cdef Water water
    cdef Band band                  # of c, where the next level is expected
    cdef double[:, ::1] band_values

    # Compute the level and draw one of the responses below it, or of the ties of the smallest one.
    cdef Py_ssize_t draw(self, Generator rng) noexcept nogil
    # c = scale (c + step signs row), and update the expected level.
    cdef void move(self, int threads, const float* row, double step, double scale) noexcept nogil
    # Request the rows of the examples that the next draws will probably give.
    cdef void request_likely(self, Generator ahead, Oracle oracle) noexcept nogil

    cdef int make_band(self, int classes) except -1
    cdef void expect(self, const float* row, double step, double scale) noexcept nogil
    cdef Py_ssize_t draw_between(
        self, Generator rng, const int64_t* members, Py_ssize_t n, double floor, double ceiling,
        Py_ssize_t size
    ) noexcept nogil


cdef class BiasedTracker(LevelTracker):
    """Responses with an unregularised bias: the level of two basins."""

    cdef int64_t[::1] everyone      # the positives, then the negatives
    cdef Py_ssize_t[2] sizes        # their numbers
    cdef Basins basins
    cdef int64_t[:, ::1] owners     # of the responses of the band
