"""The training loop: advance with the clock on, observe with the clock off, until a stop rule holds."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from svmbench.run_config import BudgetConfig, ObserveConfig
from svmbench.runner.clock import Clock, grace
from svmbench.runner.end_states import NEAR, End, explained, gap_of
from svmbench.runner.memory import Allowance
from svmbench.runner.progress import Progress
from svmbench.runner.signals import Interrupt, Overdue
from svmbench.solvers.base import Run, Snapshot, Solver
from svmbench.store.state import State
from svmbench.store.trace import Row

#: Seconds of training between two checks of clock, signals and progress.
SLICE = 0.2
#: Checks of a gap that ends the run, per checkpoint.
BETWEEN = 8
#: Seconds between two stored states, in case the run is killed, and the least multiple of the time that
#: storing one takes.
KEPT_EVERY = 30.0
KEPT_COST = 50.0
#: Seconds of training after which a run without limits says that it has none.
LONG = 10.0
#: Factors of the tolerance of an exact method whose gap is too large.
_LEAST_CUT, _LARGEST_CUT = 0.01, 0.1
_HOLDS = "the solver's stopping rule holds"
_STALLED = "no further progress is possible in floating point"
_UNLIMITED = (
    "no limit is set: the run ends when the solver's own rule holds; Ctrl-C ends it and stores what it has, "
    "budget.seconds=60 or budget.gap=1e-3 would end it earlier"
)


def next_mark(observe: ObserveConfig, first: int, value: int, parts: int = 1) -> int:
    """Return the value of the counter at which the next checkpoint is due.

    Marks are multiples of ``observe.every``, or else the integers nearest to 10^(k/``observe.points``).

    Parameters
    ----------
    observe : ObserveConfig
        How far apart marks are.
    first : int
        The least mark.
    value : int
        The next mark is greater.
    parts : int, default 1
        Parts into which the distance of two marks is divided.
    """
    least = max(first, value + 1)
    if observe.every is not None:
        step = max(1, observe.every // parts)
        return -(-least // step) * step
    points = parts * observe.points
    # One step early: a value just below the least may round to it.
    k = max(0, math.ceil(points * math.log10(least)) - 1)
    while True:
        mark: int = round(10.0 ** (k / points))
        if mark >= least:
            return mark
        k += 1


@dataclass(frozen=True)
class LoopSpec:
    """Rules of the loop.

    Attributes
    ----------
    budget : BudgetConfig
        Limits.
    first : int
        Value of the budget's counter at the first checkpoint.
    observe : ObserveConfig
        How far apart checkpoints are by that counter; without ``train``, the last one is like the others.
    solver : type of Solver
        The method. Where each iteration is a fit from scratch, each is a checkpoint with its own time.
    """

    budget: BudgetConfig
    first: int
    observe: ObserveConfig
    solver: type[Solver]


@dataclass(frozen=True)
class Surroundings:
    """Callbacks and outside limits of a run.

    Attributes
    ----------
    observe : callable
        Maps a snapshot, and whether it is the method's last, to a row without counters and clocks.
    checkpoint : callable
        Stores a row.
    interrupt : Interrupt
        Checked between slices.
    progress : Progress
        Notified after each slice and checkpoint.
    keep : callable or None
        Stores the state of a run that can be continued, regularly and when a limit or signal ends it.
    allowance : Allowance or None
        Memory that the process may take; None: unlimited.
    marked : callable
        Maps the seconds trained so far to a context manager that is entered while the run trains.
    answer : callable
        Maps a snapshot to the one that is observed and stored. Default: the identity.
    promising : callable or None
        Maps a snapshot to whether it may reach the gap that ends the run, at little cost. Called `BETWEEN`
        times per checkpoint, and when stale responses have been brought up to date; if true, a checkpoint
        decides.
    """

    observe: Callable[[Snapshot, bool], Row]
    checkpoint: Callable[[Row], None]
    interrupt: Interrupt
    progress: Progress
    keep: Callable[[State], None] | None = None
    allowance: Allowance | None = None
    marked: Callable[[float], AbstractContextManager[object]] = nullcontext
    answer: Callable[[Snapshot], Snapshot] = lambda snapshot: snapshot
    promising: Callable[[Snapshot], bool] | None = None


class Loop:
    """One run from its first iteration to its end.

    Parameters
    ----------
    run : Run
        The started solver.
    counts : callable
        Returns its counters.
    spec : LoopSpec
        When checkpoints are made, and when the run ends.
    around : Surroundings
        Callbacks and outside limits.
    clock : Clock, optional
        Holds the training time before the first iteration. Default: a new clock.
    due : bool, default False
        Whether a checkpoint is due before the first iteration, since a signal had left no time for it.

    Attributes
    ----------
    row : dict or None
        The last checkpoint.
    seen : (Snapshot, int) or None
        The snapshot and iteration of the last checkpoint.
    """

    def __init__(
        self,
        run: Run,
        counts: Callable[[], dict[str, int | None]],
        spec: LoopSpec,
        around: Surroundings,
        clock: Clock | None = None,
        due: bool = False,
    ) -> None:
        budget = spec.budget
        self._run = run
        self.counts = counts
        self._solver = spec.solver
        self._spec = spec
        self._budget = budget
        self._around = around
        self._interrupt = around.interrupt
        self._progress = around.progress
        self._counter = budget.counter
        self._limit = None if budget.kev is None else math.ceil(budget.kev)
        self._threshold = self._mark = 0
        self._promising = around.promising
        self._asked = run.iterations
        if around.promising is not None and hasattr(run, "pauses"):
            run.pauses = True
        self._step = 1
        self._clock = clock or Clock()
        self._before = 0.0
        self._told = bool(budget.limits() or budget.targets())
        self._gap: float | None = None  # the least so far, and the time of it
        self._gap_at = 0.0
        self._kept = time.monotonic()
        self._keep_again = KEPT_EVERY
        self._torn = False
        self._tightened = False
        self._due = due
        self.row: Row | None = None
        self.seen: tuple[Snapshot, int] | None = None

    def drive(self) -> End:
        """Run to the end; all checkpoints, including the last one, are stored on return."""
        end = self._to_the_end()
        if end.status in ("budget", "timeout", "interrupted") and not self._torn:
            self._put_state()
        return end

    def _to_the_end(self) -> End:
        while True:
            end = None if self._due else self._advance_to(self._goal())
            if end is None and not self._due and not self._checks():
                continue
            self._due = False
            row = None if self._torn else self._look(self._last(end))
            if row is None:
                if end is None or not (self._torn or end.status == "interrupted"):
                    end = self._interrupted("after")
                # The state of a run that is over cannot be continued either.
                self._torn = self._torn or self._run.converged or self._run.stalled
                return end
            if not math.isfinite(row.get("primal_objective", 0.0)):
                at = row["iterations"]
                return End("diverged", f"the objective is {row['primal_objective']} after {at} iterations")
            if end is not None and (end := self._settled(end, row)) is not None:
                assert self.seen is not None
                return explained(end, row, self._solver, self.seen[0].loss)
            reached = self._budget.reached(row)
            if reached is not None:
                return End("budget", reached)

    def _settled(self, end: End, row: Row) -> End | None:
        """Return the end, None if an exact method goes on: its rule holds, but the gap is too large.

        Where the box is large, a tolerance of the optimality conditions says little about the objective.
        """
        if not self._solver.exact or end.status not in ("converged", "stalled"):
            return end
        assert self.seen is not None
        gap = gap_of(row, self.seen[0].loss)
        if gap is None and row.get("dual_source") == "solver":  # rounding may exceed the objective
            gap = math.inf
        goal = max(NEAR, self._budget.gap or 0.0)
        if gap is None or gap <= goal:
            met = gap is not None and self._tightened and end.status == "stalled"
            return End("converged", self._ended(_HOLDS)) if met else end
        if end.status == "stalled" or not hasattr(self._run, "tighten"):
            return end
        if self._run.tighten(min(_LARGEST_CUT, max(_LEAST_CUT, goal / gap))):
            self._tightened = True
            return None
        return end

    def _ended(self, reason: str) -> str:
        return f"{reason} after {self._run.iterations} iterations"

    def _last(self, end: End | None) -> bool:
        """Return whether a checkpoint at this end is the method's last, or an exact method's result."""
        settled = self._run.converged or self._run.stalled
        return settled or (self._solver.exact and end is not None and end.status != "interrupted")

    def _value(self) -> int:
        value = self.counts()[self._counter]
        assert value is not None, f"{self._counter} does not apply"
        return value

    def _goal(self) -> int:
        value, observe, first = self._value(), self._spec.observe, self._spec.first
        if self._solver.refits:
            return value + 1
        if self._threshold <= value:
            self._threshold = next_mark(observe, first, value)
        goal = self._threshold
        if self._promising is not None:
            if self._mark <= value:
                self._mark = next_mark(observe, first, value, BETWEEN)
            goal = min(goal, self._mark)
        return goal if self._limit is None else min(goal, self._limit)

    def _checks(self) -> bool:
        """Return whether to make a checkpoint at the goal that has been reached."""
        if self._promising is None or self._value() >= self._threshold:
            return True
        return self._promising(self._around.answer(self._run.snapshot()))

    def _advance_to(self, goal: int) -> End | None:
        """Train until the counter reaches the goal; return the end if a limit is reached first."""
        while True:
            end = self._over()
            value = self._value()
            if end is not None or value >= goal or self._caught_up():
                return end
            if self._solver.refits:
                self._before, self._clock = self._spent(), Clock()
            try:
                training = self._around.marked(self._spent())
                with training, self._clock, self._interrupt.cuttable(self._time_left()):
                    self._slice(goal)
            except KeyboardInterrupt as cut:
                if self._interrupt.requested is None and not isinstance(cut, Overdue):
                    raise
                if getattr(self._run, "whole", False):
                    continue
                self._torn = True
                return self._given_up()
            self._progress.doing("training", self._forecast())
            self._progress.advanced(self._counter, self._value(), self._limit, self._spent())
            if not self._told and self._spent() > LONG:
                self._told = True
                self._progress.say(_UNLIMITED)

    def _caught_up(self) -> bool:
        """Return whether the last slice brought stale responses up to date."""
        advanced = self._run.iterations != self._asked
        self._asked = self._run.iterations
        return self._promising is not None and advanced and getattr(self._run, "caught_up", False)

    def _forecast(self) -> float | None:
        """Return the estimated seconds of training until a limit ends it, None if unknown.

        The logarithm of the gap is assumed to decrease linearly in time.
        """
        budget, left = self._budget, [self._budget.left(self._costs())]
        if budget.gap is not None and self._gap is not None and 0.0 < self._gap < 1.0 > budget.gap:
            left.append(self._gap_at * math.log(budget.gap) / math.log(self._gap) - self._spent())
        known = [seconds for seconds in left if seconds is not None]
        return max(0.0, min(known)) if known else None

    def _costs(self) -> dict[str, float]:
        """Return what limits apply to, by the column of the trace."""
        costs = {"iterations": self._run.iterations, "wall_seconds": self._spent()}
        return {**costs, self._counter: self._value()}

    def _spent(self) -> float:
        """Return the wall time of all training, to which a limit in seconds applies."""
        return self._before + self._clock.wall

    def _slice(self, goal: int) -> None:
        """Advance by about `SLICE` seconds; the result does not depend on the slices.

        A slice is a number of iterations, because other counters may stand still, while a method changes
        nothing or finds all rows in the cache.
        """
        before, most = self._run.iterations, self._step
        if self._budget.iterations is not None:
            most = min(most, self._budget.iterations - before)
        started = time.perf_counter()
        self._run.advance(self._counter, goal, most)
        rate = (self._run.iterations - before) / max(time.perf_counter() - started, 1e-9)
        self._step = max(1, int(min(4.0 * self._step, self._patience() * rate)))

    def _patience(self) -> float:
        seconds = self._budget.seconds
        return SLICE if seconds is None else min(SLICE, max(0.0, seconds - self._spent()))

    def _over(self) -> End | None:
        """Return the end if a limit is reached that can be checked without a checkpoint."""
        if self._run.converged:
            return End("converged", self._ended(getattr(self._run, "reason", "") or _HOLDS))
        if self._run.stalled:
            return End("stalled", self._ended(getattr(self._run, "reason", "") or _STALLED))
        if self._interrupt.requested is not None:
            return self._interrupted("after")
        over = self._budget.ended(self._costs())
        if over is not None:
            return End("timeout" if over[0] == "seconds" else "budget", over[1])
        passed = None if self._around.allowance is None else self._around.allowance.passed()
        return None if passed is None else End("budget", passed)

    def _time_left(self) -> float | None:
        """Return the seconds after which an iteration is cut; None for fits, which `guard` limits."""
        seconds = self._budget.seconds
        if seconds is None or self._solver.refits:
            return None
        return seconds + 0.5 * grace(seconds) - self._spent()

    def _given_up(self) -> End:
        """Return the end of a run that was cut within an iteration; its last checkpoint is the result."""
        when = "within an iteration, which was given up, after"
        if self._interrupt.requested is not None:
            return self._interrupted(when)
        limit = f"budget.seconds={self._budget.seconds:g} reached"
        return End("timeout", f"{limit} {when} {self._run.iterations} iterations")

    def _interrupted(self, when: str) -> End:
        by = self._interrupt.requested
        return End("interrupted", f"interrupted by {by} {when} {self._run.iterations} iterations")

    def _look(self, last: bool) -> Row | None:
        """Make a checkpoint, unless the last one is of this iteration (a signal came in between).

        Return None if a signal leaves no time for it; then the previous one is the last.
        """
        if self.row is not None and self.row["iterations"] == self._run.iterations:
            return self.row
        try:
            with self._interrupt.cuttable():
                snapshot = self._around.answer(self._run.snapshot())
                self._progress.doing("certifying" if last and self._spec.observe.train else "checkpoint")
                row = self._around.observe(snapshot, last)
        except KeyboardInterrupt:
            if self._interrupt.requested is None:
                raise
            return None
        self.row = row
        row.update(self.counts(), wall_seconds=self._clock.wall, cpu_seconds=self._clock.cpu)
        self._around.checkpoint(row)
        self.seen = snapshot, row["iterations"]
        gap = row.get("relative_gap")
        if gap is not None and (self._gap is None or gap < self._gap):
            self._gap, self._gap_at = gap, self._spent()
        self._progress.observed(row)
        if time.monotonic() - self._kept > self._keep_again:
            self._put_state()
        return row

    def _put_state(self) -> None:
        """Store the state at this checkpoint, if the method can be continued."""
        began, keep = time.monotonic(), self._around.keep
        arrays = None if keep is None or self._solver.refits else getattr(self._run, "state", lambda: None)()
        if keep is not None and arrays is not None:
            counts = {name: count for name, count in self.counts().items() if count is not None}
            keep(State(self._run.iterations, self._clock.wall, self._clock.cpu, counts, arrays))
        self._kept = time.monotonic()
        self._keep_again = max(KEPT_EVERY, KEPT_COST * (self._kept - began))
