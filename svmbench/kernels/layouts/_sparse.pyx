"""The layout of sparse examples: CSR."""

import numpy as np
import scipy

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from svmbench.kernels.layouts._layout cimport Layout, kernel_params
from svmbench.simd.targets cimport allocate


cdef extern from "sparse.h" nogil:
    enum: QUERIES
    ctypedef struct sparse_store:
        const float *values
        const int32_t *indices
        const int64_t *indptr
        const double *squared
        ptrdiff_t n
        int careful
    ctypedef struct sparse_query:
        const float *values
        const int32_t *indices
        int64_t count
        double squared
    void svmbench_sparse_rows(int level, const sparse_store *, const kernel_params *, const float *work,
                              const sparse_query *asked, int lanes, int queries, float *out,
                              ptrdiff_t stride, int threads)

# The largest exponent |x|^2 gamma at which the rounding of norms in float64 stays far below 1e-6 of a value.
cdef double ROUND_NORMS = 1e6

# Queries from which on a pass for a whole group, its other lanes empty, is faster than a pass for each.
cdef enum:
    SHARED = 3


cdef class SparseLayout(Layout):
    """CSR examples with float32 values; sums in float64.

    Parameters
    ----------
    X, kernel, threads
        See `Layout`.
    """

    name = "sparse"
    cdef sparse_store store
    cdef float *work
    cdef const float[::1] entries
    cdef const int32_t[::1] columns
    cdef const int64_t[::1] indptr
    cdef const double[::1] squared

    def __cinit__(self, X, kernel, threads=1):
        X = scipy.sparse.csr_array(X)
        if not X.has_sorted_indices:
            X = X.sorted_indices()
        self.entries = np.ascontiguousarray(X.data, dtype=np.float32)
        self.columns = np.ascontiguousarray(X.indices, dtype=np.int32)
        self.indptr = np.ascontiguousarray(X.indptr, dtype=np.int64)
        self.squared = _squared_norms(np.asarray(self.entries), np.asarray(self.indptr))
        self.stride = self.n
        self.ahead = QUERIES
        if self.entries.shape[0]:
            self.store.values = &self.entries[0]
            self.store.indices = &self.columns[0]
        self.store.indptr = &self.indptr[0]
        if self.n:
            self.store.squared = &self.squared[0]
        self.store.n = self.n
        self.store.careful = self.params.gamma * float(np.max(self.squared, initial=0.0)) > ROUND_NORMS
        cdef size_t size = <size_t>QUERIES * self.d * sizeof(float)
        self.work = <float *>allocate(size)
        memset(self.work, 0, size)

    def __dealloc__(self):
        free(self.work)

    cdef Py_ssize_t group(self) noexcept nogil:
        return QUERIES

    cdef void scatter(self, const sparse_store *other, int64_t i, Py_ssize_t lane, Py_ssize_t lanes,
                      bint clear) noexcept nogil:
        """Write example i of another store into one lane of the work array, or zero it again."""
        cdef int64_t k = 0
        for k in range(other.indptr[i], other.indptr[i + 1]):
            self.work[other.indices[k] * lanes + lane] = 0.0 if clear else other.values[k]

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
        """The same for up to QUERIES rows; `made` has room for them."""
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
        """Kernel rows of `count` examples of another store; a few or more share one pass over the data."""
        cdef sparse_query asked[QUERIES]
        cdef int64_t i = 0
        cdef Py_ssize_t lanes = QUERIES if count >= SHARED else 1
        cdef Py_ssize_t begin = 0, taken = 0, lane = 0
        while begin < count:
            taken = min(lanes, count - begin)
            for lane in range(taken):
                i = indices[begin + lane]
                asked[lane].values = other.values + other.indptr[i]
                asked[lane].indices = other.indices + other.indptr[i]
                asked[lane].count = other.indptr[i + 1] - other.indptr[i]
                asked[lane].squared = other.squared[i]
                self.scatter(other, indices[begin + lane], lane, lanes, False)
            svmbench_sparse_rows(self.level, &self.store, &self.params, self.work, asked, <int>lanes,
                                 <int>taken, out + begin * self.stride, self.stride, self.threads)
            for lane in range(taken):
                self.scatter(other, indices[begin + lane], lane, lanes, True)
            begin += taken

    def gather(self, indices):
        """Return the stored examples at `indices` as a CSR array of shape (len(indices), d)."""
        arrays = (np.asarray(self.entries), np.asarray(self.columns), np.asarray(self.indptr))
        return scipy.sparse.csr_array(arrays, shape=(self.n, self.d), copy=False)[np.asarray(indices)]

    def squared_norms(self):
        """Return |x_j|² in float64, shape (n,)."""
        return np.array(self.squared)

    def scores(self, X, coefficients):
        """Return Σ_j coefficients[j] K(x, x_j) for each row x of X, float64, shape (X.shape[0],)."""
        return self.scores_at(SparseLayout(X, self.kernel), np.arange(X.shape[0]), coefficients)

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
    """Return the sum of squares of each CSR row; reduceat would give an empty row its neighbour's."""
    sums = np.zeros(len(indptr) - 1)
    filled = np.flatnonzero(np.diff(indptr))
    if len(filled):
        sums[filled] = np.add.reduceat(values.astype(np.float64) ** 2, indptr[filled])
    return sums
