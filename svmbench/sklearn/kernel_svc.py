"""An exact kernel classifier with a certified duality gap."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from svmbench.kernels._oracle import Oracle
from svmbench.kernels.given import warning
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.runner.certificate import certify, gaussian
from svmbench.runner.margin import GapBounds, Point
from svmbench.sklearn._base import KernelClassifier, check_positive
from svmbench.solvers import registry
from svmbench.solvers.base import KernelExpansion, Run

#: Exact solvers of the dual, with and without a bias.
SOLVERS = ("decomposition", "smo_pair", "svm_light", "gpdt", "chunking", "lasvm")

#: Tolerance of the solver itself: so small that the gap decides.
_EPS = 1e-10


class KernelSVC(KernelClassifier):
    """Support vector classifier that stops at a certified relative duality gap.

    Minimises 1/2 |w|² + C Σ_i max(0, 1 - y_i (⟨w, Φ(x_i)⟩ + b)), the problem of `sklearn.svm.SVC`.

    Parameters
    ----------
    C : float, default 1.0
        Regularisation, positive; small is strong.
    kernel : {'rbf', 'linear', 'poly'}, default 'rbf'
        exp(-γ|x-x'|²), ⟨x, x'⟩ or (γ⟨x, x'⟩ + coef0)^degree.
    gamma : 'scale', 'auto' or float, default 'scale'
        γ; 1/(d · variance of X), 1/d, or a number.
    degree : int, default 3
        Of the polynomial kernel.
    coef0 : float, default 0.0
        Of the polynomial kernel.
    fit_intercept : bool, default True
        Whether there is an unregularised b; without one it is 0.
    tol : float, default 1e-4
        Relative duality gap, (primal - dual)/primal, at which to stop. It is recomputed from the coefficients
        alone, and bounds how far the objective is from the optimum.
    solver : str, default 'decomposition'
        The exact solver, one of `SOLVERS`; the default is the fastest.
    cache_size : float, default 500
        MiB for kernel rows.
    n_jobs : int or None, default None
        Threads; None is one, -1 all cores.

    Attributes
    ----------
    classes_ : ndarray, shape (2,)
        Classes; the second has the positive scores.
    support_ : ndarray of int64, shape (s,)
        Training rows with a non-zero coefficient.
    support_vectors_ : array or sparse matrix, shape (s, d)
        Those rows.
    dual_coef_ : ndarray of float64, shape (1, s)
        Their coefficients times their labels -1 and +1.
    intercept_ : ndarray of float64, shape (1,)
        b.
    gap_ : float
        Certified relative duality gap of the answer.
    kernel_evaluations_ : int
        Kernel values that were computed in `fit`.
    n_iter_ : int
        Iterations of the solver.
    n_features_in_ : int
        d.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> classifier = KernelSVC(C=10.0, tol=1e-6).fit(X, y)
    >>> classifier.gap_ <= 1e-6
    True
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: str = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        fit_intercept: bool = True,
        tol: float = 1e-4,
        solver: str = "decomposition",
        cache_size: float = 500,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.solver = solver
        self.cache_size = cache_size
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> KernelSVC:
        """Train on rows X, shape (n, d), dense or sparse, with labels y, shape (n,), of two classes."""
        X, labels = self._checked(X, y)
        if self.solver not in SOLVERS:
            raise ValueError(f"solver={self.solver!r} is not allowed: give one of {', '.join(SOLVERS)}")
        check_positive("C", self.C, finite=True)
        check_positive("tol", self.tol)
        kernel = self._kernel_of(X)
        bias = "unregularised" if self.fit_intercept else "none"
        problem = Problem.build(labels, C=self.C, bias=bias)
        oracle = self._made_oracle(X, kernel)
        coarse = warning(oracle, "X")
        if coarse is not None:
            warnings.warn(coarse, UserWarning, stacklevel=2)
        solver = registry.get(self.solver)
        run = solver(solver.Params(eps=_EPS)).start(problem, oracle, Generator(0))
        alpha, certificate = _solved(run, problem, oracle, self.tol)
        self.gap_ = float(certificate["relative_gap"])
        self.n_iter_ = int(run.iterations)
        self.kernel_evaluations_ = int(oracle.ledger.kev_computed)
        if self.gap_ > self.tol:
            warnings.warn(
                f"{self.solver} ended at a relative duality gap of {self.gap_:.1e}, above tol={self.tol:g}: "
                "no further progress is possible in floating point; scale the features, or use a smaller C",
                ConvergenceWarning,
                stacklevel=2,
            )
        model = KernelExpansion.from_alpha(alpha, labels, certificate["bias"])
        self._keep(model, X, kernel, oracle)
        return self


def _solved(run: Run, problem: Problem, oracle: Oracle, tol: float) -> tuple[Any, dict[str, float]]:
    """Advance until the gap is proven to be at most `tol`, or nothing is gained."""
    step, bounds = 1, GapBounds(problem, oracle) if GapBounds.possible(oracle) else None
    while True:
        run.advance("iterations", run.iterations + step)
        snapshot = run.snapshot()
        ended = run.converged or getattr(run, "stalled", False)
        if snapshot.alpha is None:
            raise TypeError("the solver gives no dual point")
        if snapshot.earlier and not ended:
            continue
        maintained = snapshot.responses
        if (
            bounds is not None
            and maintained is not None
            and snapshot.exact_at is not None
            and bounds.feasible(snapshot.alpha)
        ):
            point = Point(snapshot.alpha, maintained, snapshot.exact_at)
            bound = bounds.quick(point)
            if bound.least <= tol < bound.relative_gap or ended:
                bound = bounds.confirmed(point)
            if bound.relative_gap <= tol or ended:
                return snapshot.alpha, {"relative_gap": bound.relative_gap, "bias": bound.bias}
            step = max(step, run.iterations // 50)
            continue
        if maintained is None or ended or certify(problem, snapshot.alpha, maintained)["relative_gap"] <= tol:
            model = KernelExpansion.from_alpha(snapshot.alpha, problem.y)
            fresh = problem.y * oracle.exact_responses(model.indices, model.coefficients)
            certificate = certify(problem, snapshot.alpha, fresh, rounded=gaussian(oracle))
            if certificate["relative_gap"] <= tol or ended:
                return snapshot.alpha, certificate
            step = max(step, int(run.iterations // 4))
        elif not np.isfinite(snapshot.alpha).all():
            raise FloatingPointError("the coefficients are no longer finite: scale the features")
