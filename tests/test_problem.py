"""Conversions and objectives where no solver tests them."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from svmbench.errors import UserError
from svmbench.problem import (
    C_from_lam,
    Problem,
    balanced,
    best_bias,
    class_weights,
    dual_bound,
    dual_objective,
    lam_from_C,
    mean_hinge,
    mean_squared_hinge,
    nu_from_optimum,
    objectives_rounding,
    primal_objective,
    squared_hinge_dual_objective,
)


def test_the_best_bias_has_the_least_hinge_loss():
    rng = np.random.default_rng(0)
    for _ in range(500):
        n = int(rng.integers(1, 30))
        y = np.where(rng.random(n) < rng.random(), 1.0, -1.0)
        responses = np.round(4.0 * rng.normal(size=n)) / rng.choice([4.0, 3.7])
        found = mean_hinge(responses, y * best_bias(y, responses))
        # A sum of hinges is least at one of its bends.
        assert found == pytest.approx(min(mean_hinge(responses, y * b) for b in y * (1.0 - responses)))


def test_of_an_interval_of_best_biases_the_middle_is_taken():
    # Scores -3 and 3 before the bias: no loss for b of [-2, 2].
    assert best_bias(np.array([-1.0, 1.0]), np.array([3.0, 3.0])) == 0.0
    assert best_bias(np.array([-1.0, 1.0]), np.array([3.0, 2.0])) == pytest.approx(0.5)


@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_the_best_bias_of_one_class_is_the_nearest_without_loss(label):
    assert best_bias(np.full(3, label), np.zeros(3)) == label


def test_with_weights_each_loss_counts_as_often_as_its_weight():
    rng = np.random.default_rng(1)
    for _ in range(300):
        n = int(rng.integers(2, 12))
        y, weights = np.where(rng.random(n) < 0.5, 1.0, -1.0), rng.integers(1, 5, n).astype(float)
        responses = np.round(4.0 * rng.normal(size=n)) / 4.0
        times = weights.astype(int)
        many, more = np.repeat(y, times), np.repeat(responses, times)
        assert best_bias(y, responses, weights) == pytest.approx(best_bias(many, more))
        loss = mean_hinge(responses, y * 0.3, weights)
        assert loss * n == pytest.approx(mean_hinge(more, many * 0.3) * many.size)


def test_sums_of_weights_that_differ_by_rounding_are_equal():
    # The first four weights add up to 0.30000002, those of the positives to the next smaller number.
    weights = np.array([1e-8, 1e-8, 0.1, 0.2, 0.3, 0.05])
    y, kinks = np.array([1.0, 1.0, -1.0, -1.0, 1.0, -1.0]), np.arange(6.0)
    assert np.cumsum(weights)[3] > weights[y > 0.0].sum()
    assert best_bias(y, 1.0 - y * kinks, weights) == 3.5


def test_class_weights_sum_to_the_same_in_both_classes():
    np.testing.assert_array_equal(class_weights(np.array([1.0, -1.0, 1.0, 1.0])), [2 / 3, 2.0, 2 / 3, 2 / 3])


def test_with_weights_the_box_is_that_of_each_example():
    y, weights = np.array([1.0, -1.0, 1.0]), np.array([0.5, 2.0, 1.0])
    problem = Problem.build(y, C=3.0, weights=weights)
    np.testing.assert_array_equal(problem.bounds, [1.5, 6.0, 3.0])
    assert problem.within_box(np.array([1.5, 6.0, 3.0]))
    assert not problem.within_box(np.array([1.6, 1.0, 1.0]))
    assert dual_bound(problem, np.array([1.6, 1.0, 1.0]), np.zeros(3), lambda i: 1.0) is None
    for wrong in (np.ones(2), np.array([1.0, 0.0, 1.0]), np.array([1.0, np.inf, 1.0])):
        with pytest.raises(UserError, match="positive finite numbers, one for each example"):
            Problem.build(y, C=3.0, weights=wrong)


def test_balance_allows_for_rounding_only():
    y = np.array([1.0, -1.0, 1.0])
    assert balanced(np.zeros(3), y)
    assert balanced(np.array([0.1, 0.3, 0.2]), y)
    assert not balanced(np.array([0.1, 0.3, 0.2001]), y)


def test_conversions():
    assert lam_from_C(4.0, 8) == C_from_lam(4.0, 8) == 1.0 / 32.0
    assert nu_from_optimum(3.0, 4.0) == 0.75
    for norm in (0.0, -1.0, float("nan")):
        with pytest.raises(UserError, match="must not be zero"):
            nu_from_optimum(3.0, norm)


def test_objectives():
    responses, shift = np.array([3.0, 0.5, -1.0, 1.0]), np.array([0.0, 0.5, -1.0, 0.25])
    assert mean_hinge(responses) == (0.5 + 2.0) / 4.0
    assert mean_hinge(responses, shift) == 3.0 / 4.0
    assert mean_squared_hinge(responses) == (0.25 + 4.0) / 4.0
    assert primal_objective(0.5, 6.0, 2.0) == 3.5
    alpha = np.array([1.0, 2.0, 3.0])
    assert dual_objective(0.5, alpha, 4.0) == 0.5 * (6.0 - 2.0)
    # C = 1/(λn) = 2/3.
    assert squared_hinge_dual_objective(0.5, alpha, 4.0) == pytest.approx(
        0.5 * (4.0 - 14.0 / (4.0 * 2.0 / 3.0))
    )


def test_the_mean_loss_of_a_problem_takes_its_bias_and_its_weights():
    problem = Problem.build(np.array([1.0, -1.0]), C=1.0, weights=np.array([3.0, 2.0]))
    responses = np.array([0.5, 0.25])
    assert problem.mean_loss(responses) == (3.0 * 0.5 + 2.0 * 0.75) / 2.0
    assert problem.mean_loss(responses, 0.25) == (3.0 * 0.25 + 2.0 * 1.0) / 2.0


def plane(bias: str = "none") -> tuple[Problem, np.ndarray, np.ndarray]:
    """Return a problem of three examples with C = 1, a dual point, and y_i y_j K(x_i, x_j)."""
    y, X = np.array([1.0, -1.0, 1.0]), np.array([[2.0, 1.0], [0.5, -1.0], [0.25, 0.5]])
    return Problem.build(y, C=1.0, bias=bias), np.array([0.25, 0.5, 0.25]), np.outer(y, y) * (X @ X.T)


def test_the_bound_of_a_dual_point_without_bias_is_its_objective():
    problem, alpha, Q = plane()
    expected = dual_objective(problem.lam, alpha, alpha @ Q @ alpha)
    assert dual_bound(problem, alpha, Q @ alpha, lambda i: Q[i, i]) == pytest.approx(expected)
    # The square of the norm may be below 0 by rounding alone.
    assert dual_bound(problem, alpha, -1e-20 * alpha, lambda i: Q[i, i]) == problem.lam * alpha.sum()


@pytest.mark.parametrize("wrong", [[], [-1e-9, 0.5, 0.5], [0.5, 0.5, 1.0 + 1e-9]])
def test_a_point_outside_the_box_has_no_bound(wrong):
    problem, _, Q = plane()
    alpha = np.array(wrong, dtype=np.float64)
    assert dual_bound(problem, alpha, np.zeros(alpha.size), lambda i: Q[i, i]) is None


def test_the_edge_of_the_box_is_inside():
    problem, _, Q = plane()
    alpha = np.array([0.0, 1.0, 1.0 + 2.0**-51])  # the last one is rounding
    assert dual_bound(problem, np.minimum(alpha, 1.0), Q @ alpha, lambda i: Q[i, i]) is not None
    assert dual_bound(problem, np.full(3, np.nextafter(1.0, 2.0)), Q @ alpha, lambda i: Q[i, i]) is not None
    assert problem.within_box(np.full(3, 1.0 + 1e-15))
    assert dual_bound(problem, alpha + 2.0**-40, Q @ alpha, lambda i: Q[i, i]) is None


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_the_bound_with_a_bias_is_the_objective_of_the_balanced_point_beside(sign):
    problem, alpha, Q = plane("unregularised")
    exact = dual_objective(problem.lam, alpha, alpha @ Q @ alpha)
    assert dual_bound(problem, alpha, Q @ alpha, lambda i: Q[i, i]) == pytest.approx(exact, rel=1e-15)
    # Off balance by t in either class; Q is scaled so that what t changes is seen.
    Q = 1e8 * Q
    t, off = 1e-10, alpha.copy()
    heavier = 1 if sign < 0.0 else 0
    off[heavier] += t
    beside = off.copy()
    beside[heavier] -= abs(float(off @ problem.y))
    expected = dual_objective(problem.lam, beside, beside @ Q @ beside)
    without = dual_objective(problem.lam, off, off @ Q @ off)
    found = dual_bound(problem, off, Q @ off, lambda i: Q[i, i])
    assert found == pytest.approx(expected, rel=1e-13) and found != pytest.approx(without, rel=1e-13)


def test_the_curvature_counts_where_a_point_is_balanced():
    y, t = np.array([1.0, -1.0, 1.0, -1.0]), 2.0**-32
    problem, alpha = Problem.build(y, lam=0.5, bias="unregularised"), np.array([0.25 + t, 0.375, 0.25, 0.125])
    curvature = {0: 2.0**63, 2: 0.0}  # the largest coefficient of the heavier class is reduced
    found = dual_bound(problem, alpha, np.array([-3.0, 0.0, 0.0, 0.0]), curvature.__getitem__)
    objective = dual_objective(0.5, alpha, 0.0)  # α·c < 0 is rounding
    assert found == objective - 0.5 * (4.0 * t + 0.25)


def test_rounding_of_the_objectives_is_that_of_the_sum_of_coefficients():
    problem, eps = Problem.build(np.array([1.0, -1.0]), lam=0.5), 2.0**-52
    large, small = np.array([3e7, -1e7]), np.array([4.0, 0.0])
    assert objectives_rounding(problem, large, 1.0) == pytest.approx(eps * 4e7 * (1.0 + 2e7), rel=1e-12)
    error = eps * 4.0 * 3.0
    assert objectives_rounding(problem, small, 0.99e9 * error) == pytest.approx(error)
    assert objectives_rounding(problem, small, 1.01e9 * error) == 0.0


def test_rounding_of_the_objectives_follows_the_errors_of_the_responses_where_these_are_known():
    alpha, errors = np.array([2.0, 4.0]), np.array([0.25, 0.5])
    problem = Problem.build(np.array([1.0, -1.0]), lam=0.125)
    # The mean loss is off by the mean error, (λ/2)|w|² in either objective by (λ/2) Σ α_i errors_i.
    assert objectives_rounding(problem, alpha, 1.0, errors) == 0.375 + 0.125 * 2.5
    weighted = Problem.build(problem.y, lam=0.125, weights=np.array([4.0, 1.0]))
    assert objectives_rounding(weighted, alpha, 1.0, errors) == 0.75 + 0.125 * 2.5


def test_a_point_that_does_not_balance_has_no_bound_with_a_bias():
    problem, alpha, Q = plane("unregularised")
    assert dual_bound(problem, alpha + np.array([1e-3, 0.0, 0.0]), Q @ alpha, lambda i: Q[i, i]) is None


def test_a_problem_has_both_regularisations():
    y = np.array([1.0, -1.0])
    assert Problem.build(y, C=4.0).lam == 1.0 / 8.0 and Problem.build(y, lam=0.125).C == 4.0
    made = Problem.build(y, lam=1.0, bias="unregularised", nu=0.0, radius=0.5)
    assert (made.n, made.bias, made.nu, made.radius) == (2, "unregularised", 0.0, 0.5)
    assert Problem.build(y, C=1.0).nu is None and Problem.build(y, C=1.0).radius is None
    with pytest.raises(FrozenInstanceError):  # λ and C belong together
        made.lam = 2.0


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "exactly one"),
        ({"lam": 1.0, "C": 1.0}, "exactly one"),
        ({"C": 0.0}, r"problem\.C=0\.0 is not allowed"),
        ({"C": float("inf")}, r"problem\.C=inf is not allowed"),
        ({"lam": -1.0}, r"problem\.lam=-1\.0 is not allowed"),
        ({"lam": float("nan")}, r"problem\.lam=nan is not allowed"),
        ({"C": 1.0, "nu": -0.5}, r"solver\.nu=-0\.5 is not allowed"),
        ({"C": 1.0, "nu": float("inf")}, r"solver\.nu=inf is not allowed"),
        ({"C": 1.0, "radius": 0.0}, r"solver\.R=0\.0 is not allowed"),
        ({"C": 1.0, "radius": float("inf")}, r"solver\.R=inf is not allowed"),
        ({"C": 1.0, "bias": "some"}, r"problem\.bias=some is not allowed: give one of none, unregularised"),
    ],
)
def test_a_problem_that_is_none_is_refused(given, sentence):
    with pytest.raises(UserError, match=sentence):
        Problem.build(np.array([1.0, -1.0]), **given)
