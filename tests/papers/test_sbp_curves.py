"""The tests of the SBP paper's claims, on curves where the answer is known."""

import numpy as np
import pytest

from svmbench.papers import sbp_curves
from svmbench.papers.claims import (
    DEVIATES,
    NOT_ATTEMPTED,
    REPRODUCED,
    Evidence,
    NotAttempted,
    Part,
    combined,
    costs_between,
    findings,
    first_epoch_end,
    stays_below,
)
from svmbench.report.series import Curve, steps_of

from ..report.stored import stored_run

COSTS = np.round(10.0 ** (np.arange(40, 91) / 10))
OPTIMUM = 10.0


def curve(root, solver, *traces, status="budget", rows=1000, **columns):
    """One curve; each trace is (costs, errors), one per seed."""
    runs = [
        stored_run(root, solver, seed=seed, costs=costs, errors=errors, status=status, rows=rows, **columns)
        for seed, (costs, errors) in enumerate(traces)
    ]
    return Curve(solver, solver, tuple(steps_of(run, "kev_ondemand") for run in runs))


def falling(scale, floor=OPTIMUM, shift=0.0):
    """An error that falls to the floor; from ``scale`` evaluations on it is within a point of it."""
    return COSTS, floor + shift + scale / COSTS


def evidence(*curves, view=None, optimum=OPTIMUM, **incomplete):
    return Evidence("kev_ondemand", {c.solver: c for c in curves}, view, optimum, incomplete)


class TestBelow:
    judge = staticmethod(sbp_curves.below("pegasos", "Pegasos").judge)

    def test_holds(self, tmp_path):
        ours = curve(tmp_path, "sbp", *(falling(1e6, shift=0.001 * s) for s in range(3)))
        theirs = curve(tmp_path, "pegasos", *(falling(1e7, shift=0.001 * s) for s in range(3)))
        judged = self.judge(evidence(ours, theirs))
        assert judged.holds
        assert judged.numbers["share_below"] == judged.numbers["share_clearly_below"] == 1.0
        assert judged.numbers["sbp_within_0.5"] == pytest.approx(
            [10**6.4] * 3
        )  # 1e6 / 10^6.3 > 0.5 >= 1e6 / 10^6.4
        assert judged.numbers["pegasos_within_0.5"] == pytest.approx([10**7.4] * 3)

    def test_does_not_hold_above(self, tmp_path):
        judged = self.judge(
            evidence(curve(tmp_path, "sbp", falling(1e7)), curve(tmp_path, "pegasos", falling(1e6)))
        )
        assert not judged.holds and judged.numbers["share_below"] == 0.0

    def test_below_most_of_the_way_but_never_near_does_not_hold(self, tmp_path):
        ours = curve(tmp_path, "sbp", falling(1e3, shift=1.0))  # stays a point above the optimum
        judged = self.judge(evidence(ours, curve(tmp_path, "pegasos", falling(1e8))))
        assert judged.numbers["share_below"] > 0.5
        assert not judged.holds and "against" in judged.text and "never" in judged.text

    def test_near_first_but_above_most_of_the_way_does_not_hold(self, tmp_path):
        late = COSTS >= 10**7.55
        ours = curve(tmp_path, "sbp", (COSTS, np.where(late, 10.0, 50.0)))
        theirs = curve(tmp_path, "pegasos", (COSTS, np.where(late, 10.6, 40.0)))
        judged = self.judge(evidence(ours, theirs))
        assert judged.numbers["share_below"] < 0.5 and not judged.holds

    def test_only_the_range_of_the_figure_counts(self, tmp_path):
        ours = curve(tmp_path, "sbp", (COSTS, np.where(COSTS < 1e7, 50.0, 10.0)))
        theirs = curve(tmp_path, "pegasos", (COSTS, np.where(COSTS < 1e7, 40.0, 10.1)))
        assert self.judge(evidence(ours, theirs)).numbers["share_below"] < 0.5
        assert self.judge(evidence(ours, theirs, view=(1e7, 1e9))).numbers["share_below"] == 1.0

    def test_needs_an_optimum_and_shared_costs(self, tmp_path):
        ours, theirs = curve(tmp_path, "sbp", falling(1e6)), curve(tmp_path, "pegasos", falling(1e6))
        with pytest.raises(NotAttempted, match="optimum is not stored"):
            self.judge(evidence(ours, theirs, optimum=None))
        late = curve(tmp_path / "late", "pegasos", ([1e10, 1e11], [20, 10]))
        with pytest.raises(NotAttempted, match=r"no costs are shared: one curve begins at 1.0e\+10"):
            self.judge(evidence(ours, late))


def smo(root, errors, **kwargs):
    return curve(root, "smo", (COSTS, errors), status="converged", **kwargs)


class TestSmo:
    critical = 1e7

    def test_a_late_fall_holds(self, tmp_path):
        judged = sbp_curves.little_progress(
            evidence(smo(tmp_path, np.where(self.critical > COSTS, 24.0, 15.0)))
        )
        assert judged.holds
        assert judged.numbers == {"critical": pytest.approx(1e7), "error_before": 24.0, "error_final": 15.0}

    def test_a_dip_below_the_final_error_is_an_arrival_too(self, tmp_path):
        errors = np.where(self.critical > COSTS, 24.0, np.where(2 * self.critical > COSTS, 14.5, 15.0))
        assert sbp_curves.little_progress(evidence(smo(tmp_path, errors))).numbers[
            "critical"
        ] == pytest.approx(1e7)

    def test_a_slow_descent_does_not_hold(self, tmp_path):
        judged = sbp_curves.little_progress(evidence(smo(tmp_path, 15 + 1e6 / COSTS)))
        assert not judged.holds and judged.numbers["error_before"] < 16

    def test_without_convergence_there_is_no_critical_point(self, tmp_path):
        unfinished = curve(tmp_path, "smo", falling(1e6))
        with pytest.raises(NotAttempted, match="SMO has not converged"):
            sbp_curves.little_progress(evidence(unfinished))

    def test_converged_before_it_was_observed(self, tmp_path):
        with pytest.raises(NotAttempted, match=r"not observed at a quarter of 1\.0e4"):
            sbp_curves.little_progress(evidence(smo(tmp_path, np.full(COSTS.size, 15.0))))

    @pytest.mark.parametrize(("worst", "holds"), [(20.0, True), (25.0, False)])
    def test_stopping_early(self, tmp_path, worst, holds):
        run = smo(tmp_path, np.where(self.critical > COSTS, 24.0, 15.0))
        ours = curve(tmp_path, "sbp", *((COSTS, np.full(COSTS.size, level)) for level in (16.0, 17.0, worst)))
        judged = sbp_curves.stopping_early(evidence(run, ours))
        assert judged.holds is holds and judged.numbers["sbp"] == [16.0, 17.0, worst]

    def test_stopping_earlier_than_sbp_begins(self, tmp_path):
        run = smo(tmp_path, np.where(self.critical > COSTS, 24.0, 15.0))
        with pytest.raises(NotAttempted, match=r"SMO or SBP was not observed at 2\.5e6"):
            sbp_curves.stopping_early(evidence(run, curve(tmp_path, "sbp", ([1e8, 1e9], [20, 15]))))


class TestPerceptron:
    """With 1000 rows and 1000 evaluations per iteration the first epoch ends at 1e6."""

    def perceptron(self, root, *errors):
        return curve(root, "perceptron", *((COSTS, e) for e in errors))

    @pytest.mark.parametrize(("factor", "holds"), [(1.2, True), (1.3, False), (0.85, True), (0.75, False)])
    def test_alike_in_the_first_epoch(self, tmp_path, factor, holds):
        ours = 20.0 + 1e5 / COSTS
        theirs = np.where(COSTS <= 1e6, factor * ours, 90.0)  # what comes later does not matter
        judged = sbp_curves.alike(
            evidence(curve(tmp_path, "sbp", (COSTS, ours)), self.perceptron(tmp_path, theirs))
        )
        assert judged.holds is holds
        assert judged.numbers["epoch_end"] == pytest.approx(1e6)
        assert judged.numbers["difference"] == pytest.approx(max(factor, 1 / factor) - 1)

    @pytest.mark.parametrize(
        ("end", "rival", "holds"),
        [(15.0, 18.0, True), (19.95, 25.0, False), (15.0, 14.0, False)],
        ids=["improves", "stands still", "is overtaken"],
    )
    def test_sbp_goes_on_improving(self, tmp_path, end, rival, holds):
        ours = curve(tmp_path, "sbp", (COSTS, np.where(COSTS <= 2e6, 20.0, end)))
        other = self.perceptron(tmp_path, np.where(COSTS <= 2e6, 20.0, rival))
        assert sbp_curves.goes_on(evidence(ours, other)).holds is holds

    def test_runs_that_end_within_the_first_epoch(self, tmp_path):
        ours = curve(tmp_path, "sbp", falling(1e6))
        short = curve(tmp_path, "perceptron", (COSTS[:15], 20 + 0 * COSTS[:15]))
        for test in (sbp_curves.alike, sbp_curves.goes_on, sbp_curves.overfits):
            with pytest.raises(NotAttempted, match="the runs end within the first epoch"):
                test(evidence(ours, short))

    def test_sbp_that_ends_with_the_first_epoch(self, tmp_path):
        ours = curve(tmp_path, "sbp", (COSTS[:18], 20 + 0 * COSTS[:18]))
        with pytest.raises(
            NotAttempted, match=r"no cost that both reach lies after .* first epoch \(1.0e6\)"
        ):
            sbp_curves.goes_on(evidence(ours, self.perceptron(tmp_path, 20 + 0 * COSTS)))

    @pytest.mark.parametrize(("late", "holds"), [(19.0, True), (17.2, False), (14.0, False)])
    def test_overfitting(self, tmp_path, late, holds):
        noise = [
            np.where(np.arange(COSTS.size) % 2, 0.3, -0.3),
            np.where(np.arange(COSTS.size) % 2, -0.3, 0.3),
        ]
        errors = np.where(COSTS < 1e8, 17.0, late)
        judged = sbp_curves.overfits(evidence(self.perceptron(tmp_path, *(errors + n for n in noise))))
        assert judged.holds is holds and len(judged.numbers["rise"]) == 2

    def test_a_high_first_epoch_is_no_overfitting(self, tmp_path):
        errors = np.where(COSTS < 3e5, 12.0, 17.0)  # better only before the doubling in which the epoch ends
        assert not sbp_curves.overfits(evidence(self.perceptron(tmp_path, errors))).holds

    def test_too_short_after_the_epoch(self, tmp_path):
        short = curve(tmp_path, "perceptron", (COSTS[:21], 20 + 0 * COSTS[:21]))
        with pytest.raises(NotAttempted, match=r"the runs end at 1\.0e6, the first epoch at 1\.0e6"):
            sbp_curves.overfits(evidence(short))


def test_staying_below_is_not_touching(tmp_path):
    steps = curve(tmp_path, "sbp", ([10, 20, 30, 40], [9, 12, 10, 9.5])).steps[0]
    assert stays_below(steps, 10.0) == 30
    assert stays_below(steps, 12.0) == 10
    assert stays_below(steps, 9.0) == np.inf


def test_the_first_epoch_is_counted_in_iterations(tmp_path):
    trace = ([50.0, 70.0, 90.0, 200.0], [9, 9, 9, 9])
    steps = curve(tmp_path, "perceptron", trace, rows=100, iterations=[40, 99, 101, 300]).steps[0]
    assert first_epoch_end(steps, "kev_ondemand") == 70


def test_costs_are_even_in_the_logarithm():
    costs = costs_between(1e3, 1e6)
    assert costs.size == 61 and np.allclose(np.diff(np.log10(costs)), 0.05)


def test_a_converged_solver_can_be_compared_beyond_its_end(tmp_path):
    run = smo(tmp_path, np.full(COSTS.size, 15.0))
    ours = curve(tmp_path, "sbp", ([1e8, 1e11], [20, 15]))
    assert evidence().shared(run, ours)[-1] == pytest.approx(1e11)
    assert evidence().shared(run)[-1] == pytest.approx(1e9)


@pytest.mark.parametrize(
    ("verdicts", "whole"),
    [
        ([REPRODUCED, REPRODUCED], REPRODUCED),
        ([REPRODUCED, NOT_ATTEMPTED], NOT_ATTEMPTED),
        ([REPRODUCED, NOT_ATTEMPTED, DEVIATES], DEVIATES),
        ([], NOT_ATTEMPTED),
    ],
)
def test_the_whole_is_as_good_as_its_parts(verdicts, whole):
    assert combined(verdicts) == whole


def test_a_part_is_not_attempted_without_all_its_runs(tmp_path):
    part = sbp_curves.below("pegasos", "Pegasos")
    ours, theirs = curve(tmp_path, "sbp", falling(1e6)), curve(tmp_path, "pegasos", falling(1e7))
    panels = {
        "a": evidence(ours, theirs),
        "b": evidence(ours, theirs, pegasos="4 of 5 runs"),
        "c": evidence(ours),
    }
    found = findings(part, {"kev_iter": panels})
    assert [(f.panel, f.counter, f.verdict) for f in found] == [
        ("a", "kev_iter", REPRODUCED),
        ("b", "kev_iter", NOT_ATTEMPTED),
        ("c", "kev_iter", NOT_ATTEMPTED),
    ]
    assert [f.text for f in found[1:]] == ["pegasos: 4 of 5 runs", "pegasos: no runs"]
    assert [f.panel for f in findings(Part("x", "y", part.judge, ("c",)), {"kev_iter": panels})] == ["c"]
