"""The Stochastic Batch Perceptron as an estimator with a budget."""

from __future__ import annotations

import math
import time
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from svmbench.kernels.unrounded import is_rough, oracle_over
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.sklearn._base import BinaryClassifier, Floats, KernelParameters, check_positive, value_errors
from svmbench.sklearn._expansions import SupportValues
from svmbench.solvers import registry
from svmbench.solvers.base import KernelExpansion

if TYPE_CHECKING:
    from svmbench.kernels.functions.base import Kernel

#: Kernel evaluations between two checks of the time.
_SLICE = 2_000_000


@dataclass(eq=False, repr=False)
class SBPClassifier(KernelParameters, BinaryClassifier):
    r"""Kernel classifier by the Stochastic Batch Perceptron, with a budget of kernel evaluations or seconds.

    A. Cotter, S. Shalev-Shwartz and N. Srebro, The Kernelized Stochastic Batch Perceptron, ICML 2012. It
    maximises the margin with slacks of nν in total, over predictors of norm 1.

    Parameters
    ----------
    nu : float, default 0.01
        ν, the slack budget per example, at least 0. The mean hinge loss divided by the norm of the solution
        of `KernelSVC` gives the same predictor.
    kernel : {'rbf', 'linear', 'poly'}, default 'rbf'
        As in `KernelSVC`, without its other kernels.
    gamma, degree, coef0
        As in `KernelSVC`.
    fit_intercept : bool, default True
        Whether to fit an unregularised intercept.
    max_evaluations : float or None, default 1e8
        Budget of kernel evaluations charged to the method; None: unlimited.
    max_seconds : float or None, default None
        Budget of seconds. One of the two budgets must be given, and finite.
    cache_size : float, default 500
        Size of the cache of kernel rows in MiB.
    n_jobs : int or None, default None
        Number of threads; None: one, -1: all cores.
    random_state : int, RandomState or None, default None
        Determines the seed.

    Attributes
    ----------
    classes_, support_, support_vectors_, dual_coef_, intercept_, kernel_evaluations_, n_features_in_
        As in `KernelSVC`.
    n_iter_ : int
        Number of iterations.
    """

    nu: float = 0.01
    _: KW_ONLY
    kernel: str = "rbf"
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 0.0
    fit_intercept: bool = True
    max_evaluations: float | None = 1e8
    max_seconds: float | None = None
    cache_size: float = 500
    n_jobs: int | None = None
    random_state: Any = None

    def fit(self, X: Any, y: Any) -> SBPClassifier:
        """Fit to rows X, shape (n, d), dense or sparse, with labels y, shape (n,), of two classes."""
        X, labels = self._checked(X, y)
        if not (isinstance(self.nu, Real) and 0.0 <= self.nu < np.inf):
            raise ValueError(f"nu={self.nu!r} is not allowed: give a finite number of at least 0")
        if self.max_evaluations is None and self.max_seconds is None:
            raise ValueError("give max_evaluations or max_seconds: the method has no stopping rule")
        for name in ("max_evaluations", "max_seconds"):
            if getattr(self, name) is not None:
                check_positive(name, getattr(self, name), finite=True)
        kernel = self._kernel_of(X)
        bias = "unregularised" if self.fit_intercept else "none"
        # λ has no effect on the slack-constrained form, but the other forms of the problem require one.
        problem = Problem.build(labels, C=1.0, bias=bias, nu=float(self.nu))
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        solver = registry.get("sbp")
        with value_errors():
            oracle = oracle_over(X, kernel, self._cache_bytes, self._threads)
            run = solver(solver.Params(nu=float(self.nu))).start(problem, oracle, Generator(seed))
        most = np.inf if self.max_evaluations is None else float(self.max_evaluations)
        end = np.inf if self.max_seconds is None else time.monotonic() + float(self.max_seconds)
        while not run.converged and oracle.ledger.kev_ondemand < most and time.monotonic() < end:
            run.advance("kev_ondemand", math.ceil(min(most, oracle.ledger.kev_ondemand + _SLICE)))
        model = run.snapshot().model
        if not isinstance(model, KernelExpansion):
            raise TypeError("the answer is not a kernel expansion")
        self.n_iter_ = int(run.iterations)
        self.kernel_evaluations_ = int(oracle.ledger.kev_computed)
        self._double: bool = is_rough(float(np.linalg.norm(model.coefficients)), oracle.feature_error)
        self.support_: NDArray[np.int64] = model.indices.astype(np.int64)
        self.support_vectors_: Any = X[self.support_]
        self.dual_coef_: Floats = model.coefficients[np.newaxis, :].copy()
        self.intercept_: Floats = np.array([model.bias])
        self._kernel: Kernel = kernel
        self._scorer = self._made_scorer()
        return self

    def _made_scorer(self) -> SupportValues:
        return SupportValues(self.support_vectors_, self._kernel, self._double, self._threads, multiples=True)

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of rows.

        Parameters
        ----------
        X : array or sparse matrix, shape (m, d)
            Rows to score.

        Returns
        -------
        ndarray of float64, shape (m,)
            Σ_k dual_coef_[0, k] K(support_vectors_[k], x) + intercept_[0]; positive for the second class.
        """
        X = self._checked_rows(X)
        if not self.support_.size:
            return np.full(X.shape[0], self.intercept_[0])
        if sp.issparse(X) != sp.issparse(self.support_vectors_):
            X = X.toarray() if sp.issparse(X) else sp.csr_array(X)
        return np.asarray(self._scorer.scores(X, self.dual_coef_[0], float(self.intercept_[0])))
