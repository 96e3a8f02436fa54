"""Small linear problems, started runs, and their optima found in other ways."""

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.svm import LinearSVC

from svmbench.kernels._linear_data import LinearData
from svmbench.problem import Problem, mean_hinge, mean_squared_hinge, primal_objective
from svmbench.rng import Generator
from svmbench.solvers import registry
from svmbench.solvers.base import Run

FORMS = {"dense": np.asarray, "csr": scipy.sparse.csr_array}
LOSSES = {"hinge": mean_hinge, "squared_hinge": mean_squared_hinge}


def started(
    name: str,
    X: Any,
    y: Any,
    C: float | None = 1.0,
    form: str = "dense",
    seed: int = 1,
    *,
    lam: float | None = None,
    bias: str = "none",
    **given: Any,
) -> tuple[Run, LinearData, Problem]:
    """A run at iteration 0, what it reads the data through, and its problem."""
    examples = LinearData(FORMS[form](np.asarray(X, dtype=np.float32)))
    C = C if lam is None else None
    problem = Problem.build(np.asarray(y, dtype=np.float64), C=C, lam=lam, bias=bias)
    solver = registry.get(name)
    return solver(solver.Params(**given)).start(problem, examples, Generator(seed)), examples, problem


def finished(name: str, X: Any, y: Any, C: float = 1.0, **given: Any) -> Run:
    run, _, _ = started(name, X, y, C, **given)
    run.advance("iterations", 10**6)
    assert run.converged
    return run


def weights(run: Run) -> NDArray[np.float64]:
    return run.snapshot().model.weights


def overlapping(
    n: int = 120, d: int = 6, density: float = 0.7, seed: int = 0
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Two classes with noise; a row and, of several, a column of zeros, and one example with both labels."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.4, 1.0, -1.0)
    X = (rng.normal(size=(n, d)) + 0.5 * y[:, None]).astype(np.float32)
    X[rng.random((n, d)) > density] = 0.0
    X[3] = 0.0
    if d > 1:
        X[:, d // 2] = 0.0
    X[5], y[5] = X[4], -y[4]
    return X, y


def objective(X: NDArray, y: NDArray, w: NDArray, C: float, loss: str = "hinge") -> float:
    """The λ-form objective of w, in float64."""
    problem = Problem.build(y, C=C)
    responses = y * (np.asarray(X, dtype=np.float64) @ w)
    return primal_objective(problem.lam, float(w @ w), LOSSES[loss](responses))


def liblinear(X: NDArray, y: NDArray, C: float, loss: str = "hinge") -> NDArray[np.float64]:
    """The optimal weights by LIBLINEAR."""
    peer = LinearSVC(loss=loss, C=C, fit_intercept=False, tol=1e-9, max_iter=10_000_000, random_state=0)
    return peer.fit(X.astype(np.float64), y).coef_[0]
