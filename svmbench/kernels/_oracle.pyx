"""The oracle: the only source of kernel values, which it counts in its ledger.

Compiled solvers read rows through the C-level methods of `KernelRows`. This module adds blocks, the diagonal,
subsets of the examples, and expansions.
"""

import math

import numpy as np

from svmbench.kernels import decisions, expansion
from svmbench.kernels.double_values import DoubleValues
from svmbench.kernels.layouts._double_expansion import (
    expansion as double_expansion,
    linear_sizes,
    value_errors,
)
from svmbench.kernels.layouts.choice import make_layout
from svmbench.kernels.reduced_set import ReducedSet, expansion as point_expansion, gamma_of
from svmbench.sparse import issparse

from libc.stdint cimport int64_t

from svmbench.kernels._ledger cimport Ledger
from svmbench.kernels._rows cimport KernelRows
from svmbench.kernels.layouts._layout cimport TILE, Layout


cdef class Oracle(KernelRows):
    """Kernel values over the training examples of one run.

    Parameters
    ----------
    X : ndarray or scipy.sparse matrix, shape (n, d), or Layout
        Training examples; a layout is used as it is.
    kernel : Kernel or dict
        The kernel, or its name and parameters, as in the resolved configuration.
    cache_bytes : int, default 0
        Size of the row cache; two rows are always cached.
    threads : int, default 1
        OpenMP threads that compute one row or block.
    layout : str, optional
        Storage layout, a key of `svmbench.kernels.layouts.choice.LAYOUTS`. Default: the one that fits the
        examples best. It does not affect published counts, and values only within their stated tolerance.
    like : ndarray or scipy.sparse matrix, optional
        Examples that determine the layout, if X is a sample of them.
    prefetch : bool, default True
        Whether rows that a solver will probably need are computed ahead of need, in blocks, if that is faster
        in the layout. This takes at most an eighth of the size of the cache in addition. It affects neither
        values nor published counts, only the number of values computed.
    precision : str, default auto
        ``auto``, ``single`` or ``double``; see `svmbench.kernels.layouts.choice.make_layout`.

    Notes
    -----
    If a layout computes rows as fast as they are read from memory (`Layout.kept`), only the last two are
    cached.
    """

    #: Largest difference between a kernel value of the stored examples and one of the examples as given.
    feature_error = 0.0

    #: The examples before they were rounded to be stored, float64, shape (n, d); None if they were not.
    given = None

    def __init__(self, X, kernel, cache_bytes=0, threads=1, layout=None, like=None, prefetch=True,
                 precision="auto"):
        cdef Layout stored = X if isinstance(X, Layout) else make_layout(
            X, kernel, threads, layout, like, precision
        )
        super().__init__(stored, Ledger(), cache_bytes if stored.kept else 0, prefetch)

    @property
    def ahead(self):
        """Most rows computed in one block ahead of need; 1: no row is."""
        return self.prefetch.most

    @property
    def kernel(self):
        """The kernel, a `Kernel`."""
        return self.layout.kernel

    @property
    def layout_name(self):
        """The storage layout, a key of `svmbench.kernels.layouts.choice.LAYOUTS`; for tests."""
        return self.layout.name

    @property
    def keeps_rows(self):
        """Whether rows that are only summed are cached; not if computing them is as fast.

        For tests.
        """
        return bool(self.layout.worth_keeping())

    @property
    def exact_price(self):
        """Time of an evaluation in double precision, relative to one in a block of rows of this layout."""
        return self.layout.exact_price

    @property
    def value_error(self):
        """Bound on the rounding error of values in rows (see `Layout.value_error`), or None if unknown."""
        return self.layout.value_error()

    @property
    def cache_rows(self):
        """Number of rows that the cache can hold."""
        return self.cache.slots

    def row(self, Py_ssize_t i):
        """Return row i of the kernel matrix, float32, shape (n,); a copy."""
        if not 0 <= i < self.n:
            raise IndexError(f"row {i} of {self.n}")
        cdef const float *values = self.get_row(i)
        return np.array(<const float[:self.n]>values) if self.n else np.zeros(0, dtype=np.float32)

    def block(self, rows, cols=None, out=None):
        """Return kernel values between training examples, float32, shape (len(rows), n or len(cols)).

        A block reads the stored data once for several rows; it bypasses the cache.

        Parameters
        ----------
        rows : array of int, shape (b,)
            Examples.
        cols : array of int, shape (c,), optional
            Other examples. Default: all.
        out : ndarray of float32, optional
            Receives the values.
        """
        rows = np.ascontiguousarray(rows, dtype=np.int64)
        if cols is None:
            values = self.layout.block(rows)
        else:
            cols = np.ascontiguousarray(cols, dtype=np.int64)
            values = self._between(rows, cols)
        self.ledger.computed(values.size)
        if out is None:
            return np.ascontiguousarray(values)
        out[...] = values
        return out

    def _between(self, const int64_t[::1] rows, const int64_t[::1] cols):
        """Return the kernel values between some examples and others, evaluating no more than these."""
        cdef Py_ssize_t stride = (cols.shape[0] + TILE - 1) // TILE * TILE
        values = np.empty((rows.shape[0], stride), dtype=np.float32)
        cdef float[:, ::1] view = values
        if rows.shape[0] and cols.shape[0]:
            self.layout.pairs(&rows[0], rows.shape[0], &cols[0], cols.shape[0], &view[0, 0], stride)
        return values[:, : cols.shape[0]]

    def moved(self, X):
        """Return rows translated like the examples, shape (m, d)."""
        return X

    def values(self, X):
        """Return K(x, x_j) for each row x of X and each training example, float32, shape (m, n)."""
        values = self.layout.values(self.moved(X))
        self.ledger.computed(values.size)
        return values

    def exact_values(self, X, *, predicted=False):
        """Return K(x, x_j) for each row x of X and each training example, float64, shape (m, n).

        After the first call, the training examples are kept in float64, so use this only if they are few.

        Parameters
        ----------
        X : ndarray or scipy.sparse matrix, shape (m, d)
            Rows.
        predicted : bool, default False
            Whether the values count as prediction instead of as computed.
        """
        if self._double_values is None:
            every = self.layout.gather_double(np.arange(self.n))
            self._double_values = DoubleValues(every, self.layout.kernel)
        values = self._double_values(X)
        if predicted:
            self.ledger.kev_prediction += values.size
        else:
            self.ledger.computed(values.size)
        return values

    def diagonal(self):
        """Return K(x_i, x_i), float64, shape (n,).

        Free if all values are 1. Otherwise n evaluations, charged to every convention once, as setup.
        """
        if self.layout.kernel.normalised:
            return np.ones(self.n)
        if self._diagonal is None:
            values = self.layout.self_values()  # infinite ones are refused by `checked_diagonal`
            self.ledger.computed(self.n)
            self.ledger.setup(self.n)
            self._diagonal = values  # set only when complete, in case of Ctrl-C
        return self._diagonal.copy()

    def subset(self, indices, *, cached=True, ledger=None):
        """Return an oracle over some of the training examples, with the same cache size.

        Its kernel values are the same as in this oracle, bit for bit. It shares the diagonal, if already
        known.

        Parameters
        ----------
        indices : array of int, shape (m,)
            Examples.
        cached : bool, default True
            Whether it has its own cache; otherwise, there is room for two rows only.
        ledger : Ledger, optional
            Ledger that counts its evaluations. Default: that of this oracle.
        """
        indices = np.ascontiguousarray(indices, dtype=np.int64)
        cdef Py_ssize_t room = self.cache.slots * self.cache.stride if cached else 0
        cdef Oracle part = type(self).__new__(type(self))
        counts = self.ledger if ledger is None else ledger
        KernelRows.__init__(part, self.layout.select(indices), counts, room * sizeof(float), False)
        part._diagonal = None if self._diagonal is None else self._diagonal[indices]
        return part

    def stored(self, indices=None):
        """Return the layout of some of the training examples, or of all."""
        return self.layout if indices is None else self.layout.select(indices)

    def part(self, Py_ssize_t most):
        """Return an oracle over up to `most` of these examples, which can be replaced; see also `subset`.

        If its cache has room for all of its rows, they are copied from rows cached in this oracle.

        Parameters
        ----------
        most : int
            Largest number of examples. Initially, all of them are example 0.
        """
        cdef Oracle part = self.subset(np.zeros(most, dtype=np.int64))
        part.whole = self
        part.examples = np.zeros(most, dtype=np.int64)
        return part

    def responses(self, indices, coefficients):
        """Like `training_scores`, but counted as computed, for methods that need the responses."""
        self.ledger.computed(len(indices) * self.n)
        return expansion.at_examples(self.layout, indices, coefficients)

    def expansion(self, indices, coefficients):
        """Return Σ_k coefficients[k] K(x_indices[k], ·) as an `Expansion`, for `expanded`."""
        return expansion.Expansion(self.layout, indices, coefficients)

    def expanded(self, terms, examples, *, observed=False):
        """Return the values of an `Expansion` at some examples, float64.

        They count as computed or, with `observed`, as observation.
        """
        if observed:
            self.ledger.kev_observation += terms.size * len(examples)
        else:
            self.ledger.computed(terms.size * len(examples))
        return terms.at(examples)

    def decision_function(self, indices, coefficients, bias, X, *, exact=False):
        """Return Σ_k coefficients[k] K(x_indices[k], x) + bias for each row x of X, float64, shape (m,).

        With `exact`, all scores are in double precision. Otherwise, their signs are those in double precision
        (`svmbench.kernels.decisions`). Counted as prediction, which is not charged to published conventions;
        a score that is computed again in double precision counts once.
        """
        self.ledger.kev_prediction += len(indices) * X.shape[0]
        return self._kept(decisions.scores(*self._terms(indices, coefficients), bias, self.moved(X),
                                           self.given, 0.5 * self.feature_error, exact or self.compared))

    def score_errors(self, indices, coefficients, X=None):
        """Return bounds of the errors of sums of `values` of rows X, or of the training examples: (m,)."""
        return decisions.errors(*self._terms(indices, coefficients), None if X is None else self.moved(X),
                                None, self.given, 0.5 * self.feature_error)

    def sides(self, indices, coefficients, X, positive=None):
        """Return what `svmbench.kernels.decisions.sides` does; counted as prediction."""
        self.ledger.kev_prediction += len(indices) * X.shape[0]
        return decisions.sides(*self._terms(indices, coefficients), self.moved(X), positive)

    def settled(self, indices, coefficients, bias, X, sums, beyond):
        """Return the scores of `decision_function` from what `sides` returns; not counted again."""
        if self.compared:
            return self.exact_again(indices, coefficients, X=X) + bias
        return self._kept(decisions.settled(*self._terms(indices, coefficients), bias, self.moved(X), sums,
                                            beyond, self.given, 0.5 * self.feature_error))

    def _terms(self, indices, coefficients):
        return self.layout, np.asarray(indices), np.asarray(coefficients)

    def _kept(self, found):
        """Return the scores, and keep whether most needed double precision, where single is the usual one."""
        scores, exact = found
        kernel = self.layout.kernel
        self.in_double = kernel.compiled is not None and not kernel.linear and 2 * exact > len(scores)
        return scores

    def training_scores(self, indices, coefficients):
        """Return Σ_k coefficients[k] K(x_indices[k], x_j) for all training examples, float64, shape (n,).

        Computed from the coefficients alone, independently of what a solver maintains. Counted as
        observation.
        """
        self.ledger.kev_observation += len(indices) * self.n
        return expansion.at_examples(self.layout, indices, coefficients)

    def exact_rows(self, indices):
        """Return training examples in float64, to which the documented kernel formula is applied."""
        return self.layout.gather_double(np.ascontiguousarray(indices, dtype=np.int64))

    def given_rows(self, indices):
        """Return the same, but as given where they were rounded to be stored."""
        return self.exact_rows(indices) if self.given is None else self.given[indices]

    def products(self, examples, points, *, observed=False):
        """Return ⟨x_i, p⟩ for each of some examples and each row p of points, float64, shape (m, k).

        They count as computed or, with `observed`, as observation.

        Parameters
        ----------
        examples : array of int, shape (m,)
            Examples.
        points : ndarray or csr_array of float64, shape (k, d)
            Points of the input space; they may be sparse only if the examples are.
        """
        values = self.exact_rows(examples) @ points.T
        if observed:
            self.ledger.kev_observation += values.shape[0] * values.shape[1]
        else:
            self.ledger.computed(values.shape[0] * values.shape[1])
        return values.toarray() if issparse(values) else values

    def exact_responses(self, indices, coefficients, *, cols=None, observed=False):
        """Return Σ_k coefficients[k] K(x_indices[k], x_j) in double precision, for each j or those of cols.

        The shape is (n,) or (len(cols),). Values are computed from the examples as loaded and the
        coefficients alone, by the documented formula and with sums in float64. (Values in rows may be off by
        1e-6.)

        Parameters
        ----------
        indices : array of int, shape (s,)
            Examples of the expansion.
        coefficients : array of float64, shape (s,)
            Coefficients.
        cols : array of int, shape (m,), optional
            The examples j. Default: all.
        observed : bool, default False
            Whether to count as observation (`kev_observation`) instead of training (`kev_computed`,
            `inner_products`).
        """
        at = np.arange(self.n) if cols is None else np.asarray(cols)
        cdef int64_t evaluations = len(indices) * len(at)
        if observed:
            self.ledger.kev_observation += evaluations
        else:
            self.ledger.computed(evaluations)
        return self.exact_again(indices, coefficients, at)

    def exact_again(self, indices, coefficients, cols=None, *, X=None):
        """Return the same, for examples or rows X of known scores in single precision; in no column."""
        if X is not None:
            return decisions.exact_scores(self.layout, indices, coefficients, self.moved(X), self.given)
        return double_expansion(self.layout, indices, coefficients, cols, self.given)

    def double_errors(self, indices, coefficients):
        """Return bounds of the errors of `exact_responses` at all examples, shape (n,).

        None with a normalised kernel, of values up to 1: `svmbench.problem.objectives_rounding` knows
        a bound. With the linear kernel and u = 2^-53, weights that are a sum of s vectors are off by at most
        (s + 2) u times the sum of their norms, and an inner product of d terms by (d + 2) u times the product
        of both norms (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 2002, section
        3.1). The norm of the weights is at most that sum. The vectors are examples minus a centre, and the
        centre times the sum of their coefficients: if these balance, an offset does not matter.
        """
        if self.kernel.normalised:
            return None
        indices, coefficients = np.asarray(indices), np.asarray(coefficients)
        if not self.kernel.linear:
            return decisions.double_errors(self.layout, indices, coefficients, self.given)
        if self._sizes is None:
            self._sizes = linear_sizes(self.layout, self.given)
        norms, moved, middle, terms = self._sizes
        rest = math.fsum(coefficients[moved[indices]])
        size = float(np.abs(coefficients) @ norms[indices]) + abs(rest) * middle
        return 1.01 * 2.0 ** -53 * (terms + len(indices) + 8.0) * size * (norms + moved * middle)

    def long_responses(self, indices, coefficients):
        """Return responses in extended precision and bounds of their errors, or None; counted as observation.

        See `svmbench.kernels.decisions.long_scores`.
        """
        rows = self.given_rows(np.arange(self.n)) if self.n * self.d <= 1 << 24 else None
        found = None if rows is None else decisions.long_scores(rows, indices, coefficients, self.kernel)
        if found is not None:
            self.ledger.kev_observation += len(indices) * self.n
        return found

    def row_errors(self, indices, coefficients, cols):
        """Return the errors of values in rows, Σ_k e_kj and Σ_k e_kj² for each j of `cols`, or None.

        e_kj is coefficients[k] times the difference between K(x_indices[k], x_j) in double precision and the
        value in the row. The result is None except for float32 features with the Gaussian kernel. Each value
        counts twice as observation.

        Parameters
        ----------
        indices, coefficients, cols
            As in `exact_responses`; examples may be repeated.
        """
        if self.layout.name not in ("dense", "mixed") or not self.kernel.radial or not self.d:
            return None
        self.ledger.kev_observation += 2 * len(indices) * len(cols)
        return value_errors(self.layout, indices, coefficients, np.ascontiguousarray(cols), self.given)

    def reduced_set(self):
        """Return a `ReducedSet` of the training examples, for kernel values of arbitrary points.

        Raises
        ------
        UserError
            If the kernel is not Gaussian.
        """
        return ReducedSet(self.layout.gather(np.arange(self.n)), gamma_of(self.layout.kernel), self.ledger)

    def point_scores(self, points, coefficients, bias, X):
        """Return Σ_k coefficients[k] K(points[k], x) + bias for each row x of X, float64, shape (m,).

        Counted as prediction.
        """
        scores = point_expansion(points, coefficients, gamma_of(self.layout.kernel), X) + bias
        self.ledger.kev_prediction += len(points) * len(scores)
        return scores

    def training_point_scores(self, points, coefficients):
        """Return Σ_k coefficients[k] K(points[k], x_j) for all training examples, float64, shape (n,).

        Counted as observation.
        """
        self.ledger.kev_observation += len(points) * self.n
        return expansion.of_points(self.layout, points, coefficients, self.given)

    def point_squared_norm(self, points, coefficients):
        """Return |Σ_k coefficients[k] Φ(points[k])|², from the kernel values between all points.

        Counted as observation.
        """
        own = point_expansion(points, coefficients, gamma_of(self.layout.kernel), points)
        self.ledger.kev_observation += len(points) ** 2
        return max(0.0, float(coefficients @ own))
