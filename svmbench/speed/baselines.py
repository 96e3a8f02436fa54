"""Time to equal accuracy: our solver and its baselines on one problem, each fit in a separate process.

The fits alternate, so that other load affects all of them, and medians over the turns are compared. The
measure is CPU time on one thread, which is the wall time of an idle machine; the load is recorded.

The goal is the final accuracy of the baseline, whose time is that of its cheapest checkpoint that reaches it.
Our solver first makes a run with frequent checkpoints, which is not timed, to find the iteration that reaches
the goal. Since runs are reproducible, a second run to this iteration is timed. It makes hardly any
checkpoints before the end, since these would evict the solver's data from the processor's caches.
"""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from svmbench import config as configuration
from svmbench.errors import UserError
from svmbench.solvers import registry
from svmbench.speed.jobs import Job
from svmbench.speed.race import Fit, Race
from svmbench.speed.timing import stamp
from svmbench.store.trace import read_rows
from svmbench.sweep.pool import alone

#: Relative accuracies of the objective, compared with the certified optimum.
NEAR = (0.01, 0.001)

#: No limits except the baseline's result.
_UNLIMITED = ("budget.kev=null", "budget.memory=2048")
#: Our solver continues until it is as accurate, with frequent checkpoints unless the job says otherwise.
_OURS = (*_UNLIMITED, "observe.points=20")
#: The timed run has hardly any checkpoint before its end.
_UNSEEN = "observe.points=1"

#: Overrides of the run that certifies the optimum of a linear problem by its dual point.
_BOUND = ("solver=dcd", "solver.eps=1e-8", "budget.gap=1e-5", "budget.seconds=120", "budget.kev=null")

#: A tolerance with which our solver does not end before it is as accurate as the most accurate baseline. Near
#: the end, an iteration of `decomposition` reduces the gap to a tenth, and on covertype one such iteration
#: takes longer than all before it, so there is a checkpoint after each.
_TIGHT = "solver.eps=1e-8"
_CLOSE = "observe.points=100"

Row = dict[str, Any]


def measure(name: str, job: Job, solver: str, repeats: int, say: Callable[[str], None]) -> list[Race]:
    """Compare our solver with all installed baselines of a job.

    Parameters
    ----------
    name : str
        Name of the job.
    job : Job
        The job; its goal is one of those that fits reach (all but ``prediction``).
    solver : str
        Our solver, if the job does not name one.
    repeats : int
        Number of fits of each.
    say : callable
        Receives a line per fit, and per baseline that is not installed.

    Raises
    ------
    UserError
        If a fit fails, or no baseline is installed, with the reason.
    """
    problem = job.problem
    ours = (*_OURS, *(job.ours or (f"solver={solver}", *_tight(solver), _CLOSE)))
    configuration.resolve([*problem, *ours])  # reports bad input before anything is timed
    present = _present(job, say)
    bound = _bound(problem, say) if job.goal == "objective" else None
    theirs: list[list[_Run]] = [[] for _ in present]
    own: list[dict[_Goal, _Timed]] = []
    for turn in range(repeats):
        where = f"{name}, turn {turn + 1} of {repeats}"
        for runs, baseline in zip(theirs, present):
            say(f"{where}: {' '.join(baseline)}")
            runs.append(_run((*problem, *baseline, *_UNLIMITED)))
        if turn == 0:
            last = [runs[0].rows[-1] for runs in theirs]
            goals = [_goals(job, row, bound) for row in last]
        say(f"{where}: {called(ours)}")
        seeded = (*problem, *ours, f"seed={turn}")
        own.append(_timed(seeded, turn, _stop(job, last), {goal for each in goals for goal in each}))
    return [
        Race(
            job=name,
            baseline=called(baseline),
            release=str(registry.get(_words(baseline)["solver"]).release()),
            ours=called(ours),
            goal=goal.words,
            baseline_fits=tuple(run.fit(turn, goal.reached(run.rows)) for turn, run in enumerate(runs)),
            our_fits=tuple(timed[goal].fit for timed in own),
            warm_ups=tuple(timed[goal].warm_up for timed in own),
        )
        for baseline, runs, each in zip(present, theirs, goals)
        for goal in each
    ]


def _present(job: Job, say: Callable[[str], None]) -> list[tuple[str, ...]]:
    """Return the baselines of a job that are installed."""
    present, absent = [], []
    for baseline in job.baselines:
        try:
            registry.get(configuration.resolve([*job.problem, *baseline]).solver.name).release()
            present.append(baseline)
        except UserError as error:
            absent.append(error)
    if not present:
        raise absent[0]
    for reason in absent:
        say(f"left out: {reason}")
    return present


def _tight(solver: str) -> tuple[str, ...]:
    """Return the overrides that keep a solver from ending early by its own tolerance."""
    keys = configuration.resolve([f"solver={solver}"]).solver.parameters
    return (_TIGHT,) if "eps" in keys else ()


@dataclasses.dataclass(frozen=True)
class _Run:
    """Checkpoints of one run, the time at which it began, and the load at that time."""

    rows: list[Row]
    begun: str
    load: float

    def fit(self, turn: int, row: Row | None) -> Fit:
        """Return the record of the run, given the checkpoint that reached the goal."""
        if row is None:
            return Fit(turn, None, None, None, None, self.begun, self.load)
        times = row["cpu_seconds"], row["wall_seconds"], row["test_error"]
        return Fit(turn, int(row["iterations"]), *times, self.begun, self.load)


@dataclasses.dataclass(frozen=True)
class _Goal:
    """A column of the trace and the value at which it is reached."""

    words: str
    column: str
    value: float

    def reached(self, rows: list[Row]) -> Row | None:
        """Return the cheapest checkpoint that reaches the goal, or None."""
        good = [row for row in rows if row[self.column] is not None and row[self.column] <= self.value]
        return min(good, key=lambda row: row["cpu_seconds"], default=None)


def _goals(job: Job, last: Row, bound: float | None) -> list[_Goal]:
    """Return the goals, given the last checkpoint of the baseline."""
    if job.goal == "gap":
        return [_Goal(f"gap {last['relative_gap']:.1e}", "relative_gap", last["relative_gap"])]
    if job.goal == "test_error":
        error = last["test_error"] + job.margin
        return [_Goal(f"test error {100 * error:.2f} %", "test_error", error)]
    if bound is None:
        raise ValueError("an objective is compared with a bound")
    return [_Goal(f"within {100 * part:g} %", "primal_objective", bound * (1.0 + part)) for part in NEAR]


def _stop(job: Job, reached: list[Row]) -> tuple[str, ...]:
    """Return the overrides that end our solver when it is as accurate as the best baseline."""
    if job.goal == "gap":
        return (f"budget.gap={min(row['relative_gap'] for row in reached)!r}",)
    if job.goal == "test_error":
        error = min(row["test_error"] for row in reached) + job.margin
        return (f"budget.test_error={error!r}", "budget.seconds=120")
    return ()


def _bound(problem: Sequence[str], say: Callable[[str], None]) -> float:
    """Return a certified lower bound of the optimal objective of a linear problem."""
    say(f"the optimum of {' '.join(problem)}")
    return max(row["dual_objective"] for row in _run((*problem, *_BOUND)).rows)


def _run(overrides: Sequence[str]) -> _Run:
    """Make one run in a separate process and keep only its checkpoints."""
    with tempfile.TemporaryDirectory() as folder:
        config = configuration.resolve([*overrides, f"results='{folder}'"])
        begun, load = stamp()
        end = alone(config, Path(folder))
        if end["state"] != "done":
            raise UserError(f"{config.solver.name} has no time: {end['reason']}")
        return _Run(read_rows(Path(folder, "runs", str(end["run"]), "trace.csv")), begun, load)


class _Timed(NamedTuple):
    """Our fit to a goal, and the earlier run that determined its length."""

    fit: Fit
    warm_up: Fit


def _timed(
    overrides: Sequence[str], turn: int, stop: Sequence[str], goals: Iterable[_Goal]
) -> dict[_Goal, _Timed]:
    """Return our fit to each goal.

    A first run with frequent checkpoints, which is not timed, determines the iteration that reaches each
    goal. The same iterations are then repeated with hardly any checkpoint in between, and timed.
    """
    first = _run((*overrides, *stop))
    reached = {goal: goal.reached(first.rows) for goal in goals}
    numbers = sorted({int(row["iterations"]) for row in reached.values() if row is not None})
    runs = {number: _run((*overrides, _UNSEEN, f"budget.iterations={number}")) for number in numbers}
    found = {}
    for goal, row in reached.items():
        again = None if row is None else runs[int(row["iterations"])]
        fit = first.fit(turn, None) if again is None else again.fit(turn, again.rows[-1])
        found[goal] = _Timed(fit, first.fit(turn, row))
    return found


def called(overrides: Sequence[str]) -> str:
    """Return the name of a solver, followed by its precision if that is given."""
    words = _words(overrides)
    precision = words.get("solver.precision")
    return words["solver"] + (f" {precision}" if precision else "")


def _words(overrides: Sequence[str]) -> dict[str, str]:
    return dict(each.split("=", 1) for each in overrides)
