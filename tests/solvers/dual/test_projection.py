"""The projection onto a box cut by a hyperplane against bisection, the conditions of optimality and scipy."""

from bisect import bisect_left

import numpy as np
import pytest

from svmbench.solvers.dual.projection import projected


def by_bisection(x, y, e, C):
    """The nearest point, its multiplier bisected among the exact breakpoints of the residual."""

    def at(mu):
        return np.clip(x + mu * y, 0.0, C)

    def residual(place):
        return y @ at(breaks[place]) - e

    breaks = np.sort(np.concatenate([-x * y, (C - x) * y]))
    right = min(max(bisect_left(range(breaks.size), 0.0, key=residual), 1), breaks.size - 1)
    low, high, below, above = *breaks[right - 1 : right + 1], residual(right - 1), residual(right)
    share = np.clip(-below / (above - below), 0.0, 1.0) if above > below else 0.0
    return at(low + share * (high - low))


def check(x, y, e, C, guess=0.0):
    """Assert that the answer is feasible, has the form of the nearest point, and is that of bisection."""
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    z, mu = projected(x, y, e, C, guess)
    # The multiplier is as large as the point is far: adding it leaves so much of the sum.
    size = max(C, np.abs(x).max(), abs(guess))
    assert np.all((z >= 0.0) & (z <= C))
    assert abs(y @ z - e) <= 1e-14 * x.size * size
    np.testing.assert_array_equal(z, np.clip(x + mu * y, 0.0, C))
    np.testing.assert_allclose(z, by_bisection(x, y, e, C), rtol=0.0, atol=1e-13 * x.size * size)
    return z, mu


def random_case(rng, q):
    """A point about the box and the sum of another point of the box."""
    C = 10.0 ** rng.uniform(-3, 3)
    y = np.where(rng.random(q) < rng.choice([0.0, 0.1, 0.5, 1.0]), 1.0, -1.0)
    x = C * rng.normal(0.5, 10.0 ** rng.uniform(-2, 1.5), size=q)
    inside = C * rng.choice([0.0, 1.0, 0.3, rng.random()], size=q)
    return x, y, float(y @ inside), C


@pytest.mark.parametrize("q", [1, 2, 3, 10, 100, pytest.param(1000, marks=pytest.mark.slow)])
def test_it_is_the_nearest_point(q):
    rng = np.random.default_rng(q)
    for _ in range(100):
        x, y, e, C = random_case(rng, q)
        for guess in (0.0, C, -30.0 * C):
            check(x, y, e, C, guess)


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_one_variable_is_where_the_sum_says(label, C):
    for value in (0.0, 0.25 * C, C):
        for x in (-7.0 * C, 0.0, 0.4 * C, C, 9.0 * C):
            z, _ = projected([x], [label], label * value, C)
            assert z[0] == pytest.approx(value, abs=1e-15 * 20 * C)


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e4])
def test_the_corners_of_the_box(C):
    # The sum leaves one point, with all variables at bounds, however far away x is.
    rng = np.random.default_rng(1)
    for q in (1, 2, 7, 50):
        y = np.where(rng.random(q) < 0.5, 1.0, -1.0)
        x = 5.0 * C * rng.normal(size=q)
        for e, corner in ((C * (y > 0.0).sum(), y > 0.0), (-C * (y < 0.0).sum(), y < 0.0)):
            z, _ = projected(x, y, e, C)
            np.testing.assert_allclose(z, C * corner, rtol=0.0, atol=1e-13 * q * C)


def test_a_feasible_point_stays():
    rng = np.random.default_rng(2)
    for q in (1, 2, 20):
        x = 3.0 * rng.choice([0.0, 1.0, 0.5, rng.random()], size=q)
        y = np.where(rng.random(q) < 0.5, 1.0, -1.0)
        z, mu = projected(x, y, float(y @ x), 3.0)
        np.testing.assert_array_equal(z, x)
        assert mu == 0.0


def test_equal_points_share_what_is_missing():
    z, _ = projected([2.0] * 4, [1.0] * 4, 1.0, 1.0)
    np.testing.assert_allclose(z, 0.25, rtol=1e-15)
    z, _ = projected([0.5, 0.5], [1.0, -1.0], 0.5, 1.0)
    np.testing.assert_allclose(z, [0.75, 0.25], rtol=1e-15)


def test_a_flat_residual_is_crossed():
    # All variables are clipped for a wide range of multipliers, so that secants through it say nothing.
    x = np.array([1e4, 1e4, -1e4, -1e4])
    for e in (0.5, 1.0, 1.5, 2.5, 3.5):
        z, _ = check(x, np.ones(4), e, 1.0)
        assert z.sum() == pytest.approx(e, abs=1e-11)


def test_the_guess_changes_rounding_only():
    rng = np.random.default_rng(3)
    x, y, e, C = random_case(rng, 40)
    z, mu = projected(x, y, e, C)
    for guess in (mu, 0.99 * mu, mu + C, -1e3 * C):
        again, _ = projected(x, y, e, C, guess)
        np.testing.assert_allclose(again, z, rtol=0.0, atol=1e-12 * 1e3 * C)


def test_the_better_end_of_a_bracket_is_taken():
    # Between the multipliers of which one clips both variables and the next gives the sum lies no other one.
    x, e = np.array([1.0, 631822677.9545157 * 8.91304763e-09]) * [1.58272255e-09, 1.0], -1.58272255e-09
    for size in np.linspace(0.9, 1.1, 401):
        z, _ = projected(x * [1.0, size], [-1.0, -1.0], e, 0.01)
        assert abs(z.sum() + e) <= 1e-14


def test_every_variable_may_have_a_bound_of_its_own():
    rng = np.random.default_rng(7)
    for _ in range(50):
        q = int(rng.integers(2, 12))
        x, y, bounds = 3.0 * rng.normal(size=q), rng.choice([-1.0, 1.0], q), rng.uniform(0.1, 4.0, q)
        e = float(y @ (bounds * rng.uniform(size=q)))
        z, mu = projected(x, y, e, bounds)
        assert abs(y @ z - e) <= 1e-13 * q * 4.0
        np.testing.assert_array_equal(z, np.clip(x + mu * y, 0.0, bounds))
