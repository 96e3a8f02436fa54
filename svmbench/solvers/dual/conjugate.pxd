"""C-level interface of steps along conjugate directions of the dual."""

from libc.stdint cimport int64_t

from svmbench.solvers.dual.box cimport ActiveDual, Pair


cdef class ConjugateDirection:
    """The direction of the last step and its kernel combination; see conjugate.pyx."""

    cdef ActiveDual dual
    cdef double[::1] direction      # of the signed coefficients; 0 but for the listed examples
    cdef double[::1] combined       # K times it
    cdef int64_t[::1] listed        # examples that it moves, in order of arrival
    cdef signed char[::1] is_listed
    cdef Py_ssize_t count           # of them; 0: there is no direction
    cdef double bend                # <direction, K direction>

    # Make the step of the chosen pair, along a direction conjugate to the last one where that gains more.
    cdef Pair improve(self, bint second_order) noexcept nogil
    # Forget the direction.
    cdef void restart(self) noexcept nogil
    cdef void add(self, Py_ssize_t i, double step) noexcept nogil
    cdef double reach(
        self, double slope, double bend, double share, Py_ssize_t i, Py_ssize_t j, int64_t* blocking
    ) noexcept nogil
    # How far the coefficients can go along share times the direction plus e_i - e_j, and which stops it.
    cdef double room(self, double share, Py_ssize_t i, Py_ssize_t j, int64_t* blocking) noexcept nogil
    cdef void move(
        self, const float* row_i, const float* row_j, double share, double delta, int64_t blocking
    ) noexcept nogil
