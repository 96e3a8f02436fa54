"""C-level interface of the average of a run's iterates."""

from libc.stdint cimport int64_t

from svmbench.solvers.run cimport SteppedRun


cdef class IterateAverage:
    """Average of the iterates of an expansion over the examples; see iterate_average.pyx."""

    cdef readonly bint on
    cdef bint suffix
    cdef Py_ssize_t n
    cdef int64_t count                  # iterates so far
    cdef double weight                  # sum of their weights
    cdef int64_t[2] marks               # the last two powers of two, the earlier one first
    cdef double[::1] a_late             # sums over the changes, times the weight before each
    cdef double[::1] c_late
    cdef double[:, ::1] a_before        # weighted sums of the iterates up to each mark
    cdef double[:, ::1] c_before

    # Record that coefficient i changes by `change` and the responses by y_i `change` times row i.
    cdef void change(self, SteppedRun run, Py_ssize_t i, double change) noexcept nogil
    # Add the iterate at the end of the iteration, with its weight.
    cdef void take(self, const double* a, const double* c, double weight) noexcept nogil
    # Store the sums up to here, a power of two, and drop those up to the last but one.
    cdef void mark(self, const double* a, const double* c) noexcept nogil
