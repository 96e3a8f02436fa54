"""Both forms of the water level against sorting and against the linear program that it solves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from svmbench.solvers.slack.water_level import comparisons, water_level, water_level_from
from tests.specification.water_level import water_level as by_sorting

# A few values more often than by chance, so that ties and all-equal inputs are common.
values = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 0.1, 1e-300, -1e-300, 1e150, -1e150]),
    st.floats(-1e6, 1e6, allow_subnormal=True),
    st.integers(-3, 3).map(float),
)
responses = st.lists(values, min_size=1, max_size=60).map(np.array)
volumes = st.one_of(st.just(0.0), st.floats(1e-12, 1e6), st.sampled_from([1e-300, 1e200]))
reaches = st.one_of(st.floats(1e-9, 1e3), st.sampled_from([0.0, 1.0, 1e200, np.inf]))


def check(c, volume, start, reach=0.5, rtol=1e-11):
    """Assert that both forms give the level of sorting, to rounding of the largest number that enters it."""
    expected = by_sorting(c, volume)
    covered = c[c <= expected]
    size = max(np.abs(covered).max(initial=abs(c.min())), abs(expected), 1e-300)
    assert abs(water_level(c, volume) - expected) <= rtol * size
    assert abs(water_level_from(c, volume, start, reach) - expected) <= rtol * size


@pytest.mark.slow
@settings(max_examples=500)
@given(responses, volumes, st.one_of(values, st.sampled_from([1e300, -1e300])), reaches)
def test_agrees_with_sorting_on_generated_inputs(c, volume, start, reach):
    check(c, volume, start, reach)


@pytest.mark.parametrize("scale", [1e-200, 1e-3, 1.0, 1e6, 1e200])
def test_agrees_with_sorting_on_random_inputs(scale):
    rng = np.random.default_rng(0)
    for _ in range(1000):
        n = int(rng.integers(1, 200))
        c = rng.normal(size=n)
        if rng.random() < 0.4:
            c = np.round(c * rng.choice([1, 4, 32]))  # ties
        volume = n * 10.0 ** rng.uniform(-8, 4) * (rng.random() < 0.9)
        start = float(rng.choice([c.min(), c.max(), c.mean(), -10.0, 1e3]))
        check(scale * c, scale * volume, scale * start)


@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 511, 512, 513, 5000])
def test_block_edges(n):
    c = np.random.default_rng(n).normal(size=n)
    for volume in (1e-9, 0.01 * n, 1.0 * n, 1e6):
        check(c, volume, 0.0)


def test_solves_the_linear_program():
    # max γ  s.t.  c_i + ξ_i >= γ,  ξ >= 0,  Σ ξ_i <= V
    rng = np.random.default_rng(1)
    for _ in range(150):
        n = int(rng.integers(1, 12))
        c = np.round(4.0 * rng.normal(size=n)) / 4.0
        volume = float(rng.choice([0.0, 1e-3, 0.5, 3.0, 100.0]))
        A = np.zeros((n + 1, n + 1))
        A[:n, 0], A[:n, 1:], A[n, 1:] = 1.0, -np.eye(n), 1.0
        found = linprog(
            np.r_[-1.0, np.zeros(n)], A, np.r_[c, volume], bounds=[(None, None)] + [(0.0, None)] * n
        )
        assert water_level(c, volume) == pytest.approx(-found.fun, abs=1e-7)
        assert water_level_from(c, volume, 0.0, 1.0) == pytest.approx(-found.fun, abs=1e-7)


@pytest.mark.parametrize("form", [water_level, lambda c, volume: water_level_from(c, volume, 0.3, 0.2)])
def test_degenerate_cases(form):
    assert form([2.0], 3.0) == 5.0
    assert form([2.0], 0.0) == 2.0
    assert form([0.5, 0.5, 0.5, 0.5], 2.0) == 1.0
    assert form([3.0, -1.0, 2.0], 0.0) == -1.0
    assert form([0.0, 1.0, 2.0], 9.0) == 4.0  # all covered
    assert form(np.zeros(7), 1e-320) == pytest.approx(0.0, abs=1e-319)


def test_comparisons_are_a_few_times_the_number_of_responses():
    found = [comparisons(np.random.default_rng(k).normal(size=4096), 400.0) / 4096 for k in range(20)]
    assert min(found) >= 1.0 and 1.5 < np.mean(found) < 5.0
    assert comparisons(np.zeros(100), 10.0) == 100  # all are equal to the first pivot
    assert comparisons([3.0, 1.0], 0.0) == 0  # the least, which is no search


def test_many_sorted_reversed_and_equal_responses_are_no_worst_case():
    c = np.arange(200_000.0)
    for order in (c, c[::-1], np.zeros_like(c)):
        assert water_level(order, 1e6) == pytest.approx(by_sorting(order, 1e6), rel=1e-12)
        assert water_level_from(order, 1e6, 1e9, 1e8) == pytest.approx(by_sorting(order, 1e6), rel=1e-12)
        assert comparisons(order, 1e6) < 6 * order.size


def test_newton_steps_without_end_are_cut_short():
    # Each step uncovers one point only: far more steps than are allowed before dividing and conquering.
    c = 50.0 ** np.arange(175)
    for volume in (1e-3, 1.0, 1e100):
        check(c, volume, 1e300)


def test_the_start_changes_the_level_by_no_more_than_rounding():
    c = np.random.default_rng(4).normal(size=3000)
    levels = [
        water_level_from(c, 12.0, start, reach)
        for start in np.linspace(-5.0, 5.0, 41)
        for reach in (0.0, 0.1, 4.0)
    ]
    assert np.ptp(levels) <= 1e-14


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_responses_that_are_not_finite_raise(bad):
    for form in (water_level, lambda c, volume: water_level_from(c, volume, 0.0, 1.0)):
        with pytest.raises(FloatingPointError, match="not finite"):
            form([0.0, bad, 1.0], 1.0)


@pytest.mark.parametrize("volume", [-1.0, np.nan, np.inf])
def test_volumes_out_of_range_raise(volume):
    with pytest.raises(ValueError, match="is not allowed: give a finite number of at least 0"):
        water_level([0.0, 1.0], volume)


@pytest.mark.parametrize("c", [[], [[1.0, 2.0]]])
def test_responses_of_another_shape_raise(c):
    with pytest.raises(ValueError, match="give a vector of at least one"):
        water_level(c, 1.0)
