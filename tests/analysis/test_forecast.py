"""Forecasts from known powers of rows and columns."""

import numpy as np
import pytest

from svmbench.analysis.forecast import LEAST, Forecast, forecast

SHAPES = [(1000 * 2**k, 3 ** (k % 4 + 1)) for k in range(8)]


def test_a_power_law_is_continued_exactly():
    costs = [1e-6 * rows**1.5 * columns for rows, columns in SHAPES]
    found = forecast(SHAPES, costs, (1_000_000, 100))
    assert found.value == pytest.approx(1e-6 * 1e9 * 100, rel=1e-6)
    assert (found.low, found.high) == pytest.approx((found.value, found.value), rel=1e-4)
    assert found.sets == 8


def test_the_interval_holds_the_cost_as_often_as_it_says():
    random = np.random.default_rng(3)
    inside = 0
    for _ in range(2000):
        noise = np.exp(random.normal(0.0, 0.5, len(SHAPES) + 1))
        costs = [1e-6 * rows**1.5 * columns * n for (rows, columns), n in zip(SHAPES, noise)]
        found = forecast(SHAPES, costs, (50_000, 20))
        inside += found.low <= 1e-6 * 50_000**1.5 * 20 * noise[-1] <= found.high
    assert 0.77 < inside / 2000 < 0.83


def test_too_few_or_too_similar_data_sets_give_none():
    costs = [1.0] * LEAST
    assert forecast(SHAPES[: LEAST - 1], costs[1:], (10, 10)) is None
    assert forecast([(1000, 10 + k) for k in range(LEAST)], costs, (10, 10)) is None
    assert forecast(SHAPES[:6], [1.0] * 6, (10, 10)).sets == 6


def test_a_forecast_is_not_below_what_is_always_needed():
    assert Forecast(3.0, 1.0, 9.0, 7).at_least(2.0) == Forecast(3.0, 2.0, 9.0, 7)
    assert Forecast(3.0, 1.0, 9.0, 7).at_least(10.0) == Forecast(10.0, 10.0, 10.0, 7)
