"""What the tests of kernel methods share: small problems, runs, their answers, the SVM of LIBSVM."""

import numpy as np
from scipy.sparse import issparse

from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem, dual_objective, mean_hinge, primal_objective
from svmbench.rng import Generator
from svmbench.solvers import registry

GAUSSIAN = {"name": "gaussian", "gamma": 0.5}
LINEAR = {"name": "linear"}


def started(
    name, X, y, kernel=GAUSSIAN, C=1.0, bias="unregularised", seed=0, cache=1 << 22, threads=1, **given
):
    X = X if issparse(X) else np.asarray(X, dtype=np.float32)
    y = np.asarray(y, dtype=np.float64)
    oracle = Oracle(X, kernel, cache, threads)
    problem = Problem.build(y, C=C, bias=bias)
    solver = registry.get(name)
    return solver(solver.Params(**given)).start(problem, oracle, Generator(seed)), oracle, problem


def exact_matrix(oracle):
    """The kernel matrix in double precision, which a solver at a small tolerance is exact for."""
    return np.array([oracle.exact_responses([i], [1.0], observed=True) for i in range(oracle.n)])


def finished(run):
    run.advance("iterations", 10**6)
    assert run.converged
    return run.snapshot()


def coefficients(run, n):
    """The signed coefficients of all examples in the answer of a run."""
    model, found = run.snapshot().model, np.zeros(n)
    found[model.indices] = model.coefficients
    return found


def scores(run, oracle):
    """The scores of all examples by the answer of a run."""
    return run.snapshot().model.training_scores(oracle)


def eighths(X):
    """Round, so that inner products are exact in single precision and make a semidefinite matrix."""
    return np.round(8.0 * X) / 8.0


def noisy(n=150, seed=0, d=3, rounded=np.float32):
    """Points whose classes overlap."""
    rng = np.random.default_rng(seed)
    X = rounded(rng.normal(size=(n, d)))
    return X, np.where(X[:, 0] + rng.normal(size=n) > 0.4, 1.0, -1.0)


def coarse(n=150, seed=0):
    """Points as those of `noisy`, in eighths."""
    return noisy(n, seed, rounded=eighths)


def two_classes(n, d=3, seed=0, distance=0.7):
    """Points of two normal distributions with the same identity as covariance."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    return (rng.normal(size=(n, d)) + distance * y[:, None]).astype(np.float32), y


def objectives(K, y, alpha, bias, problem):
    """The primal objective of a model and the dual one of its coefficients."""
    scores = K @ (alpha * y)
    norm2 = float(alpha @ (y * scores))
    loss = mean_hinge(y * scores, y * bias)
    return primal_objective(problem.lam, norm2, loss), dual_objective(problem.lam, alpha, norm2)


def check_optimal(name, X, y, kernel=LINEAR, C=1.0, bias="unregularised", **given):
    """Assert that a method ends at a feasible point without a gap to its own model, and return it."""
    run, oracle, problem = started(name, X, y, kernel, C=C, bias=bias, **({"eps": 1e-9} | given))
    snapshot = finished(run)
    alpha, y = snapshot.alpha, problem.y
    assert np.all((alpha >= 0.0) & (alpha <= C))
    if bias == "unregularised":
        assert abs(alpha @ y) <= 1e-12 * C * problem.n
    K = exact_matrix(oracle)
    primal, dual = objectives(K, y, alpha, snapshot.model.bias, problem)
    assert -1e-12 <= primal - dual <= 1e-6 * max(1.0, primal)
    return snapshot


def both_labels(n=12):
    """Examples each of which is there with both labels, and one more of the first."""
    rng = np.random.default_rng(4)
    X = eighths(rng.normal(size=(n, 2)))
    return np.concatenate([X, X, X[:1]]), np.concatenate([np.ones(n), -np.ones(n), [1.0]])


def same_often(n=40):
    """Few examples, each often, with labels that contradict each other."""
    rng = np.random.default_rng(5)
    return np.repeat(eighths(rng.normal(size=(n // 10, 2))), 10, axis=0), np.where(
        rng.random(n) < 0.4, 1.0, -1.0
    )


def some_zero(n=30):
    """Examples of which a third are 0."""
    rng = np.random.default_rng(6)
    X = eighths(rng.normal(size=(n, 3)))
    X[::3] = 0.0
    return X, np.where(rng.random(n) < 0.5, 1.0, -1.0)


#: Degenerate problems by name: examples and labels.
DEGENERATE = {
    "one positive example": ([[1.0]], [1.0]),
    "one negative example": ([[1.0]], [-1.0]),
    "one example of norm 0": ([[0.0]], [1.0]),
    "two examples": ([[1.0], [4.0]], [-1.0, 1.0]),
    "one class": (np.arange(7.0)[:, None], np.ones(7)),
    "the other class": (np.arange(7.0)[:, None], -np.ones(7)),
    "all zero": (np.zeros((9, 2)), np.where(np.arange(9) < 3, 1.0, -1.0)),
    "all zero, as many of both": (np.zeros((8, 2)), np.where(np.arange(8) < 4, 1.0, -1.0)),
    "all equal": (np.ones((9, 2)), np.where(np.arange(9) % 3 == 0, 1.0, -1.0)),
    "both labels": both_labels(),
    "the same often": same_often(),
    "some zero": some_zero(),
}
