import numpy as np
import pytest

from svmbench.papers.estimate import (
    DEVIATES,
    DRAWS,
    INCONCLUSIVE,
    REPRODUCED,
    SEED,
    Draw,
    Estimate,
    NotAttempted,
    Rows,
    _places,
    _resamples,
    binomial_error,
    decide,
    discordance_error,
    log_slope,
    paired_error,
    short,
)
from svmbench.store import bits


def test_the_first_is_the_median_and_the_others_are_medians_of_resamples():
    values = np.array([1.0, 5.0, 3.0, 9.0, 7.0])
    rows = Draw().medians(values, range(5))
    assert rows.shape == (1 + DRAWS[0],) and rows[0] == 5.0
    assert set(rows[1:]) == set(values)  # the median of five is one of them
    assert np.array_equal(rows, Draw().medians(values, range(5)))


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("count", [1, 2, 3, 6, 10])
def test_each_repetition_is_the_median_of_its_resample_bit_for_bit(count, number):
    generator, draw, seeds = np.random.default_rng(count), Draw(number), range(4, 4 + count)
    values = generator.standard_normal((count, 7))
    values[generator.random(values.shape) < 0.2] = np.inf
    drawn = draw.generator(SEED, *seeds).integers(count, size=(draw.size, count))
    expected = np.median(values[np.vstack([np.arange(count), drawn])], axis=1)
    assert draw.medians(values, seeds).tobytes() == expected.tobytes()


def test_the_same_seeds_are_drawn_together():
    noise = np.array([0.0, 4.0, -3.0, 8.0, 2.0])
    paired = Draw().medians(noise + 1.0, range(5)) - Draw().medians(noise, range(5))
    assert np.all(paired == 1.0)
    other = Draw().medians(noise + 1.0, range(10, 15)) - Draw().medians(noise, range(5))
    assert np.unique(other).size > 1


def test_the_bootstrap_interval_holds_the_mean_of_normal_numbers_about_as_often_as_it_says():
    generator, hits = np.random.default_rng(1), 0
    for _ in range(100):
        estimate = Estimate.of(Rows.of(Draw().medians(generator.standard_normal(30), range(30))))
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
        # An end of the range belongs to it, so an interval that touches it is not outside.
        *[(low, high, INCONCLUSIVE) for low, high in ((-2.0, 0.0), (3.0, 4.0))],
        *[(end, end, REPRODUCED) for end in (0.0, 3.0)],
    ],
)
def test_a_verdict_asks_whether_the_whole_interval_lies_inside(low, high, verdict):
    assert decide(low, high, 0.0, 3.0) == verdict


def bounded(at, low, high):
    """A number whose repetitions are all the same, between bounds."""
    return Rows(*(np.full(1 + DRAWS[0], value) for value in (at, low, high)))


NOUGHT = bounded(0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("rows", "text", "verdicts"),
    [
        (
            bounded(np.inf, 5.0, np.inf),  # a cost that was not reached
            "> 5 (5 to unbounded)",
            {(0.0, 4.0): DEVIATES, (0.0, 6.0): INCONCLUSIVE, (2.0, np.inf): REPRODUCED},
        ),
        (
            bounded(2.0, 1.0, 2.0).over(bounded(np.inf, 8.0, np.inf)),  # a ratio to one
            "< 0.25 (0 to 0.25)",
            {(0.0, 0.25): REPRODUCED, (0.0, 0.2): INCONCLUSIVE},
        ),
        (
            bounded(np.inf, 2.0, np.inf).over(bounded(np.inf, 8.0, np.inf)),
            "unknown (0 to unbounded)",
            {(0.0, 1.0): INCONCLUSIVE},
        ),
        (NOUGHT, "0", {}),  # a number that is 0, and no bound
        # A lower bound below 0 is not shown as the number.
        (bounded(np.inf, -5.0, np.inf), "unknown (-5 to unbounded)", {}),
        (bounded(-np.inf, -np.inf, -5.0), "< -5 (-inf to -5)", {}),
    ],
)
def test_a_cost_that_was_not_reached_is_a_bound(rows, text, verdicts):
    estimate = Estimate.of(rows)
    assert estimate.text() == text
    assert {ends: decide(estimate.low, estimate.high, *ends) for ends in verdicts} == verdicts


@pytest.mark.parametrize(
    ("above", "below"),
    [(NOUGHT, NOUGHT), (bounded(1.0, 0.0, 5.0), NOUGHT), (NOUGHT, bounded(1.0, 0.0, 1.0))],
)
def test_a_quotient_of_which_one_bound_is_0_over_0_is_not_known(above, below):
    with pytest.raises(NotAttempted, match="both are 0"):
        Estimate.of(above.over(below))


def test_the_interval_holds_both_the_bounds_and_the_spread():
    low, high = (Draw().medians(np.array(values), range(3)) for values in ([1.0, 2.0, 3.0], [2.0, 3.0, 4.0]))
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
    rows = Draw().noisy(np.full(1 + DRAWS[0], 5.0), 2.0)
    assert rows[0] == 5.0 and rows[1:].std() == pytest.approx(2.0, rel=0.1)


def test_the_noise_of_a_test_set():
    assert binomial_error(2.9, 3299) == pytest.approx(0.29, abs=0.01)  # Reuters
    # An error of none or of all has the noise of one that is almost so, that of a share of 0.001.
    noise = pytest.approx(0.10005, rel=1e-5)
    assert [binomial_error(percent, 998) for percent in (0.0, 0.1, 99.9, 100.0)] == [noise] * 4
    assert discordance_error(1.0, 10000) == pytest.approx(0.1)
    # Equal errors may be those of predictors that disagree on an example.
    assert [discordance_error(points, 1000) for points in (0.0, 0.1, -0.1)] == [pytest.approx(0.1)] * 3


def test_a_slope_is_that_of_a_power():
    x = np.array([1.0, 10.0, 100.0])
    rows = np.tile(3.0 * x**-0.5, (1 + DRAWS[0], 1))
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
        np.tile(y, (1 + DRAWS[0], 1)) for y in ([1.0, 10.0, 100.0], [1.0, 5.0, 50.0], [2.0, 10.0, 100.0])
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
    rows = np.concatenate([[500.0], np.arange(DRAWS[0], dtype=float)])
    estimate = Estimate.of(Rows.of(rows))
    assert estimate.low == pytest.approx(25.0, abs=1.0) and estimate.high == pytest.approx(974.0, abs=1.0)
    rows = np.full(1 + DRAWS[0], 3.0)
    assert Draw().noisy(rows, 0.0) is rows  # no noise is none


def test_draws_have_no_repetition_in_common_and_are_the_same_whenever_they_are_made():
    values, seeds = np.random.default_rng(3).standard_normal(10), range(10)
    drawn = [Draw(number).medians(values, seeds) for number in range(len(DRAWS))]
    assert [rows.shape for rows in drawn] == [(1 + size,) for size in DRAWS]
    assert len({tuple(rows[1:20]) for rows in drawn}) == len(DRAWS)
    assert len({rows[0] for rows in drawn}) == 1
    noise = {tuple(Draw(number).noisy(np.zeros(1 + DRAWS[number]), 1.0)[1:20]) for number in range(3)}
    assert len(noise) == 3
    assert np.array_equal(drawn[2], Draw(2).medians(values, seeds))


def test_means_are_those_of_resamples():
    rows = Draw().means(np.array([0.0, 0.0, 1.0, 1.0]), range(4))
    assert rows.shape == (1 + DRAWS[0],) and rows[0] == 0.5
    assert set(rows) == {0.0, 0.25, 0.5, 0.75, 1.0}


def outside(share, size):
    """Repetitions of which a share is below the range from 0 to 1."""
    rows = np.full(1 + size, 0.5)
    rows[1 : 1 + round(share * size)] = -1.0
    return Rows.of(rows)


@pytest.mark.parametrize(
    ("share", "size", "verdict"),
    [
        (0.0, 1000, REPRODUCED),
        (0.008, 1000, REPRODUCED),
        # By 1,000 repetitions a share of 2.4 or 2.6 % is not told from 2.5 %.
        *[(share, 1000, None) for share in (0.010, 0.024, 0.026, 0.045)],
        (0.046, 1000, INCONCLUSIVE),
        (0.023, 100_000, REPRODUCED),
        *[(share, 100_000, None) for share in (0.024, 0.025, 0.026)],
        (0.027, 100_000, INCONCLUSIVE),
    ],
)
def test_a_verdict_is_none_where_more_repetitions_may_change_it(share, size, verdict):
    assert outside(share, size).verdict(0.0, 1.0) == verdict
    mirrored = outside(share, size).scaled(-1.0, 1.0)
    assert mirrored.verdict(0.0, 1.0) == verdict  # at the upper end as well


def test_an_interval_outside_the_range_deviates_only_where_more_repetitions_cannot_change_it():
    rows = Rows.of(np.where(np.arange(1001) < 20, 0.5, 2.0)[::-1].copy())  # 2 % inside
    assert rows.verdict(0.0, 1.0) is None
    rows = Rows.of(np.where(np.arange(1001) < 8, 0.5, 2.0)[::-1].copy())
    assert rows.verdict(0.0, 1.0) == DEVIATES


def test_the_interval_widens_and_narrows_by_the_confidence_of_its_ends():
    rows = Rows.of(np.concatenate([[500.0], np.arange(1000.0)]))
    wide, own, narrow = (rows.ends(trust) for trust in (-1, 0, 1))
    assert wide[0] < own[0] == 25.0 < narrow[0] and wide[1] > own[1] == 974.0 > narrow[1]
    assert wide[0] + wide[1] == narrow[0] + narrow[1] == 999.0
    # P(fewer than k below the quantile), k = 9, and more than 45: at most 1 in 10,000 (exact binomial sums).
    assert wide[0] == 8.0 and narrow[0] == 45.0


@pytest.mark.parametrize("size", [20, 60, 61, 1000, 1001])
def test_the_end_of_an_interval_is_the_quantile_of_its_repetitions(size):
    expected = np.quantile(np.arange(size), 0.025, method="nearest")
    assert _places(size)[1] == expected


def test_two_draws_are_one_number_with_the_repetitions_of_both():
    one, other = (Rows(*(Draw(number).constant(value) for value in (2.0, 1.0, 3.0))) for number in (0, 1))
    joined = one.joined(other)
    assert joined.at.shape == (1 + DRAWS[0] + DRAWS[1],)
    assert (set(joined.low), set(joined.at), set(joined.high)) == ({1.0}, {2.0}, {3.0})


def test_of_few_repetitions_the_least_and_the_greatest_are_the_ends():
    assert _places(1) == (0, 0, 0)
    assert _places(20)[0] == 0 and _places(20)[2] > 0
    rows = Rows.of(np.array([0.5, 3.0]))
    assert [rows.ends(trust) for trust in (-1, 0, 1)] == [(0.5, 3.0)] * 3
    assert Rows.of(np.array([3.0, 0.5])).ends() == (0.5, 3.0)


def test_a_repetition_with_one_point_or_none_has_no_slope():
    x = np.array([1.0, 10.0, 100.0])
    rows = np.tile(x, (5, 1))
    rows[2, 1:] = rows[3, :2] = np.nan
    rows[4] = 0.0
    assert np.isnan(log_slope(x, Rows.of(rows)).at).tolist() == [False, False, True, True, True]


def test_a_bound_of_each_kind_is_changed_alone():
    at, low, high = (np.full(3, value) for value in (2.0, 1.0, 3.0))
    for rows in (Rows(at, low, at), Rows(at, at, high), Rows(at, low, high)):
        made = rows.each(lambda one: 10.0 * one)
        assert (made.at[0], made.low[0], made.high[0]) == (20.0, 10.0 * rows.low[0], 10.0 * rows.high[0])


def test_places_and_resamples_are_computed_once():
    assert _places(1000) is _places(1000)
    assert _resamples(Draw(), (0, 1, 2)) is _resamples(Draw(), (0, 1, 2))
