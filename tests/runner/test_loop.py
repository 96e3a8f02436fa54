import dataclasses
import math
from dataclasses import replace
from types import SimpleNamespace

import pytest

from svmbench.run_config import ObserveConfig
from svmbench.runner import clock as clocks
from svmbench.runner import loop as module
from svmbench.runner.loop import Loop, LoopSpec, Surroundings, next_mark
from svmbench.runner.signals import Interrupt
from svmbench.solvers import registry

from . import fakes
from .fakes import BUDGET, HandClock, ScriptedRun, Silent

CLOCKS = ("wall_seconds", "cpu_seconds")


def drive(
    run,
    first=10,
    points=10,
    every=None,
    observe=None,
    interrupt=None,
    progress=None,
    checkpoint=None,
    refits=False,
    exact=False,
    regularised=True,
    counted=True,
    certified=True,
    promising=None,
    **budget,
):
    rows = []
    seen = observe or (lambda snapshot: {"primal_objective": 1.0 / (1 + snapshot)})
    form, access = "regularised" if regularised else "none", "kernel" if counted else "data"
    solver = SimpleNamespace(refits=refits, exact=exact, form=form, access=access)
    loop = Loop(
        run,
        run.as_dict,
        LoopSpec(replace(BUDGET, **budget), first, ObserveConfig(points, every, certified), solver),
        Surroundings(
            lambda snapshot, last: {**seen(snapshot), "last": last},
            checkpoint or rows.append,
            interrupt or Interrupt(),
            progress or Silent(),
            promising=promising,
        ),
    )
    return loop.drive(), rows


def column(rows, name):
    return [row[name] for row in rows]


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still but where the script of a run sleeps."""
    clock = HandClock()
    monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(clocks, "time", clock)
    monkeypatch.setattr(fakes, "time", clock)
    return clock


def marks(first, count, points=10, every=None, parts=1):
    found = [0]
    while len(found) <= count:
        found.append(next_mark(ObserveConfig(points, every), first, found[-1], parts))
    return found[1:]


def test_marks_are_one_grid_for_all_runs():
    assert marks(100, 5, points=2) == [100, 316, 1000, 3162, 10000]
    assert marks(150, 4, points=2) == [316, 1000, 3162, 10000]
    assert marks(1, 6) == [1, 2, 3, 4, 5, 6]
    assert marks(1, 3, every=40) == [40, 80, 120] and marks(41, 2, every=40) == [80, 120]
    assert marks(1, 4, every=40, parts=8) == [5, 10, 15, 20] and marks(3, 2, every=1, parts=8) == [3, 4]
    assert next_mark(ObserveConfig(every=3), 1, 10**15) == 10**15 + 2


@pytest.mark.parametrize("points", [1, 3, 10, 64])
@pytest.mark.parametrize("first", [1, 2, 7, 999, 1000, 1001, 32561])
def test_marks_begin_at_the_first_on_the_grid(points, first):
    grid = sorted({round(10 ** (k / points)) for k in range(points * 60)})
    assert marks(first, 40, points) == [value for value in grid if value >= first][:40]


@pytest.mark.parametrize(
    ("charge", "given", "counter", "marks", "end"),
    [
        (10, {"first": 1, "every": 25, "kev": 120.0}, "kev_iter", [30, 50, 80, 100, 120], "kev=120"),
        (10, {"points": 2, "kev": 5e3}, "kev_iter", [10, 40, 100, 320, 1000, 3170, 5000], "kev=5000"),
        # Several thresholds that are passed at once are one checkpoint.
        (1000, {"first": 1000, "kev": 4e3}, "kev_iter", [1000, 2000, 3000, 4000], "kev=4000"),
        (10, {"first": 1, "points": 2, "iterations": 40}, "iterations", [1, 3, 10, 32, 40], "iterations=40"),
        # A limit in iterations is exact beside a counter.
        (10, {"points": 1, "iterations": 37, "kev": 1e6}, "kev_iter", [10, 100, 370], "iterations=37"),
    ],
)
def test_checkpoints_lie_at_the_first_iteration_past_each_mark(charge, given, counter, marks, end):
    found, rows = drive(ScriptedRun({"kev_iter": charge}), **given, counter=counter)
    assert column(rows, counter) == marks
    reason = f"budget.{end} reached" + (" by kev_iter" if end.startswith("kev") else "")
    assert (found.status, found.reason) == ("budget", reason)


def reached(snapshot):
    """What is seen of a run whose gap is small from iteration 57 on."""
    return {"primal_objective": 1.0, "relative_gap": 1e-4 if snapshot >= 57 else 0.5}


def test_a_gap_ends_a_run_between_two_checkpoints():
    late, _ = drive(ScriptedRun({"kev_iter": 10}), points=2, observe=reached, gap=1e-3)
    seen = []

    def promising(snapshot):
        seen.append(snapshot)
        return snapshot >= 57

    end, rows = drive(ScriptedRun({"kev_iter": 10}), points=2, observe=reached, promising=promising, gap=1e-3)
    assert late.reason == end.reason == "budget.gap=0.001 reached: relative_gap 0.0001"
    assert column(rows, "kev_iter") == [10, 40, 100, 320, 570]
    assert [at for at in seen if at > 32] == [37, 43, 49, 57]


def test_a_promise_that_is_not_kept_does_not_end_a_run():
    run = ScriptedRun({"kev_iter": 10})
    end, rows = drive(
        run, points=1, observe=lambda at: {}, promising=lambda at: at == 24, gap=1e-3, kev=5000.0
    )
    assert end.reason == "budget.kev=5000 reached by kev_iter"
    assert column(rows, "kev_iter") == [10, 100, 240, 1000, 5000]


class Behind(ScriptedRun):
    """A run whose responses have caught up at iteration 65, which it says where it is asked to."""

    pauses = caught_up = False

    def advance(self, counter, until, most=math.inf):
        self.caught_up = False
        if self.pauses and self.iterations < 65 <= self.iterations + most:
            super().advance(counter, until, 65 - self.iterations)
            self.caught_up = self.iterations == 65
        else:
            super().advance(counter, until, most)


def test_a_gap_ends_a_run_where_responses_have_caught_up():
    """The marks between two checkpoints are at 57 and 75 iterations."""
    asked = []

    def promising(snapshot):
        asked.append(snapshot)
        return snapshot == 65

    end, rows = drive(Behind({"kev_iter": 10}), points=1, observe=reached, promising=promising, gap=1e-3)
    assert (end.status, column(rows, "iterations")) == ("budget", [1, 10, 65])
    assert asked[-1] == 65


CONVERGED, STALLED = "the solver's stopping rule holds", "no further progress is possible in floating point"


@pytest.mark.parametrize(
    ("limit", "why", "gap", "end"),
    [
        ("converge", None, 1e-3, ("converged", f"{CONVERGED} after 15 iterations")),
        ("converge", "no violators", 1e-3, ("converged", "no violators after 15 iterations")),
        ("give_up", None, None, ("stalled", f"{STALLED} after 15 iterations")),
        (
            "give_up",
            None,
            2.5e-5,
            ("stalled", f"{STALLED} after 15 iterations, at a relative gap of 2.5e-05"),
        ),
        ("give_up", "no step", None, ("stalled", "no step after 15 iterations")),
    ],
)
def test_a_run_that_ends_by_itself_says_why_after_one_last_checkpoint(limit, why, gap, end):
    run, row = ScriptedRun({"kev_iter": 10}, **{limit: 15}), {"primal_objective": 1.0, "relative_gap": gap}
    if why is not None:
        run.reason = why
    found, rows = drive(run, points=1, kev=1e6, observe=lambda _: row)
    assert column(rows, "iterations") == [1, 10, 15]
    assert (found.status, found.reason) == end


def test_seconds_end_a_run(clock):
    end, rows = drive(ScriptedRun({"kev_iter": 10}, pause=0.002), points=1, seconds=0.05)
    assert (end.status, end.reason) == ("timeout", "budget.seconds=0.05 reached")
    assert 0.05 <= rows[-1]["wall_seconds"] < 0.1


def test_a_limit_before_an_exact_method_has_converged_is_said_with_the_gap():
    def observe(iterations):
        return {"primal_objective": 1.0, "relative_gap": 1 / iterations}

    given = {"points": 1, "observe": observe, "exact": True}
    end, _ = drive(ScriptedRun({"kev_iter": 10}), kev=5000.0, **given)
    said = "budget.kev=5000 reached by kev_iter before it converged, at a relative gap of 2.0e-03"
    assert (end.status, end.reason) == ("budget", said)
    end, _ = drive(ScriptedRun({"kev_iter": 10}), iterations=4, **(given | {"observe": None}))
    assert end.reason == "budget.iterations=4 reached before it converged"
    end, _ = drive(ScriptedRun({"kev_iter": 10}), kev=5000.0, gap=0.5, **given)
    assert end.reason == "budget.gap=0.5 reached: relative_gap 0.1"
    end, _ = drive(ScriptedRun({"kev_iter": 10}, converge=15), kev=5000.0, **given)
    far = ", by its own rule alone, at a relative gap of 6.7e-02"
    assert end.reason == "the solver's stopping rule holds after 15 iterations" + far


def test_the_look_at_the_end_of_a_method_is_told_that_it_is_the_last():
    _, rows = drive(ScriptedRun({"kev_iter": 10}, converge=15), points=1, kev=1e6)
    assert column(rows, "last") == [False, False, True]
    _, rows = drive(ScriptedRun({"kev_iter": 10}), points=1, kev=100.0)
    assert column(rows, "last") == [False, False]


@pytest.mark.parametrize("certified", [True, False])
def test_the_last_look_certifies_a_gap_only_if_there_is_one(certified):
    seen = []

    class Phases(Silent):
        def doing(self, what, left=None):
            seen.append(what)

    drive(
        ScriptedRun({"kev_iter": 10}, converge=15), points=1, progress=Phases(), certified=certified, kev=1e6
    )
    assert seen[-1] == ("certifying" if certified else "checkpoint")


def test_an_exact_method_that_converged_far_from_the_optimum_says_at_what_gap():
    def end_of(exact=True, regularised=True, counted=True, loss="hinge", **row):
        run, kind = ScriptedRun({"kev_iter": 10}, converge=15), {"exact": exact, "regularised": regularised}
        run.loss, kind["counted"] = loss, counted
        end, _ = drive(run, observe=lambda _: {"primal_objective": 1.0, **row}, kev=1e6, **kind)
        assert end.status == "converged"
        return end.reason

    plain = "the solver's stopping rule holds after 15 iterations"
    far = ", by its own rule alone, at a relative gap of 2.0e-01"
    unknown = ", by its own rule alone, with no bound that tells how far the optimum is"
    assert end_of(relative_gap=0.2, dual_source="solver") == plain + far
    assert end_of(relative_gap=0.01, dual_source="solver") == plain
    assert end_of(exact=False, relative_gap=0.2, dual_source="solver") == plain + far
    assert end_of(exact=False, relative_gap=0.2, dual_source="optimum") == plain + far
    assert end_of() == plain + unknown
    assert end_of(exact=False) == plain + unknown
    assert end_of(exact=False, counted=False) == plain  # a baseline that has tried every setting
    assert end_of(exact=False, counted=False, relative_gap=0.2, dual_source="optimum") == plain + far
    other = {"relative_gap": 0.2, "dual_source": "optimum", "native_objective": 2.0, "loss": "squared_hinge"}
    assert end_of(**other) == plain + unknown
    assert end_of(regularised=False, relative_gap=0.2, dual_source="optimum") == plain
    own = {"exact": False, "native_objective": 2.0, "loss": "squared_hinge"}
    assert " at a relative gap of 5.0e-01 in its own objective" in end_of(**own, native_bound=1.0)
    assert end_of(**own, native_bound=1.99) == plain
    assert end_of(**own, native_bound=3.0) == plain  # a method that maximises
    assert end_of(**own) == plain + unknown
    over_a_span = {"exact": False, "native_objective": 2.0, "native_bound": 1.99}
    assert end_of(**over_a_span) == plain + unknown
    assert end_of(**over_a_span, relative_gap=0.2, dual_source="optimum") == plain + far
    assert end_of(**over_a_span, relative_gap=1e-3, dual_source="optimum") == plain
    assert end_of(primal_objective=0.0) == plain


class Tolerant(ScriptedRun):
    """Converges again twice as late with each smaller tolerance, and stalls at the last."""

    def __init__(self, cuts, last="converged", **given):
        super().__init__({"kev_iter": 10}, **given)
        self.cuts, self.factors, self.last = cuts, [], last

    def tighten(self, factor):
        if len(self.factors) == self.cuts:
            return False
        self.factors.append(factor)
        self.converge *= 2
        if len(self.factors) == self.cuts and self.last == "stalled":
            self.give_up, self.converge = self.converge, 10**9
        return True


@pytest.mark.parametrize(("last", "status"), [("converged", "converged"), ("stalled", "converged")])
def test_an_exact_method_goes_on_with_a_smaller_tolerance_until_the_gap_is_small(last, status):
    run = Tolerant(3, last, converge=5)
    gaps = {1: 0.5, 5: 0.2, 10: 5e-3, 20: 2e-3, 40: 1e-3}
    end, rows = drive(
        run,
        points=1,
        observe=lambda at: {"primal_objective": 1.0, "relative_gap": gaps[at]},
        exact=True,
        kev=1e6,
    )
    assert column(rows, "iterations") == [1, 5, 10, 20, 40]
    assert run.factors == [0.01, pytest.approx(0.1), 0.1]
    assert (end.status, end.reason) == (status, "the solver's stopping rule holds after 40 iterations")


def test_an_exact_method_that_cannot_go_on_to_a_small_gap_has_stalled():
    run = Tolerant(1, "stalled", converge=5)
    end, _ = drive(
        run, points=1, observe=lambda _: {"primal_objective": 1.0, "relative_gap": 0.2}, exact=True, kev=1e6
    )
    reason = (
        "no further progress is possible in floating point after 10 iterations, at a relative gap of 2.0e-01"
    )
    assert (end.status, end.reason) == ("stalled", reason)


def test_the_gap_of_the_budget_suffices_for_convergence():
    run = Tolerant(1, converge=5)
    observe = {"observe": lambda _: {"primal_objective": 1.0, "relative_gap": 5e-3}, "exact": True}
    end, rows = drive(run, points=1, kev=1e6, gap=5e-3, **observe)
    assert (end.status, column(rows, "iterations")) == ("budget", [1])
    end, _ = drive(Tolerant(1, converge=1), points=1, kev=1e6, gap=5e-3, **observe)
    assert end.status == "converged"


def test_every_exact_solver_has_the_tolerance_that_an_end_far_from_the_optimum_names():
    for name in registry.names():
        solver = registry.get(name)
        assert not solver.exact or "eps" in {field.name for field in dataclasses.fields(solver.Params)}, name


@pytest.mark.parametrize("key", ["gap", "test_error"])
def test_a_target_ends_a_run_at_the_checkpoint_that_reaches_it(key):
    name = "relative_gap" if key == "gap" else key

    def observe(iterations):
        return {"primal_objective": 1.0, name: 1 / iterations}

    end, rows = drive(ScriptedRun({"kev_iter": 10}), points=1, observe=observe, kev=1e6, **{key: 0.05})
    assert column(rows, "iterations") == [1, 10, 100]
    assert (end.status, end.reason) == ("budget", f"budget.{key}=0.05 reached: {name} 0.01")


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_an_objective_that_is_not_finite_ends_a_run(value):
    def observe(iterations):
        return {"primal_objective": 1.0 if iterations < 10 else value}

    end, rows = drive(ScriptedRun({"kev_iter": 10}), points=1, observe=observe, kev=1e6)
    assert column(rows, "iterations") == [1, 10]
    assert (end.status, end.reason) == ("diverged", f"the objective is {value} after 10 iterations")


def test_a_signal_ends_a_run_after_a_last_checkpoint():
    interrupt = Interrupt()
    run = ScriptedRun({"kev_iter": 10}, pause=0.001)
    answer = run.snapshot

    def snapshot():
        interrupt.requested = "SIGINT" if run.iterations >= 10 else None
        return answer()

    run.snapshot = snapshot
    end, rows = drive(
        run, points=1, interrupt=interrupt, observe=lambda snapshot: {"primal_objective": 1.0}, kev=1e9
    )
    assert end.status == "interrupted" and end.reason.startswith("interrupted by SIGINT after ")
    assert rows[-1]["iterations"] == run.iterations


@pytest.mark.parametrize("counter", ["kev_rowupdate", "kev_computed", "inner_products"])
def test_a_counter_that_stands_still_does_not_hold_a_run(clock, counter):
    # All rows in the cache: kev_computed stops at n * n, and an advance to more would never return.
    run = ScriptedRun({counter: 10}, stall=20, pause=1e-4)
    end, rows = drive(run, points=1, counter=counter, kev=1e6, seconds=0.05)
    assert end.status == "timeout"
    assert column(rows, counter) == [10, 100, 200]


@pytest.mark.parametrize("budget", [{"kev": 1234.0}, {"iterations": 99}, {"iterations": 99, "kev": 1e9}])
@pytest.mark.parametrize("counter", ["kev_iter", "kev_computed", "iterations"])
def test_how_a_run_is_cut_changes_nothing(monkeypatch, counter, budget):
    def rows_and_advances(seconds):
        monkeypatch.setattr(module, "SLICE", seconds)
        run = ScriptedRun({"kev_iter": 7, "kev_computed": 3})
        end, rows = drive(run, counter=counter, **budget)
        return end, [{key: row[key] for key in row if key not in CLOCKS} for row in rows], run.advances

    *whole, few = rows_and_advances(1.0)
    *cut, many = rows_and_advances(0.0)
    assert cut == whole
    assert many > few


def test_slices_grow_until_they_take_their_time(clock):
    run = ScriptedRun({"kev_iter": 1}, pause=1e-4)
    progress = Silent()
    drive(run, first=1, points=1, progress=progress, kev=10000.0)
    values = [value for _, value, _ in progress.values]
    assert progress.values[-1] == ("kev_iter", 10000, 10000)
    # From 1000 to 10000 takes 0.9 s: a few slices, not one and not hundreds.
    assert 3 <= sum(value > 1000 for value in values) <= 60


@pytest.mark.parametrize(("budget", "said"), [({}, 1), ({"seconds": 60.0}, 0), ({"gap": 1e-9}, 0)])
def test_a_long_run_without_a_limit_says_so_once(clock, budget, said):
    for converge, times in ((90, 0), (300, said)):
        heard = Silent()
        drive(ScriptedRun({"kev_iter": 1}, pause=0.1, converge=converge), progress=heard, **budget)
        assert sum("no limit is set" in text for text in heard.said) == times == len(heard.said)


def test_looking_and_storing_are_not_timed(clock):
    run = ScriptedRun({"kev_iter": 10}, pause=0.001)

    def observe(snapshot):
        clock.work(0.5)
        return {"primal_objective": 1.0}

    rows = []

    def checkpoint(row):
        clock.work(0.25)
        rows.append(row)

    drive(run, points=3, observe=observe, checkpoint=checkpoint, kev=200.0)
    assert column(rows, "wall_seconds") == pytest.approx([0.001 * k for k in column(rows, "iterations")])
    assert column(rows, "cpu_seconds") == [0.0] * 5  # the script sleeps


def test_each_fit_from_nothing_is_a_checkpoint_with_its_own_time(clock):
    run = ScriptedRun({}, converge=9, pause=0.01)
    end, rows = drive(run, first=1, points=1, refits=True, counter="iterations", seconds=5.0)
    assert column(rows, "iterations") == list(range(1, 10))
    assert column(rows, "wall_seconds") == pytest.approx([0.01] * 9)
    assert end.status == "converged"


def test_a_limit_in_seconds_is_about_all_fits(clock):
    run = ScriptedRun({}, pause=0.02)
    end, rows = drive(run, first=1, refits=True, counter="iterations", seconds=0.05)
    assert end.status == "timeout"
    assert len(rows) == run.iterations == 3
