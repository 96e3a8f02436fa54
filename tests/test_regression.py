"""The gap of regression is the difference of its objectives, and its bias the best one."""

import math

import numpy as np
import pytest

from svmbench.regression import Regression, balanced


def problem(epsilon=0.2, bias="unregularised", weights=None, n=40, seed=0, shift=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = X[:, 0] + 0.5 * rng.normal(size=n) + shift
    K = np.exp(-0.5 * np.square(X[:, None] - X[None]).sum(axis=-1))
    return K, Regression.build(y, epsilon, C=2.0, bias=bias, weights=weights)


def point(n, bounds, bias, seed=1):
    beta = np.random.default_rng(seed).uniform(-1.0, 1.0, n) * bounds
    beta[:5] = 0.0
    return balanced(0.5 * (beta - beta.mean())) if bias != "none" else beta


@pytest.mark.parametrize("bias", ["none", "unregularised"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_gap_is_that_of_the_objectives(bias, weighted):
    weights = np.random.default_rng(2).uniform(0.5, 2.0, 40) if weighted else None
    K, given = problem(bias=bias, weights=weights)
    bounds = given.box.bounds
    beta = point(40, bounds, bias)
    scores = K @ beta
    found = given.certificate(beta, scores)

    def primal(b):
        return 0.5 * beta @ scores + bounds @ np.maximum(0.0, np.abs(given.y - scores - b) - given.epsilon)

    dual = given.y @ beta - given.epsilon * np.abs(beta).sum() - 0.5 * beta @ scores
    assert found.primal == pytest.approx(primal(found.bias))
    assert found.gap == pytest.approx(found.primal - dual)
    assert found.relative_gap == found.gap / found.primal
    if bias == "none":
        assert found.bias == 0.0
    else:
        assert found.primal <= min(primal(b) for b in np.linspace(-4.0, 4.0, 4001)) + 1e-9


def test_a_large_offset_of_the_targets_changes_the_bias_only():
    (K, near), (_, far) = problem(), problem(shift=1e6)
    beta = point(40, near.box.bounds, "unregularised")
    here, there = near.certificate(beta, K @ beta), far.certificate(beta, K @ beta)
    assert there.gap == pytest.approx(here.gap, rel=1e-8)
    assert there.bias - 1e6 == pytest.approx(here.bias, abs=1e-8)


def test_equal_weights_are_a_factor_of_C():
    _, given = problem(weights=np.full(40, 3.0))
    assert given.box.weights is None
    assert given.box.C == 6.0


def test_rounding_is_added_where_it_matters():
    K, given = problem(epsilon=0.0)
    huge = Regression.build(given.y, 0.0, C=1e12, bias="unregularised", weights=None)
    beta = balanced(1e11 * np.linspace(-1.0, 1.0, 40))
    plain, rounded = (
        huge.certificate(beta, 1e-11 * K @ beta, off)
        for off in (0.0, float(np.finfo(np.float64).eps * np.abs(beta).sum()))
    )
    assert rounded.gap > plain.gap
    small = point(40, given.box.bounds, "unregularised")
    assert given.certificate(small, K @ small, 1e-15) == given.certificate(small, K @ small)


def test_targets_on_the_edge_of_the_tube_have_no_gap():
    given = Regression.build(np.array([0.1, 0.3]), 0.1, C=1.0, bias="unregularised", weights=None)
    assert given.certificate(np.zeros(2), np.zeros(2)).gap == 0.0


def test_coefficients_are_balanced_within_their_bounds():
    beta = np.array([1.0, -1.0, 0.3, -0.1, -0.2]) + 1e-14
    found = balanced(beta)
    assert abs(math.fsum(beta)) > 1e-14 > 1e-15 > abs(math.fsum(found))
    assert np.abs(found).max() <= 1.0 + 1e-14
    np.testing.assert_allclose(found, beta, atol=1e-12)
