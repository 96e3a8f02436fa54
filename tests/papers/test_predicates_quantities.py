"""What predicates speak of: quantities, where they are known, and what is said where they are not."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from svmbench.errors import UserError
from svmbench.figures.bounds import problem_of
from svmbench.figures.series import Reference
from svmbench.papers.claims import judge
from svmbench.papers.estimate import DEVIATES, INCONCLUSIVE, NOT_ATTEMPTED, REPRODUCED, Draw, NotAttempted
from svmbench.papers.keys import Key, N
from svmbench.papers.predicates import Below, Ended, Exact, Flat, Late, Near, Order, Ratio, Rises, Slope
from svmbench.papers.quantities import (
    Arrival,
    Deviation,
    Evidence,
    Known,
    LastShared,
    Measured,
    Optimum,
    Value,
    by_panel,
)
from svmbench.papers.runs import Group, Panel

from .judged import ARRIVAL, COSTS, arrives, flat_at, judged, on_board
from .written import artifact, errors, filled, material, store

HOLDS, NOT, UNSURE = REPRODUCED, DEVIATES, INCONCLUSIVE


def test_the_noise_of_the_test_set_and_points_belong_to_errors_alone(tmp_path):
    given = Late("c", "smo", 0.25, 0.1, far=1.0, metric="primal_objective")
    found = judged(tmp_path / "a", given, seeds=1, smo=[90, 16.5, 90, 90, 80, 40, 15, 15])
    assert found.verdict == HOLDS and found.estimate.text() == "1.5"
    given = Rises("c", "sbp", 0.5, metric="primal_objective")
    found = judged(tmp_path / "b", given, sbp=[40, 30, 20, 10, 10, 10, 12.5, 15])
    assert found.estimate.text() == "2.92"  # five marks at 12.5 and one at 15, less 10
    assert judged(tmp_path / "c", Rises("c", "sbp", 0.5), sbp=flat_at(9)).estimate.unit == "points"


def test_a_claim_on_what_is_not_stored_is_not_attempted(tmp_path):
    found = judged(tmp_path, Order("c", Value("smo"), 3))
    assert found.verdict == NOT_ATTEMPTED and found.text == "smo: 0 of 3 runs are stored (missing)"


@pytest.mark.parametrize("status", ["budget", "timeout", "converged"])
def test_a_run_that_its_limit_ended_before_it_began_has_no_end(tmp_path, status):
    paper = artifact(["sbp"], groups=[Group(3)])
    for run in paper.runs.planned():
        store(tmp_path, run, [{"test_error": 1.0, "iterations": 0 if run.seed else 10}], status=status)
    evidence = material(paper, tmp_path).evidence("board", "kev_ondemand")
    if status == "converged":
        assert Value("sbp").sample(evidence).shown == "100.00"
        return
    with pytest.raises(NotAttempted, match=r"^sbp: 2 of 3 runs were ended by limits before they began"):
        Value("sbp").sample(evidence)


def test_no_verdict_depends_on_a_range_of_an_axis(tmp_path):
    paper = artifact(["sbp", "sdca"], ranges={"x": (5000, 9000)})
    for run in paper.runs.planned():
        level = 20.0 if run.solver == "sbp" else np.where(COSTS < 9000, 30.0, 10.0)
        store(tmp_path, run, [{"test_error": e / 100} for e in np.broadcast_to(level, COSTS.shape)])
    finding = on_board(Below("c", "sbp", "sdca"), material(paper, tmp_path))
    assert "from 1.0e3 to 1.3e5" in finding.text and finding.verdict == NOT


def on_two_boards(root, test, solvers, rows, **over):
    """The verdict on what is stored of two data sets."""
    panels = [
        Panel(name, name, f"dataset=checkerboard dataset.n_test={size}")
        for name, size in (("one", 10), ("two", 20))
    ]
    found = filled(artifact(solvers, panels=panels, groups=[Group(1, over=over)]), root, rows)
    evidence = {name: found.evidence(name, "kev_ondemand") for name in ("one", "two")}
    (finding,) = judge(test, {"kev_ondemand": evidence})
    return finding


def test_together_is_the_mean_over_data_sets(tmp_path):
    def rows(run):
        level = {"sdca": 20.0, "sbp": 10.0 if run.panel == "one" else 30.0}[run.solver]
        return [{"test_error": level / 100}] * 4

    finding = on_two_boards(tmp_path, Below("c", "sbp", "sdca", together=True), ["sbp", "sdca"], rows)
    assert finding.estimate.value == pytest.approx((0.5 * 1.5) ** 0.5) and finding.text == "one 0.5; two 1.5"


def of_two_sets(part, one, two):
    """The verdict on two data sets together, of each of which a number is measured."""
    evidence = {name: Evidence("", [], measures={"m": m}) for name, m in (("one", one), ("two", two))}
    (finding,) = judge(part, {"": evidence})
    return finding


def test_together_differences_are_averaged_and_ratios_in_the_logarithm():
    less = Order("c", Measured("m"), 10)
    found = of_two_sets(replace(less, together=True), {"value": 4.0}, {"value": 12.0})
    assert found.estimate.value == pytest.approx(-2.0) and found.verdict == HOLDS
    assert (found.least, found.most) == (-np.inf, -np.nextafter(0.0, 1.0))
    ratio = Ratio("c", Measured("m"), 10, (0.2, 0.7))
    found = of_two_sets(replace(ratio, together=True), {"value": 4.0}, {"value": 9.0})
    assert found.estimate.value == pytest.approx(0.6) and (found.least, found.most) == (0.2, 0.7)


def test_together_factors_are_averaged_in_the_logarithm(tmp_path):
    def rows(run):
        return [{"primal_objective": 4.0 if run.panel == "one" and run.over[0][1] == 10.0 else 1.0}] * 4

    test = Flat("c", Value("sbp", "primal_objective"), 2.2, over="problem.C", together=True)
    finding = on_two_boards(tmp_path, test, ["sbp"], rows, **{"problem.C": [1.0, 10.0]})
    assert finding.estimate.value == pytest.approx(2.0) and finding.verdict == HOLDS


def test_together_the_bounds_are_averaged_too():
    ratio = Ratio("c", Measured("m"), 10, (0.0, 1.0))
    wide = {"value": 4.0, "low": 1.0, "high": 16.0}
    found = of_two_sets(replace(ratio, together=True), wide, wide)
    assert (found.estimate.low, found.estimate.high) == (pytest.approx(0.1), pytest.approx(1.6))


def test_together_arrivals_keep_their_bounds(tmp_path):
    part = Ratio("c", ARRIVAL, 1000, (0, 3), together=True)
    finding = on_two_boards(tmp_path, part, ["sbp"], errors(50, 9, 9, 9))
    assert finding.estimate.text() == "2 (1 to 2)" and finding.verdict == HOLDS


def test_a_number_may_differ_from_data_set_to_data_set(tmp_path):
    given = Near("c", Value("sbp"), by_panel(board=10.0), 5.0)
    assert judged(tmp_path, given, sbp=flat_at(10)).verdict == HOLDS


#: Each predicate with quantities of one line, and what it says where that arrives nowhere.
OF_SBP = [
    Order("c", Value("sbp"), 3),
    Ratio("c", Value("sbp"), 20, (0, 1)),
    Near("c", Value("sbp"), 10, 1),
    Slope("c", Value("sbp"), (0, 1), over="problem.C"),
    Flat("c", Value("sbp"), 2, over="problem.C"),
    Below("c", "sbp", "sbp"),
    Late("c", "sbp", 0.25, 0.1, far=1.0, unfinished=True),
    Rises("c", "sbp", 1.0),
    Exact("c", Value("sbp"), 10),
    Ended("c", "sbp", "budget"),
]


@pytest.mark.parametrize("given", OF_SBP, ids=lambda test: type(test).__name__)
def test_without_runs_nothing_is_attempted(tmp_path, given):
    over = {"problem.C": [1.0, 10.0]} if isinstance(given, Slope | Flat) else None
    found = judged(tmp_path, given, over=over, sdca=flat_at(10))
    assert found.verdict == NOT_ATTEMPTED and found.estimate is None
    assert (found.least, found.most) == (-np.inf, np.inf)
    assert found.text.startswith("sbp: no runs over problem.C" if over else "sbp: no such runs")


@pytest.mark.parametrize("given", OF_SBP[:-1], ids=lambda test: type(test).__name__)
def test_without_checkpoints_nothing_is_attempted(tmp_path, given):
    over = {"problem.C": [1.0, 10.0]} if isinstance(given, Slope | Flat) else None
    found = judged(tmp_path, given, over=over, sbp=[])
    assert found.verdict == NOT_ATTEMPTED and found.text.startswith("sbp: no checkpoint was made")


def test_quantities_are_scaled_and_shifted(tmp_path):
    given = Exact("c", 2.0 * Measured("m") + 3.0, 13.0)
    found = judged(tmp_path, given, measures={"m": {"value": 5.0}})
    assert found.verdict == HOLDS and found.text == "2 x 5 +3, expected 13"


def test_a_peak_an_envelope_and_a_cost(tmp_path):
    curve = [30, 10, 20, 40, 15, 25, 18, 16]
    place, measures = Value("sbp", "primal_objective"), {"m": {"value": 8000}}
    for number, (more, value) in enumerate(
        (
            ({"peak": True}, 40),
            ({"envelope": True}, 10),
            ({}, 16),
            ({"at": 8000}, 40),
            ({"at": 15_999}, 15),  # a checkpoint a little past the mark is at it
            ({"at": 9000}, 40),
            ({"at": 8000, "envelope": True}, 10),
            ({"at": 0.5 * Measured("m")}, 20),
            ({"at": LastShared("sbp", "sbp")}, 16),
        )
    ):
        given = Exact("c", replace(place, **more), value)
        found = judged(tmp_path / str(number), given, seeds=1, sbp=curve, measures=measures)
        assert (found.verdict, found.estimate.value) == (HOLDS, 0.0), more
    given = Exact("c", replace(place, at=500), 1)
    found = judged(tmp_path / "early", given, seeds=1, sbp=curve)
    assert found.verdict == NOT_ATTEMPTED and "was not observed at 5.0e2" in found.text


def test_only_a_measure_and_a_quantity_of_a_line_have_a_series(tmp_path):
    with pytest.raises(UserError, match="The nu of the certified optimum has no series".lower()):
        judged(tmp_path, Slope("c", Optimum("nu"), (0, 1), over="problem.C"), sbp=flat_at(10))


@pytest.mark.parametrize("keys", [{}, {"level": 1, "within": 2}])
def test_an_arrival_is_at_a_level_or_near_the_optimum(keys):
    with pytest.raises(UserError, match="Arrival needs either level or within"):
        Arrival("sbp", **keys)


def test_arithmetic_on_a_quantity_is_that_of_its_number(tmp_path):
    measures = {"m": {"value": 5.0}, "n": {"value": 1.0}}
    for quantity, value in (
        (2.0 * (Measured("m") + 1.0), 12.0),
        (2.0 * Measured("m") + 1.0, 11.0),
        (Measured("m") + 1.0 + 2.0, 8.0),
        (1.0 + Measured("m"), 6.0),
        (3.0 * (2.0 * Measured("m") + 2.0 * Measured("n")), 36.0),
        (Measured("m") + Measured("n") + 0.5, 6.5),
    ):
        found = judged(tmp_path, Exact("c", quantity, value), measures=measures)
        assert found.verdict == HOLDS, quantity.words()


def test_what_is_neither_measured_nor_known_is_not_attempted(tmp_path):
    for number, (quantity, text) in enumerate(
        [
            (Measured("n"), "n is not measured"),
            (Known("nu"), "nu of the known optimum is not stored"),
            (Optimum("nu"), "nu of the certified optimum is not stored"),
            (Value("sbp", where={"problem.C": 3.0}), "sbp: no such runs, problem.C = 3.0"),
            (Arrival("sbp", within=1), "test_error of the certified optimum is not stored"),
        ]
    ):
        given = Exact("c", quantity, 1)
        found = judged(tmp_path / str(number), given, measures={"m": {"value": 1}}, sbp=flat_at(10))
        assert (found.verdict, found.text) == (NOT_ATTEMPTED, text)


def test_a_series_may_be_measured(tmp_path):
    given = Slope("c", Measured("m"), (0.9, 1.1))
    series = {"m": {"x": [1, 10, 100], "series": [[2, 2], [20, 20], [200, 200]]}}
    found = judged(tmp_path / "a", given, measures=series)
    assert found.verdict == HOLDS and found.text == "3 places from 1.0e0 to 1.0e2"
    found = judged(tmp_path / "b", given, measures={"other": {}})
    assert found.verdict == NOT_ATTEMPTED and found.text == "m is not measured"
    found = judged(tmp_path / "c", replace(given, since=1000), measures=series)
    assert found.verdict == NOT_ATTEMPTED and found.text == "no place lies between 1000 and inf"


def test_the_sum_of_two_quantities(tmp_path):
    given = Exact("c", 2.0 * Measured("m") + 3.0 * Measured("other"), 16.0)
    found = judged(tmp_path, given, measures={"m": {"value": 5.0}, "other": {"value": 2.0}})
    assert found.verdict == HOLDS and found.text == "2 x 5 + 3 x 2, expected 16"
    wide = {"value": 4.0, "low": 1.0, "high": 16.0}
    ratio = Ratio("c", Measured("m") + Measured("m"), 10, (0.0, 1.0))
    found = judged(tmp_path, ratio, measures={"m": wide})
    assert (found.estimate.value, found.estimate.low, found.estimate.high) == pytest.approx((0.8, 0.2, 3.2))


def test_errors_are_in_points_and_shown_with_two_digits(tmp_path):
    given = Order("c", Value("sbp"), Value("sdca") + 1.0)
    found = judged(tmp_path, given, sbp=flat_at(10, 1), sdca=flat_at(20))
    assert found.estimate.unit == "points" and found.text == "10.00 (9.00 to 11.00) against 20.00 +1"


def test_a_quantity_has_a_value_for_each_seed(tmp_path):
    found = filled(artifact(["sbp"], seeds=3), tmp_path, lambda run: errors(10 + run.seed))
    evidence = found.evidence("board", "kev_ondemand")
    values = (2.0 * Value("sbp") + 1.0).values(evidence)
    assert values.tolist() == pytest.approx([21.0, 23.0, 25.0])
    assert (Value("sbp") + Value("sbp")).values(evidence).tolist() == pytest.approx([20.0, 22.0, 24.0])


def test_a_value_that_is_an_upper_bound_alone(tmp_path):
    value = Value("sbp", at_most=True)
    for level, printed, within, verdict in (
        (10.0, 8.0, 20.0, HOLDS),  # anything from 0 to 10 is within 20 of 8
        (10.0, 1.0, 2.0, UNSURE),  # it may be 1 in the end
        (10.0, 30.0, 5.0, NOT),
    ):
        given = Near("c", value, printed, within)
        found = judged(tmp_path / f"{printed}", given, sbp=flat_at(level))
        assert found.verdict == verdict and found.text == f"at most 10.00, printed {printed:g}"
    for other, verdict in ((20.0, HOLDS), (5.0, UNSURE)):  # it is not above, for more would lower it
        given = Order("c", value, Value("sdca"))
        found = judged(tmp_path / f"order{other}", given, sbp=flat_at(10), sdca=flat_at(other))
        assert found.verdict == verdict
    assert given.definition.startswith("The test error of sbp at the end (an upper bound) is less")


@pytest.mark.parametrize(
    ("stored", "at", "verdict"),
    [
        (True, None, HOLDS),  # they disagree on 10 examples of 1,000, all for one of them
        (False, None, UNSURE),  # it may be 70
        (True, 4000, UNSURE),  # what is stored is of the last checkpoint
    ],
)
def test_examples_that_are_wrong_tell_the_noise_of_differences_and_ratios(tmp_path, stored, at, verdict):
    paper = artifact(["sbp", "sdca"])
    for run in paper.runs.planned():
        wrong = np.arange(1000) < (30 if run.solver == "sbp" else 40)
        rows = [{"test_error": float(wrong.mean())}] * 4
        store(tmp_path, run, rows, wrong=wrong if stored else None)
    one, other = Value("sbp", at=at), Value("sdca", at=at)
    for given, value in (
        (Order("c", one, other), -1.0),
        (Order("c", one, other, ratio=True), 0.75),
        (Ratio("c", one, other, (0.0, 1.0)), 0.75),
    ):
        finding = on_board(given, material(paper, tmp_path))
        assert finding.verdict == verdict and finding.estimate.value == pytest.approx(value)


@pytest.mark.parametrize(
    ("interval", "verdict"),
    [
        ((0.0109, 0.0111), HOLDS),
        ((0.0100, 0.0120), UNSURE),  # the optimum is not known well enough
        ((0.0109, None), UNSURE),
        (None, HOLDS),  # of an older optimum
    ],
)
def test_nu_of_the_optimum_is_known_as_far_as_its_gap_proves(monkeypatch, interval, verdict):
    record = {"nu": 0.011, "nu_interval": interval}
    monkeypatch.setattr(Evidence, "reference", lambda self: SimpleNamespace(record=record))
    test = Ratio("c", Optimum("nu"), Known("printed_nu"), (0.98, 1.02))
    (found,) = judge(test, {"": {"": Evidence("", [], known={"printed_nu": 0.011})}})
    assert found.verdict == verdict and found.estimate.value == 1.0
    low, high = interval or (0.011, 0.011)
    assert found.estimate.low == pytest.approx(low / 0.011)
    assert found.estimate.high == pytest.approx(np.inf if high is None else high / 0.011)


def test_an_error_of_the_optimum_is_in_percent(monkeypatch):
    record = {"test_error": 0.15, "primal": 0.3}
    monkeypatch.setattr(Evidence, "reference", lambda self: SimpleNamespace(record=record))
    for name, number in (("test_error", 15.0), ("primal", 0.3)):
        assert Optimum(name).sample(Evidence("", [])).rows.at[0] == pytest.approx(number)
    evidence = Evidence("", [], known={"test_error": 0.15})
    assert Known("test_error").sample(evidence).rows.at[0] == 15.0


def test_a_series_is_of_the_runs_that_where_names_over_an_expression_of_n(tmp_path):
    made = lambda seed, C, gamma: np.full(3, 10.0 / C if gamma == 1.0 else 50.0)  # noqa: E731
    over = {"problem.C": [1.0, 10.0], "kernel.gamma": [1.0, 2.0]}
    name = "".join(["s", "bp"])  # equal to the name in the runs, and another object
    of = Value(name, "primal_objective", where={"kernel.gamma": 1.0})
    given = Slope("c", of, (-1.01, -0.99), over=Key("problem.C") * N)
    found = judged(tmp_path, given, over=over, sbp=made)
    assert found.verdict == HOLDS and found.text == "2 places from 1.0e2 to 1.0e3"  # n is 100


def test_an_arrival_near_the_optimum_is_within_points_of_its_error(tmp_path, monkeypatch):
    record = {"test_error": 0.08}
    monkeypatch.setattr(Evidence, "reference", lambda self, run=None: SimpleNamespace(record=record))
    given = Ratio("c", Arrival("sbp", within=2.5), 1, (0, 5000))
    found = judged(tmp_path, given, seeds=1, sbp=[90, 11, 10.4, 10, 10, 10, 10, 10])
    assert found.verdict == HOLDS and found.estimate.high == 4000.0  # below 8 + 2.5 from the third on


def test_curves_that_share_no_cost_are_not_compared(tmp_path):
    given = Below("c", "sbp", "sdca", since=64_000, until=2000)
    found = judged(tmp_path, given, sbp=flat_at(10), sdca=flat_at(20))
    assert found.verdict == NOT_ATTEMPTED
    assert found.text == "no costs are shared: one begins at 6.4e+04, another ends at 2.0e+03"


def test_of_runs_that_are_not_there_the_first_is_described(tmp_path):
    paper = artifact(["sbp"], seeds=5)
    for run in paper.runs.planned():
        if run.seed != 3:
            store(tmp_path, run, errors(10), status="failed" if run.seed == 2 else "budget")
    with pytest.raises(NotAttempted, match=r"^sbp: 3 of 5 runs are stored \(failed\)$"):
        Value("sbp").sample(material(paper, tmp_path).evidence("board", "kev_ondemand"))


def test_an_order_of_single_runs_is_not_decided_by_a_small_difference(tmp_path):
    given = Order("c", Value("sbp"), Value("sdca"))
    found = [judged(tmp_path / str(n), given, seeds=n, sbp=flat_at(13), sdca=flat_at(15)) for n in (1, 3)]
    assert [one.verdict for one in found] == [UNSURE, HOLDS]


def test_a_place_is_the_first_expression_that_the_configuration_has(tmp_path):
    evidence = material(artifact(["sbp"]), tmp_path).evidence("board", "kev_ondemand")
    (match,) = evidence.matches
    assert match.place(["solver.k", "problem.C"]) == match.planned.config.problem.C
    assert match.place(Key("problem.C") * 2) == 2.0 * match.planned.config.problem.C


NONE_SHARED = "no costs are shared: one begins at 4.0e+03, another ends at 4.0e+03"


@pytest.mark.parametrize(
    ("solver", "span", "text"),
    [
        ("sbp", {}, "43 places from 1.0e3 to 1.3e5"),  # 20 for each factor of ten
        ("smo", {}, "43 places from 1.0e3 to 1.3e5"),  # a settled curve until its last checkpoint
        ("sbp", {"since": 4000, "until": 15_000}, "12 places from 4.0e3 to 1.5e4"),
        ("sbp", {"since": 4000, "until": 4100}, "2 places from 4.0e3 to 4.1e3"),
        ("sbp", {"since": 4000, "until": 4000}, NONE_SHARED),
    ],
)
def test_a_curve_is_looked_at_at_equal_ratios_of_the_cost(tmp_path, solver, span, text):
    given = Slope("c", Value(solver, "primal_objective"), (-1, 1), **span)
    assert judged(tmp_path, given, **{solver: flat_at(10)}).text == text


@pytest.mark.parametrize(
    ("where", "text"),
    [
        ({"problem.C": float("2")}, "20, expected 20"),
        ({}, "sbp: give where, because it has several runs of one seed"),
    ],
)
def test_where_names_one_value_of_several(tmp_path, where, text):
    value, over = Value("sbp", "primal_objective", where=where), {"problem.C": [1.0, 2.0, 3.0]}
    sbp = lambda seed, C: np.full(3, 10.0 * C)  # noqa: E731
    assert judged(tmp_path, Exact("c", value, 20), over=over, sbp=sbp).text == text


def test_a_level_that_is_a_quantity_is_its_estimate_not_a_resample(tmp_path):
    values = [10.0, 5.0, 110.0]
    medians = Draw().medians(np.array(values), range(3))
    assert medians[0] == 10.0 and 10.0 not in (medians[1], medians[-1])
    given = Ratio("c", Arrival("sbp", level=Measured("m")), 1000, (0, 100))
    falling = [90, 80, 70, 60, 9, 4, 4, 4]
    found = judged(tmp_path, given, sbp=falling, measures={"m": {"values": values}})
    assert found.estimate.text() == "16 (8 to 16)"


def test_an_arrival_of_each_seed_is_the_checkpoint_at_it(tmp_path):
    rows = lambda run: errors(*[50] * (1 + run.seed), 5, 5)  # noqa: E731
    evidence = filled(artifact(["sbp"], seeds=2), tmp_path, rows).evidence("board", "kev_ondemand")
    assert ARRIVAL.values(evidence).tolist() == [2000.0, 4000.0]


def test_a_cost_of_arrival_is_scaled_with_its_bounds(tmp_path):
    given = Order("c", replace(ARRIVAL, factor=0.001), 20, ratio=True)
    found = judged(tmp_path, given, sbp=arrives(4))
    assert found.text == "0.001 x 1.6e4 against 20"
    assert found.estimate.text() == "0.8 (0.4 to 0.8)"
    given = Exact("c", replace(ARRIVAL, factor=-1.0, plus=20_000), 4000, within=8000)
    assert judged(tmp_path / "b", given, sbp=arrives(4)).estimate.text() == "0 (0 to 8e+03)"


def test_a_cost_that_is_a_quantity_is_its_estimate_whatever_the_resamples(tmp_path):
    values = [3000.0, 70_000.0, 1500.0]
    medians = Draw().medians(np.array(values), range(3))
    assert medians[0] == 3000.0 and 3000.0 not in (medians[1], medians[-1])
    given = Ratio("c", Value("sbp", at=Measured("m")), 1, (0, 100))
    found = judged(tmp_path, given, sbp=range(90, 10, -10), measures={"m": {"values": values}})
    assert found.estimate.text() == "80"


def test_an_envelope_is_the_least_value_up_to_a_cost(tmp_path):
    place = Value("sbp", "primal_objective", envelope=True)
    for at, value in ((1000, 30), (1998, 30), (1998.5, 10), (7000, 10)):
        given = Exact("c", replace(place, at=at), value)
        found = judged(tmp_path / str(at), given, seeds=1, sbp=[30, 10, 20, 5, 7])
        assert found.estimate.value == 0.0, at


def test_other_metrics_than_the_test_error_have_no_points(tmp_path):
    given = Order("c", Value("sbp", "wall_seconds"), 3)
    found = judged(tmp_path, given, sbp=flat_at(10))
    assert found.text == "0.8 against 3" and found.estimate.unit == ""


def test_the_reference_is_that_of_a_run_or_of_the_first_stored_one(tmp_path):
    paper = artifact(["sbp"], groups=[Group(1, over={"problem.C": [1.0, 2.0, 3.0]})])
    for run in paper.runs.planned()[1:]:
        store(tmp_path, run, [{"test_error": 0.1}])
    matches = material(paper, tmp_path).matches
    second, third = matches[1].result, matches[2].result
    references = {problem_of(run): Reference(record={"primal": 0.1 * run.seed}) for run in (second, third)}
    evidence = Evidence("kev_iter", matches, references)
    assert problem_of(second) != problem_of(third)
    assert evidence.reference() is references[problem_of(second)]
    assert evidence.reference(third) is references[problem_of(third)]
    assert Evidence("kev_iter", matches[:1], references).reference() == Reference()
    assert Evidence("kev_iter", matches).reference(second) == Reference()


def test_a_deviation_has_the_interval_of_normal_errors(tmp_path):
    held = Order("c", Deviation("sbp"), 2.5)
    found = judged(tmp_path / "a", held, seeds=10, sbp=lambda seed: [30, 9 + 2 * (seed % 2)])
    assert found.verdict == HOLDS and found.text.startswith("1.05 of 10 runs")
    # A chi-square distribution with 9 degrees of freedom lies between 2.70 and 19.02 in 95 % of draws.
    assert found.estimate.low + 2.5 == pytest.approx(1.054 * (9 / 19.02) ** 0.5, rel=0.05)
    assert found.estimate.high + 2.5 == pytest.approx(1.054 * (9 / 2.70) ** 0.5, rel=0.05)
    found = judged(tmp_path / "b", held, seeds=1, sbp=flat_at(9))
    assert found.verdict == NOT_ATTEMPTED and found.text == "sbp: a single run has no deviation"
