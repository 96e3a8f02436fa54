"""C-level interface of the quadratic program in few variables."""

from libc.math cimport fmax, fmin
from libc.stdint cimport int64_t


# min 1/2 z'Qz + h'z over 0 <= z <= bound, and with y'z unchanged if y is not NULL.
cdef struct SmallQP:
    Py_ssize_t q                # variables
    const double* Q             # q x q, by rows, symmetric
    const double* diagonal      # of Q
    const double* y             # q labels of -1 and +1, or NULL
    const double* bound         # of each variable, positive
    double* z                   # feasible; moved to the solution
    double* gradient            # Qz + h; updated


# Solve to a violation below tol in at most `most` steps, none of which increases the objective; return the
# remaining violation.
cdef double solve_small(SmallQP* qp, double tol, int64_t most) noexcept nogil

# Violation of the optimality conditions: with y the largest -y_i g_i that can move up minus the smallest that
# can move down, else the largest projected |g_i|.
cdef double violation_of(const SmallQP* qp) noexcept nogil


# The best step of one variable in a box with gradient g and curvature at z. Without curvature it goes to the
# bound in the direction of descent.
cdef inline double best_step(double z, double g, double curvature, double C) noexcept nogil:
    if curvature <= 0.0:
        return (C if g < 0.0 else 0.0 if g > 0.0 else z) - z
    return fmin(fmax(z - g / curvature, 0.0), C) - z


# Violation of the optimality conditions by one variable in a box.
cdef inline double violation(double z, double g, double C) noexcept nogil:
    return fmax(-g if z < C else 0.0, g if z > 0.0 else 0.0)
