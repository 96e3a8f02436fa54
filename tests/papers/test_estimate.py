import numpy as np
import pytest

from svmbench.papers.estimate import (
    DEVIATES,
    INCONCLUSIVE,
    REPRODUCED,
    RESAMPLES,
    Estimate,
    NotAttempted,
    binomial_error,
    discordance_error,
    log_slope,
    paired_error,
    repeated,
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
        estimate = Estimate.of(repeated(generator.standard_normal(30), range(30)))
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


def test_infinite_numbers_have_intervals():
    estimate = Estimate.of(repeated(np.array([1.0, np.inf, np.inf]), range(3)))
    assert estimate.value == np.inf and estimate.low == 1.0 and estimate.text() == "never (1 to never)"
    with pytest.raises(NotAttempted, match="neither of the two"):
        Estimate.of(np.full(1 + RESAMPLES, np.nan))


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
    assert log_slope(x, rows) == pytest.approx(-0.5)
    with pytest.raises(NotAttempted, match="two different places"):
        log_slope(np.array([2.0, 2.0]), rows[:, :2])


def test_paired_errors_know_what_two_predictors_are_wrong_about():
    wrong = np.zeros(1000, dtype=bool)
    wrong[:30] = True
    other = np.zeros(1000, dtype=bool)
    other[10:40] = True
    # 20 examples on which they disagree, evenly: McNemar's standard error.
    assert paired_error([wrong], [other]) == pytest.approx(100.0 * np.sqrt(20 / 1000 / 1000))
    assert paired_error([wrong], [wrong]) == 0.0
    assert bits.unpacked(bits.packed(wrong), 1000).tolist() == wrong.tolist()
