"""The layouts of kernels that are not compiled: values are those of the kernel in float64, rounded once."""

import numpy as np

from svmbench.kernels.functions.base import dense
from svmbench.sparse import canonical, issparse

from cpython.exc cimport PyErr_SetInterrupt
from libc.stdint cimport int64_t

from svmbench.kernels.layouts._layout cimport TILE, Layout


cdef class FormulaLayout(Layout):
    """Examples in float64, dense or CSR; a row is one call of `Kernel.row`.

    Sums of rows are those of values in float64.

    Parameters
    ----------
    X, kernel, threads
        See `Layout`.
    """

    name = "formula"
    exact_price = 1.0
    cdef object X

    def __cinit__(self, X, kernel, threads=1, **_):
        self.X = canonical(X).astype(np.float64) if issparse(X) else dense(X)
        self.stride = (self.n + TILE - 1) // TILE * TILE

    cdef object exact(self, rows, X):
        """Return the values between examples and rows of X; Ctrl-C waits for the next check for signals."""
        asked = False
        while True:
            try:
                values = self.kernel.values(self.X[rows], X)
                break
            except KeyboardInterrupt:
                asked = True
        if asked:
            PyErr_SetInterrupt()
        return values

    cdef void rows(self, const int64_t *indices, Py_ssize_t count, float *out) noexcept nogil:
        with gil:
            view = np.asarray(<float[:count, :self.stride]>out)
            view[:, self.n :] = 0.0
            try:
                chosen = np.asarray(<int64_t[:count]>indices)
                view[:, : self.n] = self.exact(chosen, self.X)
            except Exception as error:  # raised by `SteppedRun.overflowed`
                self.failure = error
                view[:] = np.nan

    cdef int pairs(self, const int64_t *rows, Py_ssize_t count, const int64_t *cols, Py_ssize_t width,
                   float *out, Py_ssize_t stride) except -1:
        view = np.asarray(<float[:count, :stride]>out)
        others = self.X[np.asarray(<int64_t[:width]>cols)]
        view[:, :width] = self.exact(np.asarray(<int64_t[:count]>rows), others)
        return 0

    cdef int add_rows(self, const int64_t *indices, const double *coefficients, Py_ssize_t count,
                      const float **held, float **kept, double *sums) except -1 nogil:
        with gil:
            if sums != NULL and count and self.n:
                view = np.asarray(<double[:self.n]>sums)
                for r in range(count):
                    view += coefficients[r] * self.exact([indices[r]], self.X)[0]
        return 0

    cdef bint worth_keeping(self) noexcept nogil:
        return False

    def gather(self, indices):
        """Return the stored examples at `indices`: float64 array or CSR array, shape (len(indices), d)."""
        return self.X[indices]

    def self_values(self):
        """See `Layout`."""
        return self.kernel.self_values(self.X)

    def lengths(self):
        """See `Layout`."""
        return self.kernel.lengths(self.X)

    def queries_of(self, X):
        """Return the rows of X as they are."""
        return X

    def scores(self, queries, coefficients):
        """See `Layout`; the values are in double precision."""
        found = np.zeros(queries.shape[0])
        step = self.queries_together(self.n)
        for begin in range(0, len(found), step):
            some = slice(begin, begin + step)
            found[some] = self.kernel.values(queries[some], self.X) @ coefficients
        return found

    def scores_at(self, other, indices, coefficients):
        """See `Layout`; the values are in double precision."""
        return self.scores(other.gather(indices), coefficients)

    def values(self, X):
        """See `Layout`."""
        return self.kernel.values(X, self.X).astype(np.float32)


cdef class GramLayout(FormulaLayout):
    """Examples that are rows of a matrix of kernel values; see `svmbench.kernels.functions.precomputed`."""

    name = "gram"
    cdef const double[:, ::1] matrix
    cdef const int64_t[::1] members

    def __cinit__(self, X, kernel, threads=1, members=None):
        self.matrix = self.kernel.matrix
        self.members = self.kernel.numbers(X) if members is None else members

    def select(self, indices):
        """See `Layout`."""
        members = np.asarray(self.members)[indices]
        return GramLayout(self.X[indices], self.kernel, self.threads, members=members)

    def scores_at(self, other, indices, coefficients):
        """See `Layout`; the values are in double precision."""
        matrix, rows = np.asarray(self.matrix), np.asarray((<GramLayout>other).members)[indices]
        weights = np.bincount(self.members, coefficients, matrix.shape[1])
        every = rows.size == len(matrix) and np.array_equal(rows, np.arange(rows.size))
        return np.einsum("ij,j->i", matrix if every else matrix[rows], weights)

    cdef void rows(self, const int64_t *indices, Py_ssize_t count, float *out) noexcept nogil:
        cdef Py_ssize_t r = 0
        for r in range(count):
            self.copy(self.members[indices[r]], out + r * self.stride)

    cdef void copy(self, int64_t row, float *out) noexcept nogil:
        """Write the values of a row of the matrix, and zeros up to the stride."""
        cdef Py_ssize_t j = 0
        for j in range(self.n):
            out[j] = <float>self.matrix[row, self.members[j]]
        for j in range(self.n, self.stride):
            out[j] = 0.0

    cdef bint can_cross(self) noexcept nogil:
        return True

    cdef void cross(self, Layout other, const int64_t *examples, Py_ssize_t count, char *queries,
                    float *out, Py_ssize_t apart) noexcept nogil:
        cdef Py_ssize_t r = 0
        for r in range(count):
            self.copy((<GramLayout>other).members[examples[r]], out + r * apart)

    cdef int add_rows(self, const int64_t *indices, const double *coefficients, Py_ssize_t count,
                      const float **held, float **kept, double *sums) except -1 nogil:
        cdef Py_ssize_t r = 0, j = 0
        if sums == NULL:
            return 0
        for r in range(count):
            for j in range(self.n):
                sums[j] += coefficients[r] * self.matrix[self.members[indices[r]], self.members[j]]
        return 0
