"""The level of two basins against sorting and against the linear program that it solves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from svmbench.solvers.slack.water_level_bias import water_level_bias, water_level_bias_from
from tests.solvers.slack.test_water_level import reaches, values, volumes
from tests.specification.water_level_bias import water_level_bias as by_sorting

pairs = st.lists(st.tuples(values, st.sampled_from([-1.0, 1.0])), max_size=60)


def check(c, y, volume, marks=(0, 0), reach=np.inf, rtol=1e-11):
    """Assert that the level is that of sorting, and that the bias reaches it with this volume."""
    expected, _, k = by_sorting(c, y, volume)
    P, N = np.sort(c[y > 0]), np.sort(c[y < 0])
    size = max(np.abs([P[: k + 1], N[: k + 1]]).max() if min(P.size, N.size) > k else 0.0,
               np.abs(np.r_[P[:k], N[:k], expected]).max(), 1e-300)  # fmt: skip
    for level, bias, covered in (
        water_level_bias(c, y, volume),
        water_level_bias_from(c, y, volume, marks, reach),
    ):
        assert abs(level - expected) <= rtol * size
        spent = np.maximum(0.0, level - (c + y * bias)).sum()
        assert spent <= volume + rtol * c.size * max(size, abs(bias))
        assert 1 <= covered <= min(P.size, N.size)


@pytest.mark.slow
@settings(max_examples=500)
@given(pairs, values, values, volumes, st.integers(0, 10**6), st.integers(0, 10**6), reaches)
def test_agrees_with_sorting_on_generated_inputs(others, positive, negative, volume, mark, other, reach):
    c = np.array([positive, negative] + [value for value, _ in others])
    y = np.array([1.0, -1.0] + [label for _, label in others])
    check(c, y, volume, (mark % c.size, other % c.size), reach)


@pytest.mark.parametrize("scale", [1e-200, 1e-3, 1.0, 1e6, 1e200])
def test_agrees_with_sorting_on_random_inputs(scale):
    rng = np.random.default_rng(0)
    for _ in range(800):
        n = int(rng.integers(2, 200))
        c = rng.normal(size=n)
        if rng.random() < 0.4:
            c = np.round(c * rng.choice([1, 4, 32]))  # ties
        y = np.where(rng.random(n) < rng.choice([0.05, 0.5, 0.9]), 1.0, -1.0)
        y[:2] = 1.0, -1.0
        volume = n * 10.0 ** rng.uniform(-8, 4) * (rng.random() < 0.9)
        marks, reach = tuple(rng.integers(n, size=2)), 10.0 ** rng.uniform(-3, 1)
        check(scale * c, y, scale * volume, marks, scale * reach)


def test_bias_and_number_covered_are_those_of_sorting():
    rng = np.random.default_rng(3)
    for _ in range(500):
        n = int(rng.integers(2, 60))
        c, y = rng.normal(size=n), np.where(np.arange(n) < rng.integers(1, n), 1.0, -1.0)
        volume = float(n * 10.0 ** rng.uniform(-3, 2))
        level, bias, k = by_sorting(c, y, volume)
        for found in (
            water_level_bias(c, y, volume),
            water_level_bias_from(c, y, volume, tuple(rng.integers(n, size=2)), 0.3),
        ):
            assert found == (pytest.approx(level, abs=1e-11), pytest.approx(bias, abs=1e-11), k)


def test_solves_the_linear_program():
    # max γ  s.t.  c_i + y_i b + ξ_i >= γ,  ξ >= 0,  Σ ξ_i <= V
    rng = np.random.default_rng(1)
    for _ in range(200):
        n = int(rng.integers(2, 12))
        c = np.round(4.0 * rng.normal(size=n)) / 4.0
        y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
        y[:2] = 1.0, -1.0
        volume = float(rng.choice([0.0, 1e-3, 0.5, 3.0, 100.0]))
        A = np.zeros((n + 1, n + 2))
        A[:n, 0], A[:n, 1], A[:n, 2:], A[n, 2:] = 1.0, -y, -np.eye(n), 1.0
        free = [(None, None)] * 2
        found = linprog(np.r_[-1.0, np.zeros(n + 1)], A, np.r_[c, volume], bounds=free + [(0.0, None)] * n)
        assert water_level_bias(c, y, volume)[0] == pytest.approx(-found.fun, abs=1e-7)
        assert water_level_bias_from(c, y, volume, (0, 1), 0.5)[0] == pytest.approx(-found.fun, abs=1e-7)


def test_the_water_covers_as_many_of_both_classes():
    rng = np.random.default_rng(2)
    c, y = rng.normal(size=500), np.where(rng.random(500) < 0.3, 1.0, -1.0)
    level, bias, k = water_level_bias(c, y, 20.0)
    wet = c + y * bias < level
    assert np.count_nonzero(wet & (y > 0)) == np.count_nonzero(wet & (y < 0)) == k
    assert (level - (c + y * bias))[wet].sum() == pytest.approx(20.0)


def test_degenerate_cases():
    y = np.array([1.0, 1.0, -1.0, -1.0])
    assert water_level_bias([3.0, 1.0, 2.0, 5.0], y, 0.0) == (1.5, 0.5, 1)  # (min P + min N)/2
    assert water_level_bias(np.full(4, 0.5), y, 2.0) == (1.0, 0.0, 2)
    # All equal and one class larger: all the water in the basin of the smaller.
    assert water_level_bias(np.zeros(3), y[1:], 2.0) == (1.0, -1.0, 1)
    assert water_level_bias(np.zeros(3), y[:3], 2.0) == (1.0, 1.0, 1)
    assert water_level_bias([0.0, 0.0], y[1:3], 6.0) == (3.0, 0.0, 1)


def test_many_sorted_reversed_and_equal_responses_have_their_level():
    rng = np.random.default_rng(4)
    y = np.where(rng.random(200_000) < 0.1, 1.0, -1.0)
    for c in (np.arange(200_000.0), -np.arange(200_000.0), np.zeros(200_000)):
        for volume in (1.0, 1e6, 1e12):
            assert water_level_bias(c, y, volume)[0] == pytest.approx(by_sorting(c, y, volume)[0], rel=1e-12)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_responses_that_are_not_finite_raise(bad):
    with pytest.raises(FloatingPointError, match="not finite"):
        water_level_bias([0.0, bad, 1.0], [1.0, -1.0, 1.0], 1.0)


@pytest.mark.parametrize("volume", [-1.0, np.nan, np.inf])
def test_volumes_out_of_range_raise(volume):
    with pytest.raises(ValueError, match="is not allowed: give a finite number of at least 0"):
        water_level_bias([0.0, 1.0], [1.0, -1.0], volume)


@pytest.mark.parametrize("y", [[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0, 1.0]])
def test_both_classes_are_needed(y):
    with pytest.raises(ValueError, match=r"positives and [0-9] negatives of 2: give both"):
        water_level_bias([0.0, 1.0], y, 1.0)
