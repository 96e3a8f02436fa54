"""C-level interface of the selection of a violating pair."""


cdef struct Ends:
    double high             # largest value that can move up, -inf if none
    double low              # least value that can move down, +inf if none
    Py_ssize_t highest      # where the first of them stands
    Py_ssize_t lowest


# |Φ(x) - Φ(x')|² of a pair, never 0: pairs without distance get a long step, which the box ends.
cdef inline double curvature(double own, double other, double both) noexcept nogil:
    cdef double result = own + other - 2.0 * both
    return result if result > 0.0 else 1e-12


# values -= step (a - b), for rows a and b of the kernel matrix; none if a is NULL. In the same pass find the
# ends: the largest of values + up and the least of values + down.
cdef void move_values(
    double* values, const float* a, const float* b, double step, const double* up, const double* down,
    Py_ssize_t n, Ends* ends
) noexcept nogil

# The same for one row too, if b is NULL; values within `tie` of an end count as equal to it, and the first of
# them is taken. Where nothing can move that way `highest` or `lowest` stays as it was.
cdef void move_values_with_ties(
    double* values, const float* a, const float* b, double step, const double* up, const double* down,
    Py_ssize_t n, double tie, Ends* ends
) noexcept nogil

# Where the partner of `highest` stands that gains most, to second order.
cdef Py_ssize_t best_partner(
    const double* values, const double* down, const double* diagonal, const float* row, Py_ssize_t n,
    const Ends* ends
) noexcept nogil
