"""C-level interface of the merge of two points of an expansion."""


# The coefficient of h u + (1 - h) v for share Φ(u) + (1 - share) Φ(v), kappa = K(u, v).
cdef double merged_coefficient(double share, double kappa, double h) noexcept nogil
# The squared loss of that.
cdef double merge_loss(double share, double kappa, double h) noexcept nogil
# The best h, by golden section search.
cdef double golden_section(double share, double kappa, double width) noexcept nogil


cdef class MergeTable:
    """The best h and its loss, looked up; see merging.pyx."""

    cdef readonly Py_ssize_t size
    cdef double[:, ::1] positions
    cdef double[:, ::1] losses

    # The best h, interpolated.
    cdef double position(self, double share, double kappa) noexcept nogil
    # The squared loss at the best h, interpolated.
    cdef double loss(self, double share, double kappa) noexcept nogil
