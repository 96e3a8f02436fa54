"""C-level interface of the quadratic program over cutting planes."""

from libc.stdint cimport int64_t


# A transfer of a part of a coefficient between two cuts; -1: the empty cut.
cdef struct Step:
    Py_ssize_t up
    Py_ssize_t down
    double length


cdef class OneSlack:
    """Cuts, their coefficients and their inner products; see one_slack.pyx."""

    cdef readonly Py_ssize_t count
    cdef readonly double primal         # of the last solution
    cdef readonly double dual
    cdef readonly double slack
    cdef double bound
    cdef double spare                   # difference between the bound and the sum of the coefficients
    # The first count entries of each are in use; rows and columns of gram may be overwritten before `solve`.
    cdef double[:, ::1] gram
    cdef double[::1] offset
    cdef double[::1] alpha
    cdef double[::1] height
    cdef int64_t[::1] idle

    # Add a cut; products: its inner products with the cuts so far and, last, with itself, count + 1 values.
    cdef int add(self, double offset, const double* products) except -1 nogil
    # Change the coefficients until primal - dual <= max(absolute, relative primal), or rounding prevents it.
    cdef void solve(self, double absolute, double relative) noexcept nogil
    # Remove the cuts that were inactive in `limit` solutions. kept: space for count values, receives the old
    # indices of the remaining cuts, ascending. Returns their number.
    cdef Py_ssize_t drop(self, int64_t limit, int64_t* kept) noexcept nogil

    cdef int grow(self) except -1
    cdef double refresh(self) noexcept nogil
    cdef bint choose(self, double absolute, double relative, double noise, Step* step) noexcept nogil
    cdef void move(self, Step chosen) noexcept nogil
