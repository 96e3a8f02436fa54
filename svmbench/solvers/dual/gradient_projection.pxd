"""C-level interface of the gradient projection methods for quadratic programs."""

from libc.stdint cimport int64_t

from svmbench.solvers.dual.small_qp cimport SmallQP


cdef enum Rule:
    GVPM
    DAI_FLETCHER

# Solve to a violation below tol by at most left[0] steps, and put into it how many were not taken; return the
# violation at the end. e: what y'z is to be, if there is a y. scratch: 4 q values.
cdef double solve_projected(
    SmallQP* qp, double e, Rule rule, double tol, int64_t* left, double* scratch
) noexcept nogil
