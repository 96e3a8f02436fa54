"""C-level interface of the linear cutting-plane methods."""

from libc.stdint cimport int64_t

from svmbench.solvers.cutting_plane.one_slack cimport OneSlack
from svmbench.solvers.run cimport LinearRun
from svmbench.solvers.stall cimport Record


cdef class CuttingRun(LinearRun):
    """Base of the compiled runs of linear cutting-plane methods; see linear_cuts.pyx."""

    cdef OneSlack cuts
    cdef double lam
    cdef double[::1] w                  # Σ_k a_k g_k, d values
    cdef double[:, ::1] directions      # g_k, one row for each cut
    cdef double[::1] products
    cdef int64_t[::1] kept
    cdef Record dual
    cdef double mean_norm               # of the examples; -1 until it is known

    # c_i = y_i <w, x_i> of the vector for all i; n inner products.
    cdef int respond(self, const double* w, double* c) except -1 nogil
    # Add the cut of the examples with c_i < below; an inner product with each cut, itself included.
    cdef int add_cut(self, const double* c, double below) except -1 nogil
    # Solve the reduced problem, as OneSlack.solve, and make its w.
    cdef void solve(self, double absolute, double relative) noexcept nogil
    # Whether the dual objective, this gap below the primal one, has not risen in many calls in a row.
    cdef bint stands(self, double gap) noexcept nogil
    # Remove the cuts that were idle for so many solutions.
    cdef void drop(self, int64_t limit) noexcept nogil

    cdef int grow(self) except -1
