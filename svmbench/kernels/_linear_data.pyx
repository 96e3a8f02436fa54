"""The training examples of one run for linear solvers, with counts of inner products.

This is the counterpart of `svmbench.kernels._oracle.Oracle` for linear methods: the only place that reads the
data. Rows are dense float32 or CSR, and are not copied. Only dense rows with mostly zeros get an additional
CSR form, with which an inner product takes a fraction of the time. Weight vectors and sums are float64.
"""

import numpy as np

from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t

from svmbench.simd.targets cimport isa_level
from svmbench.kernels._ledger cimport Ledger

from svmbench.sparse import canonical, issparse


cdef extern from "rows.h" nogil:
    const dense_loops *svmbench_dense_loops(int level)

# Largest memory of a CSR form, relative to that of the dense rows. With it, the CSR form and the vectors of a
# solver together take at most half as much memory as the rows.
CSR_SHARE = 0.4


cdef class LinearData:
    """The training examples of one run.

    Parameters
    ----------
    X : ndarray or scipy.sparse matrix, shape (n, d)
        Rows. They are not copied if they are float32 and C-contiguous, or CSR with int32 columns. Dense rows
        whose CSR form is small are used in that form.
    compress : bool, default True
        Whether to make the CSR form, which is not worthwhile for a single pass.
    ledger : Ledger, optional
        Ledger that counts. Default: a new one.

    Attributes
    ----------
    n, d, stored : int
        Numbers of examples, features, and stored values.
    ledger : Ledger
        ``inner_products`` counts one for each d-dimensional inner product made for training.
    observed : int
        Inner products for observation and prediction, which no column contains.
    """

    def __init__(self, X, *, compress=True, ledger=None):
        cdef const float[::1] values
        cdef const int32_t[::1] columns
        cdef const int64_t[::1] begin
        self.n, self.d = X.shape
        self.ledger = Ledger(kernels=False) if ledger is None else ledger
        self.loops = svmbench_dense_loops(isa_level())
        self.arrays = _arrays(X, compress)
        self.sparse = len(self.arrays) > 1
        values = self.arrays[0]
        if self.sparse:
            columns, begin = self.arrays[1:]
            self.stored = columns.shape[0]
            self.rows.begin = &begin[0]
            if self.stored:
                self.rows.columns = &columns[0]
        else:
            self.stored = values.shape[0]
        if values is not None and self.stored:
            self.rows.values = &values[0]

    cdef const float* row(self, Py_ssize_t i) noexcept nogil:
        return self.rows.values + i * self.d

    cdef double between(self, const double* u, const double* v) noexcept nogil:
        cdef double a = 0.0, b = 0.0, c = 0.0, e = 0.0
        cdef Py_ssize_t k = 0
        self.ledger.inner_products += 1
        while k + 4 <= self.d:
            a += u[k] * v[k]
            b += u[k + 1] * v[k + 1]
            c += u[k + 2] * v[k + 2]
            e += u[k + 3] * v[k + 3]
            k += 4
        while k < self.d:
            a += u[k] * v[k]
            k += 1
        return (a + b) + (c + e)

    def index_columns(self):
        """Prepare `add_column` for sparse rows: record in which rows each column occurs, 4 bytes per value.

        Values are not stored twice: they are found in their rows by bisection.
        """
        if not self.sparse:
            return
        self.column_begin = np.zeros(self.d + 1, dtype=np.int64)
        self.column_rows = np.empty(max(self.stored, 1), dtype=np.int32)
        cdef int64_t[::1] place = np.zeros(self.d, dtype=np.int64)
        cdef Py_ssize_t i = 0, j = 0
        cdef int64_t k = 0
        for k in range(self.stored):
            self.column_begin[self.rows.columns[k] + 1] += 1
        for j in range(self.d):
            self.column_begin[j + 1] += self.column_begin[j]
            place[j] = self.column_begin[j]
        for i in range(self.n):
            for k in range(self.rows.begin[i], self.rows.begin[i + 1]):
                j = self.rows.columns[k]
                self.column_rows[place[j]] = <int32_t> i
                place[j] += 1

    cdef void add_column(self, Py_ssize_t j, double factor, const double* y, double* out) noexcept nogil:
        cdef int64_t k = 0, low = 0, high = 0, middle = 0
        cdef Py_ssize_t i = 0
        if not self.sparse:
            for i in range(self.n):
                out[i] += factor * y[i] * self.rows.values[i * self.d + j]
            return
        for k in range(self.column_begin[j], self.column_begin[j + 1]):
            i = self.column_rows[k]
            low, high = self.rows.begin[i], self.rows.begin[i + 1]
            while high - low > 1:
                middle = (low + high) // 2
                if self.rows.columns[middle] <= j:
                    low = middle
                else:
                    high = middle
            out[i] += factor * y[i] * (1.0 if self.rows.values == NULL else self.rows.values[low])

    cdef void prefetch(self, Py_ssize_t i) noexcept nogil:
        cdef int64_t begin = 0, count = 0
        if not self.sparse:
            svmbench_prefetch(self.rows.values + i * self.d, 4 * self.d)
            return
        begin = self.rows.begin[i]
        count = self.rows.begin[i + 1] - begin
        svmbench_prefetch(self.rows.columns + begin, 4 * count)
        if self.rows.values != NULL:
            svmbench_prefetch(self.rows.values + begin, 4 * count)

    cdef double squared_norm(self, Py_ssize_t i) noexcept nogil:
        self.ledger.inner_products += 1
        return self.square(i)

    cdef double square(self, Py_ssize_t i) noexcept nogil:
        """Return |x_i|², not counted."""
        cdef const float* x = NULL
        cdef int64_t k = 0, count = self.d
        cdef double total = 0.0
        if self.sparse:
            count = self.rows.begin[i + 1] - self.rows.begin[i]
            if self.rows.values == NULL:
                return count
            x = self.rows.values + self.rows.begin[i]
        else:
            x = self.row(i)
        for k in range(count):
            total += <double>x[k] * x[k]
        return total

    def squared_norms(self):
        """Return |x_i|², float64, shape (n,); n inner products, charged at each call."""
        cdef double[::1] out = np.empty(self.n)
        cdef Py_ssize_t i = 0
        with nogil:
            for i in range(self.n):
                out[i] = self.squared_norm(i)
        return np.asarray(out)

    @property
    def terms(self):
        """Largest number of terms of an inner product with an example."""
        return int(np.diff(self.arrays[2]).max(initial=0)) if self.sparse else self.d

    def lengths(self):
        """Return |x_i|, float64, shape (n,); an observation, not counted as inner products."""
        cdef double[::1] out = np.empty(self.n)
        cdef Py_ssize_t i = 0
        with nogil:
            for i in range(self.n):
                out[i] = sqrt(self.square(i))
        return np.asarray(out)

    def mean_norm(self):
        """Return the mean of |x_i|; an observation, not counted as inner products."""
        return float(np.cumsum(self.lengths())[-1]) / self.n if self.n else 0.0

    def combination(self, const int64_t[::1] indices, const double[::1] coefficients):
        """Return Σ_k coefficients[k] x_indices[k], float64, shape (d,); an observation, not counted."""
        weights = np.zeros(self.d)
        cdef double[::1] out = weights
        cdef Py_ssize_t k = 0
        if self.d:
            for k in range(indices.shape[0]):
                self.add(indices[k], coefficients[k], &out[0])
        return weights

    def products(self, const double[::1] weights):
        """Return <x_i, w> for all training examples, float64, shape (n,); counted as observed.

        Parameters
        ----------
        weights : ndarray of float64, shape (d,)
            w.

        Raises
        ------
        ValueError
            If w does not have d elements.
        """
        if weights.shape[0] != self.d:
            raise ValueError(f"{weights.shape[0]} weights do not fit {self.d} features")
        cdef double[::1] out = np.empty(self.n)
        cdef const double* w = &weights[0] if self.d else NULL
        cdef Py_ssize_t i = 0
        with nogil:
            for i in range(self.n):
                out[i] = self.product(i, w)
        self.observed += self.n
        return np.asarray(out)

    def decision_function(self, weights, bias, X):
        """Return <x, w> + bias for each row x of X, float64, shape (m,); counted as observed."""
        other = LinearData(X, compress=False)
        scores = other.products(weights) + bias
        self.observed += other.observed
        return scores


def _arrays(X, compress):
    """Return the values of dense rows, or values, columns and row pointers of sparse ones.

    Sparse rows with only ones have None for their values.
    """
    if issparse(X):
        X = canonical(X)
        return (
            _unless_ones(np.ascontiguousarray(X.data, dtype=np.float32)),
            np.ascontiguousarray(X.indices, dtype=np.int32),
            np.ascontiguousarray(X.indptr, dtype=np.int64),
        )
    X = np.ascontiguousarray(X, dtype=np.float32)
    if compress:
        nonzero = np.count_nonzero(X)
        if 8 * (nonzero + len(X)) <= CSR_SHARE * X.nbytes:
            values, columns, begin = _compressed(X, nonzero)
            return _unless_ones(values), columns, begin
    return (X.reshape(-1),)


def _unless_ones(values):
    """Return the values, or None if all of them are 1."""
    return None if np.all(values == 1.0) else values


def _compressed(const float[:, ::1] X, Py_ssize_t nonzero):
    """Return values, columns and row pointers of the non-zeros of dense rows."""
    values, columns = np.empty(nonzero, dtype=np.float32), np.empty(nonzero, dtype=np.int32)
    indptr = np.zeros(X.shape[0] + 1, dtype=np.int64)
    cdef float[::1] value = values
    cdef int32_t[::1] column = columns
    cdef int64_t[::1] begin = indptr
    cdef Py_ssize_t i = 0, j = 0, k = 0
    with nogil:
        for i in range(X.shape[0]):
            for j in range(X.shape[1]):
                if X[i, j] != 0.0:
                    value[k] = X[i, j]
                    column[k] = <int32_t> j
                    k += 1
            begin[i + 1] = k
    return values, columns, indptr
