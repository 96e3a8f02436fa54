"""Time to the same result: our solver and its rivals on one problem, each fit in a process of its own.

The fits take turns, so that a busy machine is busy for all of them, and medians over the turns count. What is
compared is CPU time on one thread, the wall time of an idle machine; the load is recorded. What the rival has
reached in the end decides: its time is that of its cheapest checkpoint that is at least as good. Ours is that
of a fit to the iteration at which a run before, with checkpoints close together and not timed, was as good:
runs repeat themselves exactly, and an observer between two checkpoints empties the caches of the processor.
"""

from __future__ import annotations

import dataclasses
import math
import os
import statistics
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from svmbench import config as configuration
from svmbench.errors import UserError
from svmbench.run.spawn import run_in_process
from svmbench.solvers import registry
from svmbench.speed.jobs import Job
from svmbench.store.trace import read_rows

#: Parts of the certified optimum within which an objective counts as reached.
NEAR = (0.01, 0.001)

#: No limits but the rival's result.
_RIVAL = ("budget.kev=null", "budget.memory=2048")
#: Our solver goes on until it is as good, checkpoints close together unless the job says otherwise.
_OURS = (*_RIVAL, "observe.points=20")
#: Then it does so again, for its time, and is looked at in the end.
_UNSEEN = "observe.points=1"

#: What certifies the optimum of a linear problem, by its dual point.
_BOUND = ("solver=dcd", "solver.eps=1e-8", "budget.gap=1e-5", "budget.seconds=120", "budget.kev=null")

#: A tolerance that does not end our solver before it is as good as the tightest rival.
_TIGHT = "solver.eps=1e-8"

HEADER = ("job", "rival", "reached", "rival s", "ours", "ours s", "ratio", "test errors", "load")

Row = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Race:
    """One rival against our solver.

    Attributes
    ----------
    job, rival, ours : str
        Their names.
    release : str
        Versions of the rival's adapter and program.
    goal : str
        What both reached, in words.
    rival_seconds, our_seconds : float or None
        Median CPU time of training to the goal; None where it was not reached.
    rival_wall, our_wall : float or None
        The same of wall time.
    rival_error, our_error : float or None
        Test error there, a fraction.
    load : float
        Greatest one-minute load average at the start of a fit.
    repeats : int
        Fits of each.
    """

    job: str
    rival: str
    release: str
    ours: str
    goal: str
    rival_seconds: float | None
    our_seconds: float | None
    rival_wall: float | None
    our_wall: float | None
    rival_error: float | None
    our_error: float | None
    load: float
    repeats: int

    @property
    def ratio(self) -> float | None:
        """How many times as long the rival takes."""
        if self.rival_seconds is None or self.our_seconds is None:
            return None
        return self.rival_seconds / max(self.our_seconds, 1e-9)

    def line(self) -> tuple[object, ...]:
        """Return the cells of `HEADER`."""
        both = (self.rival_error, self.our_error)
        errors = " / ".join("–" if error is None else f"{100 * error:.2f}" for error in both)
        return (
            *(self.job, self.rival, self.goal, self.rival_seconds, self.ours, self.our_seconds),
            *(self.ratio, errors, self.load),
        )


def measure(name: str, job: Job, solver: str, repeats: int, say: Callable[[str], None]) -> list[Race]:
    """Hold our solver against every rival of a job that is installed.

    Parameters
    ----------
    name : str
        Of the job.
    job : Job
        What is solved, for a goal that fits reach.
    solver : str
        Ours, where the job does not say.
    repeats : int
        Fits of each.
    say : callable
        Receives a line for each fit, and for each rival that is not installed.

    Raises
    ------
    UserError
        If a fit cannot be made, or no rival is installed, with the reason.
    """
    problem = job.problem
    ours = (*_OURS, *(job.ours or (f"solver={solver}", *_tight(solver))))
    configuration.resolve([*problem, *ours])  # bad input is told before anything is timed
    present = _present(job, say)
    bound = _bound(problem, say) if job.goal == "objective" else None
    rivals: list[list[_Fit]] = [[] for _ in present]
    own: list[dict[_Goal, _Fit | None]] = []
    for turn in range(repeats):
        where = f"{name}, turn {turn + 1} of {repeats}"
        for fits, rival in zip(rivals, present):
            say(f"{where}: {' '.join(rival)}")
            fits.append(_fit((*problem, *rival, *_RIVAL)))
        if turn == 0:
            last = [fits[0].rows[-1] for fits in rivals]
            goals = [_goals(job, row, bound) for row in last]
        say(f"{where}: {called(ours)}")
        seeded = (*problem, *ours, f"seed={turn}")
        own.append(_timed(seeded, _stop(job, last), {goal for each in goals for goal in each}))
    return [
        _race(name, rival, ours, goal, fits, [timed[goal] for timed in own])
        for rival, fits, each in zip(present, rivals, goals)
        for goal in each
    ]


def _present(job: Job, say: Callable[[str], None]) -> list[tuple[str, ...]]:
    """Return the rivals of a job that are installed."""
    present, absent = [], []
    for rival in job.rivals:
        try:
            registry.get(configuration.resolve([*job.problem, *rival])["solver"]["name"]).release()
            present.append(rival)
        except UserError as error:
            absent.append(error)
    if not present:
        raise absent[0]
    for reason in absent:
        say(f"left out: {reason}")
    return present


def _tight(solver: str) -> tuple[str, ...]:
    """Return the overrides that keep a solver with a tolerance of its own going."""
    keys = configuration.resolve([f"solver={solver}"])["solver"]
    return (_TIGHT,) if "eps" in keys else ()


@dataclasses.dataclass(frozen=True)
class _Fit:
    """The checkpoints of one run, and the load when it began."""

    rows: list[Row]
    load: float


@dataclasses.dataclass(frozen=True)
class _Goal:
    """A column of the trace and the value at which it is reached."""

    words: str
    column: str
    value: float

    def reached(self, rows: list[Row]) -> Row | None:
        """Return the cheapest checkpoint that is as good, or None."""
        good = [row for row in rows if row[self.column] is not None and row[self.column] <= self.value]
        return min(good, key=lambda row: row["cpu_seconds"], default=None)


def _goals(job: Job, last: Row, bound: float | None) -> list[_Goal]:
    """Return what counts as reached, given the last checkpoint of the rival."""
    if job.goal == "gap":
        return [_Goal(f"gap {last['relative_gap']:.1e}", "relative_gap", last["relative_gap"])]
    if job.goal == "test_error":
        error = last["test_error"] + job.margin
        return [_Goal(f"test error {100 * error:.2f} %", "test_error", error)]
    if bound is None:
        raise ValueError("an objective is held against a bound")
    return [_Goal(f"within {100 * part:g} %", "primal_objective", bound * (1.0 + part)) for part in NEAR]


def _stop(job: Job, reached: list[Row]) -> tuple[str, ...]:
    """Return the overrides that end our solver where it is as good as the best rival."""
    if job.goal == "gap":
        return (f"budget.gap={min(row['relative_gap'] for row in reached)!r}",)
    if job.goal == "test_error":
        error = min(row["test_error"] for row in reached) + job.margin
        return (f"budget.test_error={error!r}", "budget.seconds=120")
    return ()


def _bound(problem: Sequence[str], say: Callable[[str], None]) -> float:
    """Return a certified lower bound of the optimal objective of a linear problem."""
    say(f"the optimum of {' '.join(problem)}")
    return max(row["dual_objective"] for row in _fit((*problem, *_BOUND)).rows)


def _fit(overrides: Sequence[str]) -> _Fit:
    """Make one run in a process of its own and forget all but its checkpoints."""
    with tempfile.TemporaryDirectory() as folder:
        config = configuration.resolve([*overrides, f"results='{folder}'"])
        load = os.getloadavg()[0]
        outcome, interrupted = run_in_process(config, Path(folder) / "log.txt")
        if interrupted:
            raise KeyboardInterrupt
        if outcome["state"] != "done":
            raise UserError(f"{config['solver']['name']} has no time: {outcome['reason']}")
        return _Fit(read_rows(Path(outcome["path"]) / "trace.csv"), load)


def _timed(overrides: Sequence[str], stop: Sequence[str], goals: Iterable[_Goal]) -> dict[_Goal, _Fit | None]:
    """Return a fit of ours to each goal, None where it is not reached.

    A first run, not timed, is observed often and tells at which iteration a goal is reached; the same
    iterations are then made again, with hardly a look in between.
    """
    rows = _fit((*overrides, *stop)).rows
    firsts = {goal: goal.reached(rows) for goal in goals}
    numbers = {int(row["iterations"]) for row in firsts.values() if row is not None}
    fits = {number: _fit((*overrides, _UNSEEN, f"budget.iterations={number}")) for number in sorted(numbers)}
    return {goal: None if row is None else fits[int(row["iterations"])] for goal, row in firsts.items()}


def _race(
    name: str,
    rival: Sequence[str],
    ours: Sequence[str],
    goal: _Goal,
    fits: list[_Fit],
    own: list[_Fit | None],
) -> Race:
    theirs = [goal.reached(fit.rows) for fit in fits]
    mine = [None if fit is None else fit.rows[-1] for fit in own]
    return Race(
        job=name,
        rival=called(rival),
        release=str(registry.get(_words(rival)["solver"]).release()),
        ours=called(ours),
        goal=goal.words,
        rival_seconds=_median(theirs, "cpu_seconds"),
        our_seconds=_median(mine, "cpu_seconds"),
        rival_wall=_median(theirs, "wall_seconds"),
        our_wall=_median(mine, "wall_seconds"),
        rival_error=_median(theirs, "test_error"),
        our_error=_median(mine, "test_error"),
        load=max(fit.load for fit in (*fits, *own) if fit is not None),
        repeats=len(own),
    )


def called(overrides: Sequence[str]) -> str:
    """Return the name of a solver, with its precision where that is said."""
    words = _words(overrides)
    precision = words.get("solver.precision")
    return words["solver"] + (f" {precision}" if precision else "")


def _words(overrides: Sequence[str]) -> dict[str, str]:
    return dict(each.split("=", 1) for each in overrides)


def _median(rows: Sequence[Row | None], column: str) -> float | None:
    """Return the median of a column; a fit that does not reach its goal counts as infinite."""
    values = [math.inf if row is None or row[column] is None else float(row[column]) for row in rows]
    middle = statistics.median(values)
    return middle if math.isfinite(middle) else None
