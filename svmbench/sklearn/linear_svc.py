"""A linear classifier trained to a certified duality gap."""

from __future__ import annotations

import math
import warnings
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from svmbench.kernels._linear_data import LinearData
from svmbench.kernels.unrounded import linear_data_over
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.sklearn._base import BinaryClassifier, Floats, check_positive, checked_features
from svmbench.sklearn._linear_interior_point import from_near, pass_ns, passes_worth
from svmbench.solvers import registry

#: Tolerance of the solver at first, and the factor by which it falls until the gap decides. Examples that are
#: left out are looked at again when the others have reached it.
_EPS, _TIGHTER = 0.01, 0.1

#: Passes before the first forecast counts, also as a part of the price of the other method, or of all allowed
#: passes. Nanoseconds that the passes between two estimates of the gap take, at least, and the part of all
#: passes that they are. And nanoseconds that the other method may take in any case.
_FIRST, _TRIED, _ESTIMATE_NS, _OFTEN, _CHEAP_NS = 4, 0.05, 3e4, 0.125, 1e8


@dataclass(eq=False, repr=False)
class LinearSVC(BinaryClassifier):
    """Linear support vector classifier that stops at a certified relative duality gap.

    Minimises 1/2 (|w|² + b²/s²) + C Σ_i max(0, 1 - y_i (⟨w, x_i⟩ + b)): the intercept is the weight of a
    constant feature s, as in `sklearn.svm.LinearSVC` with ``loss='hinge'``. The method is dual coordinate
    descent (C.-J. Hsieh et al., ICML 2008). Where its passes would take longer or not suffice, by a forecast
    from the first ones, an interior-point method continues from there.

    Parameters
    ----------
    C : float, default 1.0
        Inverse regularisation strength, positive.
    fit_intercept : bool, default True
        Whether to fit an intercept.
    intercept_scaling : float, default 1.0
        s, positive. The larger, the less the intercept is regularised.
    tol : float, default 1e-4
        Relative duality gap at which to stop.
    max_iter : int, default 1000
        Most passes over the data, a whole number above 0. An interior-point step over all rows is one. If
        they do not suffice, the answer is the better of both methods; the second needs about twelve.
    random_state : int, RandomState or None, default None
        Determines the order of visits.

    Attributes
    ----------
    classes_ : ndarray, shape (2,)
        Classes; the second has positive scores.
    coef_ : ndarray of float64, shape (1, d)
        w.
    intercept_ : ndarray of float64, shape (1,)
        b.
    gap_ : float
        Certified relative duality gap of coef_ and intercept_.
    inner_products_ : int
        Number of inner products computed in `fit`. For the matrix of an interior-point step, half as many
        as features, or as rows if these are fewer, are counted for each row.
    n_iter_ : int
        Number of passes over the data, including an incomplete one.
    n_features_in_ : int
        d.
    """

    C: float = 1.0
    _: KW_ONLY
    fit_intercept: bool = True
    intercept_scaling: float = 1.0
    tol: float = 1e-4
    max_iter: int = 1000
    random_state: Any = None

    def fit(self, X: Any, y: Any) -> LinearSVC:
        """Fit to rows X, shape (n, d), dense or sparse, with labels y, shape (n,), of two classes."""
        X, labels = self._checked(X, y)
        check_positive("C", self.C, finite=True)
        check_positive("tol", self.tol)
        if not (isinstance(self.max_iter, Integral) and self.max_iter > 0):
            raise ValueError(f"max_iter={self.max_iter!r} is not allowed: give a whole number above 0")
        if self.fit_intercept:
            check_positive("intercept_scaling", self.intercept_scaling, finite=True)
            checked_features(np.array([float(self.intercept_scaling)]), "intercept_scaling")
        rows = self._with_constant(X)
        n = labels.size
        problem = Problem.build(labels, C=self.C)
        data, columns = linear_data_over(rows), rows.T
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        solver = registry.get("dcd")
        run: Any = solver(solver.Params(eps=_EPS)).start(problem, data, Generator(seed))
        forecast = _Forecast(self.tol, int(self.max_iter))
        worth, read, trust = passes_worth(n, data.d, data.stored), 0, 1.0
        passes = between = math.ceil(_ESTIMATE_NS / pass_ns(n, data.stored))
        affordable = max(float(self.max_iter), _CHEAP_NS / pass_ns(n, data.stored))
        while True:
            allowed = n * int(self.max_iter) - read
            run.advance("iterations", min(n * passes, allowed))
            passes, ended = -(-int(run.iterations) // n), run.iterations >= allowed
            estimate = run.estimated_gap()
            gap = trust * estimate
            if gap <= self.tol or run.converged or run.stalled or ended:
                weights, gap = _certified(problem, run.snapshot().alpha, columns, data)
                trust = min(1.0, gap / estimate) if estimate > 0.0 else 1.0
            if run.converged and gap > self.tol:
                ended = ended or not run.tighten(_TIGHTER)
            ended = ended or run.stalled
            left = forecast.left(passes, gap)
            # Rounding or `max_iter` may end the descent too early, and many passes are slower.
            other_pays = left > worth or ((ended or left >= self.max_iter - passes) and affordable > worth)
            tried = ended or passes >= max(_FIRST, _TRIED * min(worth, int(self.max_iter)))
            if gap > self.tol and tried and other_pays:
                worth = math.inf
                Z = np.array(rows.toarray() if sp.issparse(rows) else rows, dtype=np.float64)
                Z *= labels[:, np.newaxis]
                most, alpha = n * (int(self.max_iter) - passes), run.snapshot().alpha
                other, w, read = from_near(Z, problem, alpha, alpha @ Z, self.tol, most)
                reached = _gap(problem, other, w, np.asarray(columns @ (other * labels)), data)
                if reached <= self.tol or read >= most:
                    if reached > self.tol:  # the steps were cut off, perhaps far from the optimum
                        weights, gap = _certified(problem, alpha, columns, data)
                    weights, gap = (w, reached) if reached < gap else (weights, gap)
                    ended = True
            if ended or gap <= self.tol:
                break
            passes += max(between, int(_OFTEN * passes))
        self.gap_ = gap
        if self.gap_ > self.tol:
            warnings.warn(
                f"a relative duality gap of {self.gap_:.1e} was reached, above tol={self.tol:g}: give a "
                "larger max_iter, scale the features, or choose a smaller C",
                ConvergenceWarning,
                stacklevel=2,
            )
        d = X.shape[1]
        self.coef_: Floats = weights[np.newaxis, :d].copy()
        self.intercept_: Floats = np.array(
            [weights[d] * self.intercept_scaling if self.fit_intercept else 0.0]
        )
        self.n_iter_ = max(1, -(-(int(run.iterations) + read) // n))
        self.inner_products_ = int(data.ledger.inner_products) + read * (min(n, data.d) + 1) // 2
        return self

    def _with_constant(self, X: Any) -> Any:
        """Return X with the constant feature appended, if there is an intercept."""
        if not self.fit_intercept:
            return X
        if float(X.dtype.type(self.intercept_scaling)) != self.intercept_scaling:
            X = X.astype(np.float64)  # float32 would train with another constant than the intercept's
        if not sp.issparse(X):
            constant = np.full((X.shape[0], 1), self.intercept_scaling, dtype=X.dtype)
            return np.hstack([X, constant])
        n, d = X.shape
        begins = X.indptr + np.arange(n + 1, dtype=X.indptr.dtype)
        others = np.ones(begins[-1], dtype=bool)
        others[begins[1:] - 1] = False
        values = np.full(others.size, self.intercept_scaling, dtype=X.dtype)
        columns = np.full(others.size, d, dtype=X.indices.dtype)
        values[others], columns[others] = X.data, X.indices
        return sp.csr_array((values, columns, begins), shape=(n, d + 1))

    def decision_function(self, X: Any) -> Floats:
        """Return ⟨w, x⟩ + b for each row x of X, shape (m, d), as float64 (m,)."""
        X = self._checked_rows(X)
        return np.asarray(np.asarray(X @ self.coef_[0]).ravel() + self.intercept_[0])


class _Forecast:
    """Forecasts how many passes are left until the gap is at most `tol`, but no more than `most` in all."""

    def __init__(self, tol: float, most: int) -> None:
        self._tol, self._most = tol, most
        self._gaps: list[tuple[int, float]] = [(0, 1.0)]

    def left(self, passes: int, gap: float) -> float:
        """Return the passes left after so many, which led to about this gap, if it falls geometrically."""
        then, before = next(look for look in reversed(self._gaps) if 2 * look[0] <= passes)
        self._gaps.append((passes, gap))
        left = float(self._most - passes)
        if self._tol < gap < before:
            left = min(left, (passes - then) * math.log(gap / self._tol) / math.log(before / gap))
        return left


def _gap(problem: Problem, alpha: Floats, weights: Floats, sums: Floats, data: LinearData) -> float:
    """Return the relative gap between the weights and a dual point, whose weighted sum of rows is given."""
    losses = np.maximum(1.0 - problem.y * data.products(weights), 0.0)
    primal = 0.5 * float(weights @ weights) + problem.C * float(losses.sum())
    dual = max(0.0, float(alpha.sum()) - 0.5 * float(sums @ sums))  # 0 is the value of zeros
    return max(0.0, 1.0 - dual / primal)


def _certified(problem: Problem, alpha: Floats, columns: Any, data: LinearData) -> tuple[Floats, float]:
    """Return the weights computed from the coefficients and the transposed rows, and the gap between both."""
    weights = np.asarray(columns @ (alpha * problem.y))
    return weights, _gap(problem, alpha, weights, weights, data)
