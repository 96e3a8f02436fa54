"""The layout of sparse examples, stored both by rows and by columns."""

import numpy as np
import scipy

from svmbench.sparse import canonical

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from svmbench.kernels.layouts._layout cimport Layout, kernel_params
from svmbench.simd.targets cimport allocate


cdef extern from "sparse.h" nogil:
    ctypedef struct sparse_store:
        const float *values
        const int32_t *indices
        const int64_t *indptr
        const float *entries
        const int32_t *owners
        const int64_t *begin
        const double *squared
        ptrdiff_t n
        int careful
    ctypedef struct sparse_query:
        const float *values
        const int32_t *indices
        int64_t count
        double squared
    void svmbench_sparse_rows(int level, const sparse_store *, const kernel_params *,
                              const sparse_query *asked, ptrdiff_t count, int32_t *places, float *out,
                              ptrdiff_t stride, int threads)

cdef enum:
    QUERIES = 16        # rows that are computed together

# Up to this exponent, |x|^2 gamma, rounding of norms in float64 changes a value by far less than 1e-6.
cdef double ROUND_NORMS = 1e6


cdef class SparseLayout(Layout):
    """Sparse examples with float32 values, by rows and by columns; sums in float64.

    Parameters
    ----------
    X, kernel, threads
        See `Layout`.
    """

    name = "sparse"
    exact_price = 4.0   # double precision takes points one by one, not by columns; measured: 3.6
    cdef sparse_store store
    cdef int32_t *places        # scratch memory for each thread: positions of all features of QUERIES queries
    cdef const float[::1] entries
    cdef const int32_t[::1] columns
    cdef const int64_t[::1] indptr
    cdef const float[::1] column_entries
    cdef const int32_t[::1] owners
    cdef const int64_t[::1] begin
    cdef const double[::1] squared

    def __cinit__(self, X, kernel, threads=1):
        X = canonical(X)
        self.entries = np.ascontiguousarray(X.data, dtype=np.float32)
        self.columns = np.ascontiguousarray(X.indices, dtype=np.int32)
        self.indptr = np.ascontiguousarray(X.indptr, dtype=np.int64)
        self.squared = _squared_norms(np.asarray(self.entries), np.asarray(self.indptr))
        by_column = scipy.sparse.csc_array(X)
        self.column_entries = np.ascontiguousarray(by_column.data, dtype=np.float32)
        self.owners = np.ascontiguousarray(by_column.indices, dtype=np.int32)
        self.begin = np.ascontiguousarray(by_column.indptr, dtype=np.int64)
        self.stride = self.n
        if self.entries.shape[0]:
            self.store.values = &self.entries[0]
            self.store.indices = &self.columns[0]
            self.store.entries = &self.column_entries[0]
            self.store.owners = &self.owners[0]
        self.store.indptr = &self.indptr[0]
        self.store.begin = &self.begin[0]
        if self.n:
            self.store.squared = &self.squared[0]
        self.store.n = self.n
        self.store.careful = self.params.gamma * float(np.max(self.squared, initial=0.0)) > ROUND_NORMS
        self.places = <int32_t *>allocate(<size_t>threads * QUERIES * self.d * sizeof(int32_t))

    def __dealloc__(self):
        free(self.places)

    cdef Py_ssize_t group(self) noexcept nogil:
        return QUERIES

    cdef void rows(self, const int64_t *indices, Py_ssize_t count, float *out) noexcept nogil:
        self.foreign(&self.store, indices, count, out)

    cdef int pairs(self, const int64_t *rows, Py_ssize_t count, const int64_t *cols, Py_ssize_t width,
                   float *out, Py_ssize_t stride) except -1:
        cdef SparseLayout chosen = self.select(<const int64_t[:width]>cols)
        cdef float[:, ::1] block = np.empty((QUERIES, width), dtype=np.float32)
        cdef Py_ssize_t begin = 0, size = 0, r = 0
        while begin < count:
            size = min(<Py_ssize_t>QUERIES, count - begin)
            chosen.foreign(&self.store, rows + begin, size, &block[0, 0])
            for r in range(size):
                memcpy(out + (begin + r) * stride, &block[r, 0], <size_t>width * sizeof(float))
            begin += QUERIES
        return 0

    cdef int add_rows(self, const int64_t *indices, const double *coefficients, Py_ssize_t count,
                      const float **held, float **kept, double *sums) except -1 nogil:
        cdef float *made = <float *>allocate(<size_t>(QUERIES * self.n) * sizeof(float))
        cdef Py_ssize_t begin = 0
        while begin < count:
            self.add_group(indices + begin, coefficients + begin, min(<Py_ssize_t>QUERIES, count - begin),
                           held + begin, kept + begin, made, sums)
            begin += QUERIES
        free(made)
        return 0

    cdef void add_group(self, const int64_t *indices, const double *coefficients, Py_ssize_t count,
                        const float **held, float **kept, float *made, double *sums) noexcept nogil:
        """`add_rows` for up to QUERIES rows; `made` has room for them."""
        cdef int64_t[QUERIES] wanted
        cdef const float *row = NULL
        cdef double factor = 0.0
        cdef Py_ssize_t missing = 0, r = 0, j = 0
        for r in range(count):
            if held[r] == NULL:
                wanted[missing] = indices[r]
                missing += 1
        self.rows(wanted, missing, made)
        for r in range(count):
            row = held[r]
            if row == NULL:
                row = made
                made += self.n
            factor = coefficients[r]
            if sums != NULL:
                for j in range(self.n):
                    sums[j] += factor * row[j]
            if held[r] == NULL and kept[r] != NULL:
                memcpy(kept[r], row, <size_t>self.n * sizeof(float))

    cdef void foreign(self, const sparse_store *other, const int64_t *indices, Py_ssize_t count,
                      float *out) noexcept nogil:
        """Compute the kernel rows of up to QUERIES examples of another store."""
        cdef sparse_query asked[QUERIES]
        cdef int64_t i = 0
        cdef Py_ssize_t r = 0
        for r in range(count):
            i = indices[r]
            asked[r].values = other.values + other.indptr[i]
            asked[r].indices = other.indices + other.indptr[i]
            asked[r].count = other.indptr[i + 1] - other.indptr[i]
            asked[r].squared = other.squared[i]
        svmbench_sparse_rows(self.level, &self.store, &self.params, asked, count, self.places, out,
                             self.stride, self.threads)

    def distance_error(self, X=None):
        """See `Layout`. Sums are in float64 and rounded once; if norms are large, differences are used."""
        cdef double most = np.diff(np.asarray(self.indptr)).max(initial=0)
        cdef double largest = np.max(self.squared, initial=0.0)
        if X is not None and X.nnz:
            most = max(most, np.diff(X.indptr).max())
            largest = max(largest, (X.astype(np.float64).power(2)).sum(axis=1).max())
        cdef double terms = 2.0 * (4 + most) * 2.0 ** -53, norms = 4.0 * self.params.gamma * largest
        return (2.0 ** -24 + 64.0 * terms, 0.0) if self.store.careful else (2.0 ** -24, terms * norms)

    def gather(self, indices):
        """Return the stored examples at `indices` as a CSR array of shape (len(indices), d)."""
        arrays = (np.asarray(self.entries), np.asarray(self.columns), np.asarray(self.indptr))
        return scipy.sparse.csr_array(arrays, shape=(self.n, self.d), copy=False)[np.asarray(indices)]

    def squared_norms(self):
        """Return |x_j|² in float64, shape (n,)."""
        return np.array(self.squared)

    cdef double pair_work(self) noexcept nogil:
        return self.entries.shape[0] / <double> max(self.n, <Py_ssize_t> 1)

    def queries_of(self, X):
        """Return a layout of the rows of X."""
        return SparseLayout(X, self.kernel)

    def scores(self, queries, coefficients):
        """Return Σ_j coefficients[j] K(x, x_j) for each row x, float64; see `Layout.scores`."""
        return self.scores_at(queries, np.arange(queries.n), coefficients)

    def scores_at(self, SparseLayout other, const int64_t[::1] indices, coefficients):
        """Return the same for the examples at `indices` of another layout of the same kind and options."""
        cdef const double[::1] weights = np.ascontiguousarray(coefficients, dtype=np.float64)
        cdef Py_ssize_t begin = 0, r = 0, count = 0, j = 0, m = indices.shape[0]
        cdef float[:, ::1] block = np.empty((QUERIES, self.n), dtype=np.float32)
        out = np.zeros(m)
        cdef double[::1] view = out
        cdef double total = 0.0
        if self.n == 0 or m == 0:
            return out
        with nogil:
            while begin < m:
                count = min(<Py_ssize_t>QUERIES, m - begin)
                self.foreign(&other.store, &indices[begin], count, &block[0, 0])
                for r in range(count):
                    total = 0.0
                    for j in range(self.n):
                        total += weights[j] * block[r, j]
                    view[begin + r] = total
                begin += QUERIES
                with gil:
                    PyErr_CheckSignals()
        return out

    def values(self, X):
        """Return K(x, x_j) for each row x of X and each stored example, float32, shape (X.shape[0], n)."""
        cdef SparseLayout other = SparseLayout(X, self.kernel)
        cdef const int64_t[::1] indices = np.arange(X.shape[0])
        cdef Py_ssize_t begin = 0, m = X.shape[0]
        values = np.empty((m, self.n), dtype=np.float32)
        cdef float[:, ::1] out = values
        if self.n:
            with nogil:
                while begin < m:
                    self.foreign(&other.store, &indices[begin], min(<Py_ssize_t>QUERIES, m - begin),
                                 &out[begin, 0])
                    begin += QUERIES
        return values


def _squared_norms(values, indptr):
    """Return the sum of squares of each CSR row; for an empty row, reduceat alone returns another row's."""
    sums = np.zeros(len(indptr) - 1)
    filled = np.flatnonzero(np.diff(indptr))
    if len(filled):
        sums[filled] = np.add.reduceat(values.astype(np.float64) ** 2, indptr[filled])
    return sums
