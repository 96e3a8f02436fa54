"""Checks of kernel approximations: Fourier features (SBP, appendix A), ASSET's primal form and classifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench import data, features
from svmbench.kernels._oracle import Oracle
from svmbench.papers.checks import Outcome, log_panel
from svmbench.problem import Problem, dual_objective, mean_hinge, primal_objective
from svmbench.rng import Generator
from svmbench.solvers import registry

Floats = NDArray[np.float64]


def fourier_quality(given: Mapping[str, Any]) -> Outcome:
    """SBP, appendix A: the error of <P(x), P(x')> as K(x, x') decreases with the number k of frequencies.

    The root mean square over random pairs of training examples, for several draws of the frequencies.
    """
    kind = features.get("fourier")
    measures: dict[str, Any] = {}
    panels = []
    for name, dataset in given["sets"].items():
        found = data.load(dataset)
        gamma = float(given["gammas"][name])
        one, other = _pairs(found.train.X, int(given["examples"]))
        K = np.exp(-gamma * np.sum((one.astype(np.float64) - other) ** 2, axis=1))
        series = []
        for k in given["frequencies"]:
            errors = []
            for seed in range(int(given["repetitions"])):
                params = kind.Params(frequencies=int(k), form="pairs")
                made = kind(one, {"name": "gaussian", "gamma": gamma}, params, Generator(seed))
                z, other_z = made.transform(one).astype(np.float64), made.transform(other)
                errors.append(float(np.sqrt(np.mean((np.sum(z * other_z, axis=1) - K) ** 2))))
            series.append(errors)
        measures[name] = {"x": list(given["frequencies"]), "series": series}
        y = [float(np.median(errors)) for errors in series]
        line = {"label": "Fourier features", "solver": "dcd", "x": list(given["frequencies"]), "y": y}
        panels.append(log_panel(found.info["title"], "frequencies k", "root mean square error of K", line))
    note = f"{given['examples']} pairs of training examples, {given['repetitions']} draws of the frequencies."
    return Outcome(measures, panels, [note])


def _pairs(X: Any, count: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return two dense arrays whose rows form random pairs."""
    rows = np.random.default_rng(7401).integers(X.shape[0], size=(2, count))
    one, other = (X[chosen] if isinstance(X, np.ndarray) else X[chosen].toarray() for chosen in rows)
    return one, other


def primal_with_kernel(given: Mapping[str, Any]) -> Outcome:
    """ASSET, Proposition 1: a solution of the problem in α gives a solution of the problem in w, with a bias.

    The problem in α is solved as a general quadratic program, that in w by its dual on explicit features.
    There are fewer features than examples, so that the kernel matrix is singular.
    """
    short = []
    for trial in range(int(given["trials"])):
        generator = np.random.default_rng([7402, trial])
        X = generator.standard_normal((25, 2))
        y = np.where(X[:, 0] * X[:, 1] + 0.5 * generator.standard_normal(25) > 0.0, 1.0, -1.0)
        phi = _quadratic(X)
        lam = float(given["lam"])
        alpha, bias = _solved_in_alpha(phi, y, lam)
        w = (alpha * y) @ phi
        reached = primal_objective(lam, float(w @ w), mean_hinge(y * (phi @ w + bias)))
        short.append(reached / _bound(phi, y, lam) - 1.0)
    return Outcome(
        {"suboptimality": {"value": max(short)}},
        notes=[f"{len(short)} random problems of 25 examples with the 6 features of a quadratic kernel."],
    )


def _quadratic(X: Floats) -> Floats:
    """Return explicit features of (<x, z> + 1)², rounded to float32 so that both problems agree."""
    a, b = X.T
    root = np.sqrt(2.0)
    columns = [a * a, b * b, root * a * b, root * a, root * b, np.ones_like(a)]
    return np.stack(columns, axis=1).astype(np.float32).astype(np.float64)


def _solved_in_alpha(phi: Floats, y: Floats, lam: float) -> tuple[Floats, float]:
    """Return α and b that minimise (4) of ASSET, by sequential quadratic programming with slacks."""
    from scipy.optimize import minimize

    n = y.size
    Psi = np.outer(y, y) * (phi @ phi.T)
    # alpha, b, slacks: slacks are at least 1 - Psi alpha - y b, and 0.
    A = np.hstack([Psi, y[:, None], np.eye(n)])

    def objective(x: Floats) -> tuple[float, Floats]:
        spread = Psi @ x[:n]
        value = 0.5 * lam * float(x[:n] @ spread) + float(x[n + 1 :].mean())
        return value, np.concatenate([lam * spread, [0.0], np.full(n, 1.0 / n)])

    found = minimize(
        objective,
        np.concatenate([np.zeros(n + 1), np.ones(n)]),
        jac=True,
        bounds=[(None, None)] * (n + 1) + [(0.0, None)] * n,
        constraints={"type": "ineq", "fun": lambda x: A @ x - 1.0, "jac": lambda x: A},
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-13},
    )
    return found.x[:n], float(found.x[n])


def _bound(phi: Floats, y: Floats, lam: float) -> float:
    """Return a lower bound of the optimum of (1) of ASSET on explicit features, by the dual with a bias."""
    problem = Problem.build(y, lam=lam, bias="unregularised")
    oracle = Oracle(np.ascontiguousarray(phi, dtype=np.float32), {"name": "linear"})
    solver = registry.get("smo_pair")
    run = solver(solver.Params(eps=1e-9)).start(problem, oracle, Generator(0))
    run.advance("iterations", 1_000_000)
    alpha = run.snapshot().alpha
    assert alpha is not None
    w = (alpha * y) @ phi
    return dual_objective(lam, alpha, float(w @ w))


def sample_classifier(given: Mapping[str, Any]) -> Outcome:
    """ASSET, section 2.4: the kernel expansion over the sample has the scores of the features."""
    apart = []
    kind = features.get("nystrom")
    for trial in range(int(given["trials"])):
        generator = np.random.default_rng([7403, trial])
        X, others = (generator.standard_normal((m, 5)).astype(np.float32) for m in (300, 100))
        made = kind(X, {"name": "gaussian", "gamma": 0.5}, kind.Params(s=int(given["s"])), Generator(trial))
        width = made.examples().d
        weights = generator.standard_normal(width)
        by_features = made.transform(others).astype(np.float64) @ weights
        found = made.expansion(weights)
        assert found is not None
        rows, coefficients = found
        squared = np.sum((others[:, None, :].astype(np.float64) - X[rows][None, :, :]) ** 2, axis=2)
        by_kernel = np.exp(-0.5 * squared) @ coefficients
        apart.append(float(np.abs(by_features - by_kernel).max() / np.abs(by_kernel).max()))
    return Outcome({"scores apart": {"value": max(apart)}})
