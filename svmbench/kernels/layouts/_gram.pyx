"""The layout of examples that are known only by their kernel matrix."""

import numpy as np

from libc.stdint cimport int64_t

from svmbench.kernels.layouts._layout cimport TILE, Layout


cdef class GramLayout(Layout):
    """Examples given by their kernel matrix in float64; rows are the values rounded to float32.

    Sums of rows are computed from the matrix itself. The rest of the package sees a linear kernel with the
    diagonal of the matrix.

    Parameters
    ----------
    X : ndarray of float64, shape (m, m), C-contiguous
        Symmetric kernel matrix; it is not copied.
    kernel : dict
        The linear kernel.
    threads : int, default 1
        Not used.
    members : ndarray of int64, shape (n,), optional
        Rows of the matrix that belong to the examples. Default: all.
    """

    name = "gram"
    exact_price = 1.0
    cdef const double[:, ::1] matrix
    cdef const int64_t[::1] members

    def __cinit__(self, X, kernel, threads=1, members=None):
        self.matrix = X
        self.members = np.arange(len(X), dtype=np.int64) if members is None else members
        self.n = self.members.shape[0]
        self.stride = (self.n + TILE - 1) // TILE * TILE

    cdef void rows(self, const int64_t *indices, Py_ssize_t count, float *out) noexcept nogil:
        cdef const double *row = NULL
        cdef Py_ssize_t r = 0, j = 0
        for r in range(count):
            row = &self.matrix[self.members[indices[r]], 0]
            for j in range(self.n):
                out[r * self.stride + j] = <float>row[self.members[j]]
            for j in range(self.n, self.stride):
                out[r * self.stride + j] = 0.0

    cdef bint can_cross(self) noexcept nogil:
        return True

    cdef void cross(self, Layout other, int64_t i, char *query, float *out) noexcept nogil:
        cdef const double *row = &self.matrix[(<GramLayout>other).members[i], 0]
        cdef Py_ssize_t j = 0
        for j in range(self.n):
            out[j] = <float>row[self.members[j]]
        for j in range(self.n, self.stride):
            out[j] = 0.0

    cdef int pairs(self, const int64_t *rows, Py_ssize_t count, const int64_t *cols, Py_ssize_t width,
                   float *out, Py_ssize_t stride) except -1:
        cdef const double *row = NULL
        cdef Py_ssize_t r = 0, c = 0
        for r in range(count):
            row = &self.matrix[self.members[rows[r]], 0]
            for c in range(width):
                out[r * stride + c] = <float>row[self.members[cols[c]]]
        return 0

    cdef int add_rows(self, const int64_t *indices, const double *coefficients, Py_ssize_t count,
                      const float **held, float **kept, double *sums) except -1 nogil:
        cdef const double *row = NULL
        cdef Py_ssize_t r = 0, j = 0
        if sums == NULL:
            return 0
        for r in range(count):
            row = &self.matrix[self.members[indices[r]], 0]
            for j in range(self.n):
                sums[j] += coefficients[r] * row[self.members[j]]
        return 0

    cdef bint worth_keeping(self) noexcept nogil:
        return False

    def select(self, indices):
        """See `Layout`."""
        chosen = np.asarray(self.members)[np.ascontiguousarray(indices, dtype=np.int64)]
        return GramLayout(np.asarray(self.matrix), self.kernel, self.threads, members=chosen)

    def squared_norms(self):
        """Return the diagonal, float64, shape (n,)."""
        return np.diagonal(np.asarray(self.matrix))[np.asarray(self.members)]
