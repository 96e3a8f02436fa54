"""The oracle: the only source of kernel values, and the ledger that counts them.

Published counts follow a method's rule (docs/counting.md) and are charged by the solver through the ledger's
verbs; what was really evaluated (``kev_computed``) is counted here, once per row or block.
"""

import numpy as np

from svmbench.kernels.cloud import Cloud, expansion as point_expansion, gamma_of
from svmbench.kernels.layouts import make_layout

from libc.stdint cimport int64_t
from libc.string cimport memcpy

from svmbench.kernels._cache cimport RowCache
from svmbench.kernels._layout cimport ROW_GROUP

cdef enum:
    FIRST_WINDOW = 4        # rows of the first block made ahead; how well rows are expected shows from there
    MOST_ROWS = 1024        # that are looked up in the cache together

# Examples that an expansion is evaluated at together.
PART = 4096

FIELDS = (
    "iterations",
    "kev_ondemand",
    "kev_rowupdate",
    "kev_iter",
    "kev_computed",
    "inner_products",
    "kev_setup",
    "kev_observation",
    "kev_prediction",
    "kev_discarded",
)


cdef class Ledger:
    """The counts of one run, 64 bit each; the fields of `FIELDS`.

    Parameters
    ----------
    kernels : bool, default True
        Whether kernels are evaluated at all; if not, `as_dict` has None for their counts.
    """

    def __init__(self, *, kernels=True):
        self.kernels = kernels

    cdef const int64_t* counter(self, int which) noexcept nogil:
        # The order of svmbench.solvers.base.COUNTERS.
        if which == 0:
            return &self.kev_ondemand
        if which == 1:
            return &self.kev_rowupdate
        if which == 2:
            return &self.kev_iter
        if which == 3:
            return &self.kev_computed
        if which == 4:
            return &self.inner_products
        return &self.iterations

    cdef void lookup(self, int64_t nonzeros) noexcept nogil:
        self.kev_ondemand += nonzeros

    cdef void change(self, int64_t n) noexcept nogil:
        self.kev_rowupdate += n

    cdef void maintained_change(self, int64_t n) noexcept nogil:
        self.kev_ondemand += n
        self.kev_rowupdate += n

    def setup(self, int64_t evaluations):
        """Charge evaluations made before the first iteration, to every convention."""
        self.maintained_change(evaluations)
        self.kev_iter += evaluations
        self.kev_setup += evaluations

    def charge(self, *, iterations=0, lookups=0, changes=0, maintained_changes=0, evaluations=0, n=0):
        """Charge events from a solver written in Python; the compiled ones use the C-level verbs.

        Parameters
        ----------
        iterations, changes, maintained_changes : int
            How many happened; each is charged n.
        lookups : int
            Non-zero coefficients behind the responses that were computed on demand, summed.
        evaluations : int
            Of a kind that no convention saves, charged to each as they are.
        n : int
            Number of training examples.
        """
        self.iterations += iterations
        self.kev_iter += <int64_t>iterations * n + evaluations
        self.kev_ondemand += lookups + <int64_t>maintained_changes * n + evaluations
        self.kev_rowupdate += (<int64_t>changes + maintained_changes) * n + evaluations

    def as_dict(self):
        """Return every counter by name; None where it does not apply."""
        return {
            name: getattr(self, name) if self.kernels or not name.startswith("kev_") else None
            for name in FIELDS
        }


cdef class Oracle:
    """Kernel values over the training examples of one run.

    Parameters
    ----------
    X : ndarray or scipy.sparse matrix, shape (n, d)
        Training examples.
    kernel : dict
        ``name`` and parameters, as in the resolved configuration.
    cache_bytes : int, default 0
        Budget of the row cache; two rows are always kept.
    threads : int, default 1
        OpenMP threads of one row or block.
    layout : str, optional
        How the examples are stored: a key of `svmbench.kernels.layouts.LAYOUTS`; by default the one that fits
        them best. It changes no published count, and values within their stated tolerance only.
    like : ndarray or scipy.sparse matrix, optional
        Examples by which the layout is chosen, where X is a sample of them that others are taken against.
    prefetch : bool, default True
        Whether rows that a solver expects to need are made in blocks ahead of need, where the layout gains by
        it; beside the cache that takes at most an eighth of its budget. It changes no value and no published
        count, but what is computed.

    Notes
    -----
    A layout that makes rows as fast as memory gives them back (`Layout.kept`) has no use for a cache: of its
    rows only the last ones are kept.
    """

    def __init__(self, X, kernel, cache_bytes=0, threads=1, layout=None, like=None, prefetch=True):
        self.layout = make_layout(X, kernel, threads, layout, like)
        self.n = self.layout.n
        self.d = self.layout.d
        self.cache = RowCache(self.n, self.layout.stride, cache_bytes if self.layout.kept else 0)
        self.ahead = max(1, min(self.layout.ahead, self.cache.slots // 8)) if prefetch else 1
        self.window = min(self.ahead, FIRST_WINDOW)
        if self.ahead > 1:
            self.block_values = np.empty((self.ahead, self.layout.stride), dtype=np.float32)
            self.planned = np.empty(self.ahead, dtype=np.int64)
        self.ledger = Ledger()
        self._diagonal = None

    @property
    def kernel(self):
        """The kernel's name and parameters."""
        return dict(self.layout.kernel)

    @property
    def layout_name(self):
        """How the examples are stored: a key of `svmbench.kernels.layouts.LAYOUTS`."""
        return self.layout.name

    @property
    def keeps_rows(self):
        """Whether rows that are only added up go through the cache: not where making one is as quick."""
        return bool(self.layout.worth_keeping())

    @property
    def cache_rows(self):
        """Number of rows that the cache can hold."""
        return self.cache.slots

    cdef void count(self, int64_t evaluations) noexcept nogil:
        self.ledger.kev_computed += evaluations
        self.ledger.inner_products += evaluations

    cdef const float *row_pointer(self, Py_ssize_t i) noexcept nogil:
        cdef float *values = self.cache.find(i)
        cdef int64_t index = i
        if values == NULL:
            values = self.cache.insert(i)
            self.layout.rows(&index, 1, values)
            self.count(self.n)
        elif self.cache.early[self.cache.newest]:
            self.cache.early[self.cache.newest] = 0
            self.ledger.kev_discarded -= self.n
            self.right += 1
        return values

    cdef bint plan(self, Py_ssize_t i) noexcept nogil:
        if self.ahead == 1 or self.cache.holds_row(i):
            return False
        # Expectations further ahead are wrong more often: as many rows as half of them are asked for in time.
        if self.guessed > 0:
            self.window = min(self.ahead, 2 * self.window) if 2 * self.right >= self.guessed \
                else max(<Py_ssize_t> 2, self.window // 2)
        self.guessed = 0
        self.planned[0] = i
        self.n_planned = 1
        self.n_expected = 1
        return True

    cdef bint expect(self, Py_ssize_t i) noexcept nogil:
        cdef Py_ssize_t k = 0
        # Further ahead than one block: some rows are at hand, and the next block is to be full as well.
        self.n_expected += 1
        if not self.cache.holds_row(i):
            while k < self.n_planned and self.planned[k] != i:
                k += 1
            if k == self.n_planned:
                self.planned[k] = i
                self.n_planned += 1
        return self.n_planned < self.window and self.n_expected < 2 * self.window

    cdef void make_planned(self) noexcept nogil:
        cdef Py_ssize_t begin = 0, size = 0, k = 0
        if self.n_planned == 1:
            return
        while begin < self.n_planned:
            size = min(self.layout.group(), self.n_planned - begin)
            self.layout.rows(&self.planned[begin], size, &self.block_values[begin, 0])
            begin += size
        for k in range(self.n_planned):
            memcpy(self.cache.insert(self.planned[k]), &self.block_values[k, 0], self.n * sizeof(float))
            self.cache.early[self.cache.newest] = k > 0
        self.guessed = self.n_planned - 1
        self.right = 0
        self.count(self.n_planned * self.n)
        self.ledger.kev_discarded += self.guessed * self.n      # until they are asked for

    cdef int pairs(self, const int64_t *rows, Py_ssize_t count, const int64_t *cols, Py_ssize_t width,
                   float *out, Py_ssize_t stride) except -1:
        self.layout.pairs(rows, count, cols, width, out, stride)
        self.count(count * width)
        return 0

    cdef int add_rows(self, const int64_t *indices, const double *coefficients, Py_ssize_t count,
                      double *sums) except -1 nogil:
        cdef Py_ssize_t step = MOST_ROWS if self.cache.slots >= MOST_ROWS else ROW_GROUP
        cdef Py_ssize_t begin = 0
        while begin < count:
            add_group(self, indices + begin, coefficients + begin, min(step, count - begin), sums)
            begin += step
        return 0

    def row(self, Py_ssize_t i):
        """Return row i of the kernel matrix, float32, shape (n,); a copy."""
        if not 0 <= i < self.n:
            raise IndexError(f"row {i} of {self.n}")
        cdef const float *values = self.row_pointer(i)
        return np.array(<const float[:self.n]>values) if self.n else np.zeros(0, dtype=np.float32)

    def block(self, rows, cols=None, out=None):
        """Return kernel values between training examples, float32, shape (len(rows), n or len(cols)).

        A block reads the stored data once for several rows; it bypasses the cache.

        Parameters
        ----------
        rows : array of int, shape (b,)
            Examples.
        cols : array of int, shape (c,), optional
            Other examples; all by default.
        out : ndarray of float32, optional
            Where to put the values.
        """
        rows = np.ascontiguousarray(rows, dtype=np.int64)
        if cols is None:
            values = self.layout.block(rows)
        else:
            cols = np.ascontiguousarray(cols, dtype=np.int64)
            pair = self.layout.select(np.concatenate([rows, cols]))
            values = pair.block(np.arange(len(rows)))[:, len(rows):]
        self.count(values.size)
        if out is None:
            return np.ascontiguousarray(values)
        out[...] = values
        return out

    def values(self, X):
        """Return K(x, x_j) for each row x of X and each training example, float32, shape (m, n)."""
        values = self.layout.values(X)
        self.count(values.size)
        return values

    def diagonal(self):
        """Return K(x_i, x_i), float64, shape (n,).

        Free for the Gaussian kernel, whose diagonal is 1. For another kernel n evaluations, made and charged
        to every convention once, at the first call, and noted as setup.
        """
        kernel = self.layout.kernel
        if kernel["name"] == "gaussian":
            return np.ones(self.n)
        if self._diagonal is None:
            squared = self.layout.squared_norms()
            if kernel["name"] == "polynomial":
                squared = (kernel["gamma"] * squared + kernel["coef0"]) ** kernel["degree"]
            self._diagonal = squared
            self.count(self.n)
            self.ledger.setup(self.n)
        return self._diagonal.copy()

    def subset(self, indices):
        """Return an oracle over some of the training examples, with this one's ledger and budget of cache.

        Its kernel values are those of this oracle bit for bit. The diagonal is this one's where it is known.

        Parameters
        ----------
        indices : array of int, shape (m,)
            Examples.
        """
        indices = np.ascontiguousarray(indices, dtype=np.int64)
        cdef Oracle part = Oracle.__new__(Oracle)
        part.layout = self.layout.select(indices)
        part.n = part.layout.n
        part.d = part.layout.d
        part.cache = RowCache(
            part.n, part.layout.stride, self.cache.slots * self.cache.stride * <Py_ssize_t> sizeof(float)
        )
        part.ahead = 1
        part.ledger = self.ledger
        part._diagonal = None if self._diagonal is None else self._diagonal[indices]
        return part

    def part(self, Py_ssize_t most):
        """Return an oracle over up to that many of these examples, which change; see `subset` for the rest.

        Where its cache has room for all its rows, they are made from those that this oracle holds.

        Parameters
        ----------
        most : int
            How many at most; at first they are all the first example.
        """
        cdef Oracle part = self.subset(np.zeros(most, dtype=np.int64))
        part.whole = self
        part.examples = np.zeros(most, dtype=np.int64)
        return part

    cdef int take(self, const int64_t *examples, Py_ssize_t count) except -1:
        cdef Py_ssize_t j = 0
        for j in range(count):
            self.examples[j] = examples[j]
        self.layout = self.layout.over(self.whole.layout, examples, count)
        self.n = count
        self.cache.clear()
        return 0

    def responses(self, indices, coefficients):
        """Return the same as `training_scores`, counted as computed: for a method that needs it."""
        self.count(len(indices) * self.n)
        return self._expansion(indices, coefficients)

    def decision_function(self, indices, coefficients, bias, X):
        """Return Σ_k coefficients[k] K(x_indices[k], x) + bias for each row x of X, float64, shape (m,).

        Counted as prediction, never to a published convention.
        """
        scores = self.layout.select(indices).scores(X, coefficients) + bias
        self.ledger.kev_prediction += len(indices) * len(scores)
        return scores

    def training_scores(self, indices, coefficients):
        """Return Σ_k coefficients[k] K(x_indices[k], x_j) for every training example, float64, shape (n,).

        Made afresh from the coefficients, independent of anything that a solver maintains; counted as
        observation.
        """
        self.ledger.kev_observation += len(indices) * self.n
        return self._expansion(indices, coefficients)

    def cloud(self):
        """Return a `Cloud` of the training examples, for kernel values of points that are none of them.

        Raises
        ------
        UserError
            If the kernel is not Gaussian.
        """
        return Cloud(self.layout.gather(np.arange(self.n)), gamma_of(self.layout.kernel), self.ledger)

    def point_scores(self, points, coefficients, bias, X):
        """Return Σ_k coefficients[k] K(points[k], x) + bias for each row x of X, float64, shape (m,).

        Counted as prediction.
        """
        scores = point_expansion(points, coefficients, gamma_of(self.layout.kernel), X) + bias
        self.ledger.kev_prediction += len(points) * len(scores)
        return scores

    def training_point_scores(self, points, coefficients):
        """Return Σ_k coefficients[k] K(points[k], x_j) for every training example, float64, shape (n,).

        Counted as observation.
        """
        gamma = gamma_of(self.layout.kernel)
        scores = np.empty(self.n)
        for begin in range(0, self.n, PART):
            rows = self.layout.gather(np.arange(begin, min(begin + PART, self.n)))
            scores[begin : begin + PART] = point_expansion(points, coefficients, gamma, rows)
        self.ledger.kev_observation += len(points) * self.n
        return scores

    def _expansion(self, indices, coefficients):
        scores = np.empty(self.n)
        expansion = self.layout.select(indices)
        for begin in range(0, self.n, PART):
            part = np.arange(begin, min(begin + PART, self.n))
            scores[begin : begin + PART] = expansion.scores_at(self.layout, part, coefficients)
        return scores


cdef int add_group(Oracle oracle, const int64_t *indices, const double *coefficients, Py_ssize_t count,
                   double *sums) except -1 nogil:
    """The same for up to MOST_ROWS rows, if the cache has room for them all, or up to ROW_GROUP."""
    cdef bint roomy = oracle.cache.slots >= count
    cdef const float *held[MOST_ROWS]
    cdef const float *nothing[MOST_ROWS]
    cdef float *kept[MOST_ROWS]
    cdef float *places[MOST_ROWS]
    cdef int64_t missing[MOST_ROWS]
    cdef bint keep = oracle.layout.worth_keeping()
    cdef Py_ssize_t made = 0, r = 0
    for r in range(count):
        nothing[r] = NULL
        held[r] = oracle.cache.find(indices[r]) if keep else NULL
        kept[r] = oracle.cache.insert(indices[r]) if keep and held[r] == NULL else NULL
        if kept[r] != NULL and roomy:
            held[r] = copied(oracle, indices[r], kept[r])
        if held[r] == NULL:
            missing[made] = indices[r]
            places[made] = kept[r]
            made += 1
    oracle.count(made * oracle.n)
    if keep and roomy:
        # What is missing is made in full blocks first: they read the stored examples once each.
        oracle.layout.add_rows(missing, coefficients, made, nothing, places, NULL)
        for r in range(count):
            if held[r] == NULL:
                held[r] = kept[r]
    return oracle.layout.add_rows(indices, coefficients, count, held, kept, sums)


cdef const float *copied(Oracle oracle, int64_t i, float *row) noexcept nogil:
    """Copy the row from the oracle that this one is a part of; NULL if it holds none."""
    cdef const float *whole = NULL
    cdef Py_ssize_t j = 0
    if oracle.whole is not None and oracle.cache.slots >= oracle.examples.shape[0]:
        whole = oracle.whole.cache.seen(oracle.examples[i])
    if whole == NULL:
        return NULL
    for j in range(oracle.n):
        row[j] = whole[oracle.examples[j]]
    return row
