"""C-level interface of the gaps of few examples."""

from libc.stdint cimport int64_t

from svmbench.kernels.layouts._double_expansion cimport FewSums


cdef class FewGaps:
    """Gaps of problems over few examples, or over parts of them; see few_gaps.pyx."""

    cdef FewSums sums               # None if there is a matrix
    cdef const double[:, ::1] matrix
    cdef int64_t[::1] members       # rows of the matrix, or the examples, of the oracle's examples
    cdef double most                # error of a kernel value
    cdef int64_t[::1] points        # examples with coefficients, and those evaluated
    cdef int64_t[::1] at
    cdef int64_t[::1] near          # places of the latter
    cdef double[::1] weights
    cdef double[::1] scores
    cdef double[::1] losses

    # The gap of `certified` for n examples. Sets the responses, b and the share; `known` may be NULL.
    cdef double gap(self, const int64_t* rows, const double* y, const double* alpha, double* r,
                    const double* bounds, Py_ssize_t n, bint balanced, const double* known, double* b,
                    double* share) noexcept nogil

    cdef double bound(self, const int64_t* rows, const double* y, const double* alpha, double* r,
                      const double* bounds, Py_ssize_t n, double moved, bint balanced,
                      double* bias) noexcept nogil
    cdef Py_ssize_t take_all(self, Py_ssize_t n, double* doubt) noexcept nogil
    cdef bint renew(self, const int64_t* rows, const double* y, double* r, Py_ssize_t size, Py_ssize_t count,
                    double off) noexcept nogil
    cdef void read(self, Py_ssize_t size, Py_ssize_t count) noexcept nogil
