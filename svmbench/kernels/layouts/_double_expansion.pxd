"""C-level interface of expansions in double precision over few examples."""

from libc.stdint cimport int64_t

from svmbench.kernels.layouts._layout cimport Layout


cdef class FewSums:
    """Expansions over a few of some examples; see _double_expansion.pyx."""

    cdef Layout stored
    cdef Py_ssize_t d
    cdef const double[:, ::1] rows
    # Points in tiles, their coefficients, and queries: room for all examples.
    cdef double[::1] tiles
    cdef double[::1] weights
    cdef double[::1] queries

    # scores[t] += Σ_k coefficients[k] K(x_points[k], x_at[t]), one point at least.
    cdef void add(self, const int64_t* points, const double* coefficients, Py_ssize_t size, const int64_t* at,
                  Py_ssize_t count, double* scores) noexcept nogil
