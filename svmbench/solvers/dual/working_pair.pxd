"""C-level interface of the selection of a violating pair."""

from libc.math cimport isfinite


cdef extern from "svmbench/solvers/dual/csrc/working_pair.h" nogil:
    ctypedef struct Extrema "svmbench_extrema":
        double m_up             # largest value that can move up, -inf if none
        double M_low            # smallest value that can move down, +inf if none
        Py_ssize_t i_up         # the first of each: together the maximal violating pair
        Py_ssize_t i_low


# The midpoint of the extrema, or the finite one.
cdef inline double midpoint(const Extrema* extrema) noexcept nogil:
    if not isfinite(extrema.m_up):
        return extrema.M_low
    return 0.5 * (extrema.m_up + extrema.M_low) if isfinite(extrema.M_low) else extrema.m_up


# |Φ(x) - Φ(x')|² of a pair, never 0: pairs without distance get a long step, limited by the box.
cdef inline double curvature(double own, double other, double both) noexcept nogil:
    cdef double result = own + other - 2.0 * both
    return result if result > 0.0 else 1e-12


# values -= step (a - b), for rows a and b of the kernel matrix; no change if a is NULL, one row if b is NULL.
# The same pass finds the extrema: the largest of values + up and the smallest of values + down. Values within
# `tie` of an extremum count as equal to it, and the first of them is taken. If nothing can move in a
# direction, `i_up` or `i_low` is unchanged.
cdef void move_values(
    double* values, const float* a, const float* b, double step, const double* up, const double* down,
    Py_ssize_t n, double tie, Extrema* extrema
) noexcept nogil

# The index of the partner of `i_up` that gains most, to second order.
cdef Py_ssize_t best_partner(
    const double* values, const double* down, const double* diagonal, const float* row, Py_ssize_t n,
    const Extrema* extrema
) noexcept nogil
