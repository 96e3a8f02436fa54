"""What is particular to Platt's SMO: its passes, its partners, its counts, its bias, degenerate data."""

from functools import partial

import numpy as np
import pytest
from sklearn.svm import SVC

from svmbench.certify.certificate import certify
from svmbench.problem import best_bias, mean_hinge
from tests.solvers.kernel import working_sets
from tests.solvers.kernel.working_sets import LINEAR, noisy

started = partial(working_sets.started, "platt")


def finished(run):
    run.advance("iterations", 10**7)
    assert run.converged
    return run.snapshot()


@pytest.mark.parametrize("seed", range(5))
def test_the_papers_tolerances_are_near_the_optimum(seed):
    X, y = noisy(400, seed)
    run, _, problem = started(X, y, C=5.0, seed=seed)
    snapshot = finished(run)
    margins = y * (y * snapshot.responses + snapshot.model.bias)
    alpha = snapshot.alpha
    violation = np.maximum(
        np.where(alpha < problem.C, 1.0 - margins, 0.0), np.where(alpha > 0.0, margins - 1.0, 0.0)
    )
    # What is left violates the conditions by little: the step that mends it would be too small a change.
    assert violation.max() <= 3e-3
    assert certify(problem, alpha, snapshot.responses)["relative_gap"] <= 2e-3


@pytest.mark.parametrize("seed", range(3))
def test_the_sum_stays_if_coefficients_are_far_below_c(seed):
    rng = np.random.default_rng(seed)
    X = np.round(np.abs(2000.0 * rng.normal(size=(80, 4))), 1)
    run, _, _ = started(X, y := np.where(rng.random(80) < 0.5, 1.0, -1.0), LINEAR, C=1e8)
    run.advance("iterations", 40_000)
    alpha = run.snapshot().alpha
    assert alpha.max() < 1e-8 * 1e8
    assert abs(alpha @ y) <= 1e-13 * alpha.sum()


def test_a_smaller_change_comes_nearer():
    X, y = noisy(200, seed=3)
    gaps = []
    for change in (0.5, 1e-2, 1e-8):
        run, _, problem = started(X, y, C=10.0, eps=1e-8, change=change)
        snapshot = finished(run)
        gaps.append(certify(problem, snapshot.alpha, snapshot.responses)["relative_gap"])
    assert gaps[0] > 10.0 * gaps[1] > 100.0 * gaps[2]
    assert gaps[2] <= 1e-6


def test_the_bias_is_mended_where_no_pair_can_do_it():
    # With a small C the coefficients end at bounds, where the b of the last step is a mean of two.
    X, y = [[1.0], [0.9], [-0.9], [-1.0], [-1.1]], [1.0, 1.0, -1.0, -1.0, -1.0]
    run, _, _ = started(X, y, LINEAR, C=0.01)
    snapshot = finished(run)
    peer = SVC(C=0.01, kernel="linear", tol=1e-10).fit(np.array(X), y)
    loss = np.maximum(0.0, 1.0 - np.array(y) * (np.array(X)[:, 0] * peer.coef_[0, 0] + peer.intercept_[0]))
    theirs = 0.5 * peer.coef_[0, 0] ** 2 + 0.01 * loss.sum()
    margins = np.array(y) * (np.array(y) * snapshot.responses + snapshot.model.bias)
    ours = 0.5 * snapshot.alpha @ snapshot.responses + 0.01 * np.maximum(0.0, 1.0 - margins).sum()
    assert ours == pytest.approx(theirs, rel=1e-3)


@pytest.mark.parametrize("X", [np.zeros((6, 2)), np.ones((6, 2))])
def test_examples_without_distance(X):
    # All scores are b: four of six are right with the sign of the larger class.
    y = [1.0, -1.0, 1.0, 1.0, 1.0, -1.0]
    run, _, _ = started(X, y, LINEAR, C=0.5)
    snapshot = finished(run)
    assert snapshot.model.bias == pytest.approx(1.0)
    assert snapshot.alpha[1] == snapshot.alpha[5] == 0.5
    assert snapshot.alpha @ y == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("seed", [131, 601, 747, 754])
def test_a_coefficient_a_hair_below_c_does_not_move_the_bias(seed):
    # Nearly the identity: the classes differ in size, so that one has all its coefficients about C.
    rng = np.random.default_rng(seed)
    n, d, share = int(rng.integers(10, 200)), int(rng.choice([1, 2, 6, 24])), rng.choice([0.3, 0.5, 0.1])
    y = np.where(rng.random(n) < share, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    X = np.round(4.0 * rng.uniform(-1.0, 1.0, (n, d))) / 4.0
    gamma = float(rng.choice([3.0, 30.0, 0.3]))
    run, _, problem = started(X, y, {"name": "gaussian", "gamma": gamma}, seed=seed)
    snapshot = finished(run)
    below = problem.C - snapshot.alpha
    assert np.any((below > 0.0) & (below < 1e-8))  # or the case is none
    bias = best_bias(y, snapshot.responses)
    assert loss(y, snapshot, snapshot.model.bias) <= 1.01 * loss(y, snapshot, bias)


@pytest.mark.parametrize(("seed", "n", "optimum"), [(2, 100, 0.4048), (10, 300, 0.3923), (15, 100, 0.3552)])
def test_the_bias_of_german_like_data_is_set_where_coefficients_snap_to_c(seed, n, optimum):
    # 24 coarse features, three in ten positive, gamma 3, C 1. Taking the coefficient at C - 1e-14 for free
    # gives an objective of .4999.
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.3, 1.0, -1.0)
    X = np.round(4.0 * rng.uniform(-1.0, 1.0, (n, 24))) / 4.0
    run, _, _ = started(X, y, {"name": "gaussian", "gamma": 3.0}, seed=seed)
    snapshot = finished(run)
    below = 1.0 - snapshot.alpha
    assert np.any((below > 0.0) & (below < 1e-8))
    norm = snapshot.alpha @ snapshot.responses / n
    assert 0.5 * norm + loss(y, snapshot, snapshot.model.bias) == pytest.approx(optimum, abs=1e-3)


def loss(y, snapshot, bias):
    return mean_hinge(snapshot.responses, y * bias)


@pytest.mark.parametrize("C", [1e-12, 1e-6, 1e-4])
def test_small_coefficients_move_by_small_steps(C):
    X, y = noisy()
    run, _, problem = started(X, y, C=C)
    snapshot = finished(run)
    certificate = certify(problem, snapshot.alpha, snapshot.responses)
    assert certificate["relative_gap"] <= 1e-3
    # At so small a C every example of the smaller class is at it.
    smaller = y == (1.0 if (y > 0.0).sum() < (y < 0.0).sum() else -1.0)
    assert (snapshot.alpha[smaller] == C).all()
