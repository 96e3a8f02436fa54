"""The oracle: the only source of kernel values, and the ledger that counts them.

Published counts follow a method's rule (docs/counting.md) and are charged by the solver through the ledger's
verbs; what was really evaluated (``kev_computed``) is counted here, once per row or block.
"""

import numpy as np

from svmbench.kernels.layouts import make_layout

from libc.stdint cimport int64_t

from svmbench.kernels._cache cimport RowCache
from svmbench.kernels._layout cimport ROW_GROUP

# Rows that are looked up in the cache together.
cdef enum:
    MOST_ROWS = 1024

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

    cdef int64_t value(self, int counter) noexcept nogil:
        # The order of svmbench.solvers.base.COUNTERS.
        if counter == 0:
            return self.kev_ondemand
        if counter == 1:
            return self.kev_rowupdate
        if counter == 2:
            return self.kev_iter
        if counter == 3:
            return self.kev_computed
        if counter == 4:
            return self.inner_products
        return self.iterations

    cdef void iteration(self, int64_t n) noexcept nogil:
        self.iterations += 1
        self.kev_iter += n

    cdef void lookup(self, int64_t nonzeros) noexcept nogil:
        self.kev_ondemand += nonzeros

    cdef void change(self, int64_t n) noexcept nogil:
        self.kev_rowupdate += n

    cdef void maintained_change(self, int64_t n) noexcept nogil:
        self.kev_ondemand += n
        self.kev_rowupdate += n

    def charge(self, *, iterations=0, lookups=0, changes=0, maintained_changes=0, n=0):
        """Charge events from a solver written in Python; the compiled ones use the C-level verbs.

        Parameters
        ----------
        iterations, changes, maintained_changes : int
            How many happened; each is charged n.
        lookups : int
            Non-zero coefficients behind the responses that were computed on demand, summed.
        n : int
            Number of training examples.
        """
        self.iterations += iterations
        self.kev_iter += <int64_t>iterations * n
        self.kev_ondemand += lookups + <int64_t>maintained_changes * n
        self.kev_rowupdate += (<int64_t>changes + maintained_changes) * n

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
        them best. It changes no count, and values within their stated tolerance only.
    """

    def __init__(self, X, kernel, cache_bytes=0, threads=1, layout=None):
        self.layout = make_layout(X, kernel, threads, layout)
        self.n = self.layout.n
        self.d = self.layout.d
        self.cache = RowCache(self.n, self.layout.stride, cache_bytes)
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
        return values

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

    def diagonal(self):
        """Return K(x_i, x_i), float64, shape (n,).

        Free for the Gaussian kernel, whose diagonal is 1. For another kernel n evaluations, made and charged
        to every convention once, at the first call, and noted as setup.
        """
        if self._diagonal is None:
            kernel = self.layout.kernel
            if kernel["name"] == "gaussian":
                self._diagonal = np.ones(self.n)
            else:
                squared = self.layout.squared_norms()
                if kernel["name"] == "polynomial":
                    squared = (kernel["gamma"] * squared + kernel["coef0"]) ** kernel["degree"]
                self._diagonal = squared
                self.count(self.n)
                self.ledger.maintained_change(self.n)
                self.ledger.kev_iter += self.n
                self.ledger.kev_setup += self.n
        return self._diagonal.copy()

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
        scores = np.empty(self.n)
        step = 4096
        expansion = self.layout.select(indices)
        for begin in range(0, self.n, step):
            part = np.arange(begin, min(begin + step, self.n))
            scores[begin : begin + step] = expansion.scores_at(self.layout, part, coefficients)
        self.ledger.kev_observation += len(indices) * self.n
        return scores


cdef int add_group(Oracle oracle, const int64_t *indices, const double *coefficients, Py_ssize_t count,
                   double *sums) except -1 nogil:
    """The same for up to MOST_ROWS rows, if the cache has room for them all, or up to ROW_GROUP."""
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
        if held[r] == NULL:
            missing[made] = indices[r]
            places[made] = kept[r]
            made += 1
    oracle.count(made * oracle.n)
    if keep and oracle.cache.slots >= count:
        # What is missing is made in full blocks first: they read the stored examples once each.
        oracle.layout.add_rows(missing, coefficients, made, nothing, places, NULL)
        for r in range(count):
            if held[r] == NULL:
                held[r] = kept[r]
    return oracle.layout.add_rows(indices, coefficients, count, held, kept, sums)
