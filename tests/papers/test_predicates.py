"""Each predicate on cases that hold, that do not, and that cannot tell."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from svmbench.errors import UserError
from svmbench.papers import predicates
from svmbench.papers.estimate import (
    DEVIATES,
    INCONCLUSIVE,
    NOT_ATTEMPTED,
    REPRODUCED,
    Draw,
    Rows,
    binomial_error,
)
from svmbench.papers.predicates import (
    Below,
    Ended,
    Exact,
    Flat,
    Late,
    Near,
    Order,
    Ratio,
    Rises,
    Slope,
)
from svmbench.papers.quantities import LastShared, Measured, Value
from svmbench.papers.samples import Sample

from .judged import COSTS, flat_at, judged, on_board
from .written import artifact, material, store

HOLDS, NOT, UNSURE = REPRODUCED, DEVIATES, INCONCLUSIVE


@pytest.mark.parametrize(
    ("sbp", "sdca", "verdict"),
    [
        (flat_at(10), flat_at(20), HOLDS),
        (flat_at(20), flat_at(10), NOT),
        (flat_at(15, 3), flat_at(15, -3), UNSURE),
        (flat_at(14.95), flat_at(15), UNSURE),  # half an example of a thousand: noise of the test set
    ],
)
def test_order(tmp_path, sbp, sdca, verdict):
    given = Order("c", Value("sbp"), Value("sdca"))
    assert judged(tmp_path, given, sbp=sbp, sdca=sdca).verdict == verdict


@pytest.mark.parametrize(("level", "spread", "verdict"), [(10, 0, HOLDS), (30, 0, NOT), (20, 8, UNSURE)])
def test_ratio(tmp_path, level, spread, verdict):
    given = Ratio("c", Value("sbp"), 20, (0, 1))
    found = judged(tmp_path, given, sbp=flat_at(level, spread))
    assert (
        found.verdict == verdict and found.text.endswith(" over 20") and found.text.startswith(f"{level}.00")
    )


@pytest.mark.parametrize(
    ("level", "verdict"),
    [(10.0, HOLDS), (4.0, NOT), (20.0, NOT), (7.0, UNSURE), (13.0, UNSURE)],  # a standard error of 1.3 points
)
def test_near_knows_the_noise_of_two_test_sets(tmp_path, level, verdict):
    given = Near("c", Value("sbp"), (9.5, 10.5), 3.0)
    found = judged(tmp_path, given, sbp=flat_at(level))
    assert found.verdict == verdict and found.text.endswith("printed 9.5 to 10.5")


@pytest.mark.parametrize(
    ("measure", "verdict", "number"),
    [
        (9.0, HOLDS, -0.5),
        (9.5, HOLDS, 0.0),
        (10.5, HOLDS, 0.0),
        (11.0, HOLDS, 0.5),
        (12.0, NOT, 1.5),
        (8.0, NOT, -1.5),
    ],
)
def test_near_a_range_is_measured_from_its_nearer_end(tmp_path, measure, verdict, number):
    given = Near("c", Measured("m"), (9.5, 10.5), 1.0)
    found = judged(tmp_path, given, measures={"m": {"value": measure}})
    assert found.verdict == verdict and found.estimate.value == pytest.approx(number)
    given = replace(given, printed=10.0)
    assert judged(tmp_path, given, measures={"m": {"value": 10.5}}).text == "10.5, printed 10"


@pytest.mark.parametrize(
    ("level", "spread", "same_set", "verdict"),
    [
        (10.0, 0.0, False, UNSURE),  # two sets of 1,000 examples differ by more than a tenth of 10 %
        (20.0, 0.0, False, NOT),
        (10.0, 0.0, True, HOLDS),
        (10.8, 0.0, True, UNSURE),  # 8 mistakes more have a standard error of 2.8
        (12.0, 0.0, True, NOT),
        (10.0, 0.2, True, HOLDS),
        (10.0, 2.0, True, UNSURE),  # seeds differ by 2 points, and so may the printed run
    ],
)
def test_a_printed_error_is_met_within_a_tenth_of_it(tmp_path, level, spread, same_set, verdict):
    given = Near("c", Value("sbp"), 10.0, same_set=same_set)
    found = judged(tmp_path, given, sbp=flat_at(level, spread))
    assert found.verdict == verdict and (found.least, found.most) == (-1.0, 1.0)
    assert "; would have seen " in found.text
    # Three digits show whether it is above a fifth of the printed error.
    assert spread < 1.0 or re.search(r"seen \d\.\d\d points", found.text)


def test_a_test_that_misses_a_fifth_of_a_printed_error_reproduces_nothing(tmp_path):
    given = Near("c", Value("sbp"), 10.0, same_set=True)
    found = judged(tmp_path, given, sbp=flat_at(10.0, 0.33))
    assert found.estimate.low > -1.0 and found.estimate.high < 1.0
    assert found.verdict == UNSURE and float(found.text.split()[-2]) > 2.0


def test_the_noise_of_an_error_is_that_of_its_estimate_not_of_a_resample(tmp_path):
    given = Near("c", Value("sbp"), 10.0, 3.0)
    found = judged(tmp_path, given, sbp=lambda seed: np.full(8, 50.0 if seed == 2 else 10.0))
    medians = Draw().medians(np.array([10.0, 10.0, 50.0]), range(3))
    assert medians[0] == 10.0 and medians[1] == 50.0
    # Three quarters of the medians are 10. On two sets of 1,000 the error has a standard error of 1.34, and
    # one of 50 % has 2.24.
    assert found.estimate.low == pytest.approx(-1.83 * 1.34, abs=0.4)


def test_only_a_test_error_has_a_tolerance_of_its_own(tmp_path):
    with pytest.raises(UserError, match="test 'c' needs within"):
        judged(tmp_path, Near("c", Measured("m"), 10.0), measures={"m": {"value": 10.0}})


def power(exponent, jitter=0.0):
    return lambda seed, C: np.full(3, 10.0 * C**exponent * np.exp(jitter * (seed - 1) * (1 if C > 3 else -1)))


@pytest.mark.parametrize(
    ("exponent", "jitter", "verdict"), [(-1.0, 0, HOLDS), (0.0, 0, NOT), (-0.8, 0.5, UNSURE)]
)
def test_slope_over_a_key(tmp_path, exponent, jitter, verdict):
    given = Slope("c", Value("sbp", "primal_objective"), (-1.2, -0.8), over="problem.C")
    over = {"problem.C": [1.0, 10.0]}
    assert judged(tmp_path, given, over=over, sbp=power(exponent, jitter)).verdict == verdict


@pytest.mark.parametrize(("exponent", "verdict"), [(-1.0, NOT), (0.0, HOLDS)])
def test_slope_of_a_ratio(tmp_path, exponent, verdict):
    of, against = (Value(name, "primal_objective") for name in ("sbp", "sdca"))
    given = Slope("c", of, (None, -0.5), over="problem.C", against=against)
    over = {"problem.C": [1.0, 10.0]}
    curves = {"sbp": power(-1.0), "sdca": power(exponent)}
    found = judged(tmp_path / "a", given, over=over, **curves)
    assert found.verdict == verdict and found.estimate.value == pytest.approx(-1.0 - exponent)
    measures = {name: {"x": x, "series": [[1], [2]]} for name, x in (("m", [1, 10]), ("n", [1, 20]))}
    given = Slope("c", Measured("m"), (None, -0.5), against=Measured("n"))
    found = judged(tmp_path / "b", given, measures=measures)
    assert found.verdict == NOT_ATTEMPTED and "same places" in found.text


def test_slope_along_a_curve(tmp_path):
    given = Slope("c", Value("sbp", "primal_objective"), (-0.55, -0.45))
    assert judged(tmp_path / "a", given, sbp=lambda s: 100.0 * COSTS**-0.5).verdict == HOLDS
    assert judged(tmp_path / "b", given, sbp=lambda s: 1e4 / COSTS).verdict == NOT


@pytest.mark.parametrize(
    ("exponent", "jitter", "verdict"), [(0.0, 0.01, HOLDS), (0.5, 0, NOT), (0.0, 0.3, UNSURE)]
)
def test_flat(tmp_path, exponent, jitter, verdict):
    given = Flat("c", Value("sbp", "primal_objective"), 1.2, over="problem.C")
    over = {"problem.C": [1.0, 10.0]}
    found = judged(tmp_path, given, over=over, sbp=power(exponent, jitter))
    assert found.verdict == verdict and found.text == "2 places from 1.0e0 to 1.0e1"


@pytest.mark.parametrize(
    ("sbp", "verdict"), [(flat_at(10, 1), HOLDS), (flat_at(30, 1), NOT), (flat_at(20, 5), UNSURE)]
)
def test_below(tmp_path, sbp, verdict):
    assert judged(tmp_path, Below("c", "sbp", "sdca"), sbp=sbp, sdca=flat_at(20)).verdict == verdict


def test_below_counts_the_costs_where_it_is_lower_and_takes_an_error_of_none_as_tiny(tmp_path):
    given = Below("c", "sbp", "sdca")
    found = judged(tmp_path / "a", given, sbp=lambda seed: [30] * 4 + [10] * 4, sdca=flat_at(20))
    # Three of seven doublings, with both ends.
    assert found.text.endswith("the lower one at 44% of the costs")
    found = judged(tmp_path / "b", given, sbp=flat_at(0), sdca=flat_at(20))
    assert found.verdict == HOLDS and found.estimate.value == pytest.approx(1e-12, rel=1e-6, abs=0.0)


def test_below_is_the_mean_over_shared_costs_alone(tmp_path):
    given = Below("c", "sbp", "sdca", since=16_000, within=(0.9, 1.1))
    found = judged(tmp_path, given, sbp=np.where(COSTS < 16_000, 90.0, 20.0), sdca=flat_at(20))
    assert found.verdict == HOLDS
    assert found.text == "from 1.6e4 to 1.3e5, the lower one at 0% of the costs"  # equal is not lower


@pytest.mark.parametrize(
    ("early", "verdict"),
    [(50.0, HOLDS), (12.0, NOT), (17.0, UNSURE)],  # 15 at the end, of 1,000 examples
)
def test_late_judges_the_lower_envelope(tmp_path, early, verdict):
    given = Late("c", "smo", 0.25, 0.1, far=1.0)
    smo = [90, early, 90, 90, 80, 40, 15, 15]
    assert judged(tmp_path, given, seeds=1, smo=smo).verdict == verdict


@pytest.mark.parametrize(("early", "verdict"), [(50.0, NOT), (15.2, HOLDS), (18.0, UNSURE)])
def test_late_tests_the_opposite_as_well(tmp_path, early, verdict):
    given = Late("c", "sbp", 0.25, 0.1, within=4.0, unfinished=True)
    sbp = [90, early, 90, 90, 80, 40, 15, 15]
    assert judged(tmp_path, given, seeds=1, sbp=sbp).verdict == verdict


def test_late_holds_both_checkpoints_around_the_critical_cost(tmp_path):
    # It arrives between 32,000 and 64,000: a quarter of the way is between 8,000, at 12, and 16,000, at 9.
    smo = [90, 50, 20, 12, 9, 5, 1, 1]
    for far, verdict in ((7.0, HOLDS), (9.0, UNSURE), (12.0, NOT)):
        given = Late("c", "smo", 0.25, 0.1, far=far, metric="primal_objective")
        found = judged(tmp_path / str(far), given, seeds=1, smo=smo)
        assert (found.verdict, found.estimate.text()) == (verdict, "8 (8 to 11)")
    assert found.text == "at best 9.00 until 1.6e4, 1.00 at the end, reached at 6.4e4"


def test_late_needs_a_run_that_has_settled_and_was_observed_before(tmp_path):
    given = Late("c", "sbp", 0.25, 0.1, far=1.0)
    found = judged(tmp_path / "a", given, sbp=flat_at(10))
    assert found.verdict == NOT_ATTEMPTED and found.text == "SBP has not converged"
    found = judged(tmp_path / "b", replace(given, solver="smo"), seeds=1, smo=[90, 10, 10, 10])
    assert found.verdict == NOT_ATTEMPTED and "was not observed at" in found.text
    with pytest.raises(UserError, match="either far or within"):
        judged(tmp_path / "c", replace(given, within=1.0), sbp=flat_at(10))


@pytest.mark.parametrize(
    ("end", "spread", "verdict"), [(15.0, 0, HOLDS), (10.0, 0, NOT), (10.5, 2.0, UNSURE)]
)
def test_rises(tmp_path, end, spread, verdict):
    def curve(seed):
        return np.array([40, 30, 20, 10, 10, 10, 10 + 0.5 * (end - 10), end + spread * (seed - 1)])

    assert judged(tmp_path, Rises("c", "sbp", 0.5), sbp=curve).verdict == verdict


@pytest.mark.parametrize(
    ("because", "share", "verdict"),
    [("says so", [1, 1], HOLDS), ("SV >= k", [1, 1], NOT), ("SV >= k", [0, 0], HOLDS)],
)
def test_ended(tmp_path, because, share, verdict):
    given = Ended("c", "sbp", because, share=share)
    assert judged(tmp_path, given, sbp=flat_at(10)).verdict == verdict


def test_ended_cannot_tell_where_some_runs_did(tmp_path):
    paper = artifact(["sbp"], seeds=3)
    for run, status in zip(paper.runs.planned(), ("budget", "timeout", "budget"), strict=True):
        store(tmp_path, run, status=status)
    finding = on_board(Ended("c", "sbp", "^budget"), material(paper, tmp_path))
    assert finding.verdict == UNSURE and finding.text.startswith("2 of 3")
    assert (finding.least, finding.most) == (100.0, 100.0)  # all of them, in percent


@pytest.mark.parametrize(
    ("measure", "verdict"),
    [({"value": 5}, HOLDS), ({"value": 6}, NOT), ({"value": 5, "low": 4, "high": 6}, UNSURE)],
)
def test_exact(tmp_path, measure, verdict):
    given = Exact("c", Measured("m"), 5, within=0.5)
    assert judged(tmp_path, given, measures={"m": measure}).verdict == verdict


def test_flat_is_judged_only_where_the_text_speaks(tmp_path):
    given = Flat("c", Value("sbp", "primal_objective"), 1.2, over="problem.C")
    over = {"problem.C": [1.0, 2.0, 100.0]}

    def jumps(seed, C):
        return np.full(3, 10.0 if C < 50.0 else 99.0)

    assert judged(tmp_path / "a", given, over=over, sbp=jumps).verdict == NOT
    found = judged(tmp_path / "b", replace(given, until=2.0), over=over, sbp=jumps)
    assert found.verdict == HOLDS and found.text == "2 places from 1.0e0 to 2.0e0"
    found = judged(tmp_path / "c", replace(given, since=2.0), over=over, sbp=jumps)
    assert found.verdict == NOT and found.text == "2 places from 2.0e0 to 1.0e2"


def test_orders_have_margins(tmp_path):
    less = Order("c", Measured("m"), 10)
    for margin, verdict in ((None, HOLDS), (1.0, HOLDS), (1.5, NOT)):
        given = replace(less, margin=margin)
        assert judged(tmp_path, given, measures={"m": {"value": 9.0}}).verdict == verdict
    for margin, verdict in ((0.0, HOLDS), (0.1, HOLDS), (0.2, NOT)):
        given = replace(less, margin=margin, ratio=True)
        assert judged(tmp_path, given, measures={"m": {"value": 9.0}}).verdict == verdict
    assert judged(tmp_path, less, measures={"m": {"value": 10.0}}).verdict == NOT
    assert judged(tmp_path, replace(less, ratio=True), measures={"m": {"value": 10.0}}).verdict == NOT


def test_a_run_that_ends_after_too_few_doublings_does_not_rise(tmp_path):
    found = judged(tmp_path, Rises("c", "sbp", 0.5, since=64_000), sbp=flat_at(9))
    assert found.verdict == NOT_ATTEMPTED and "the runs end at 1.3e5, too soon after 6.4e4" in found.text
    found = judged(tmp_path / "two", Rises("c", "sbp", 0.5, since=32_000), sbp=flat_at(9))
    assert found.verdict == NOT and found.text.endswith("from 3.2e4 on")


def test_a_run_that_falls_to_its_end_is_below_its_best_earlier_doubling(tmp_path):
    found = judged(tmp_path, Rises("c", "sbp", 0.5), sbp=np.linspace(80.0, 10.0, COSTS.size))
    assert found.verdict == NOT and found.estimate.value == pytest.approx(-10.0, abs=0.5)


def test_flat_names_the_first_and_the_last_place(tmp_path):
    given = Flat("c", Value("sbp", "primal_objective"), 1.2, over="problem.C")
    over = {"problem.C": [1.0, 10.0, 100.0]}
    found = judged(tmp_path, given, over=over, sbp=flat_at(10))
    assert found.text == "3 places from 1.0e0 to 1.0e2"


#: An error at the end that is 10 in the median of five seeds, and 50 in that of the resamples below.
MOST = (10.0, 10.0, 10.0, 50.0, 50.0)


def test_words_tell_the_estimate_not_a_resample(tmp_path):
    medians = Draw().medians(np.array(MOST), range(5))
    assert (medians[0], medians[1], medians[-1]) == (10.0, 50.0, 50.0)
    flat = lambda seed: np.full(8, MOST[seed])  # noqa: E731
    given = Below("c", "sbp", "sdca")
    found = judged(tmp_path / "a", given, seeds=5, sbp=flat, sdca=flat_at(20))
    assert found.text.endswith("the lower one at 100% of the costs")
    assert (found.least, found.most) == (0.0, 1.0)
    found = judged(tmp_path / "b", Rises("c", "sbp", 0.5), seeds=5, sbp=flat)
    assert found.text.startswith("10.00 over the last doubling, 10.00 over the best earlier one,")
    given = Late("c", "sbp", 0.25, 0.1, far=1.0, unfinished=True)
    falls = lambda seed: [90, 2 * MOST[seed], *[80] * 4, MOST[seed], MOST[seed]]  # noqa: E731
    found = judged(tmp_path / "c", given, seeds=5, sbp=falls)
    assert found.text == "at best 20.00 until 1.6e4, 10.00 at the end, reached at 6.4e4"


def test_rises_is_the_mean_of_its_last_doubling_less_that_of_the_best_earlier_one(tmp_path):
    given = Rises("c", "sbp", 0.5, metric="primal_objective")
    found = judged(tmp_path, given, sbp=[40] * 5 + [10, 10, 30])
    assert found.estimate.value == pytest.approx(20 / 7)  # one of seven marks is at the end
    assert found.text.startswith("12.86 over the last doubling, 10.00 over the best earlier one")


@pytest.mark.parametrize("unknown", ["sbp", "sdca"])
def test_examples_that_are_wrong_of_one_side_alone_tell_nothing(tmp_path, unknown):
    paper = artifact(["sbp", "sdca"])
    for run in paper.runs.planned():
        wrong = np.arange(1000) < (30 if run.solver == "sbp" else 40)
        rows = [{"test_error": float(wrong.mean())}]
        store(tmp_path, run, rows, wrong=None if run.solver == unknown else wrong)
    finding = on_board(Order("c", Value("sbp"), Value("sdca")), material(paper, tmp_path))
    assert finding.verdict == UNSURE


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (Below("c", "sbp", "sdca"), "from 1.0e-1 to 8.0e-1, the lower one at 100%"),
        (Slope("c", Value("sbp"), (0, 1)), "19 places from 1.0e-1"),
        (Rises("c", "sbp", 1.0), "10.00 over the last doubling, 10.00 over the best earlier one"),
        (Order("c", Value("sbp", at=LastShared("sbp", "sbp")), 20), "10.00 against 20"),
    ],
)
def test_costs_below_1_are_compared_too(tmp_path, given, text):
    found = judged(tmp_path, given, counter="wall_seconds", sbp=flat_at(10), sdca=flat_at(20))
    assert found.text.startswith(text)


@pytest.mark.parametrize(("seeds", "verdict"), [(1, UNSURE), (3, HOLDS)])
def test_late_takes_a_single_run_to_have_the_noise_of_two_errors(tmp_path, seeds, verdict):
    given = Late("c", "sbp", 0.25, 0.1, far=1.0, unfinished=True)
    assert judged(tmp_path, given, seeds=seeds, sbp=[90, 12, 90, 90, 80, 40, 10, 10]).verdict == verdict


def test_ended_shows_the_reason_of_the_first_run():
    runs = [SimpleNamespace(status="budget", reason=f"reason {k}", seed=k) for k in range(3)]
    evidence = SimpleNamespace(runs=lambda solver, where: runs, draw=Draw())
    tested = Ended("c", "sbp", "[02]").tested(evidence)
    assert tested.text == "2 of 3: reason 0" and tested.rows.at[0] == pytest.approx(200 / 3)


@pytest.mark.parametrize("sizes", [(1000, 500), (500, 1000)])
def test_errors_on_different_test_sets_are_not_paired(sizes):
    one, other = (
        Sample(Rows.of(Draw().constant(10.0)), "", True, size, [np.arange(size) < size // 10])
        for size in sizes
    )
    rows = predicates._difference(Draw(), one, other)
    noise = np.hypot(*(binomial_error(10.0, size) for size in sizes))
    assert rows.at[0] == 0.0 and rows.at[1:].std() == pytest.approx(noise, rel=0.1)


def test_errors_alone_are_in_points():
    assert [predicates._unit(name) for name in ("test_error", "norm", "nanoseconds")] == ["points", "", ""]
