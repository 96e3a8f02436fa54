"""C-level interface of the quadratic program in few variables."""

from libc.math cimport fmax, fmin
from libc.stdint cimport int64_t


# min 1/2 z'Qz + h'z over 0 <= z <= bound, and with y'z as it is at the start where y is not NULL.
cdef struct SmallQP:
    Py_ssize_t q                # variables
    const double* Q             # q x q, by rows, symmetric
    const double* diagonal      # of Q
    const double* y             # q labels of -1 and +1, or NULL
    const double* bound         # of each variable, positive
    double* z                   # feasible; moved to the solution
    double* gradient            # Qz + h; moved along


# Solve to a violation below tol, by at most `most` steps, each to a less or equal objective; return the
# violation that is left.
cdef double solve_small(SmallQP* qp, double tol, int64_t most) noexcept nogil

# By how much the gradient violates the optimality conditions: with y the largest -y_i g_i that can move up
# minus the least that can move down, else the largest projected |g_i|.
cdef double violation_of(const SmallQP* qp) noexcept nogil


# The step that is best for one variable of a box: gradient g and curvature at z. One without curvature goes
# to the bound that the gradient points to.
cdef inline double best_step(double z, double g, double curvature, double C) noexcept nogil:
    if curvature <= 0.0:
        return (C if g < 0.0 else 0.0 if g > 0.0 else z) - z
    return fmin(fmax(z - g / curvature, 0.0), C) - z


# By how much the gradient violates the optimality of one variable of a box.
cdef inline double violation(double z, double g, double C) noexcept nogil:
    return fmax(-g if z < C else 0.0, g if z > 0.0 else 0.0)
