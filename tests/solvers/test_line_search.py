"""The exact line search against sorting and against a scan of the objective."""

import numpy as np
import pytest

from svmbench.solvers.line_search import minimum_on_ray
from tests.specification.line_search import line_minimum


def objective(power, A, B, C, start, end, t):
    margins = start + np.multiply.outer(t, end - start)
    return 0.5 * A * t**2 + B * t + C * (np.maximum(0.0, 1.0 - margins) ** power).sum(axis=-1)


def rays(rounded: bool):
    """Objectives with few and many examples, without and with ties, zero slopes and margins of 1."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        n = int(rng.integers(1, 60))
        start, end = rng.normal(size=(2, n)) * 10.0 ** rng.uniform(-2, 2) + rng.normal()
        if rounded:
            start, end = np.round(start), np.round(end)
        yield 10.0 ** rng.uniform(-3, 2), float(rng.normal()), 10.0 ** rng.uniform(-3, 2), start, end


@pytest.mark.parametrize("rounded", [False, True])
@pytest.mark.parametrize("power", [1, 2])
def test_finds_the_minimum(power, rounded):
    places = []
    for ray in rays(rounded):
        t = minimum_on_ray(power, *ray)
        assert t == pytest.approx(line_minimum(power, *ray), rel=1e-9, abs=1e-12)
        best = objective(power, *ray, np.array(t))
        others = np.append(np.linspace(0.0, 2.0 * t + 1.0, 400), t + np.array([-1e-4, 1e-4]) * (1.0 + t))
        assert np.all(objective(power, *ray, others[others >= 0.0]) >= best - 1e-9 * abs(best))
        places.append(t)
    assert min(places) == 0.0 < max(places)


def test_stays_where_the_ray_goes_uphill():
    assert minimum_on_ray(1, 1.0, 0.5, 1.0, [2.0], [3.0]) == 0.0


def test_an_example_on_the_margin_counts_if_it_comes():
    # Two examples at a margin of 1: one falls below it along the ray, which then costs, one rises.
    assert minimum_on_ray(1, 1.0, -2.0, 1.0, [1.0, 1.0], [0.0, 2.0]) == pytest.approx(1.0)
