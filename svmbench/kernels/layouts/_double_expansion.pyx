"""Kernel expansions in double precision, from the examples as they are stored, for certificates.

In a layout of integers, products and distances are exact already, so only the kernel is evaluated in float64.
For dense examples, squared differences are summed. For sparse examples, distances are computed from inner
products and norms, or from differences where norms would cancel. With the linear kernel, weights are computed
first.

With a layout that has regions (`_regions`), values below 2^-125 may be left out. Their sum is less than
2^-125 times the sum of the absolute coefficients.
"""

import math

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy

from svmbench.kernels.layouts._layout cimport Layout, kernel_params, tiled_job
from svmbench.kernels.layouts._regions cimport REGION, Regions
from svmbench.kernels.layouts._tiled cimport TiledLayout
from svmbench.simd.targets cimport isa_level

from svmbench.kernels.double_values import squared_norms
from svmbench.simd.targets import aligned_zeros
from svmbench.sparse import canonical, issparse


cdef extern from "double_expansion.h" nogil:
    enum: DOUBLE_TILE
    ctypedef struct double_csr:
        const double *values
        const int32_t *indices
        const int64_t *indptr
        const double *squared
        ptrdiff_t n
        ptrdiff_t d
    ctypedef struct double_points:
        ptrdiff_t d
        ptrdiff_t codes
        const double *tiles
        const double *coefficients
        const int64_t *which
        ptrdiff_t n_tiles
    void svmbench_double_scores(int level, const kernel_params *, const double_points *,
                                const double *queries, ptrdiff_t count, double *scores, int threads)
    void svmbench_double_square(int level, const kernel_params *, const double_points *,
                                const double *queries, ptrdiff_t inner, ptrdiff_t count, double *values,
                                double *scores, int threads)
    void svmbench_double_errors(int level, const kernel_params *, const double_points *,
                                const double *queries, ptrdiff_t count, const float *singles,
                                ptrdiff_t stride, double *sums, double *squares, int threads)
    void svmbench_double_row(int level, const kernel_params *, const float *tiles, ptrdiff_t n, ptrdiff_t d,
                             const double *query, double coefficient, double *scores, int threads)
    ctypedef struct whole_numbers:
        double unit_squared
        ptrdiff_t largest
    int svmbench_whole_scores(const tiled_job *job, whole_numbers whole, const char *queries, ptrdiff_t count,
                              const double *coefficients, double *scores)
    void svmbench_whole_row(const tiled_job *job, whole_numbers whole, const char *query, double coefficient,
                            double *scores)
    int svmbench_double_csr_scores(int level, const kernel_params *, const double_csr *points,
                                   const double *coefficients, const double_csr *queries, double *scores,
                                   int threads)

# Bytes of points, and of examples, that are converted to double precision at a time.
_BLOCK = 1 << 26

# Values between two points are computed once if no more than this part of all values remains, and examples
# have at least so many features; with few, to keep the values takes longer than to compute them.
_SQUARE, _WIDE = 0.8, 64

# Number of examples from which the centre of all is computed.
_SOME = 64

# The centre is not subtracted from an example if its largest value would grow by more than this factor.
_NEARER = 16.0

# Number of examples whose values in single precision are compared at a time.
_TOGETHER = 64

# Number of points whose distances from other examples are bounded together; a multiple of DOUBLE_TILE.
_PART = 64


def expansion(Layout stored, points, coefficients, at, given=None):
    """Return Σ_k coefficients[k] K(x_points[k], x_j) for each j of `at`, float64, shape (len(at),).

    The documented formula of the kernel is evaluated and summed in float64. The relative error of a value is
    a few units in the last place times the number of features and, for the Gaussian kernel, times the size of
    the exponent.

    Parameters
    ----------
    stored : Layout
        The examples.
    points, at : array of int, shapes (s,) and (m,)
        Examples of the expansion, and examples at which it is evaluated.
    coefficients : array of float64, shape (s,)
        Coefficients.
    given : ndarray or scipy.sparse matrix of float64, shape (n, d), optional
        The examples before rounding; the kernel is applied to these instead.
    """
    cdef _Source source = _Source(stored, given)
    points = np.ascontiguousarray(points, dtype=np.int64)
    at = np.ascontiguousarray(at, dtype=np.int64)
    coefficients = np.ascontiguousarray(coefficients, dtype=np.float64)
    if points.shape != coefficients.shape:
        raise ValueError(f"{len(points)} points and {len(coefficients)} coefficients")
    scores = np.zeros(len(at))
    if len(points) == 0 or len(at) == 0:
        return scores
    if stored.kernel.compiled is None:
        return stored.select(points).scores_at(stored, at, coefficients)
    if stored.kernel.linear:
        return _linear(source, points, coefficients, len(at), lambda part: source.plain_rows(at[part]))
    everywhere = given is None and len(points) == 1 and np.array_equal(at, np.arange(stored.n))
    if everywhere and _row(stored, points, coefficients[0], scores):
        return scores
    if given is None and stored.unit_squared > 0.0:
        _whole(stored, points, coefficients, lambda part: (<TiledLayout>stored).records(at[part]), scores)
        return scores
    regions = _regions(stored)
    if regions is None:
        if not _square(source, points, coefficients, at, scores):
            _add(source, points, coefficients, at, scores)
        return scores
    order, places = regions.order(points), regions.order(at)
    arranged = np.zeros(len(at))
    _add(source, points[order], coefficients[order], at[places], arranged)
    scores[places] = arranged
    return scores


def scores(Layout stored, points, coefficients, X, given=None):
    """Return Σ_k coefficients[k] K(x_points[k], x) for each row x of X, float64, shape (X.shape[0],).

    Values are computed as by `expansion`. A score depends only on its row and the expansion, bit for bit.

    Parameters
    ----------
    stored, points, coefficients, given
        As in `expansion`.
    X : ndarray or scipy.sparse matrix, shape (m, d)
        Rows; with `given`, they are used as they are, even if stored examples are multiples of a unit.
    """
    cdef _Source source = _Source(stored, given)
    source.codes = 0
    points = np.ascontiguousarray(points, dtype=np.int64)
    coefficients = np.ascontiguousarray(coefficients, dtype=np.float64)
    X = canonical(X) if issparse(X) else X
    found, count = np.zeros(X.shape[0]), X.shape[0]

    def rows(part):
        made = stored.in_double(X[part]) if given is None else Layout.in_double(stored, X[part])
        return made if stored.d or source.sparse else np.zeros((made.shape[0], 1))

    if len(points) == 0 or count == 0:
        return found
    if stored.kernel.compiled is None:
        return stored.select(points).scores(stored.queries_of(X), coefficients)
    if stored.kernel.linear:
        return _linear(source, points, coefficients, count, rows)
    if given is None and stored.name == "bits":
        own = np.flatnonzero(_of_bits(X))
        if 0 < len(own) < count:
            other = np.setdiff1d(np.arange(count), own)
            found[own], found[other] = (scores(stored, points, coefficients, X[at]) for at in (own, other))
            return found
        if len(own):
            _whole(stored, points, coefficients,
                   lambda part: np.concatenate([records for _, records in stored.queries_of(X[part])]), found)
            return found
    step = max(DOUBLE_TILE, _BLOCK // (8 * max(1, stored.d))) if not source.sparse else len(points)
    for begin in range(0, len(points), step):
        chosen = source.plain_rows(points[begin : begin + step])
        part = (_Sparse if source.sparse else _Dense)(source, chosen, coefficients[begin : begin + step])
        for some in _blocks(stored, found, len(points)):
            part.add_some(rows(some), found[some], None)
    return found


def _of_bits(X):
    """Return which rows have zeros and ones only."""
    if not issparse(X):
        return ((X == 0.0) | (X == 1.0)).all(axis=1)
    others = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[X.data != 1.0]
    return np.bincount(others, minlength=X.shape[0]) == 0


def value_errors(TiledLayout stored, points, coefficients, at, given=None):
    """Return the errors of Gaussian kernel values in single precision: their sums, and sums of squares.

    These are Σ_k e_kj and Σ_k e_kj² for each j of `at`, float64, shapes (len(at),). e_kj is coefficients[k]
    times the difference between the value of the formula for x_points[k] and x_j and the value in a row.

    Parameters
    ----------
    stored : TiledLayout
        The examples: float32 features, perhaps with groups of indicators.
    points, at, coefficients, given
        As in `expansion`.
    """
    cdef _Source source = _Source(stored, given)
    cdef TiledLayout chosen = stored.select(np.ascontiguousarray(points, dtype=np.int64))
    cdef _Dense exact = _Dense(source, source.rows(points), coefficients)
    sums, squares = np.zeros((2, len(at)))
    for part in _blocks(stored, at, len(points)):
        for begin in range(part.start, part.stop, _TOGETHER):
            some = slice(begin, min(begin + _TOGETHER, part.stop))
            singles = np.empty((some.stop - begin, chosen.stride), dtype=np.float32)
            chosen.rows_of(stored.records(at[some]), singles)
            exact.add_errors(source.rows(at[some]), singles, sums[some], squares[some])
    return sums, squares


def matrix(const double[:, ::1] rows not None, kernel, int threads=1):
    """Return the kernel values between all rows, by the documented formula, float64, shape (n, n or more).

    Values are computed as by `expansion`. The matrix is symmetric; columns behind the first n are padding.

    Parameters
    ----------
    rows : ndarray of float64, shape (n, d)
        Examples, at least one with at least one feature.
    kernel : ScalarKernel
        A kernel that is compiled.
    threads : int
        Number of threads.
    """
    cdef Py_ssize_t n = rows.shape[0]
    cdef double[::1] tiles = _tiled(np.asarray(rows))
    cdef double[::1] weights = np.zeros(tiles.shape[0] // rows.shape[1])
    cdef kernel_params params = kernel_params(
        kind=kernel.compiled, gamma=kernel.gamma, coef0=kernel.coef0, degree=kernel.degree
    )
    cdef double_points points = double_points(
        d=rows.shape[1], codes=0, tiles=&tiles[0], coefficients=&weights[0], which=NULL,
        n_tiles=weights.shape[0] // DOUBLE_TILE,
    )
    cdef double[:, ::1] values = np.empty((n, weights.shape[0]))
    with nogil:
        svmbench_double_square(isa_level(), &params, &points, &rows[0, 0], n, n, &values[0, 0], NULL, threads)
    return np.asarray(values)


cdef class _Source:
    """The examples in float64: those given, or the stored ones.

    If the layout stores groups of indicators as codes, they are codes here, and all other features come
    first.
    """

    cdef Layout stored
    cdef object given
    cdef Py_ssize_t codes
    cdef readonly bint sparse

    def __init__(self, Layout stored, given):
        self.stored, self.given = stored, given
        self.sparse = issparse(stored.gather(np.zeros(0, dtype=np.int64)))
        self.codes = stored.codes if given is None and stored.name == "mixed" else 0

    def rows(self, indices):
        """Return examples as an array or a CSR array, with codes instead of indicators."""
        if self.codes:
            return self.stored.gather_coded(indices)
        return self.plain_rows(indices)

    def plain_rows(self, indices):
        """Return examples as an array or a CSR array of their features."""
        rows = self.stored.gather_double(indices) if self.given is None else self.given[indices]
        return rows if self.stored.d or issparse(rows) else np.zeros((len(indices), 1))


def _add(_Source source, points, coefficients, at, scores):
    """Add the expansion, converting some of its points to float64 at a time."""
    cdef Layout stored = source.stored
    step = max(DOUBLE_TILE, _BLOCK // (8 * max(1, stored.d))) if not source.sparse else len(points)
    for begin in range(0, len(points), step):
        chosen = source.rows(points[begin : begin + step])
        part = _Sparse if issparse(chosen) else _Dense if _regions(stored) is None else _NearDense
        part(source, chosen, coefficients[begin : begin + step]).add(at, scores)


cdef bint _square(_Source source, points, coefficients, at, scores) except -1:
    """Compute the expansion, values between two points once; return False if that does not pay."""
    cdef _Dense every = None
    if source.sparse or source.stored.d < _WIDE:
        return False
    places = np.full(source.stored.n, -1)
    places[points] = np.arange(len(points))
    others = np.flatnonzero(places[at] < 0)
    values = (len(points) + len(others)) * len(points)
    halved = 0.5 * len(points) + len(others) <= _SQUARE * len(at)
    if not halved or 8 * max(values, len(points) * source.stored.d) > _BLOCK:
        return False
    places[at[others]] = len(points) + np.arange(len(others))
    rows = source.rows(np.concatenate([points, at[others]]))
    every = _Dense(source, rows[: len(points)], coefficients)
    scores[...] = every.square(rows, len(points))[places[at]]
    return True


cdef Regions _regions(Layout stored):
    return (<TiledLayout>stored).regions if isinstance(stored, TiledLayout) else None


def _blocks(Layout stored, at, points=1):
    """Yield slices of `at` small enough to process with this many points, and check for signals."""
    step = min(max(64, _BLOCK // (8 * max(1, stored.d))), stored.queries_together(points))
    for begin in range(0, len(at), step):
        PyErr_CheckSignals()
        yield slice(begin, min(begin + step, len(at)))


def _linear(_Source source, points, coefficients, count, rows_of):
    """Compute the weights relative to a centre, so that a large offset of all examples costs no accuracy.

    `rows_of` returns some of the `count` rows that are scored.
    """
    center = _center(source)
    weights = _weights(source, points, coefficients, center)
    shift, scores = center @ weights, np.empty(count)
    for part in _blocks(source.stored, scores):
        rows, far = _moved(rows_of(part), center)
        scores[part] = rows @ weights + np.where(far, shift, 0.0)
    return scores


def _center(_Source source):
    """Return the point relative to which weights are computed, shape (d,).

    It is a median of some examples in each feature, so it is a value that occurs. With outliers, a mean could
    be far from all other examples, and subtracting it would round them. Examples near zero are not moved:
    without bias, their coefficients may be so large that the other terms would be lost in their products with
    the centre.
    """
    cdef Layout stored = source.stored
    if source.sparse or not stored.d:
        return np.zeros(stored.d)
    some = np.arange(0, stored.n, -(-stored.n // _SOME))
    return np.quantile(source.plain_rows(some), 0.5, axis=0, method="lower")


def _weights(_Source source, points, coefficients, center):
    weights, moved = np.zeros(source.stored.d), np.zeros(len(points), dtype=bool)
    for part in _blocks(source.stored, points):
        rows, moved[part] = _moved(source.plain_rows(points[part]), center)
        weights += rows.T @ coefficients[part]
    return weights + math.fsum(coefficients[moved]) * center


def linear_sizes(Layout stored, given=None):
    """Return the norms of examples minus the centre, which ones moved, its norm, and their most terms."""
    cdef _Source source = _Source(stored, given)
    center, terms = _center(source), 0
    norms, moved = np.empty(stored.n), np.empty(stored.n, dtype=bool)
    for part in _blocks(stored, norms):
        rows, moved[part] = _moved(source.plain_rows(np.arange(part.start, part.stop)), center)
        norms[part] = np.sqrt(squared_norms(rows))
        terms = max(terms, np.diff(rows.indptr).max() if source.sparse else stored.d)
    return norms, moved, float(np.linalg.norm(center)), terms


def _moved(rows, center):
    """Return rows minus the centre, except those much nearer to zero; and which rows were moved."""
    if issparse(rows):
        return rows, np.zeros(rows.shape[0], dtype=bool)
    moved = rows - center
    far = _NEARER * np.abs(rows).max(axis=1, initial=0.0) >= np.abs(moved).max(axis=1, initial=0.0)
    return (moved if far.all() else np.where(far[:, None], moved, rows)), far


cdef bint _row(Layout stored, points, double coefficient, double[::1] scores) except -1:
    """Add one row over all examples, with the same bits; return False if the layout does not support this."""
    cdef const uint8_t[:, ::1] records
    cdef const double[:, ::1] query
    cdef whole_numbers numbers
    cdef TiledLayout tiled = None
    if stored.unit_squared > 0.0:
        tiled = stored
        records = tiled.records(points)
        numbers = whole_numbers(unit_squared=tiled.unit_squared, largest=-1)
        with nogil:
            svmbench_whole_row(&tiled.job, numbers, <const char *>&records[0, 0], coefficient, &scores[0])
    elif stored.name == "dense" and stored.d and _regions(stored) is None:
        tiled = stored
        query = stored.gather_double(points)
        with nogil:
            svmbench_double_row(stored.level, &stored.params, <const float *>tiled.tiles, stored.n, stored.d,
                                &query[0, 0], coefficient, &scores[0], stored.threads)
    return tiled is not None


cdef int _whole(TiledLayout stored, points, coefficients, records_of, double[::1] scores) except -1:
    """Set the scores of rows, whose slices `records_of` encodes."""
    cdef TiledLayout chosen = stored.select(points)
    cdef const double[::1] weights = coefficients
    cdef const uint8_t[:, ::1] records
    cdef whole_numbers numbers
    cdef Py_ssize_t begin = 0
    cdef int status = 0
    for part in _blocks(stored, scores, len(points)):
        records = records_of(part)
        numbers = whole_numbers(unit_squared=stored.unit_squared, largest=chosen.largest_number(records))
        begin = part.start
        with nogil:
            status = svmbench_whole_scores(&chosen.job, numbers, <const char *>&records[0, 0],
                                           records.shape[0], &weights[0], &scores[begin])
        if status:
            raise MemoryError("no memory for the work buffer of an expansion in double precision")
    return 0


def _tiled(points):
    """Return points in tiles of `DOUBLE_TILE`, zero padded, float64, one after the other."""
    count, d = points.shape
    n_tiles = (count + DOUBLE_TILE - 1) // DOUBLE_TILE
    padded = np.zeros((n_tiles * DOUBLE_TILE, d))
    padded[:count] = points
    tiles = aligned_zeros(padded.size)
    tiles.reshape(n_tiles, d, DOUBLE_TILE)[...] = padded.reshape(n_tiles, DOUBLE_TILE, d).transpose(0, 2, 1)
    return tiles


cdef class _Dense:
    """Points in tiles."""

    cdef _Source source
    cdef Layout stored
    cdef double[::1] tiles
    cdef double[::1] weights
    cdef Py_ssize_t n_tiles

    def __init__(self, _Source source, points, coefficients):
        self.source, self.stored = source, source.stored
        self.n_tiles = (len(points) + DOUBLE_TILE - 1) // DOUBLE_TILE
        weights = np.zeros(self.n_tiles * DOUBLE_TILE)
        weights[: len(points)] = coefficients
        self.tiles, self.weights = _tiled(points), weights

    def add(self, at, double[::1] scores):
        """Add the expansion at the given examples."""
        for part in _blocks(self.stored, at, self.n_tiles * DOUBLE_TILE):
            self.add_some(self.source.rows(at[part]), scores[part.start : part.stop], None)

    def add_errors(self, const double[:, ::1] rows, const float[:, ::1] singles, double[::1] sums,
                   double[::1] squares):
        """Add the errors of the given single-precision values, and the squares of the errors."""
        cdef double_points points = double_points(
            d=rows.shape[1], codes=self.source.codes, tiles=&self.tiles[0], coefficients=&self.weights[0],
            n_tiles=self.n_tiles, which=NULL,
        )
        with nogil:
            svmbench_double_errors(self.stored.level, &self.stored.params, &points, &rows[0, 0],
                                   rows.shape[0], &singles[0, 0], singles.shape[1], &sums[0], &squares[0],
                                   self.stored.threads)

    def square(self, const double[:, ::1] rows, Py_ssize_t inner):
        """Return the expansion at rows of which the first are its points."""
        cdef double_points points = double_points(
            d=rows.shape[1], codes=self.source.codes, tiles=&self.tiles[0], coefficients=&self.weights[0],
            n_tiles=self.n_tiles, which=NULL,
        )
        cdef double[::1] scores = np.empty(rows.shape[0])
        cdef double[:, ::1] values = np.empty((rows.shape[0], self.n_tiles * DOUBLE_TILE))
        with nogil:
            svmbench_double_square(self.stored.level, &self.stored.params, &points, &rows[0, 0], inner,
                                   rows.shape[0], &values[0, 0], &scores[0], self.stored.threads)
        return np.asarray(scores)

    def add_some(self, const double[:, ::1] rows, double[::1] scores, const int64_t[::1] which):
        """Add the given tiles of the expansion, or all tiles, at the examples of one part."""
        cdef double_points points = double_points(
            d=rows.shape[1], codes=self.source.codes, tiles=&self.tiles[0], coefficients=&self.weights[0],
            n_tiles=self.n_tiles, which=NULL,
        )
        if which is not None:
            points.which, points.n_tiles = &which[0], which.shape[0]
        with nogil:
            svmbench_double_scores(self.stored.level, &self.stored.params, &points, &rows[0, 0],
                                   rows.shape[0], &scores[0], self.stored.threads)


cdef class _NearDense(_Dense):
    """Points in the order of regions; for each part of the examples, points that are too far are left out."""

    cdef object features
    cdef object low
    cdef object high

    def __init__(self, _Source source, points, coefficients):
        _Dense.__init__(self, source, points, coefficients)
        begins = np.arange(0, len(points), _PART)
        self.features = _regions(source.stored).features
        bounded = points[:, self.features]
        self.low, self.high = np.minimum.reduceat(bounded, begins), np.maximum.reduceat(bounded, begins)

    def add(self, at, double[::1] scores):
        """Add the expansion at the given examples, also taken in the order of regions."""
        limit = self.stored.kernel.farthest
        for begin in range(0, len(at), REGION):
            PyErr_CheckSignals()
            rows = self.source.rows(at[begin : begin + REGION])
            bounded = rows[:, self.features]
            outside = np.maximum(self.low - bounded.max(axis=0), bounded.min(axis=0) - self.high).clip(0.0)
            reached = np.square(outside).sum(axis=1) <= limit
            which = np.flatnonzero(np.repeat(reached, _PART // DOUBLE_TILE)[: self.n_tiles])
            if len(which):
                self.add_some(rows, scores[begin : begin + REGION], which)


cdef class FewSums:
    """Expansions over a few of some examples, without the interpreter; the values are those of `expansion`.

    Parameters
    ----------
    stored : Layout
        Has the kernel.
    rows : ndarray of float64, shape (n, d)
        The examples.
    """

    def __init__(self, Layout stored, const double[:, ::1] rows):
        cdef Py_ssize_t n = rows.shape[0]
        self.stored, self.d = stored, rows.shape[1]
        self.rows = rows
        self.tiles = aligned_zeros((n + DOUBLE_TILE) * self.d)
        self.weights = np.zeros(n + DOUBLE_TILE)
        self.queries = np.empty(n * self.d)

    cdef void add(self, const int64_t* points, const double* coefficients, Py_ssize_t size, const int64_t* at,
                  Py_ssize_t count, double* scores) noexcept nogil:
        cdef Py_ssize_t padded = (size + DOUBLE_TILE - 1) // DOUBLE_TILE * DOUBLE_TILE
        cdef Py_ssize_t d = self.d, k = 0, f = 0
        cdef double* tile = NULL
        cdef const double* row = NULL
        cdef double_points packed = double_points(
            d=d, codes=0, tiles=&self.tiles[0], coefficients=&self.weights[0], n_tiles=padded // DOUBLE_TILE,
            which=NULL,
        )
        for k in range(padded):
            row = &self.rows[points[min(k, size - 1)], 0]   # padding has weight 0
            tile = &self.tiles[k // DOUBLE_TILE * DOUBLE_TILE * d + k % DOUBLE_TILE]
            self.weights[k] = coefficients[k] if k < size else 0.0
            for f in range(d):
                tile[f * DOUBLE_TILE] = row[f]
        for k in range(count):
            memcpy(&self.queries[k * d], &self.rows[at[k], 0], <size_t>d * sizeof(double))
        svmbench_double_scores(self.stored.level, &self.stored.params, &packed, &self.queries[0], count,
                               scores, 1)


cdef class _Csr:
    """A CSR matrix for C, with ascending columns in each row."""

    cdef double_csr csr
    cdef const double[::1] values
    cdef const int32_t[::1] indices
    cdef const int64_t[::1] indptr
    cdef const double[::1] squared

    def __init__(self, X):
        X = canonical(X).astype(np.float64, copy=False)
        self.indptr = np.ascontiguousarray(X.indptr, dtype=np.int64)
        # One more element than needed, so that there is a first one to point to.
        self.values = np.append(X.data, 0.0)
        self.indices = np.append(X.indices, 0).astype(np.int32)
        # The sum of a csr_matrix is a matrix.
        self.squared = np.append(np.asarray(X.power(2).sum(axis=1)), 0.0)
        self.csr.values = &self.values[0]
        self.csr.indices = &self.indices[0]
        self.csr.indptr = &self.indptr[0]
        self.csr.squared = &self.squared[0]
        self.csr.n, self.csr.d = X.shape


cdef class _Sparse:
    """Points in CSR."""

    cdef _Source source
    cdef Layout stored
    cdef _Csr points
    cdef const double[::1] weights

    def __init__(self, _Source source, points, coefficients):
        self.source, self.stored = source, source.stored
        self.points = _Csr(points)
        self.weights = np.ascontiguousarray(coefficients)

    def add(self, at, double[::1] scores):
        """Add the expansion at the given examples."""
        for part in _blocks(self.stored, at, self.points.csr.n):
            self.add_some(self.source.rows(at[part]), scores[part.start : part.stop], None)

    def add_some(self, given, double[::1] scores, which):
        """Add the expansion at rows in CSR; `which` must be None."""
        cdef _Csr rows = _Csr(given)
        cdef int status = 0
        with nogil:
            status = svmbench_double_csr_scores(self.stored.level, &self.stored.params, &self.points.csr,
                                                &self.weights[0], &rows.csr, &scores[0], self.stored.threads)
        if status:
            raise MemoryError("no memory for the work buffer of an expansion in double precision")
