"""The edge cases of the Stochastic Batch Perceptron, without and with a bias."""

import numpy as np
import pytest

from svmbench.errors import UserError
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.kernel.sbp import SBP, Params
from tests.specification import sbp as specification
from tests.specification.expansion import Maintained
from tests.specification.slow_oracle import SlowOracle

GAUSSIAN = {"name": "gaussian", "gamma": 0.5}
LINEAR = {"name": "linear"}


def trained(X, y, kernel, nu, iterations, seed=1, bias="none"):
    X, y = np.asarray(X, dtype=np.float32), np.asarray(y, dtype=np.float64)
    problem = Problem.build(y, lam=1.0, bias=bias)
    run = SBP(Params(nu=nu)).start(problem, Oracle(X, kernel, 1 << 20), Generator(seed))
    run.advance("iterations", iterations)
    return run.snapshot()


def weights(snapshot, X):
    return snapshot.model.coefficients @ np.asarray(X)[snapshot.model.indices]


def compared(X, y, kernel, nu, iterations, rtol, atol, bias="none"):
    """Train, and return the answer and all coefficients, which are those of the specification."""
    slow = Maintained(SlowOracle(X, kernel), y)
    problem = Problem.build(y, lam=1.0, bias=bias)
    expected = specification.run(problem, slow, Generator(1), iterations, nu=nu)
    snapshot, signed = trained(X, y, kernel, nu, iterations, bias=bias), np.zeros(y.size)
    signed[snapshot.model.indices] = snapshot.model.coefficients
    np.testing.assert_allclose(signed * y, expected, rtol=rtol, atol=atol)
    return snapshot, signed


def test_before_the_first_iteration_the_answer_is_zero():
    snapshot = trained([[1.0], [2.0]], [1.0, -1.0], GAUSSIAN, 0.3, 0)
    assert snapshot.model.indices.size == 0
    assert snapshot.native == {"native_objective": pytest.approx(0.3)}
    assert not snapshot.responses.any()


def test_one_example():
    # f(w) = c_1 + ν with |w| <= 1: the optimum is y Φ/|Φ|.
    snapshot = trained([[3.0]], [-1.0], LINEAR, 0.25, 100)
    assert snapshot.native["native_objective"] == pytest.approx(3.25)
    assert snapshot.native["native_bound"] == pytest.approx(3.25)
    assert weights(snapshot, [[3.0]]) == pytest.approx(-1.0 / 3.25)


def test_a_level_that_is_not_positive_does_not_rescale():
    # The same point with both labels and ν = 0: the least response is never positive.
    X, y = [[1.0], [1.0], [2.0]], [1.0, -1.0, 1.0]
    for iterations in (1, 2, 5, 200):
        snapshot = trained(X, y, GAUSSIAN, 0.0, iterations)
        assert snapshot.native["native_objective"] <= 0.0
        assert np.all(snapshot.model.coefficients * np.array(y)[snapshot.model.indices] > 0.0)
        assert snapshot.model.coefficients @ snapshot.model.coefficients > 0.0
        assert np.abs(snapshot.responses).max() <= 1.0 + 1e-9  # an average within the unit ball, as it is


def test_duplicates_with_both_labels_force_slack():
    X, y = [[1.0], [1.0]], [1.0, -1.0]
    hard = trained(X, y, GAUSSIAN, 0.0, 4000)
    assert -0.05 <= hard.native["native_objective"] <= 0.0
    soft = trained(X, y, GAUSSIAN, 0.5, 4000)
    assert soft.native["native_objective"] == pytest.approx(0.5, abs=0.05)
    assert hard.native["native_bound"] >= -1e-9


def test_no_slack_is_the_hard_margin():
    # Separable by the first coordinate; the nearest points of the two classes are (1, ±0.5) and (-1, 0).
    X = np.array([[1.0, 0.5], [1.0, -0.5], [-1.0, 0.0], [-4.0, 1.0], [3.0, 2.0]])
    y = np.array([1.0, 1.0, -1.0, -1.0, 1.0])
    snapshot = trained(X, y, LINEAR, 0.0, 60_000)
    assert snapshot.native["native_objective"] == pytest.approx(1.0, abs=2e-2)
    assert snapshot.native["native_bound"] == pytest.approx(1.0, abs=2e-2)
    w = weights(snapshot, X)
    assert abs(w[1]) <= 0.05 * w[0]
    assert snapshot.responses.min() == pytest.approx(1.0)  # rescaled by the level


def test_much_slack_is_the_difference_of_the_class_means():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3)).astype(np.float32)
    y = np.where(rng.random(30) < 0.5, 1.0, -1.0)
    snapshot = trained(X, y, LINEAR, 1e6, 100_000)
    direction = y @ X
    w = weights(snapshot, X)
    assert w @ direction / np.linalg.norm(w) / np.linalg.norm(direction) >= 0.999


def test_the_norm_is_made_afresh_every_1000_iterations():
    # The square of this number is rounded up by half a unit in the single precision of the rows, not in the
    # diagonal: the recursion of the norm, which uses the diagonal, drifts away from the rows.
    rng = np.random.default_rng(2)
    X = np.where(rng.random((25, 1)) < 0.5, 1.4237374, -1.4237374).astype(np.float32)
    y = np.where(rng.random(25) < 0.4, 1.0, -1.0)
    compared(X, y, LINEAR, 2.0, 2500, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("bias", ["none", "unregularised"])
@pytest.mark.parametrize("iterations", [1, 2, 3, 40])
def test_the_answer_is_that_of_all_iterates_after_even_and_odd_ones(iterations, bias):
    # The responses are added up in every second iteration only.
    rng = np.random.default_rng(6)
    X = rng.normal(size=(601, 3)).astype(np.float32)
    y = np.where(X[:, 0] + rng.normal(size=601) > 0.5, 1.0, -1.0)
    snapshot, signed = compared(X, y, GAUSSIAN, 0.1, iterations, rtol=1e-6, atol=1e-12, bias=bias)
    distances = ((X[:, None, :] - X[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(
        snapshot.responses, y * (np.exp(-0.5 * distances) @ signed), rtol=1e-5, atol=1e-5
    )


def test_an_example_of_norm_zero_is_no_support_vector_but_keeps_the_bound():
    X, y = [[0.0], [1.0], [-2.0]], [1.0, 1.0, -1.0]
    snapshot = trained(X, y, LINEAR, 0.4, 30_000)
    assert 0 not in snapshot.model.indices
    assert snapshot.responses[0] == 0.0
    # Volume 1.2 over the responses 0, w, 2w: the level is highest at w = 1, where it is (1.2 + 0 + 1) / 2.
    assert snapshot.native["native_objective"] == pytest.approx(1.1, abs=5e-3)
    assert snapshot.native["native_bound"] == pytest.approx(1.1, abs=5e-2)


def test_a_set_of_one_among_many_is_found_by_its_rank():
    # ν = 0: a single least response among thousands, which 1024 draws often miss.
    rng = np.random.default_rng(5)
    X = (np.round(64.0 * rng.normal(size=(3000, 2))) / 64.0).astype(np.float32)
    y = np.where(rng.random(3000) < 0.5, 1.0, -1.0)
    compared(X, y, LINEAR, 0.0, 12, rtol=1e-9, atol=1e-13)


@pytest.mark.slow
def test_the_draw_is_uniform_over_the_violators():
    # At the first iteration every example is a violator.
    X, y = np.arange(4.0)[:, None], [1.0, 1.0, -1.0, -1.0]
    first = [int(trained(X, y, GAUSSIAN, 0.1, 1, seed=seed).model.indices[0]) for seed in range(4000)]
    counts = np.bincount(first, minlength=4)
    assert ((counts - 1000) ** 2 / 1000).sum() < 16.3  # 3 degrees of freedom, 0.1 %


def test_an_example_at_the_level_is_no_violator():
    # Orthonormal examples: after one step one response is 1, the others are 0; a volume of 3 stands at 1.
    for seed in range(40):
        snapshot = trained(np.eye(4), [1.0, -1.0, 1.0, -1.0], LINEAR, 0.75, 2, seed=seed)
        assert snapshot.model.indices.size == 2


def test_all_of_norm_zero_is_an_error():
    with pytest.raises(UserError, match=r"every K\(x, x\) is 0"):
        trained([[0.0], [0.0]], [1.0, -1.0], LINEAR, 0.1, 1)


@pytest.mark.parametrize("nu", [-0.1, np.nan, np.inf, 1e308])
def test_nu_out_of_range(nu):
    with pytest.raises(UserError, match="is not allowed: give a number of at least 0, or auto"):
        trained([[1.0], [2.0]], [1.0, -1.0], GAUSSIAN, nu, 1)


def test_auto_takes_the_problems_nu_and_needs_it():
    X, y = np.array([[1.0], [2.0]], dtype=np.float32), np.array([1.0, -1.0])
    with pytest.raises(UserError, match=r"solver\.nu=auto needs a problem whose nu is known"):
        SBP(Params()).start(Problem.build(y, lam=1.0), Oracle(X, GAUSSIAN), Generator(0))
    run = SBP(Params()).start(Problem.build(y, lam=1.0, nu=0.7), Oracle(X, GAUSSIAN), Generator(0))
    assert run.snapshot().native["native_objective"] == pytest.approx(0.7)


BIASED = "unregularised"


def test_the_biased_margin_is_that_between_the_nearest_points():
    # Points 1 and 4 on the line, far from 0: |w| <= 1 gives a margin of 1.5, the score is 0 at 2.5.
    X, y = [[1.0], [4.0], [6.0]], [-1.0, 1.0, 1.0]
    snapshot = trained(X, y, LINEAR, 0.0, 60_000, bias=BIASED)
    assert snapshot.native == {"native_objective": pytest.approx(1.5, abs=1e-2)}
    w = weights(snapshot, X)
    assert w == pytest.approx(2.0 / 3.0, abs=1e-2)
    assert snapshot.model.bias == pytest.approx(-2.5 * w, abs=2e-2)
    margins = snapshot.responses + np.array(y) * snapshot.model.bias
    assert margins.min() == pytest.approx(1.0)  # rescaled by the level, and the bias with it


def test_a_bias_needs_two_classes():
    with pytest.raises(UserError, match=r"all 2 labels are -1, so sbp has no level with problem\.bias="):
        trained([[1.0], [2.0]], [-1.0, -1.0], GAUSSIAN, 0.1, 1, bias=BIASED)


def test_a_biased_level_that_is_not_positive_does_not_rescale():
    # The same two points in both classes and ν = 0: the level is at most 0.
    X, y = [[1.0], [1.0], [2.0], [2.0]], np.array([1.0, -1.0, 1.0, -1.0])
    for iterations in (1, 3, 200):
        snapshot = trained(X, y, GAUSSIAN, 0.0, iterations, bias=BIASED)
        assert snapshot.native["native_objective"] <= 0.0
        assert np.all(snapshot.model.coefficients * y[snapshot.model.indices] > 0.0)
        assert np.abs(snapshot.responses).max() <= 1.0 + 1e-9


@pytest.mark.slow
def test_the_biased_draw_is_fair_between_classes_and_among_ties():
    # At the first iteration all are tied and k is the size of the smaller class.
    X, y = np.arange(6.0)[:, None], [1.0, -1.0, -1.0, -1.0, -1.0, 1.0]
    first = [
        int(trained(X, y, GAUSSIAN, 0.1, 1, seed=seed, bias=BIASED).model.indices[0]) for seed in range(4000)
    ]
    expected = np.array([1000.0, 500.0, 500.0, 500.0, 500.0, 1000.0])
    deviation = (np.bincount(first, minlength=6) - expected) ** 2 / expected
    assert deviation.sum() < 20.5  # 5 degrees of freedom, 0.1 %


@pytest.mark.slow
def test_the_biased_level_is_followed_over_a_long_run():
    # The band around the last cuts widens and narrows; what it finds is what sorting finds.
    rng = np.random.default_rng(2)
    X = (np.round(8.0 * rng.normal(size=(80, 3))) / 8.0).astype(np.float32)
    y = np.where(X[:, 0] + rng.normal(size=80) > 0.3, 1.0, -1.0)
    for nu in (0.0, 0.02, 2.0):
        compared(X, y, LINEAR, nu, 1500, rtol=1e-8, atol=1e-12, bias=BIASED)
