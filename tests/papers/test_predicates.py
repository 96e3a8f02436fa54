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


def ending(end, spread=0.0):
    """Errors at 10 in the median before the end of each seed."""
    return lambda seed: np.array([40, 30, 20, 10, 10, 10, 10 + 0.5 * (end - 10), end + spread * (seed - 1)])


def measured(value, **ends):
    return {"m": {"value": value, **ends}}


def envelope(early, end=15):
    return [90, early, 90, 90, 80, 40, end, end]


LESS = Order("c", Value("sbp"), Value("sdca"))
SMALLER = Order("c", Measured("m"), 10)
OBJECTIVE = Value("sbp", "primal_objective")
ALONG = Slope("c", OBJECTIVE, (-0.55, -0.45))
OVER = Slope("c", OBJECTIVE, (-1.2, -0.8), over="problem.C")
FLAT = Flat("c", OBJECTIVE, 1.2, over="problem.C")
BELOW = Below("c", "sbp", "sdca")
LATE = Late("c", "smo", 0.25, 0.1, far=1.0)
EARLY = Late("c", "sbp", 0.25, 0.1, within=4.0, unfinished=True)
ANY = Late("c", "sbp", 0.25, 0.1, far=1.0, unfinished=True)
RISES = Rises("c", "sbp", 0.5)
TWO, THREE = {"problem.C": [1.0, 10.0]}, {"problem.C": [1.0, 2.0, 100.0]}
JUMPS = lambda seed, C: np.full(3, 10.0 if C < 50.0 else 99.0)  # noqa: E731
QUICK = {"counter": "wall_seconds", "sbp": flat_at(10), "sdca": flat_at(20)}


#: A test, the verdict on it, a part of its text, and the curves and measures that it is judged on.
CASES = [
    (LESS, HOLDS, "", {"sbp": flat_at(10), "sdca": flat_at(20)}),
    (LESS, NOT, "", {"sbp": flat_at(20), "sdca": flat_at(10)}),
    (LESS, UNSURE, "", {"sbp": flat_at(15, 3), "sdca": flat_at(15, -3)}),
    (LESS, UNSURE, "", {"sbp": flat_at(14.95), "sdca": flat_at(15)}),  # half an example of a thousand
    *[
        (replace(SMALLER, **keys), verdict, "", {"measures": measured(value)})
        for keys, value, verdict in [
            *[({}, 9.0, HOLDS), ({"margin": 1.0}, 9.0, HOLDS), ({"margin": 1.5}, 9.0, NOT), ({}, 10.0, NOT)],
            *[({"ratio": True, "margin": margin}, 9.0, HOLDS) for margin in (0.0, 0.1)],
            *[({"ratio": True, "margin": 0.2}, 9.0, NOT), ({"ratio": True}, 10.0, NOT)],
        ]
    ],
    *[
        (Ratio("c", Value("sbp"), 20, (0, 1)), verdict, f"{how[0]}.00.* over 20$", {"sbp": flat_at(*how)})
        for how, verdict in (((10, 0), HOLDS), ((30, 0), NOT), ((20, 8), UNSURE))
    ],
    *[  # a standard error of 1.3 points: of two test sets
        (Near("c", Value("sbp"), (9.5, 10.5), 3.0), verdict, "printed 9.5 to 10.5$", {"sbp": flat_at(level)})
        for level, verdict in ((10.0, HOLDS), (4.0, NOT), (20.0, NOT), (7.0, UNSURE), (13.0, UNSURE))
    ],
    *[
        (OVER, verdict, "", {"over": TWO, "sbp": power(*how)})
        for how, verdict in (((-1.0,), HOLDS), ((0.0,), NOT), ((-0.8, 0.5), UNSURE))
    ],
    (ALONG, HOLDS, "", {"sbp": lambda seed: 100.0 * COSTS**-0.5}),
    (ALONG, NOT, "", {"sbp": lambda seed: 1e4 / COSTS}),
    *[
        (FLAT, verdict, "^2 places from 1.0e0 to 1.0e1$", {"over": TWO, "sbp": power(*how)})
        for how, verdict in (((0.0, 0.01), HOLDS), ((0.5,), NOT), ((0.0, 0.3), UNSURE))
    ],
    # Judged only where the text speaks.
    (FLAT, NOT, "^3 places from 1.0e0 to 1.0e2$", {"over": THREE, "sbp": JUMPS}),
    (replace(FLAT, until=2.0), HOLDS, "^2 places from 1.0e0 to 2.0e0$", {"over": THREE, "sbp": JUMPS}),
    (replace(FLAT, since=2.0), NOT, "^2 places from 2.0e0 to 1.0e2$", {"over": THREE, "sbp": JUMPS}),
    *[
        (BELOW, verdict, "", {"sbp": flat_at(*how), "sdca": flat_at(20)})
        for how, verdict in (((10, 1), HOLDS), ((30, 1), NOT), ((20, 5), UNSURE))
    ],
    (  # the mean over shared costs alone; equal is not lower
        replace(BELOW, since=16_000, within=(0.9, 1.1)), HOLDS,
        "^from 1.6e4 to 1.3e5, the lower one at 0% of the costs$",
        {"sbp": np.where(COSTS < 16_000, 90.0, 20.0), "sdca": flat_at(20)},
    ),
    *[  # the lower envelope; 15 at the end, of 1,000 examples
        (LATE, verdict, "", {"seeds": 1, "smo": envelope(early)})
        for early, verdict in ((50.0, HOLDS), (12.0, NOT), (17.0, UNSURE))
    ],
    *[
        (EARLY, verdict, "", {"seeds": 1, "sbp": envelope(early)})
        for early, verdict in ((50.0, NOT), (15.2, HOLDS), (18.0, UNSURE))
    ],
    # A single run has the noise of two errors.
    (ANY, UNSURE, "", {"seeds": 1, "sbp": envelope(12, 10)}),
    (ANY, HOLDS, "", {"seeds": 3, "sbp": envelope(12, 10)}),
    *[
        (RISES, verdict, "", {"sbp": ending(*how)})
        for how, verdict in (((15.0,), HOLDS), ((10.0,), NOT), ((10.5,), NOT), ((10.5, 2.0), UNSURE))
    ],
    (replace(RISES, since=64_000), NOT_ATTEMPTED, "end at 1.3e5, too soon after 6.4e4", {"sbp": flat_at(9)}),
    (replace(RISES, since=32_000), NOT, "from 3.2e4 on$", {"sbp": flat_at(9)}),
    *[
        (Ended("c", "sbp", because, share=share), verdict, "", {"sbp": flat_at(10)})
        for because, share, verdict in (
            *[("says so", [1, 1], HOLDS), ("SV >= k", [1, 1], NOT)],
            *[("says so", [0, 0], NOT), ("SV >= k", [0, 0], HOLDS)],
        )
    ],
    *[
        (Exact("c", Measured("m"), 5, within=0.5), verdict, "", {"measures": measures})
        for measures, verdict in (
            *[(measured(5), HOLDS), (measured(6), NOT), (measured(5, low=4, high=6), UNSURE)],
        )
    ],
    (Exact("c", Measured("m"), 5), NOT, "", {"measures": measured(5.5)}),
    # Costs below 1 are compared too.
    (BELOW, HOLDS, "^from 1.0e-1 to 8.0e-1, the lower one at 100%", QUICK),
    (Slope("c", Value("sbp"), (0, 1)), NOT, "^19 places from 1.0e-1", QUICK),
    (RISES, NOT, "^10.00 over the last doubling, 10.00 over the best earlier one", QUICK),
    (Order("c", Value("sbp", at=LastShared("sbp", "sbp")), 20), HOLDS, "^10.00 against 20", QUICK),
]  # fmt: skip


@pytest.mark.parametrize(("given", "verdict", "text", "made"), CASES)
def test_the_verdict_on_made_up_curves(tmp_path, given, verdict, text, made):
    found = judged(tmp_path, given, **made)
    assert found.verdict == verdict and re.search(text, found.text)


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


def test_below_counts_the_costs_where_it_is_lower_and_takes_an_error_of_none_as_tiny(tmp_path):
    given = Below("c", "sbp", "sdca")
    found = judged(tmp_path / "a", given, sbp=lambda seed: [30] * 4 + [10] * 4, sdca=flat_at(20))
    # Three of seven doublings, with both ends.
    assert found.text.endswith("the lower one at 44% of the costs")
    found = judged(tmp_path / "b", given, sbp=flat_at(0), sdca=flat_at(20))
    assert found.verdict == HOLDS and found.estimate.value == pytest.approx(1e-12, rel=1e-6, abs=0.0)


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


def test_ended_cannot_tell_where_some_runs_did(tmp_path):
    paper = artifact(["sbp"], seeds=3)
    for run, status in zip(paper.runs.planned(), ("budget", "timeout", "budget"), strict=True):
        store(tmp_path, run, status=status)
    finding = on_board(Ended("c", "sbp", "^budget"), material(paper, tmp_path))
    assert finding.verdict == UNSURE and finding.text.startswith("2 of 3")
    assert (finding.least, finding.most) == (100.0, 100.0)  # all of them, in percent


def test_a_run_that_falls_to_its_end_is_below_its_best_earlier_doubling(tmp_path):
    found = judged(tmp_path, Rises("c", "sbp", 0.5), sbp=np.linspace(80.0, 10.0, COSTS.size))
    assert found.verdict == NOT and found.estimate.value == pytest.approx(-10.0, abs=0.5)


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
    assert found.estimate.value == pytest.approx(20 / 6)  # one of six marks is at the end
    assert found.text.startswith("13.33 over the last doubling, 10.00 over the best earlier one")


@pytest.mark.parametrize("unknown", ["sbp", "sdca"])
def test_examples_that_are_wrong_of_one_side_alone_tell_nothing(tmp_path, unknown):
    paper = artifact(["sbp", "sdca"])
    for run in paper.runs.planned():
        wrong = np.arange(1000) < (30 if run.solver == "sbp" else 40)
        rows = [{"test_error": float(wrong.mean())}]
        store(tmp_path, run, rows, wrong=None if run.solver == unknown else wrong)
    finding = on_board(Order("c", Value("sbp"), Value("sdca")), material(paper, tmp_path))
    assert finding.verdict == UNSURE


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
