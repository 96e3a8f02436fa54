"""The solver of regression follows its specification, counts what it computes, and finds the optimum."""

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, minimize

from svmbench.errors import UserError
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.solvers.dual.insensitive import InsensitiveDual
from tests.kernels.reference import oracle_of_matrix
from tests.specification import insensitive
from tests.specification.slow_oracle import SlowOracle

GAUSSIAN = {"name": "gaussian", "gamma": 0.4}


def examples(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).astype(np.float32)
    return X, np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=n)


def box_of(n, C, bias, weights=None):
    return Problem.build(np.ones(n), C=C, bias=bias, weights=weights)


@pytest.mark.parametrize("bias", ["none", "unregularised"])
@pytest.mark.parametrize("epsilon", [0.0, 0.2])
@pytest.mark.parametrize(("n", "working_set"), [(30, 64), (60, 8), (90, 8)])
def test_it_follows_the_specification(bias, epsilon, n, working_set):
    X, y = examples(n)
    oracle = Oracle(X, GAUSSIAN)
    slow = SlowOracle(X, GAUSSIAN, Oracle(X, GAUSSIAN).block(np.arange(n)))
    box = box_of(n, 0.7, bias)
    dual = InsensitiveDual(oracle, box, y, epsilon, working_set)
    for beta, violation in insensitive.rounds(slow, box, y, epsilon, 5, working_set):
        dual.round()
        np.testing.assert_allclose(dual.coefficients(), beta, atol=1e-9)
        assert dual.violation == pytest.approx(violation, abs=1e-9)
    assert oracle.ledger.iterations == dual.rounds == 5
    assert oracle.ledger.kev_iter == len(slow.pairs)


def optimum(K, y, epsilon, bounds, with_bias):
    """Return the dual optimum by a general solver in the 2n variables β⁺, β⁻ ≥ 0."""
    n = y.size

    def loss(z):
        beta = z[:n] - z[n:]
        slope = K @ beta - y
        value = 0.5 * beta @ (slope - y) + epsilon * z.sum()
        return value, np.concatenate([slope + epsilon, epsilon - slope])

    balance = LinearConstraint(np.repeat([1.0, -1.0], n)[None], 0.0, 0.0)
    found = minimize(
        loss,
        np.zeros(2 * n),
        jac=True,
        method="SLSQP",
        bounds=[(0.0, bound) for bound in np.tile(bounds, 2)],
        constraints=[balance] if with_bias else [],
        options={"ftol": 1e-14, "maxiter": 2000},
    )
    return -found.fun


@pytest.mark.parametrize("bias", ["none", "unregularised"])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("weighted", [False, True])
def test_it_finds_the_optimum(bias, epsilon, weighted):
    X, y = examples(25, seed=3)
    K = np.exp(-0.4 * np.square(X[:, None] - X[None]).sum(axis=-1, dtype=np.float64))
    weights = np.random.default_rng(1).uniform(0.2, 2.0, y.size) if weighted else None
    box = box_of(y.size, 2.0, bias, weights)
    dual = InsensitiveDual(oracle_of_matrix(K), box, y, epsilon, 8)
    while dual.violation > 1e-6 and dual.rounds < 2000:
        dual.round()
    assert dual.violation <= 1e-6
    beta = dual.coefficients()
    assert (np.abs(beta) <= box.bounds).all()
    assert bias == "none" or abs(beta.sum()) <= 1e-12
    np.testing.assert_allclose(dual.residuals(), y - K @ beta, atol=1e-5)
    found = beta @ y - epsilon * np.abs(beta).sum() - 0.5 * beta @ K @ beta
    assert found == pytest.approx(optimum(K, y, epsilon, box.bounds, bias != "none"), rel=1e-6)


def test_within_the_tube_nothing_is_done():
    X, y = examples(20)
    dual = InsensitiveDual(Oracle(X, GAUSSIAN), box_of(20, 1.0, "unregularised"), y, 5.0, 8)
    assert dual.violation <= 0.0
    assert not dual.coefficients().any()


def test_new_residuals_replace_the_maintained_ones():
    X, y = examples(40)
    dual = InsensitiveDual(Oracle(X, GAUSSIAN), box_of(40, 1.0, "unregularised"), y, 0.1, 8)
    dual.round()
    beta = dual.coefficients()
    dual.renew(y - 1.0)
    np.testing.assert_allclose(dual.residuals(), y - 1.0, atol=1e-12)
    np.testing.assert_array_equal(dual.coefficients(), beta)


def test_targets_must_fit_the_examples():
    X, y = examples(20)
    with pytest.raises(UserError, match="19 targets do not fit 20 examples"):
        InsensitiveDual(Oracle(X, GAUSSIAN), box_of(20, 1.0, "none"), y[1:], 0.1, 8)
