import numpy as np
import pytest

from svmbench.papers.estimate import (
    DEVIATES,
    INCONCLUSIVE,
    REPRODUCED,
    RESAMPLES,
    Estimate,
    NotAttempted,
    Rows,
    binomial_error,
    discordance_error,
    log_slope,
    paired_error,
    repeated,
    short,
    with_noise,
)
from svmbench.store import bits


def test_the_first_is_the_median_and_the_others_are_medians_of_resamples():
    values = np.array([1.0, 5.0, 3.0, 9.0, 7.0])
    rows = repeated(values, range(5))
    assert rows.shape == (1 + RESAMPLES,) and rows[0] == 5.0
    assert set(rows[1:]) == set(values)  # the median of five is one of them
    assert np.array_equal(rows, repeated(values, range(5)))


def test_the_same_seeds_are_drawn_together():
    noise = np.array([0.0, 4.0, -3.0, 8.0, 2.0])
    paired = repeated(noise + 1.0, range(5)) - repeated(noise, range(5))
    assert np.all(paired == 1.0)
    other = repeated(noise + 1.0, range(10, 15)) - repeated(noise, range(5))
    assert np.unique(other).size > 1


def test_the_bootstrap_interval_holds_the_mean_of_normal_numbers_about_as_often_as_it_says():
    generator, hits = np.random.default_rng(1), 0
    for _ in range(100):
        estimate = Estimate.of(Rows.of(repeated(generator.standard_normal(30), range(30))))
        hits += estimate.low <= 0.0 <= estimate.high
    assert 85 <= hits <= 100


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (1.0, 2.0, REPRODUCED),
        (0.0, 3.0, REPRODUCED),
        (-1.0, 1.0, INCONCLUSIVE),
        (3.1, 4.0, DEVIATES),
        (-2.0, -0.1, DEVIATES),
    ],
)
def test_a_verdict_asks_whether_the_whole_interval_lies_inside(low, high, verdict):
    assert Estimate(0.5 * (low + high), low, high).decide(0.0, 3.0) == verdict


def bounded(at, low, high):
    """A number whose repetitions are all the same, between bounds."""
    return Rows(*(np.full(1 + RESAMPLES, value) for value in (at, low, high)))


def test_a_cost_that_was_not_reached_is_a_bound():
    estimate = Estimate.of(bounded(np.inf, 5.0, np.inf))
    assert (estimate.value, estimate.low, estimate.high, estimate.bound) == (5.0, 5.0, np.inf, ">")
    assert estimate.text() == "> 5 (5 to unbounded)"
    assert estimate.decide(0.0, 4.0) == DEVIATES and estimate.decide(0.0, 6.0) == INCONCLUSIVE
    assert estimate.decide(2.0, np.inf) == REPRODUCED


def test_a_ratio_to_a_cost_that_was_not_reached_is_a_bound_from_above():
    spent = bounded(2.0, 1.0, 2.0).over(bounded(np.inf, 8.0, np.inf))
    estimate = Estimate.of(spent)
    assert estimate.text() == "< 0.25 (0 to 0.25)"
    assert estimate.decide(0.0, 0.25) == REPRODUCED and estimate.decide(0.0, 0.2) == INCONCLUSIVE
    assert Estimate.of(bounded(0.0, 0.0, 0.0)).text() == "0"  # a number that is 0, and no bound


def test_two_costs_that_were_not_reached_tell_nothing():
    estimate = Estimate.of(bounded(np.inf, 2.0, np.inf).over(bounded(np.inf, 8.0, np.inf)))
    assert estimate.text() == "unknown (0 to unbounded)"
    assert estimate.decide(0.0, 1.0) == INCONCLUSIVE
    with pytest.raises(NotAttempted, match="both are 0"):
        Estimate.of(bounded(0.0, 0.0, 0.0).over(bounded(0.0, 0.0, 0.0)))


def test_the_interval_holds_both_the_bounds_and_the_spread():
    low, high = (repeated(np.array(values), range(3)) for values in ([1.0, 2.0, 3.0], [2.0, 3.0, 4.0]))
    estimate = Estimate.of(Rows(high, low, high))
    assert (estimate.low, estimate.value, estimate.high) == (1.0, 3.0, 4.0)
    half = Estimate.of(Rows(high, low, high).each(lambda rows: 0.5 * rows))
    assert (half.low, half.value, half.high) == (0.5, 1.5, 2.0)
    turned = Estimate.of(Rows(high, low, high).scaled(-1.0, 10.0))
    assert (turned.low, turned.value, turned.high) == (6.0, 7.0, 9.0)


def test_differences_and_hulls_keep_the_order_of_the_bounds():
    apart = bounded(5.0, 4.0, 6.0).less(bounded(2.0, 1.0, 3.0))
    assert (apart.low[0], apart.at[0], apart.high[0]) == (1.0, 3.0, 5.0)
    one, other = np.full(3, 2.0), np.full(3, 1.0)
    hull = Rows.hull(one, other)
    assert (hull.low[0], hull.at[0], hull.high[0]) == (1.0, 1.0, 2.0)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *[(np.inf, "unbounded"), (-np.inf, "-inf"), (np.nan, "unknown"), (0.0, "0"), (-0.25, "-0.25")],
        *[(1e-3, "0.001"), (9.99e-4, "9.99e-04"), (99999.0, "1e+05"), (1e5, "1.00e+05")],
    ],
)
def test_numbers_are_short(value, text):
    assert short(value) == text


def test_noise_leaves_the_estimate_alone():
    rows = with_noise(np.full(1 + RESAMPLES, 5.0), 2.0)
    assert rows[0] == 5.0 and rows[1:].std() == pytest.approx(2.0, rel=0.1)


def test_the_noise_of_a_test_set():
    assert binomial_error(2.9, 3299) == pytest.approx(0.29, abs=0.01)  # Reuters
    assert binomial_error(0.0, 1000) > 0.0
    assert discordance_error(1.0, 10000) == pytest.approx(0.1)


def test_a_slope_is_that_of_a_power():
    x = np.array([1.0, 10.0, 100.0])
    rows = np.tile(3.0 * x**-0.5, (1 + RESAMPLES, 1))
    rows[5, 1] = np.nan  # a point that one resample lacks
    slope = log_slope(x, Rows.of(rows))
    assert slope.at == pytest.approx(-0.5) and slope.low == pytest.approx(-0.5)
    with pytest.raises(NotAttempted, match="two different places"):
        log_slope(np.array([2.0, 2.0]), Rows.of(rows[:, :2]))
    rows[0, :2] = 0.0
    with pytest.raises(NotAttempted, match="fewer than two positive"):
        log_slope(x, Rows.of(rows))


def test_a_slope_holds_the_bounds_of_its_points():
    x = np.array([1.0, 10.0, 100.0])
    at, low, high = (
        np.tile(y, (1 + RESAMPLES, 1)) for y in ([1.0, 10.0, 100.0], [1.0, 5.0, 50.0], [2.0, 10.0, 100.0])
    )
    slope = Estimate.of(log_slope(x, Rows(at, low, high)))
    ends = [np.log10(50.0 / 2.0) / 2.0, 1.0]  # the middle one has no part in the slope of three
    assert [slope.low, slope.value, slope.high] == pytest.approx([ends[0], 1.0, ends[1]])
    high[:, 2] = at[:, 2] = np.inf
    slope = Estimate.of(log_slope(x, Rows(at, low, high)))
    assert slope.low == pytest.approx(ends[0]) and slope.high == np.inf and slope.bound == ">"


def test_paired_errors_know_what_two_predictors_are_wrong_about():
    wrong = np.zeros(1000, dtype=bool)
    wrong[:30] = True
    other = np.zeros(1000, dtype=bool)
    other[10:40] = True
    # 20 examples on which they disagree, evenly: McNemar's standard error.
    assert paired_error([wrong], [other]) == pytest.approx(100.0 * np.sqrt(20 / 1000 / 1000))
    assert paired_error([wrong], [wrong]) == 0.0
    assert bits.unpacked(bits.packed(wrong), 1000).tolist() == wrong.tolist()


def test_an_interval_holds_95_of_100_repetitions():
    rows = np.concatenate([[500.0], np.arange(RESAMPLES, dtype=float)])
    estimate = Estimate.of(Rows.of(rows))
    assert estimate.low == pytest.approx(25.0, abs=1.0) and estimate.high == pytest.approx(974.0, abs=1.0)
    rows = np.full(1 + RESAMPLES, 3.0)
    assert with_noise(rows, 0.0) is rows  # no noise is none
