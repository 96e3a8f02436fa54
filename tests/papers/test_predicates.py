"""Each predicate on cases that hold, that do not, and that cannot tell."""

import numpy as np
import pytest

from svmbench.errors import UserError
from svmbench.papers.claims import judge, read_claims
from svmbench.papers.estimate import DEVIATES, INCONCLUSIVE, NOT_ATTEMPTED, REPRODUCED
from svmbench.papers.vocabulary import PREDICATES

from .written import artifact, material, store

HOLDS, NOT, UNSURE = REPRODUCED, DEVIATES, INCONCLUSIVE
COSTS = 1000 * 2 ** np.arange(8)


def judged(root, predicate, given, *, over=None, seeds=3, measures=None, **curves):
    """The verdict on curves: by solver a function from seed (and place) to the errors at the checkpoints."""
    groups = [{"seeds": seeds, **({"over": over} if over else {})}]
    paper = artifact(list(curves) or ["smo"], groups=groups)
    for run in paper.runs.planned():
        if run.solver in curves:
            made = curves[run.solver]
            percent = made(run.seed, *(value for _, value in run.over)) if callable(made) else made
            status = "converged" if run.solver == "smo" else "budget"
            rows = [{"test_error": value / 100.0, "primal_objective": value} for value in percent]
            store(root, run, rows, status=status)
    found = material(paper, root)
    evidence = found.evidence("board", "kev_ondemand")
    if measures is not None:
        evidence._measures = measures
    claim = {"name": "c", "text": "t", "place": "p", "parts": [{predicate: given}]}
    (parsed,) = read_claims([claim], "FILE", "X-C")
    (finding,) = judge(parsed.parts[0], {"kev_ondemand": {"board": evidence}})
    return finding


def flat_at(level, spread=0.0):
    return lambda seed, *_: np.full(COSTS.size, level + spread * (seed - 1))


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
    given = {"less": {"solver": "sbp"}, "than": {"solver": "sdca"}}
    assert judged(tmp_path, "order", given, sbp=sbp, sdca=sdca).verdict == verdict


BY_ARRIVAL = {
    "less": {"solver": "sbp", "arrival": "test_error", "level": 10},
    "than": {"solver": "sdca", "arrival": "test_error", "level": 10},
    "as": "ratio",
}
NEVER = flat_at(30)


def arrives(place):
    """Errors that stay at 9 from a checkpoint on, and are above 10 before."""
    return lambda seed, *_: np.where(np.arange(COSTS.size) < place, 50.0, 9.0)


@pytest.mark.parametrize(
    ("sbp", "sdca", "verdict", "number"),
    [
        (arrives(2), arrives(5), HOLDS, "0.125 (0.0625 to 0.25)"),
        (arrives(5), arrives(2), NOT, "8 (4 to 16)"),
        (arrives(3), arrives(4), UNSURE, "0.5 (0.25 to 1)"),  # either between the same two checkpoints
        (arrives(3), NEVER, HOLDS, "< 0.0625 (0 to 0.0625)"),
        (arrives(7), NEVER, UNSURE, "< 1 (0 to 1)"),  # at its last checkpoint, where the other one ended
        (NEVER, arrives(3), NOT, "> 16 (16 to unbounded)"),
        (NEVER, NEVER, UNSURE, "unknown (0 to unbounded)"),
        (arrives(0), arrives(4), HOLDS, "0.0625 (0 to 0.125)"),  # at its first checkpoint, or before
        (arrives(4), arrives(0), NOT, "16 (8 to unbounded)"),
    ],
)
def test_order_of_arrivals(tmp_path, sbp, sdca, verdict, number):
    found = judged(tmp_path, "order", BY_ARRIVAL, sbp=sbp, sdca=sdca)
    assert (found.verdict, found.estimate.text()) == (verdict, number)


def test_an_arrival_that_was_cut_off_is_shown_as_more_than_what_was_spent(tmp_path):
    falls = [50, 20, 9, 12, 9, 9, 9, 9]  # stays from the fifth checkpoint on
    found = judged(tmp_path / "a", "order", BY_ARRIVAL, sbp=falls, sdca=NEVER)
    assert found.text == "1.6e4 against > 1.3e5"
    some = lambda seed: falls if seed < 2 else [50] * 8  # noqa: E731
    found = judged(tmp_path / "b", "order", BY_ARRIVAL, sbp=some, sdca=NEVER)
    assert found.text == "1.6e4 (1.6e4 to > 1.3e5) against > 1.3e5"
    most = lambda seed: falls if seed < 1 else [50] * 8  # noqa: E731
    found = judged(tmp_path / "c", "order", BY_ARRIVAL, sbp=most, sdca=falls)
    assert found.text == "> 1.3e5 (1.6e4 to > 1.3e5) against 1.6e4" and found.verdict == UNSURE


def test_a_run_that_ended_by_its_own_tolerance_above_the_level_is_censored_too(tmp_path):
    given = {**BY_ARRIVAL, "than": {"solver": "smo", "arrival": "test_error", "level": 10}}
    found = judged(tmp_path, "order", given, sbp=arrives(7), smo=NEVER)
    assert found.verdict == UNSURE and found.estimate.text() == "< 1 (0 to 1)"


def test_the_first_arrival_may_be_left_again(tmp_path):
    first = {key: {**BY_ARRIVAL[key], "first": True} for key in ("less", "than")}
    falls = [50, 50, 9, 50, 50, 50, 50, 50]
    found = judged(tmp_path, "order", {**first, "as": "ratio"}, sbp=falls, sdca=NEVER)
    assert found.text == "4e+03 against > 1.3e5" and found.estimate.text() == "< 0.0312 (0 to 0.0312)"


def test_a_value_at_an_arrival_holds_what_it_was_at_the_checkpoint_before(tmp_path):
    at = {"of": {"solver": "sdca", "arrival": "test_error", "level": 10}}
    given = {"value": {"solver": "sbp", "metric": "primal_objective", "at": at}, "equals": 4, "within": 1.5}
    falling = [8, 7, 6, 5, 4, 3, 2, 1]
    found = judged(tmp_path / "a", "exact", given, sbp=falling, sdca=arrives(4))
    assert found.verdict == HOLDS and found.estimate.text() == "0 (0 to 1)"
    found = judged(tmp_path / "b", "exact", {**given, "within": 0.5}, sbp=falling, sdca=arrives(4))
    assert found.verdict == UNSURE
    found = judged(tmp_path / "c", "exact", given, sbp=falling, sdca=NEVER)
    assert found.verdict == NOT_ATTEMPTED and "end before the cost" in found.text
    given["value"]["at"] = {
        "arrival": "test_error",
        "level": 10,
    }  # of its own: at the checkpoint that is there
    found = judged(tmp_path / "d", "exact", given, sbp=arrives(4))
    assert found.estimate.text() == "5"
    found = judged(tmp_path / "e", "exact", given, sbp=NEVER)
    assert found.verdict == NOT_ATTEMPTED and found.text == "sbp: 3 of 3 runs end before they come so far"


@pytest.mark.parametrize(("level", "spread", "verdict"), [(10, 0, HOLDS), (30, 0, NOT), (20, 8, UNSURE)])
def test_ratio(tmp_path, level, spread, verdict):
    given = {"of": {"solver": "sbp"}, "to": {"number": 20}, "within": [0, 1]}
    assert judged(tmp_path, "ratio", given, sbp=flat_at(level, spread)).verdict == verdict


@pytest.mark.parametrize(
    ("level", "verdict"),
    [(10.0, HOLDS), (4.0, NOT), (20.0, NOT), (7.0, UNSURE), (13.0, UNSURE)],  # a standard error of 1.3 points
)
def test_near_knows_the_noise_of_two_test_sets(tmp_path, level, verdict):
    given = {"value": {"solver": "sbp"}, "printed": [9.5, 10.5], "within": 3.0}
    found = judged(tmp_path, "near", given, sbp=flat_at(level))
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
    given = {"value": {"measure": "m"}, "printed": [9.5, 10.5], "within": 1.0}
    found = judged(tmp_path, "near", given, measures={"m": {"value": measure}})
    assert found.verdict == verdict and found.estimate.value == pytest.approx(number)
    given = {**given, "printed": 10.0}
    assert judged(tmp_path, "near", given, measures={"m": {"value": 10.5}}).text == "10.5, printed 10"


@pytest.mark.parametrize(("level", "verdict"), [(10.0, HOLDS), (9.0, HOLDS), (20.0, NOT), (15.0, UNSURE)])
def test_a_tolerance_that_the_noise_allows(tmp_path, level, verdict):
    given = {"value": {"solver": "sbp"}, "printed": 10.0, "within": "noise"}
    found = judged(tmp_path, "near", given, sbp=flat_at(level))
    assert found.verdict == verdict
    assert found.most == pytest.approx(4.0 * 100.0 * np.sqrt(2.0 * 0.1 * 0.9 / 1000)) == -found.least


def test_only_a_test_error_has_the_noise_of_a_test_set(tmp_path):
    given = {"value": {"measure": "m"}, "printed": 10.0, "within": "noise"}
    with pytest.raises(UserError, match="within=noise is not allowed"):
        judged(tmp_path, "near", given, measures={"m": {"value": 10.0}})


def power(exponent, jitter=0.0):
    return lambda seed, C: np.full(3, 10.0 * C**exponent * np.exp(jitter * (seed - 1) * (1 if C > 3 else -1)))


@pytest.mark.parametrize(
    ("exponent", "jitter", "verdict"), [(-1.0, 0, HOLDS), (0.0, 0, NOT), (-0.8, 0.5, UNSURE)]
)
def test_slope_over_a_key(tmp_path, exponent, jitter, verdict):
    given = {
        "of": {"solver": "sbp", "metric": "primal_objective", "over": "problem.C"},
        "within": [-1.2, -0.8],
    }
    over = {"problem.C": [1.0, 10.0]}
    assert judged(tmp_path, "slope", given, over=over, sbp=power(exponent, jitter)).verdict == verdict


@pytest.mark.parametrize(("exponent", "verdict"), [(-1.0, NOT), (0.0, HOLDS)])
def test_slope_of_a_ratio(tmp_path, exponent, verdict):
    of = {"metric": "primal_objective", "over": "problem.C"}
    given = {"of": {"solver": "sbp", **of}, "against": {"solver": "sdca", **of}, "within": [None, -0.5]}
    over = {"problem.C": [1.0, 10.0]}
    curves = {"sbp": power(-1.0), "sdca": power(exponent)}
    found = judged(tmp_path / "a", "slope", given, over=over, **curves)
    assert found.verdict == verdict and found.estimate.value == pytest.approx(-1.0 - exponent)
    given["against"] = {**given["against"], "over": "2 * problem.C"}
    found = judged(tmp_path / "b", "slope", given, over=over, **curves)
    assert found.verdict == NOT_ATTEMPTED and "same places" in found.text


def test_slope_along_a_curve(tmp_path):
    given = {"of": {"solver": "sbp", "metric": "primal_objective"}, "within": [-0.55, -0.45]}
    assert judged(tmp_path / "a", "slope", given, sbp=lambda s: 100.0 * COSTS**-0.5).verdict == HOLDS
    assert judged(tmp_path / "b", "slope", given, sbp=lambda s: 1e4 / COSTS).verdict == NOT


@pytest.mark.parametrize(
    ("exponent", "jitter", "verdict"), [(0.0, 0.01, HOLDS), (0.5, 0, NOT), (0.0, 0.3, UNSURE)]
)
def test_flat(tmp_path, exponent, jitter, verdict):
    given = {"of": {"solver": "sbp", "metric": "primal_objective", "over": "problem.C"}, "factor": 1.2}
    over = {"problem.C": [1.0, 10.0]}
    assert judged(tmp_path, "flat", given, over=over, sbp=power(exponent, jitter)).verdict == verdict


@pytest.mark.parametrize(
    ("sbp", "verdict"), [(flat_at(10, 1), HOLDS), (flat_at(30, 1), NOT), (flat_at(20, 5), UNSURE)]
)
def test_below(tmp_path, sbp, verdict):
    assert (
        judged(tmp_path, "below", {"curve": "sbp", "other": "sdca"}, sbp=sbp, sdca=flat_at(20)).verdict
        == verdict
    )


def test_below_is_the_mean_over_shared_costs_alone(tmp_path):
    given = {"curve": "sbp", "other": "sdca", "since": 16_000, "within": [0.9, 1.1]}
    bent = lambda seed: np.where(COSTS < 16_000, 90.0, 20.0)  # noqa: E731
    found = judged(tmp_path, "below", given, sbp=bent, sdca=flat_at(20))
    assert found.verdict == HOLDS and "from 1.6e4 to 1.3e5" in found.text


#: Stable at the sixth checkpoint, 12 to 11.8 over a factor of four; alike before for too short a time.
STABLE = [50, 20, 20, 12, 12, 11.8, 9, 8]


@pytest.mark.parametrize(
    ("percent", "stop", "verdict"),
    [
        (STABLE, "3.2e4", HOLDS),
        ([10] * 8, "4e+03", HOLDS),  # observed over the whole factor, from the first checkpoint on
        ([50, 20, 10, 5, 2.5, 1.25, 0.6, 0.3], "> 1.3e5", UNSURE),
        ([10, 10.5, 10, 10.5, 10, 10.5, 10, 10.5], "> 1.3e5", UNSURE),
    ],
)
def test_a_run_is_stable_where_all_its_values_have_been_alike_for_long(tmp_path, percent, stop, verdict):
    rule = {"stabilises": "test_error", "span": 4.0, "within": 0.25}
    given = {"less": {"solver": "sbp", **rule}, "than": 2e5, "as": "ratio"}
    found = judged(tmp_path, "order", given, sbp=percent)
    assert found.verdict == verdict and found.text == f"{stop} against 200000"


def test_a_stop_lies_between_two_checkpoints(tmp_path):
    rule = {"stabilises": "test_error", "span": 4.0, "within": 0.25}
    for limit, verdict in ((33_000, HOLDS), (24_000, UNSURE), (15_000, NOT)):
        given = {"less": {"solver": "sbp", **rule}, "than": limit, "as": "ratio"}
        assert judged(tmp_path / str(limit), "order", given, sbp=STABLE).verdict == verdict


@pytest.mark.parametrize(
    ("end", "verdict"), [(30.0, HOLDS), (1.0, NOT), (11.8, UNSURE)]
)  # 11.8 where it stops: what comes later has no part in it
def test_a_run_is_looked_at_where_it_is_stable(tmp_path, end, verdict):
    at = {"stabilises": "test_error", "span": 4.0, "within": 0.25}
    given = {"less": {"solver": "sbp", "at": at}, "than": {"solver": "sdca"}}
    assert judged(tmp_path, "order", given, sbp=STABLE, sdca=flat_at(end)).verdict == verdict


def test_a_run_that_is_never_stable_is_not_looked_at(tmp_path):
    at = {"stabilises": "test_error", "span": 4.0, "within": 0.25}
    found = judged(tmp_path, "order", {"less": {"solver": "sbp", "at": at}, "than": 9}, sbp=COSTS[::-1] / 1e4)
    assert found.verdict == NOT_ATTEMPTED


@pytest.mark.parametrize(
    ("early", "verdict"),
    [(50.0, HOLDS), (12.0, NOT), (16.5, UNSURE)],  # 15 at the end, of 1,000 examples
)
def test_late_judges_the_lower_envelope(tmp_path, early, verdict):
    given = {"curve": "smo", "part": 0.25, "arrived": 0.1, "far": 1.0}
    smo = [90, early, 90, 90, 80, 40, 15, 15]
    assert judged(tmp_path, "late", given, seeds=1, smo=smo).verdict == verdict


@pytest.mark.parametrize(("early", "verdict"), [(50.0, NOT), (15.2, HOLDS), (18.0, UNSURE)])
def test_late_tests_the_opposite_as_well(tmp_path, early, verdict):
    given = {"curve": "sbp", "part": 0.25, "arrived": 0.1, "within": 4.0, "unfinished": True}
    sbp = [90, early, 90, 90, 80, 40, 15, 15]
    assert judged(tmp_path, "late", given, seeds=1, sbp=sbp).verdict == verdict


def test_late_holds_both_checkpoints_around_the_critical_cost(tmp_path):
    # It arrives between 32,000 and 64,000: a quarter of the way is between 8,000, at 12, and 16,000, at 9.
    given = {"curve": "smo", "part": 0.25, "arrived": 0.1, "metric": "primal_objective"}
    smo = [90, 50, 20, 12, 9, 5, 1, 1]
    for far, verdict in ((7.0, HOLDS), (9.0, UNSURE), (12.0, NOT)):
        found = judged(tmp_path / str(far), "late", {**given, "far": far}, seeds=1, smo=smo)
        assert (found.verdict, found.estimate.text()) == (verdict, "8 (8 to 11)")
    assert found.text == "at best 9.00 until 1.6e4, 1.00 at the end, reached at 6.4e4"


def test_late_needs_a_run_that_has_settled_and_was_observed_before(tmp_path):
    given = {"curve": "sbp", "part": 0.25, "arrived": 0.1, "far": 1.0}
    found = judged(tmp_path / "a", "late", given, sbp=flat_at(10))
    assert found.verdict == NOT_ATTEMPTED and found.text == "SBP has not converged"
    found = judged(tmp_path / "b", "late", {**given, "curve": "smo"}, seeds=1, smo=[90, 10, 10, 10])
    assert found.verdict == NOT_ATTEMPTED and "was not observed at" in found.text
    with pytest.raises(UserError, match="either far or within"):
        judged(tmp_path / "c", "late", {**given, "within": 1.0}, sbp=flat_at(10))


def test_the_noise_of_the_test_set_and_points_belong_to_errors_alone(tmp_path):
    given = {"curve": "smo", "part": 0.25, "arrived": 0.1, "far": 1.0, "metric": "primal_objective"}
    found = judged(tmp_path / "a", "late", given, seeds=1, smo=[90, 16.5, 90, 90, 80, 40, 15, 15])
    assert found.verdict == HOLDS and found.estimate.text() == "1.5"
    given = {"curve": "sbp", "by": 0.5, "metric": "primal_objective"}
    found = judged(tmp_path / "b", "rises", given, sbp=lambda seed: [40, 30, 20, 10, 10, 10, 12.5, 15])
    assert found.estimate.text() == "2.86"  # six marks at 12.5 and one at 15, less 10
    assert (
        judged(tmp_path / "c", "rises", {"curve": "sbp", "by": 0.5}, sbp=flat_at(9)).estimate.unit == "points"
    )


@pytest.mark.parametrize(
    ("end", "spread", "verdict"), [(15.0, 0, HOLDS), (10.0, 0, NOT), (10.5, 2.0, UNSURE)]
)
def test_rises(tmp_path, end, spread, verdict):
    def curve(seed):
        return np.array([40, 30, 20, 10, 10, 10, 10 + 0.5 * (end - 10), end + spread * (seed - 1)])

    assert judged(tmp_path, "rises", {"curve": "sbp", "by": 0.5}, sbp=curve).verdict == verdict


@pytest.mark.parametrize(
    ("because", "share", "verdict"),
    [("says so", [1, 1], HOLDS), ("SV >= k", [1, 1], NOT), ("SV >= k", [0, 0], HOLDS)],
)
def test_ended(tmp_path, because, share, verdict):
    given = {"solver": "sbp", "because": because, "share": share}
    assert judged(tmp_path, "ended", given, sbp=flat_at(10)).verdict == verdict


def test_ended_cannot_tell_where_some_runs_did(tmp_path):
    paper = artifact(["sbp"], seeds=3)
    for run, status in zip(paper.runs.planned(), ("budget", "timeout", "budget"), strict=True):
        store(tmp_path, run, status=status)
    claim = {
        "name": "c",
        "text": "t",
        "place": "p",
        "parts": [{"ended": {"solver": "sbp", "because": "^budget"}}],
    }
    (parsed,) = read_claims([claim], "FILE", "X-C")
    evidence = material(paper, tmp_path).evidence("board", "kev_ondemand")
    (finding,) = judge(parsed.parts[0], {"kev_ondemand": {"board": evidence}})
    assert finding.verdict == UNSURE and finding.text.startswith("2 of 3")


@pytest.mark.parametrize(
    ("measure", "verdict"),
    [({"value": 5}, HOLDS), ({"value": 6}, NOT), ({"value": 5, "low": 4, "high": 6}, UNSURE)],
)
def test_exact(tmp_path, measure, verdict):
    given = {"value": {"measure": "m"}, "equals": 5, "within": 0.5}
    assert judged(tmp_path, "exact", given, measures={"m": measure}).verdict == verdict


def test_a_claim_on_what_is_not_stored_is_not_attempted(tmp_path):
    found = judged(tmp_path, "order", {"less": {"solver": "smo"}, "than": 3})
    assert found.verdict == NOT_ATTEMPTED and found.text == "smo: 0 of 3 runs are there (missing)"


def test_no_verdict_depends_on_a_range_of_an_axis(tmp_path):
    paper = artifact(["sbp", "sdca"], ranges={"x": [5000, 9000]})
    for run in paper.runs.planned():
        level = 20.0 if run.solver == "sbp" else np.where(COSTS < 9000, 30.0, 10.0)
        store(tmp_path, run, [{"test_error": e / 100} for e in np.broadcast_to(level, COSTS.shape)])
    given = {"below": {"curve": "sbp", "other": "sdca"}}
    (parsed,) = read_claims([{"name": "c", "text": "t", "place": "p", "parts": [given]}], "FILE", "X-C")
    evidence = material(paper, tmp_path).evidence("board", "kev_ondemand")
    (finding,) = judge(parsed.parts[0], {"kev_ondemand": {"board": evidence}})
    assert "from 1.0e3 to 1.3e5" in finding.text and finding.verdict == NOT


def test_together_is_the_mean_over_data_sets(tmp_path):
    panels = {
        name: {"title": name, "overrides": ["dataset=checkerboard", f"dataset.n_test={size}"]}
        for name, size in (("one", 10), ("two", 20))
    }
    paper = artifact(["sbp", "sdca"], panels=panels)
    for run in paper.runs.planned():
        level = {"sdca": 20.0, "sbp": 10.0 if run.panel == "one" else 30.0}[run.solver]
        store(tmp_path, run, [{"test_error": level / 100}] * 4)
    part = {"together": True, "below": {"curve": "sbp", "other": "sdca"}}
    (parsed,) = read_claims([{"name": "c", "text": "t", "place": "p", "parts": [part]}], "FILE", "X-C")
    found = material(paper, tmp_path)
    evidence = {name: found.evidence(name, "kev_ondemand") for name in panels}
    (finding,) = judge(parsed.parts[0], {"kev_ondemand": evidence})
    assert finding.estimate.value == pytest.approx((0.5 * 1.5) ** 0.5) and finding.text == "one 0.5; two 1.5"


def test_a_number_may_differ_from_data_set_to_data_set(tmp_path):
    given = {"value": {"solver": "sbp"}, "printed": {"by_panel": {"board": 10.0}}, "within": 5.0}
    assert judged(tmp_path, "near", given, sbp=flat_at(10)).verdict == HOLDS


def test_flat_is_judged_only_where_the_text_speaks(tmp_path):
    given = {"of": {"solver": "sbp", "metric": "primal_objective", "over": "problem.C"}, "factor": 1.2}
    over = {"problem.C": [1.0, 2.0, 100.0]}

    def jumps(seed, C):
        return np.full(3, 10.0 if C < 50.0 else 99.0)

    assert judged(tmp_path / "a", "flat", given, over=over, sbp=jumps).verdict == NOT
    assert judged(tmp_path / "b", "flat", {**given, "until": 2.0}, over=over, sbp=jumps).verdict == HOLDS


#: Each predicate with quantities of one line, and what it says where that arrives nowhere.
OVER = {"solver": "sbp", "over": "problem.C"}
OF_SBP = {
    "order": {"less": {"solver": "sbp"}, "than": 3},
    "ratio": {"of": {"solver": "sbp"}, "to": 20, "within": [0, 1]},
    "near": {"value": {"solver": "sbp"}, "printed": 10, "within": 1},
    "slope": {"of": {**OVER, "metric": "test_error"}, "within": [0, 1]},
    "flat": {"of": {**OVER, "metric": "test_error"}, "factor": 2},
    "below": {"curve": "sbp", "other": "sbp"},
    "late": {"curve": "sbp", "part": 0.25, "arrived": 0.1, "far": 1.0, "unfinished": True},
    "rises": {"curve": "sbp", "by": 1.0},
    "ended": {"solver": "sbp", "because": "budget"},
    "exact": {"value": {"solver": "sbp"}, "equals": 10},
}


@pytest.mark.parametrize("predicate", PREDICATES)
def test_without_runs_nothing_is_attempted(tmp_path, predicate):
    over = {"problem.C": [1.0, 10.0]} if predicate in ("slope", "flat") else None
    given = OF_SBP[predicate]
    found = judged(tmp_path, predicate, given, over=over, sdca=flat_at(10))
    assert found.verdict == NOT_ATTEMPTED and found.estimate is None
    assert found.text.startswith("sbp: no runs over problem.C" if over else "sbp: no such runs")


@pytest.mark.parametrize("predicate", [name for name in PREDICATES if name != "ended"])
def test_without_checkpoints_nothing_is_attempted(tmp_path, predicate):
    over = {"problem.C": [1.0, 10.0]} if predicate in ("slope", "flat") else None
    found = judged(tmp_path, predicate, OF_SBP[predicate], over=over, sbp=[])
    assert found.verdict == NOT_ATTEMPTED and found.text.startswith("sbp: no checkpoint was made")


ARRIVAL = {"solver": "sbp", "arrival": "test_error", "level": 10}
#: Censored above this cost: what holds, what does not, and what the bound cannot tell.
CENSORED = [
    ("ratio", {"of": ARRIVAL, "to": 1000, "within": [100, None]}, HOLDS),
    ("ratio", {"of": ARRIVAL, "to": 1000, "within": [0, 100]}, NOT),
    ("ratio", {"of": ARRIVAL, "to": 1000, "within": [0, 200]}, UNSURE),
    ("ratio", {"of": 1000, "to": ARRIVAL, "within": [0, 0.01]}, HOLDS),
    ("order", {"less": 1000, "than": ARRIVAL}, HOLDS),
    ("order", {"less": ARRIVAL, "than": 1000}, NOT),
    ("order", {"less": ARRIVAL, "than": 200_000}, UNSURE),
    ("near", {"value": ARRIVAL, "printed": 1000, "within": 1000}, NOT),
    ("near", {"value": ARRIVAL, "printed": 128_000, "within": 1000}, UNSURE),
    ("exact", {"value": ARRIVAL, "equals": 1000}, NOT),
    ("exact", {"value": ARRIVAL, "equals": 200_000}, UNSURE),
]


@pytest.mark.parametrize(("predicate", "given", "verdict"), CENSORED)
def test_a_censored_cost_is_a_lower_bound(tmp_path, predicate, given, verdict):
    assert judged(tmp_path, predicate, given, sbp=NEVER).verdict == verdict


@pytest.mark.parametrize(
    ("predicate", "given", "verdict"),
    [
        ("slope", {"within": [1.5, None]}, HOLDS),
        ("slope", {"within": [None, 1.5]}, NOT),
        ("slope", {"within": [None, 2.5]}, UNSURE),
        ("flat", {"factor": 20}, NOT),
        ("flat", {"factor": 200}, UNSURE),
    ],
)
def test_a_censored_place_of_a_series(tmp_path, predicate, given, verdict):
    # It arrives between 500 and 1,000 at C = 1, which is its first checkpoint, and after 128,000 at C = 10.
    over = {"problem.C": [1.0, 10.0]}
    series = {"of": {**ARRIVAL, "over": "problem.C"}, **given}
    sbp = lambda seed, C: (arrives(1) if C == 1.0 else NEVER)(seed)  # noqa: E731
    assert judged(tmp_path, predicate, series, over=over, sbp=sbp).verdict == verdict


def test_orders_have_margins(tmp_path):
    less = {"less": {"measure": "m"}, "than": 10}
    for margin, verdict in ((None, HOLDS), (1.0, HOLDS), (1.5, NOT)):
        given = {**less, **({} if margin is None else {"margin": margin})}
        assert judged(tmp_path, "order", given, measures={"m": {"value": 9.0}}).verdict == verdict
    for margin, verdict in ((0.0, HOLDS), (0.1, HOLDS), (0.2, NOT)):
        given = {**less, "margin": margin, "as": "ratio"}
        assert judged(tmp_path, "order", given, measures={"m": {"value": 9.0}}).verdict == verdict
    assert judged(tmp_path, "order", less, measures={"m": {"value": 10.0}}).verdict == NOT
    assert judged(tmp_path, "order", {**less, "as": "ratio"}, measures={"m": {"value": 10.0}}).verdict == NOT


def test_quantities_are_scaled_and_shifted(tmp_path):
    given = {"value": {"measure": "m", "factor": 2.0, "plus": 3.0}, "equals": 13.0}
    found = judged(tmp_path, "exact", given, measures={"m": {"value": 5.0}})
    assert found.verdict == HOLDS and found.text == "2 x 5 +3, expected 13"
    given = {"value": {"number": 4.0, "factor": 0.5}, "equals": 2}
    assert judged(tmp_path, "exact", given).text == "0.5 x 4, expected 2"


def test_a_peak_an_envelope_and_a_cost(tmp_path):
    curve = [30, 10, 20, 40, 15, 25, 18, 16]
    place = {"solver": "sbp", "metric": "primal_objective"}
    for more, value in (
        ({"peak": True}, 40),
        ({"envelope": True}, 10),
        ({}, 16),
        ({"at": 8000}, 40),
        ({"at": 15_999}, 15),  # a checkpoint a little past the mark is at it
        ({"at": 9000}, 40),
        ({"at": 8000, "envelope": True}, 10),
        ({"at": {"part": 0.5, "of": 8000}}, 20),
        ({"at": {"shared": ["sbp"], "metric": "primal_objective"}}, 16),
    ):
        given = {"value": {**place, **more}, "equals": value}
        found = judged(tmp_path / str(more), "exact", given, seeds=1, sbp=curve)
        assert (found.verdict, found.estimate.value) == (HOLDS, 0.0), more
    given = {"value": {**place, "at": 500}, "equals": 1}
    found = judged(tmp_path / "early", "exact", given, seeds=1, sbp=curve)
    assert found.verdict == NOT_ATTEMPTED and "was not observed at 5.0e2" in found.text


@pytest.mark.parametrize(
    ("quantity", "message"),
    [
        ({"solver": "sbp", "colour": 1}, "unknown key 'colour' of a quantity"),
        ({"at": 3}, "a quantity needs solver, measure, optimum, known or number"),
        ({"solver": "sbp", "at": {"part": 1}}, "a cost that all runs share needs"),
    ],
)
def test_a_quantity_that_is_none_is_refused(tmp_path, quantity, message):
    with pytest.raises(UserError, match=message):
        judged(tmp_path, "exact", {"value": quantity, "equals": 1}, sbp=flat_at(10))


def test_what_is_neither_measured_nor_known_is_not_attempted(tmp_path):
    for number, (quantity, text) in enumerate(
        [
            ({"measure": "n"}, "n is not measured"),
            ({"known": "nu"}, "nu of the known optimum is not stored"),
            ({"optimum": "nu"}, "nu of the certified optimum is not stored"),
            ({"solver": "sbp", "where": {"problem.C": 3.0}}, "sbp: no such runs with {'problem.C': 3.0}"),
            (
                {"solver": "sbp", "arrival": "test_error", "within": 1},
                "test_error of the certified optimum is not stored",
            ),
        ]
    ):
        given = {"value": quantity, "equals": 1}
        found = judged(tmp_path / str(number), "exact", given, measures={"m": {"value": 1}}, sbp=flat_at(10))
        assert (found.verdict, found.text) == (NOT_ATTEMPTED, text)


def test_a_run_that_ends_after_too_few_doublings_does_not_rise(tmp_path):
    found = judged(tmp_path, "rises", {"curve": "sbp", "by": 0.5, "since": 64_000}, sbp=flat_at(9))
    assert found.verdict == NOT_ATTEMPTED and "the runs end at 1.3e5, too soon after 6.4e4" in found.text


def test_a_series_may_be_measured(tmp_path):
    given = {"of": {"measure": "m"}, "within": [0.9, 1.1]}
    series = {"m": {"x": [1, 10, 100], "series": [[2, 2], [20, 20], [200, 200]]}}
    found = judged(tmp_path / "a", "slope", given, measures=series)
    assert found.verdict == HOLDS and found.text == "3 places from 1.0e0 to 1.0e2"
    found = judged(tmp_path / "b", "slope", given, measures={"other": {}})
    assert found.verdict == NOT_ATTEMPTED and found.text == "m is not measured"
    found = judged(tmp_path / "c", "slope", {**given, "since": 1000}, measures=series)
    assert found.verdict == NOT_ATTEMPTED and found.text == "no place lies between 1000 and inf"


def test_errors_are_in_points_and_shown_with_two_digits(tmp_path):
    given = {"less": {"solver": "sbp"}, "than": {"solver": "sdca", "plus": 1.0}}
    found = judged(tmp_path, "order", given, sbp=flat_at(10, 1), sdca=flat_at(20))
    assert found.estimate.unit == "points" and found.text == "10.00 (9.00 to 11.00) against 20.00 +1"


def test_a_quantity_has_a_value_for_each_seed(tmp_path):
    paper = artifact(["sbp"], seeds=3)
    for run in paper.runs.planned():
        store(tmp_path, run, [{"test_error": (10 + run.seed) / 100}] * 3)
    evidence = material(paper, tmp_path).evidence("board", "kev_ondemand")
    values = evidence.values({"solver": "sbp", "factor": 2.0, "plus": 1.0})
    assert values.tolist() == pytest.approx([21.0, 23.0, 25.0])
