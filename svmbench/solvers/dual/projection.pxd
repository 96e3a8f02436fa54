"""C-level interface of the projection onto a box cut by a hyperplane."""


# z = the point of 0 <= z <= bound, y'z = e nearest to x; from and to an estimate of its multiplier.
cdef double project(
    const double* x, const double* y, double e, const double* bound, Py_ssize_t q, double guess, double* z
) noexcept nogil
