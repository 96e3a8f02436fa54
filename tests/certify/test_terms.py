"""The compiled passes over the examples of a bound, beside their formulas in numpy."""

import math

import numpy as np
import pytest

from svmbench.certify import _terms

N = 1000  # several blocks, the last one not full


@pytest.fixture
def point():
    draw = np.random.default_rng(0)
    bounds = 2.0 * draw.uniform(0.5, 2.0, N)
    alpha = bounds * np.clip(draw.normal(0.5, 0.7, N), 0.0, 1.0)
    y = draw.choice([-1.0, 1.0], N)
    return alpha, bounds, draw.normal(1.0, 0.5, N), y, draw.uniform(0.0, 0.2, N), draw.uniform(0.5, 2.0, N)


def test_sums_are_those_of_the_formulas(point):
    alpha, bounds, responses, y, off, s = point
    b, a = 0.3, alpha / bounds
    below = 1.0 - responses - y * b
    expected = (
        (s * np.maximum((1.0 - a) * below, -a * below)).sum(),
        (s * off * np.maximum(a, 1.0 - a)).sum(),
        (s * a * y).sum(),
        (s * np.maximum(below, 0.0)).sum(),
        (alpha * responses).sum(),
    )
    assert _terms.sums(alpha, bounds, s, responses, y, b, off) == pytest.approx(expected, rel=1e-13)


def test_a_response_that_is_no_number_leaves_no_bound(point):
    alpha, bounds, responses, y, off, s = point
    for i in (0, np.argmin(alpha), np.argmax(alpha / bounds), N - 1):
        wrong = responses.copy()
        wrong[i] = np.nan
        terms, _, _, loss, norm2 = _terms.sums(alpha, bounds, s, wrong, y, 0.3, off)
        assert math.isnan(terms) and math.isnan(loss) and math.isnan(norm2)
        assert _terms.near(alpha, bounds, wrong, y, 0.3, off)[i]


def test_near_are_those_that_may_be_on_the_other_side(point):
    alpha, bounds, responses, y, off, _ = point
    above = responses + y * 0.3 - 1.0
    safe = np.where(alpha <= 0.0, above >= off, (alpha >= bounds) & (-above >= off))
    found = _terms.near(alpha, bounds, responses, y, 0.3, off)
    assert found.dtype == np.bool_ and np.array_equal(found, ~safe)
    assert (safe & (alpha == 0.0)).any() and (safe & (alpha == bounds)).any()


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_the_excess_is_rounded_once(point, sign):
    alpha, _, _, y, _, _ = point
    alpha[:3], y[:3] = (1e17, 1e17, 3.0), (1.0, -1.0, 1.0)
    total, heaviest = _terms.excess(alpha, sign * y)
    assert total == math.fsum(sign * alpha * y)
    heavier = np.flatnonzero(sign * y * total > 0.0)
    assert heaviest == heavier[np.argmax(alpha[heavier])]
