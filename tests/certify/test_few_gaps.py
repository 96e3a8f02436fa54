"""Gaps of few examples in one pass: bounds, tight ones, whatever the maintained responses are off by."""

import numpy as np
import pytest
import scipy.sparse as sp

from svmbench.certify.few_gaps import FewGaps
from svmbench.certify.gap_bounds import GapBounds, Point
from svmbench.kernels._oracle import Oracle
from svmbench.kernels.functions.precomputed import Precomputed
from svmbench.kernels.layouts._double_expansion import matrix
from svmbench.kernels.unrounded import oracle_over
from svmbench.problem import Problem, share_of_most
from svmbench.sklearn import KernelSVC

GAUSSIAN = {"name": "gaussian", "gamma": 0.1}


def problem(bias, weighted, n=200, C=2.0):
    """An oracle, a problem, and a dual point near its optimum."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(n) < 0.4, 1.0, -1.0)
    X = rng.standard_normal((n, 5)) + 0.5 * y[:, None]
    weights = rng.uniform(0.2, 3.0, n) if weighted else None
    fitted = KernelSVC(C=C, gamma=0.1, tol=1e-4, fit_intercept=bias != "none").fit(X, y, weights)
    alpha = np.zeros(n)
    alpha[fitted.support_] = np.abs(fitted.dual_coef_[0])
    return oracle_over(X, GAUSSIAN), Problem.build(y, C=C, bias=bias, weights=weights), alpha


def found(oracle, given, alpha, responses):
    """The bias and the gap by `FewGaps`, which says how close it must come as `share_of_most` does."""
    rows, balanced = np.arange(alpha.size), given.bias != "none"
    b, gap, share = FewGaps(oracle).certified(rows, given.y, alpha, responses, given.bounds, balanced)
    if np.isfinite(gap) and np.isfinite(responses).all():
        exact = GapBounds(given, oracle).exact(alpha, b).responses
        losses = given.bounds * np.maximum(0.0, 1.0 - exact - b * given.y)
        assert share == pytest.approx(share_of_most(losses, 0.5 * alpha @ exact), rel=1e-3)
    return b, gap


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("bias", ["none", "unregularised"])
@pytest.mark.parametrize("off", [0.0, 1e-7, 0.5])
def test_the_gap_is_that_of_the_coefficients(bias, weighted, off):
    oracle, given, alpha = problem(bias, weighted)
    exact = GapBounds(given, oracle).exact(alpha)
    noise = off * np.random.default_rng(1).uniform(-1.0, 1.0, alpha.size)
    b, gap = found(oracle, given, alpha, exact.responses + noise)
    at_b = GapBounds(given, oracle).exact(alpha, b)  # with the same bias, which need not be the best
    assert gap == pytest.approx(at_b.relative_gap, rel=1e-3, abs=1e-12)
    assert exact.relative_gap * (1.0 - 1e-9) <= gap <= 1.0001e-4


def test_far_examples_are_not_evaluated_unless_responses_are_wrong():
    oracle, given, alpha = problem("unregularised", weighted=False)
    exact = GapBounds(given, oracle).exact(alpha)
    point = Point(alpha, exact.responses, np.zeros(alpha.size))
    far = ~GapBounds(given, oracle)._near(point, exact.bias, np.full(alpha.size, 0.01))
    assert far.mean() > 0.5
    harmless = exact.responses + 1e-3 * far * np.where(alpha > 0.0, -1.0, 1.0)
    assert found(oracle, given, alpha, harmless)[1] == pytest.approx(exact.relative_gap, rel=0.05)


def test_a_point_outside_the_box_or_out_of_balance_has_no_gap():
    oracle, given, alpha = problem("unregularised", weighted=False)
    responses = GapBounds(given, oracle).exact(alpha).responses
    for factor, place in ((1.0 + 1e-6, alpha.argmax()), (-1.0, alpha.argmax()), (0.5, alpha.argmax())):
        moved = alpha.copy()
        moved[place] *= factor
        assert found(oracle, given, moved, responses)[1] == np.inf
    assert found(oracle, given, 0.0 * alpha, 0.0 * alpha)[1] == 1.0
    assert found(oracle, given, alpha, np.full(alpha.size, np.nan))[1] < 2e-4  # they are all computed


def test_examples_are_as_given():
    rng = np.random.default_rng(2)
    y = np.where(rng.random(100) < 0.5, 1.0, -1.0)
    X = 1e4 + rng.standard_normal((100, 3)) + y[:, None]
    oracle, alpha = oracle_over(X, GAUSSIAN), rng.uniform(0.0, 1.0, 100)
    given = Problem.build(y, C=1.0)
    exact = GapBounds(given, oracle).exact(alpha)
    assert found(oracle, given, alpha, exact.responses)[1] == pytest.approx(exact.relative_gap, rel=1e-12)


@pytest.mark.parametrize("bias", ["none", "unregularised"])
def test_of_a_matrix_of_the_values_it_is_the_same(bias):
    oracle, given, alpha = problem(bias, weighted=True)
    responses = GapBounds(given, oracle).exact(alpha).responses
    values = matrix(np.ascontiguousarray(oracle.given_rows(np.arange(alpha.size))), oracle.kernel)
    known = Oracle(np.arange(alpha.size)[:, None], Precomputed.of(values, normalised=True))
    assert FewGaps.possible(known)
    last = np.arange(alpha.size)[::-1]
    reverse = Problem.build(given.y[last], C=2.0, bias=bias, weights=given.weights[last])
    mine = found(known.subset(last), reverse, alpha[last], responses[last])
    np.testing.assert_allclose(mine, found(oracle, given, alpha, responses), rtol=1e-4, atol=1e-12)


def test_few_examples_are_dense_and_the_kernel_is_gaussian():
    X = np.random.default_rng(3).standard_normal((50, 4)).astype(np.float32)
    assert FewGaps.possible(Oracle(X, GAUSSIAN))
    assert not FewGaps.possible(Oracle(X, {"name": "linear"}))
    assert not FewGaps.possible(Oracle(sp.csr_array(X), GAUSSIAN, layout="sparse"))
    pixels = np.random.default_rng(4).integers(0, 256, (40, 200)).astype(np.float32)
    assert not FewGaps.possible(Oracle(pixels, GAUSSIAN))
