"""C-level interface of gap-safe screening."""

from libc.stdint cimport int64_t

from svmbench.kernels._linear_data cimport LinearData


# The contribution of an example to the duality gap, in the C-form; margin = 1 - y <w, x>.
cdef inline double gap_of(double alpha, double margin, double U, double D) noexcept nogil:
    if D == 0.0:
        return U * max(margin, 0.0) - alpha * margin
    return 0.5 / D * max(margin, 0.0) ** 2 - alpha * margin + 0.5 * D * alpha * alpha


cdef class Screening:
    """Which coefficients of a linear problem have a proved value; see gap_safe.pyx."""

    cdef LinearData examples
    cdef Py_ssize_t n
    cdef double[::1] y
    cdef double[:] alpha            # the solver's own
    cdef double U
    cdef double D
    cdef double[::1] norms          # upper bounds of |x_i|
    cdef double[::1] margins        # 1 - m_i by position, of the last check
    cdef double error               # what responses were off by at most then, over |x_i|
    cdef double[::1] fixed          # Σ α_i y_i x_i of the removed examples
    cdef double[::1] part
    cdef double fixed_size          # their Σ α_i |x_i|
    cdef int64_t fixed_blocks       # partial sums that it was added up of

    # Compute w anew, set and remove the coefficients whose value the gap proves, among the first `count`
    # items, moving them behind the others, and return how many are left. Every item is one inner product.
    cdef Py_ssize_t screen(self, int64_t[::1] items, Py_ssize_t count, double[::1] w) noexcept nogil
    cdef double add_up(self, const int64_t* items, Py_ssize_t count, double[::1] w) noexcept nogil
    cdef double gap(self, const int64_t[::1] items, Py_ssize_t count, double[::1] w) noexcept nogil
    cdef void find_error(self, const double[::1] w, double size) noexcept nogil
    cdef double slip(self, int64_t i, double margin) noexcept nogil
    cdef double gap_above(self, double alpha, double margin, double slip) noexcept nogil
