"""What is particular to L2-SVM-MFN: its rounds, its two phases, and the gradient at its end."""

from itertools import pairwise

import numpy as np
import pytest

from tests.solvers.linear.small import finished, objective, overlapping, started, weights


def gradient(X, y, w, C):
    slack = np.maximum(0.0, 1.0 - y * (X.astype(np.float64) @ w))
    return w - 2.0 * C * X.astype(np.float64).T @ (y * slack)


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("eps", [1e-3, 1e-6, 1e-9])
def test_the_gradient_ends_small_relative_to_that_at_zero(C, eps):
    X, y = overlapping()
    w = weights(finished("l2svm_mfn", X, y, C, eps=eps))
    # CG reaches eps on the examples with a loss; a step of the line search may stop short of there.
    at_zero = gradient(X, y, np.zeros(X.shape[1]), C)
    assert np.linalg.norm(gradient(X, y, w, C)) <= 3.0 * eps * np.linalg.norm(at_zero)


def stretched():
    """Features of very different scales: many steps of CG."""
    X, y = overlapping(300, 40, density=1.0)
    return X * np.logspace(-2, 1, 40, dtype=np.float32), y


def test_the_first_round_has_ten_steps():
    X, y = stretched()
    run, _, _ = started("l2svm_mfn", X, y)
    run.advance("iterations", 9)
    assert not weights(run).any()
    run.advance("iterations", 10)
    first = weights(run)
    assert first.any()
    run.advance("iterations", 20)
    np.testing.assert_array_equal(weights(run), first)  # a later round goes on for longer


def test_the_objective_falls_from_round_to_round():
    X, y = stretched()
    run, _, problem = started("l2svm_mfn", X, y, C=10.0, eps=1e-9)
    reached = [problem.n * 10.0]
    while not run.converged:
        run.advance("iterations", run.iterations + 1)
        value = objective(X, y, weights(run), 10.0, "squared_hinge")
        if value != reached[-1]:
            reached.append(value)
    assert len(reached) > 4
    assert all(after <= before * (1.0 + 1e-12) for before, after in pairwise(reached))


def test_a_coarse_tolerance_needs_one_phase():
    X, y = stretched()
    steps = [finished("l2svm_mfn", X, y, eps=eps).iterations for eps in (0.1, 1e-2, 1e-6)]
    assert steps[0] < steps[1] < steps[2]


def test_where_every_example_has_a_loss_the_answer_is_that_of_ridge_regression():
    # Examples so small that none reaches its margin.
    X, y = overlapping(50)
    X = 1e-2 * X
    w = weights(finished("l2svm_mfn", X, y, C=0.5, eps=1e-10))
    X = X.astype(np.float64)
    np.testing.assert_allclose(w, np.linalg.solve(np.eye(6) + X.T @ X, X.T @ y), rtol=1e-8, atol=1e-12)


def test_the_end_of_its_rounds_is_no_convergence():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(100, 40)) * np.exp(5.0 * rng.normal(size=(100, 1)))
    y = np.where(X @ rng.normal(size=40) + rng.normal(size=100) * np.abs(X).mean() > 0.0, 1.0, -1.0)
    run, _, _ = started("l2svm_mfn", X, y, 1e6, eps=1e-12)
    run.advance("iterations", 10**6)
    assert run.state()["rounds"] == 50
    assert run.stalled and not run.converged and run.reason == "its 50 rounds are over"
