"""C-level interface of the linear cutting-plane methods."""

from libc.stdint cimport int64_t

from svmbench.solvers.cutting_plane.one_slack cimport OneSlack
from svmbench.solvers.run cimport LinearRun
from svmbench.solvers.stall cimport Record


cdef class CuttingRun(LinearRun):
    """Base class of the compiled runs of linear cutting-plane methods; see linear_cuts.pyx."""

    cdef OneSlack cuts
    cdef double lam
    cdef double[::1] w                  # Σ_k a_k g_k, d values
    cdef double[:, ::1] directions      # g_k, one row per cut
    cdef double[::1] products
    cdef int64_t[::1] kept
    cdef Record dual
    cdef double mean_norm               # of the examples; -1 if unknown

    # c_i = y_i <w, x_i> for all i; n inner products.
    cdef int respond(self, const double* w, double* c) except -1 nogil
    # Add the cut of the examples with c_i < below; an inner product with each cut, including itself.
    cdef int add_cut(self, const double* c, double below) except -1 nogil
    # Solve the reduced problem, as OneSlack.solve, and compute its w.
    cdef void solve(self, double absolute, double relative) noexcept nogil
    # Whether the dual objective, this gap below the primal one, has not risen in many consecutive calls.
    cdef bint stands(self, double gap) noexcept nogil
    # Remove the cuts that were inactive in this many solutions.
    cdef void drop(self, int64_t limit) noexcept nogil

    cdef int grow(self) except -1
