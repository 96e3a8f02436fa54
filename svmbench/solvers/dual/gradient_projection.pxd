"""C-level interface of the gradient projection methods for quadratic programs."""

from libc.stdint cimport int64_t

from svmbench.solvers.dual.small_qp cimport SmallQP


cdef enum Rule:
    GVPM
    DAI_FLETCHER

# Solve to a violation below tol in at most left[0] steps, and subtract those made from it; return the final
# violation. e: value of y'z, if there is a y. scratch: 4 q values.
cdef double solve_projected(
    SmallQP* qp, double e, Rule rule, double tol, int64_t* left, double* scratch
) noexcept nogil
