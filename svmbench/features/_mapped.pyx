"""Examples in the features of a map, for linear solvers: computed beforehand, or on demand.

Both kinds have the interface of `LinearData`. Rows to predict have the original features and are mapped.
"""

import numpy as np

import scipy

from svmbench.features.base import BLOCK
from svmbench.sparse import issparse
from svmbench.simd import isa

from libc.stdint cimport int32_t, int64_t

from svmbench.kernels._linear_data cimport LinearData, sparse_rows


cdef extern from "mapped.h" nogil:
    ctypedef struct mapped_loops:
        void (*combine)(const float *x, const int32_t *columns, const int64_t *begin, const int64_t *end,
                        ptrdiff_t rows, const float *V, ptrdiff_t width, float *out,
                        ptrdiff_t stride) noexcept nogil
        ptrdiff_t (*nonzeros)(const float *x, ptrdiff_t n, float *values, int32_t *columns) noexcept nogil
        void (*waves)(const float *t, const float *phase, float scale, float *out,
                      ptrdiff_t n) noexcept nogil
    const mapped_loops *svmbench_mapped_loops(int level)

cdef const mapped_loops *loops = svmbench_mapped_loops(("base", "avx2", "avx512", "avx512_icl").index(isa()))

cdef enum:
    PANEL = 128                         # columns stored together: a whole number of strips of every target
    NARROW = 1024                       # most columns stored as one panel: 10 to 15 % faster with 512 columns
    TOGETHER = 32                       # examples whose features are made in one pass over the frequencies


cdef class Panels:
    """A matrix stored in panels of columns, one after the other, each with all rows.

    The loops pass over a strip of the columns for one example after another, and find the strip in the cache.
    If whole rows were stored and their length were a large power of two, the parts of a strip would compete
    for the same few cache lines. Narrow matrices are one panel.

    Parameters
    ----------
    V : ndarray of float32, shape (d, k)
        The matrix; it is copied.
    """

    cdef readonly Py_ssize_t d          # rows
    cdef readonly Py_ssize_t k          # columns
    cdef Py_ssize_t width               # of a panel; the last one may be narrower
    cdef const float[::1] memory

    def __init__(self, V):
        self.d, self.k = V.shape
        memory = np.empty(max(V.size, 1), dtype=np.float32)
        self.width = PANEL if self.k > NARROW else max(self.k, 1)
        for first in range(0, self.k, self.width):
            part = V[:, first : first + self.width]
            memory[first * self.d : first * self.d + part.size] = part.ravel()
        self.memory = memory

    cdef void combine(self, const float* x, const int32_t* columns, const int64_t* begin, const int64_t* end,
                      Py_ssize_t rows, float* out, Py_ssize_t stride) noexcept nogil:
        """Set out[i] to the sum of x[j] times row columns[j] over begin[i] <= j < end[i], by `stride`."""
        cdef Py_ssize_t first = 0
        while first < self.k:
            loops.combine(x, columns, begin, end, rows, &self.memory[0] + first * self.d,
                          min(self.k - first, self.width), out + first, stride)
            first += self.width


cdef class MappedData(LinearData):
    """Rows of features in memory.

    Parameters
    ----------
    Z : ndarray of float32, shape (n, D), C-contiguous
        Features; they are not copied.
    map : FeatureMap
        The map.
    ledger : Ledger
        The counts so far, including those of the map.
    """

    cdef readonly object map

    def __init__(self, Z, map, ledger):
        super().__init__(Z, compress=False, ledger=ledger)
        self.map = map

    def decision_function(self, weights, bias, X):
        """Return <z(x), w> + bias for each row x of X, float64, shape (m,); counted as observed."""
        scores, products = self.map.scores(weights, bias, X)
        self.observed += products
        return scores


cdef class LazyMappedData(LinearData):
    """Rows whose Fourier features are computed on demand; only the latest ones are kept.

    Features of examples announced by `prefetch` are computed together, so that the frequencies are read once
    for all of them. They are charged one by one when they are needed, as if each were computed then.

    Parameters
    ----------
    X : ndarray or scipy.sparse matrix, shape (n, d)
        Training examples.
    map : Fourier
        Frequencies, phases and scale.
    """

    cdef object X                       # the examples themselves
    cdef readonly object map
    cdef Panels frequencies
    cdef const float[::1] phases
    cdef float scale
    cdef float[:, ::1] z                # features of the examples computed last, at most TOGETHER
    cdef Py_ssize_t[TOGETHER] made      # these examples
    cdef Py_ssize_t count               # their number
    cdef Py_ssize_t held                # row of z of the example needed last, whose features are charged
    cdef Py_ssize_t[TOGETHER] asked     # examples announced as needed next, in this order
    cdef Py_ssize_t waiting             # their number
    cdef int64_t width                  # number of original features
    cdef sparse_rows source             # the examples as they are stored
    cdef bint source_sparse
    cdef float[::1] values              # nonzero values of dense examples
    cdef int32_t[::1] columns           # their columns

    def __init__(self, X, map):
        super().__init__(X)
        self.X = X
        self.map = map
        self.width = self.d
        self.source = self.rows
        self.source_sparse = self.sparse
        self.sparse = False
        self.frequencies = map.panels
        if not self.source_sparse:
            self.values = np.empty(TOGETHER * self.width + 16, dtype=np.float32)
            self.columns = np.empty(TOGETHER * self.width + 16, dtype=np.int32)
        self.phases = map.phases
        self.scale = map.scale
        self.d = self.phases.shape[0]
        self.z = np.empty((TOGETHER, self.d), dtype=np.float32)
        self.held = -1
        # Multiplications needed for inner products with all examples, whose features are computed each time.
        self.stored = self.stored * self.frequencies.k + self.n * self.d

    cdef const float* row(self, Py_ssize_t i) noexcept nogil:
        """Return z(x_i); charges one inner product per frequency, except for the example of the last call."""
        if self.held >= 0 and self.made[self.held] == i:
            return &self.z[self.held, 0]
        self.held = self.place_of(i)
        if self.held < 0:
            self.make(i)
            self.held = 0
        self.ledger.inner_products += self.frequencies.k
        return &self.z[self.held, 0]

    cdef Py_ssize_t place_of(self, Py_ssize_t i) noexcept nogil:
        """Return the row of z that has the features of an example, or -1."""
        cdef Py_ssize_t place = 0
        for place in range(self.count):
            if self.made[place] == i:
                return place
        return -1

    cdef void make(self, Py_ssize_t i) noexcept nogil:
        """Compute the features of an example and, if it was announced, of all announced after it."""
        cdef Py_ssize_t place = 0, first = 0, example = 0
        cdef int64_t[TOGETHER] begin
        cdef int64_t[TOGETHER] end
        cdef int64_t written = 0
        while first < self.waiting and self.asked[first] != i:
            first += 1
        self.count = 1
        self.made[0] = i
        if first < self.waiting:
            for place in range(first + 1, self.waiting):
                self.made[self.count] = self.asked[place]
                self.count += 1
            self.waiting = 0
        for place in range(self.count):
            example = self.made[place]
            begin[place] = self.source.begin[example] if self.source_sparse else written
            if self.source_sparse:
                end[place] = self.source.begin[example + 1]
                continue
            written += loops.nonzeros(self.source.values + example * self.width, self.width,
                                      &self.values[written], &self.columns[written])
            end[place] = written
        if self.source_sparse:
            self.frequencies.combine(self.source.values, self.source.columns, begin, end, self.count,
                                     &self.z[0, 0], self.d)
        else:
            self.frequencies.combine(&self.values[0], &self.columns[0], begin, end, self.count,
                                     &self.z[0, 0], self.d)
        for place in range(self.count):
            spread(&self.z[place, 0], &self.phases[0], self.scale, self.frequencies.k, self.d)

    cdef void prefetch(self, Py_ssize_t i) noexcept nogil:
        """Announce an example that will be needed after those announced earlier."""
        cdef Py_ssize_t place = 0
        if self.waiting == TOGETHER:    # the one announced first was not needed: drop it
            self.waiting -= 1
            for place in range(self.waiting):
                self.asked[place] = self.asked[place + 1]
        self.asked[self.waiting] = i
        self.waiting += 1

    def combination(self, indices, coefficients):
        """Return Σ_k coefficients[k] z(x_indices[k]), float64, shape (d,); features count as observed."""
        rows = self.map.transform(self.X[np.asarray(indices)])
        self.observed += len(rows) * self.frequencies.k
        return np.asarray(coefficients) @ rows

    def lengths(self):
        """Return |z(x_i)|, float64, shape (n,); features count as observed."""
        out = np.empty(self.n)
        for begin in range(0, self.n, BLOCK):
            rows = self.map.transform(self.X[begin : begin + BLOCK]).astype(np.float64)
            out[begin : begin + BLOCK] = np.sqrt(np.einsum("ij,ij->i", rows, rows))
            self.observed += len(rows) * self.frequencies.k
        return out

    def mean_norm(self):
        """Return the mean of |z(x_i)|; features count as observed."""
        lengths = self.lengths()
        return sum(float(lengths[i : i + BLOCK].sum()) for i in range(0, self.n, BLOCK)) / max(self.n, 1)

    def products(self, weights):
        """Return <z(x_i), w> for all training examples, float64, shape (n,); counted as observed."""
        return self.decision_function(weights, 0.0, self.X)

    def decision_function(self, weights, bias, X):
        """Return <z(x), w> + bias for each row x of X, float64, shape (m,); counted as observed."""
        scores, products = self.map.scores(weights, bias, X)
        self.observed += products
        return scores


cdef void spread(float* z, const float* phases, float scale, Py_ssize_t k, Py_ssize_t d) noexcept nogil:
    """Convert the first k numbers t to d numbers scale cos(t + phase), d = k or 2k."""
    if d > k:
        loops.waves(z, phases + k, scale, z + k, d - k)
    loops.waves(z, phases, scale, z, k)


def waves(float[:, ::1] Z, const float[::1] phases, float scale, Py_ssize_t k):
    """Convert the first k numbers t of each row to a whole row of scale cos(t + phase), in place.

    Parameters
    ----------
    Z : ndarray of float32, shape (m, D), D = k or 2k
        Inner products with the frequencies in the first columns.
    phases : ndarray of float32, shape (D,)
        Phases; those beyond the first k are added to the same k numbers.
    scale : float
        Factor.
    k : int
        Number of frequencies.
    """
    cdef Py_ssize_t i = 0
    with nogil:
        for i in range(Z.shape[0]):
            spread(&Z[i, 0], &phases[0], scale, k, Z.shape[1])


def products(X, Panels V, float[:, ::1] out):
    """Write the inner products of rows, whose zeros are skipped, with the columns of V to columns of out.

    Parameters
    ----------
    X : ndarray or scipy.sparse matrix, shape (m, d)
        Rows.
    V : Panels
        The matrix, shape (d, k).
    out : ndarray of float32, shape (m, D), D >= k
        Receives <x_i, v_l>.
    """
    cdef const float[::1] values
    cdef const int32_t[::1] columns
    cdef const int64_t[::1] begin
    values, columns, begin = _nonzeros(X)
    if columns.shape[0] == 0:
        np.asarray(out)[:, : V.k] = 0.0
        return
    with nogil:
        V.combine(&values[0], &columns[0], &begin[0], &begin[1], out.shape[0], &out[0, 0], out.shape[1])


def _nonzeros(X):
    """Return the non-zero values, their columns, and the beginning of each row."""
    if issparse(X):
        X = scipy.sparse.csr_array(X)
        return (
            np.ascontiguousarray(X.data, dtype=np.float32),
            np.ascontiguousarray(X.indices, dtype=np.int32),
            np.ascontiguousarray(X.indptr, dtype=np.int64),
        )
    cdef const float[:, ::1] rows = np.ascontiguousarray(X, dtype=np.float32)
    cdef float[::1] values = np.empty(X.size + 16, dtype=np.float32)
    cdef int32_t[::1] columns = np.empty(X.size + 16, dtype=np.int32)
    cdef int64_t[::1] begin = np.zeros(len(X) + 1, dtype=np.int64)
    cdef Py_ssize_t i = 0
    with nogil:
        for i in range(rows.shape[0] if rows.shape[1] else 0):
            begin[i + 1] = begin[i] + loops.nonzeros(&rows[i, 0], rows.shape[1], &values[begin[i]],
                                                     &columns[begin[i]])
    count = begin[rows.shape[0]]
    return np.asarray(values)[:count], np.asarray(columns)[:count], np.asarray(begin)
