"""Storage layouts: how the training examples lie in memory, and the kernel rows that they give.

Two layouts stand behind one interface, `DenseLayout` (tiles of float32, or of bytes where the values allow)
and `SparseLayout` (CSR); `make_layout` chooses from the matrix. Every kernel value is within 1e-6 of the
plain float64 formula, for a Gaussian kernel absolutely (the values lie in (0, 1]), for the others relative to
|x| |x'| (scaled alike for the polynomial).

The instruction-set variant is chosen once at import (`isa`); the environment variable ``SVMBENCH_ISA`` forces
one of ``base``, ``v3`` (AVX2) and ``v4`` (AVX-512), all correct to the stated tolerance.
"""

import os

import numpy as np
import scipy.sparse

from svmbench.errors import UserError

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free
from libc.string cimport memset


cdef extern from "<stdlib.h>" nogil:
    void *aligned_alloc(size_t alignment, size_t size)


cdef const kernel_table *_table = svmbench_select(os.environ.get("SVMBENCH_ISA", "").encode())
if _table == NULL:
    raise UserError(
        f"SVMBENCH_ISA={os.environ['SVMBENCH_ISA']} cannot run here: "
        "give base, v3 (needs AVX2) or v4 (needs AVX-512), or unset it"
    )

_KINDS = {"gaussian": 0, "linear": 1, "polynomial": 2}


def isa():
    """Return the name of the instruction-set variant in use: ``base``, ``v3`` or ``v4``."""
    return _table.name.decode()


cdef void *_allocate(size_t size) except NULL:
    """Return 64-byte aligned memory of at least `size` bytes."""
    cdef void *memory = aligned_alloc(64, (size // 64 + 1) * 64)
    if memory == NULL:
        raise MemoryError(f"no memory for {size} bytes of kernel storage")
    return memory


def make_layout(X, kernel, threads=1):
    """Return the layout that fits the matrix: CSR for a sparse matrix, tiles for a dense one.

    Parameters
    ----------
    X : ndarray or scipy.sparse matrix, shape (n, d)
        Examples; stored as float32.
    kernel : dict
        ``name`` (gaussian, linear, polynomial) and its parameters gamma, degree, coef0.
    threads : int
        OpenMP threads of one call.
    """
    return (SparseLayout if scipy.sparse.issparse(X) else DenseLayout)(X, kernel, threads)


cdef class Layout:
    """Stored examples and the kernel rows that they give."""

    def __cinit__(self, X, kernel, threads=1, **_):
        name = kernel["name"]
        if name not in _KINDS:
            raise UserError(f"kernel={name} is not known: give one of {', '.join(sorted(_KINDS))}")
        self.kernel = dict(kernel)
        self.table = _table
        self.threads = threads
        self.params.kind = _KINDS[name]
        self.params.gamma = kernel.get("gamma", 1.0)
        self.params.coef0 = kernel.get("coef0", 0.0)
        self.params.degree = kernel.get("degree", 1)
        self.n, self.d = X.shape

    cdef Py_ssize_t group(self) noexcept nogil:
        return SPARSE_GROUP

    cdef void rows(self, const int64_t *indices, Py_ssize_t count, float *out) noexcept nogil:
        pass

    def block(self, const int64_t[::1] indices):
        """Return the kernel rows of the given stored examples, float32, shape (len(indices), n)."""
        cdef Py_ssize_t count = indices.shape[0], begin = 0, size = 0, step = self.group()
        out = np.empty((count, self.stride), dtype=np.float32)
        cdef float[:, ::1] view = out
        if count and self.n:
            with nogil:
                while begin < count:
                    size = min(step, count - begin)
                    self.rows(&indices[begin], size, &view[begin, 0])
                    begin += step
        return out[:, : self.n]

    def squared_norms(self):
        """Return |x_j|² in float64, shape (n,)."""
        raise NotImplementedError


def common_unit(X):
    """Return the unit of which every value of X is a whole multiple from 0 to 255, or None.

    Pixels divided by 255 are such values, indicators and counts too. A value may miss its multiple by the
    rounding of float32 only.

    Parameters
    ----------
    X : ndarray of float32, shape (n, d)
        Examples.
    """
    top = float(X.max(initial=0.0))
    if not np.isfinite(top) or float(X.min(initial=0.0)) < 0.0:
        return None
    least = min((float(part[part > 0].min(initial=np.inf)) for part in _parts(X)), default=np.inf)
    if top == 0.0 or np.rint(top / least) > 255.0:
        return None if top else 1.0
    unit = top / np.rint(top / least)
    for part in _parts(X):
        if np.abs(np.rint(part / unit) * unit - part).max(initial=0.0) > 1e-7 * top:
            return None
    return unit


def _parts(X):
    # A few thousand rows at a time, so that a change of type or order copies no second matrix.
    for begin in range(0, X.shape[0], 4096):
        yield X[begin : begin + 4096]


cdef class DenseLayout(Layout):
    """Examples in tiles of 16, feature by feature within a tile, as float32 or, by `common_unit`, bytes.

    Parameters
    ----------
    X : ndarray, shape (n, d)
        Examples.
    kernel : dict
        Name and parameters.
    threads : int
        OpenMP threads of one call.
    unit : float, optional
        Found from X by default; 0 forces float32.
    """

    cdef dense_store store
    cdef void *tiles
    cdef float *queries
    cdef readonly double unit

    def __cinit__(self, X, kernel, threads=1, unit=None):
        cdef Py_ssize_t n_tiles = (self.n + TILE - 1) // TILE
        X = np.asarray(X)
        self.unit = (common_unit(X) or 0.0) if unit is None else unit
        self.store.narrow = self.unit > 0.0
        self.store.unit_squared = self.unit * self.unit if self.store.narrow else 1.0
        cdef size_t size = <size_t>n_tiles * TILE * self.d * (1 if self.store.narrow else sizeof(float))
        self.tiles = _allocate(size)
        self.queries = <float *>_allocate(<size_t>SPARSE_GROUP * self.d * sizeof(float))
        memset(self.tiles, 0, size)
        self.stride = n_tiles * TILE
        self.store.tiles = self.tiles
        self.store.n_tiles = n_tiles
        self.store.d = self.d
        begin = 0
        for part in _parts(X):
            self._fill(self.in_units(part), begin)
            begin += len(part)

    def __dealloc__(self):
        free(self.tiles)
        free(self.queries)

    def in_units(self, X):
        """Return rows as the queries of this layout, float32: whole multiples of the unit, or as they are."""
        if self.store.narrow:
            X = np.rint(X / self.unit)
        return np.ascontiguousarray(X, dtype=np.float32)

    cdef _fill(self, const float[:, ::1] X, Py_ssize_t begin):
        cdef Py_ssize_t i = 0, j = 0, k = 0, at = 0
        with nogil:
            for i in range(X.shape[0]):
                j = begin + i
                for k in range(self.d):
                    at = ((j // TILE) * self.d + k) * TILE + j % TILE
                    if self.store.narrow:
                        (<uint8_t *>self.tiles)[at] = <uint8_t>X[i, k]
                    else:
                        (<float *>self.tiles)[at] = X[i, k]

    cdef void unpack(self, Py_ssize_t j, float *out) noexcept nogil:
        cdef Py_ssize_t k = 0, at = (j // TILE) * self.d * TILE + j % TILE
        for k in range(self.d):
            if self.store.narrow:
                out[k] = (<uint8_t *>self.tiles)[at + k * TILE]
            else:
                out[k] = (<float *>self.tiles)[at + k * TILE]

    cdef void rows(self, const int64_t *indices, Py_ssize_t count, float *out) noexcept nogil:
        cdef const float *queries[SPARSE_GROUP]
        cdef Py_ssize_t r = 0
        for r in range(count):
            self.unpack(indices[r], self.queries + r * self.d)
            queries[r] = self.queries + r * self.d
        svmbench_dense(self.table, &self.store, &self.params, queries, count, out, self.stride, self.threads)

    def gather(self, const int64_t[::1] indices):
        """Return the stored examples at `indices`, float32, shape (len(indices), d)."""
        out = np.empty((indices.shape[0], self.d), dtype=np.float32)
        cdef float[:, ::1] view = out
        cdef Py_ssize_t r = 0
        if self.d:
            for r in range(indices.shape[0]):
                self.unpack(indices[r], &view[r, 0])
        return (out * self.unit).astype(np.float32) if self.store.narrow else out

    def squared_norms(self):
        """Return |x_j|² in float64, shape (n,)."""
        out = np.empty(self.n)
        for begin in range(0, self.n, 4096):
            rows = self.gather(np.arange(begin, min(begin + 4096, self.n))).astype(np.float64)
            out[begin : begin + 4096] = np.einsum("ij,ij->i", rows, rows)
        return out

    def scores(self, X, const double[::1] coefficients):
        """Return Σ_j coefficients[j] K(x, x_j) for each row x of X, float64, shape (len(X),).

        Rows that are no whole multiples of the unit of this layout are scored against float32 examples.
        """
        if scipy.sparse.issparse(X):
            X = X.toarray()
        X = np.ascontiguousarray(X, dtype=np.float32)
        units = self.in_units(X)
        cdef const float[:, ::1] queries = units
        if self.store.narrow and np.abs(units * self.unit - X).max(initial=0.0) > 255e-7 * self.unit:
            wide = DenseLayout(self.gather(np.arange(self.n)), self.kernel, self.threads, unit=0.0)
            return wide.scores(X, coefficients)
        out = np.zeros(queries.shape[0])
        cdef double[::1] view = out
        cdef int status = 0
        if self.n and self.d and queries.shape[0]:
            with nogil:
                status = svmbench_dense_scores(
                    self.table, &self.store, &self.params, &queries[0, 0], queries.shape[0],
                    &coefficients[0], self.n, &view[0], self.threads)
        if status:
            raise MemoryError("no memory for the work buffer of the kernel expansion")
        return out


cdef class SparseLayout(Layout):
    """CSR examples with float32 values; sums in float64."""

    cdef sparse_store store
    cdef double *work
    cdef const float[::1] values
    cdef const int32_t[::1] columns
    cdef const int64_t[::1] indptr
    cdef const double[::1] squared

    def __cinit__(self, X, kernel, threads=1):
        X = scipy.sparse.csr_array(X)
        self.values = np.ascontiguousarray(X.data, dtype=np.float32)
        self.columns = np.ascontiguousarray(X.indices, dtype=np.int32)
        self.indptr = np.ascontiguousarray(X.indptr, dtype=np.int64)
        self.squared = _squared_norms(np.asarray(self.values), np.asarray(self.indptr))
        self.stride = self.n
        if self.values.shape[0]:
            self.store.values = &self.values[0]
            self.store.indices = &self.columns[0]
        self.store.indptr = &self.indptr[0]
        if self.n:
            self.store.squared = &self.squared[0]
        self.store.n = self.n
        cdef size_t size = <size_t>SPARSE_GROUP * self.d * sizeof(double)
        self.work = <double *>_allocate(size)
        memset(self.work, 0, size)

    def __dealloc__(self):
        free(self.work)

    cdef void scatter(self, const sparse_store *other, int64_t i, Py_ssize_t lane, Py_ssize_t lanes,
                      bint clear) noexcept nogil:
        """Write example i of another store into one lane of the work array, or zero it again."""
        cdef int64_t k = 0
        for k in range(other.indptr[i], other.indptr[i + 1]):
            self.work[other.indices[k] * lanes + lane] = 0.0 if clear else <double>other.values[k]

    cdef void rows(self, const int64_t *indices, Py_ssize_t count, float *out) noexcept nogil:
        self.foreign(&self.store, indices, count, out)

    cdef void foreign(self, const sparse_store *other, const int64_t *indices, Py_ssize_t count,
                      float *out) noexcept nogil:
        """Kernel rows of `count` examples of another store; a full group shares one pass over the data."""
        cdef double squared[SPARSE_GROUP]
        cdef Py_ssize_t lanes = SPARSE_GROUP if count == SPARSE_GROUP else 1
        cdef Py_ssize_t begin = 0, lane = 0
        while begin < count:
            for lane in range(lanes):
                squared[lane] = other.squared[indices[begin + lane]]
                self.scatter(other, indices[begin + lane], lane, lanes, False)
            svmbench_sparse(self.table, &self.store, &self.params, self.work, squared, <int>lanes,
                            out + begin * self.stride, self.stride, self.threads)
            for lane in range(lanes):
                self.scatter(other, indices[begin + lane], lane, lanes, True)
            begin += lanes

    def gather(self, const int64_t[::1] indices):
        """Return the stored examples at `indices` as a CSR array of shape (len(indices), d)."""
        arrays = (np.asarray(self.values), np.asarray(self.columns), np.asarray(self.indptr))
        return scipy.sparse.csr_array(arrays, shape=(self.n, self.d), copy=False)[np.asarray(indices)]

    def squared_norms(self):
        """Return |x_j|² in float64, shape (n,)."""
        return np.array(self.squared)

    def scores(self, X, const double[::1] coefficients):
        """Return Σ_j coefficients[j] K(x, x_j) for each row x of X, float64, shape (X.shape[0],)."""
        other = SparseLayout(X, self.kernel)
        cdef SparseLayout queries = other
        cdef Py_ssize_t begin = 0, r = 0, count = 0, j = 0, m = queries.n
        cdef int64_t[::1] order = np.arange(m)
        cdef float[:, ::1] block = np.empty((SPARSE_GROUP, self.n), dtype=np.float32)
        out = np.zeros(m)
        cdef double[::1] view = out
        cdef double total = 0.0
        if self.n == 0 or m == 0:
            return out
        with nogil:
            while begin < m:
                count = min(<Py_ssize_t>SPARSE_GROUP, m - begin)
                self.foreign(&queries.store, &order[begin], count, &block[0, 0])
                for r in range(count):
                    total = 0.0
                    for j in range(self.n):
                        total += coefficients[j] * block[r, j]
                    view[begin + r] = total
                begin += SPARSE_GROUP
        return out


def _squared_norms(values, indptr):
    """Return the sum of squares of each CSR row; reduceat would give an empty row its neighbour's."""
    sums = np.zeros(len(indptr) - 1)
    filled = np.flatnonzero(np.diff(indptr))
    if len(filled):
        sums[filled] = np.add.reduceat(values.astype(np.float64) ** 2, indptr[filled])
    return sums
