"""A linear classifier trained by dual coordinate descent to a certified duality gap."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from svmbench.certify.certificate import certify
from svmbench.kernels.unrounded import linear_data_over
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.sklearn._base import BinaryClassifier, Floats, check_positive, checked_features
from svmbench.solvers import registry
from svmbench.solvers.base import LinearModel

#: Tolerance of the solver itself, small enough that the gap decides.
_EPS = 1e-12


@dataclass(eq=False, repr=False)
class LinearSVC(BinaryClassifier):
    """Linear support vector classifier that stops at a certified relative duality gap.

    Minimises 1/2 (|w|² + b²/s²) + C Σ_i max(0, 1 - y_i (⟨w, x_i⟩ + b)) by dual coordinate descent (C.-J.
    Hsieh et al., ICML 2008): the intercept is the weight of a constant feature s, as in
    `sklearn.svm.LinearSVC` with ``loss='hinge'``.

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
        Most passes over the data, a whole number above 0.
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
        Certified relative duality gap.
    inner_products_ : int
        Number of inner products computed in `fit`.
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
        data = linear_data_over(rows)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        solver = registry.get("dcd")
        run = solver(solver.Params(eps=_EPS)).start(problem, data, Generator(seed))
        most, step = int(self.max_iter) * n, n
        while True:
            run.advance("iterations", min(most, run.iterations + step))
            snapshot = run.snapshot()
            model = snapshot.model
            if not isinstance(model, LinearModel) or snapshot.alpha is None:
                raise TypeError("the answer is not a dual point of a linear problem")
            # w is recomputed from the coefficients, so that dual point and objective belong together.
            at = np.flatnonzero(snapshot.alpha)
            weights = data.combination(at, snapshot.alpha[at] * labels[at])
            responses = labels * data.products(weights)
            self.gap_ = float(certify(problem, snapshot.alpha, responses)["relative_gap"])
            ended = run.converged or getattr(run, "stalled", False) or run.iterations >= most
            if self.gap_ <= self.tol or ended:
                break
            step = max(n, run.iterations // 4)
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
        self.n_iter_ = max(1, -(-int(run.iterations) // n))
        self.inner_products_ = int(data.ledger.inner_products)
        return self

    def _with_constant(self, X: Any) -> Any:
        """Return X with the constant feature appended, if there is an intercept."""
        if not self.fit_intercept:
            return X
        constant = np.full((X.shape[0], 1), self.intercept_scaling, dtype=X.dtype)
        return (
            sp.hstack([X, sp.csr_array(constant)], format="csr")
            if sp.issparse(X)
            else np.hstack([X, constant])
        )

    def decision_function(self, X: Any) -> Floats:
        """Return ⟨w, x⟩ + b for each row x of X, shape (m, d), as float64 (m,)."""
        X = self._checked_rows(X)
        return np.asarray(np.asarray(X @ self.coef_[0]).ravel() + self.intercept_[0])
