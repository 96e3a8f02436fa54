"""C-level interface of the exact line search."""

from libc.stdint cimport int32_t


# The t >= 0 that minimises A t²/2 + B t + C Σ_i max(0, 1 - (1 - t) start_i - t end_i)^power, for A > 0 and a
# power of 1 or 2; items: space for n values, overwritten.
cdef double line_minimum(
    int power, double A, double B, double C, const double* start, const double* end, Py_ssize_t n,
    int32_t* items
) noexcept nogil
