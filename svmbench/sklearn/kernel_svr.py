"""Training of an exact kernel regressor with a certified duality gap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_array, check_is_fitted

from svmbench.kernels._oracle import Oracle
from svmbench.kernels.unrounded import is_rough
from svmbench.regression import Regression
from svmbench.sklearn._base import Floats, check_positive, value_errors
from svmbench.sklearn._kernel_machine import KernelMachine, check_weighted, given_weights
from svmbench.sklearn._regression import solve
from svmbench.sklearn._training import Solution

#: Largest target: objectives have products of two of them.
_LARGEST = 1e100


@dataclass(eq=False, repr=False, kw_only=True)
class KernelSVR(KernelMachine, RegressorMixin, BaseEstimator):
    """Support vector regressor that stops at a certified relative duality gap.

    Minimises 1/2 |w|² + Σ_i C_i max(0, |y_i - ⟨w, Φ(x_i)⟩ - b| - epsilon), where C_i is C times the weight of
    the row: the problem of `sklearn.svm.SVR`, with the same parameters, attributes and methods.

    Parameters
    ----------
    kernel, gamma, degree, coef0, fit_intercept, cache_size, shrinking, n_jobs
        As in `KernelSVC`.
    tol : float, default 1e-4
        Relative duality gap, (primal - dual)/primal, at which to stop. It is recomputed from the coefficients
        alone and bounds the distance of the objective from the optimum. If most of the objective is the loss
        of a few outliers or of rows with large weights, the gap is reduced accordingly.
    C : float, default 1.0
        Inverse regularisation strength, positive and finite.
    epsilon : float, default 0.1
        Half the width of the tube around the predictions within which there is no loss, at least 0.
    max_iter : int, default -1
        Most iterations of the solver; -1: unlimited. An iteration changes up to 2048 coefficients, or up to
        8192 of many rows with few features; one of `SVR` two.
    verbose : bool, default False
        Whether to print a line about the solution.

    Attributes
    ----------
    support_ : ndarray of int32, shape (s,)
        Training rows with a non-zero coefficient.
    n_support_ : ndarray of int32, shape (1,)
        Number of support vectors.
    support_vectors_ : array or sparse matrix, shape (s, d)
        Support vectors; empty for precomputed and callable kernels.
    dual_coef_ : ndarray of float64 or sparse matrix, shape (1, s)
        Coefficients of the support vectors, positive for rows above the tube. Sparse if the training rows
        were.
    intercept_ : ndarray of float64, shape (1,)
        b.
    coef_ : ndarray of float64 or sparse matrix, shape (1, d)
        w, for the linear kernel only; read-only.
    gap_ : float
        Certified relative duality gap.
    kernel_evaluations_ : int
        Number of kernel values that the solver computed in `fit`, without those of the certificate; 0 for a
        precomputed kernel.
    n_iter_ : int
        Iterations of the solver. Up to 3,000 rows are solved by steps of two coefficients each, unless
        ``max_iter`` is given; their iterations are these steps.
    fit_status_ : int
        1 if ``max_iter`` was reached before ``tol``, else 0.
    shape_fit_ : tuple of int
        Shape of the training rows.
    n_features_in_ : int
        d.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(0.0, 6.0, 100)[:, None]
    >>> regressor = KernelSVR(C=10.0, epsilon=0.01, tol=1e-6).fit(X, np.sin(X[:, 0]))
    >>> regressor.gap_ <= 1e-6
    True
    """

    kernel: str | Callable[[Any, Any], Any] = "rbf"
    degree: int = 3
    gamma: float | str = "scale"
    coef0: float = 0.0
    fit_intercept: bool = True
    tol: float = 1e-4
    C: float = 1.0
    epsilon: float = 0.1
    shrinking: bool = True
    cache_size: float = 500
    verbose: bool = False
    max_iter: int = -1
    n_jobs: int | None = None

    @property
    def n_support_(self) -> NDArray[np.int32]:
        """Number of support vectors, int32, shape (1,)."""
        check_is_fitted(self)
        return self._n_support[:1]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelSVR:
        """Fit to rows and their targets.

        Parameters
        ----------
        X : array or sparse matrix, shape (n, d) or (n, n)
            Rows; for ``precomputed``, their kernel values; for a callable kernel, its arguments.
        y : array, shape (n,)
            Targets.
        sample_weight : array, shape (n,), optional
            Factor of C for each row. Rows with a weight of 0 or less are ignored.

        Returns
        -------
        KernelSVR
            The fitted estimator.
        """
        self._check_parameters()
        X, y = self._checked(X, y)
        weights = given_weights(sample_weight, y.size)
        check_weighted(weights, "sample_weight")
        kept = np.flatnonzero(weights > 0.0)
        with value_errors():
            oracle = self._oracle_of(X, y.size, kept, 0.0)
        bias = "unregularised" if self.fit_intercept else "none"
        problem = Regression.build(
            y[kept], float(self.epsilon), C=float(self.C), bias=bias, weights=weights[kept]
        )
        with value_errors():
            solution = solve(oracle, problem, float(self.tol), int(self.max_iter))
        self._keep(X, oracle, kept, solution, float(np.abs(y).max()))
        self._warn("the solver")
        return self

    def _check_parameters(self) -> None:
        self._check_training()
        check_positive("C", self.C, finite=True)
        if not (isinstance(self.epsilon, Real) and 0.0 <= float(self.epsilon) < np.inf):
            raise ValueError(f"epsilon={self.epsilon!r} is not allowed: give a finite number of at least 0")

    def _checked(self, X: Any, y: Any) -> tuple[Any, Floats]:
        """Return the rows and the targets."""
        X, y = self._checked_training(X, y, y_numeric=True)
        if y.dtype != np.float64 or callable(self.kernel):
            y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        if np.abs(y).max() > _LARGEST:
            raise ValueError(f"y holds numbers above {_LARGEST:g}: scale them")
        return X, y

    def _keep(
        self, X: Any, oracle: Oracle, kept: NDArray[np.int64], solution: Solution, largest: float
    ) -> None:
        """Set the attributes that `sklearn.svm.SVR` has, for targets up to `largest`."""
        at = np.flatnonzero(solution.alpha)
        coefficients = solution.alpha[at]
        rough = bool(at.size) and is_rough(float(np.linalg.norm(coefficients)) / largest, self._feature_error)
        counts = np.array([at.size, 0])
        self._keep_expansions(
            X, oracle, kept[at], counts, coefficients[np.newaxis], np.array([solution.bias]), rough
        )
        self.gap_, self.n_iter_ = solution.gap, solution.iterations
        self.kernel_evaluations_ = self._computed(oracle, solution.evaluations)
        self.fit_status_ = int(solution.ended_early and solution.gap > self.tol)
        if self.verbose:
            print(f"{self.n_iter_} iterations, {at.size} support vectors, relative gap {self.gap_:.1e}")

    def predict(self, X: Any) -> Floats:
        """Return the predictions of rows.

        Parameters
        ----------
        X : array or sparse matrix, shape (m, d) or (m, n)
            Rows, sparse only if the training rows were; for ``precomputed``, their kernel values with all
            training rows, or with the support vectors in the order of ``support_``.

        Returns
        -------
        ndarray of float64, shape (m,)
            Σ_s dual_coef_[0, s] K(support_vectors_[s], x) + intercept_[0].
        """
        return self._pair_decisions(self._checked_rows(X)).ravel()
