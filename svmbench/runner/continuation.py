"""Continuation of stored runs with a larger budget.

A run that was ended by its budget or a signal, or was killed, is continued from its state, bit for bit as if
it had never stopped. Its checkpoints are copied, except a last one between two marks, made because the
budget ended there. Only ``kev_computed``, ``inner_products`` and the clocks differ, since the cache of
kernel rows is cold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from svmbench.run_config import ObserveConfig, RunConfig
from svmbench.runner import prepare
from svmbench.runner.clock import Clock
from svmbench.runner.loop import next_mark
from svmbench.runner.observe import Observer
from svmbench.solvers.base import Solver
from svmbench.store import Store
from svmbench.store.state import State, beginnings
from svmbench.store.trace import Row

#: Counters of the evaluations made at checkpoints.
_LOOKING = ("kev_observation", "kev_prediction")
#: Counters that are charged for a first point (`start=RUN`) before the first iteration.
_CHARGED = ("kev_ondemand", "kev_rowupdate", "kev_iter")
#: End states that more budget can continue.
_OPEN = ("budget", "timeout", "interrupted", "killed")


@dataclass(frozen=True)
class Beginning:
    """A stored run to continue.

    Attributes
    ----------
    run : str
        Id of the stored run.
    state : State
        Its state.
    rows : list of dict
        Its checkpoints up to the state.
    first : int
        Value of the counter at the first checkpoint.
    observe : ObserveConfig
        How far apart checkpoints are.
    counter : str
        The counter of the budget.
    """

    run: str
    state: State
    rows: list[Row]
    first: int
    observe: ObserveConfig
    counter: str

    @property
    def about(self) -> dict[str, str | int]:
        """What the continuing run stores of it."""
        return {"run": self.run, "iterations": self.state.iterations}

    def stand(
        self, run: Any, ledger: Any, observer: Observer, checkpoint: Callable[[Row], None]
    ) -> tuple[Clock, bool]:
        """Restore a started run and its observer, and pass on the checkpoints.

        Return the clock, and whether a checkpoint of the current iteration is due.
        """
        start = ledger.as_dict()[self.counter]
        if self.counter in _CHARGED:  # the rows of a first point, too, at which this run has not begun
            start = max(start, self.state.counts.get("kev_setup", 0))
        rows = self.common
        run.restore(self.state.arrays, self.state.iterations)
        observer.restore(self.state.arrays, before=len(rows) < len(self.rows))
        # Observation has cost what it had at the last copied checkpoint.
        looked = {name: rows[-1][name] if rows else 0 for name in _LOOKING}
        for name, count in self.state.counts.items():
            setattr(ledger, name, looked.get(name, count))
        for row in rows:
            checkpoint(row)
        due = self.state.counts[self.counter] >= self._mark(rows, start)
        return Clock(self.state.wall, self.state.cpu), due

    @property
    def seen(self) -> bool:
        """Whether the last checkpoint is of the state's iteration; a signal may leave no time for it."""
        return bool(self.rows) and self.rows[-1]["iterations"] == self.state.iterations

    @property
    def common(self) -> list[Row]:
        """Checkpoints that an uninterrupted run would have made as well.

        The last one of an ended run may lie between two marks, or hold numbers that are computed at an end
        only. If it is at a mark, it is made again.
        """
        return self.rows[:-1] if self.seen else self.rows

    def _mark(self, rows: list[Row], start: int) -> int:
        """Return the value of the counter at the next checkpoint of an uninterrupted run."""
        before = rows[-1][self.counter] if rows else start
        return next_mark(self.observe, self.first, before)


def by_cache(counter: str, solver: type[Solver]) -> bool:
    """Return whether a counter depends on the row cache, which is empty when a run is continued."""
    return counter == "kev_computed" or (counter == "inner_products" and solver.access == "kernel")


def beginning(
    config: RunConfig,
    same: Mapping[str, Any],
    solver: type[Solver],
    store: Store,
    n: int,
    say: Callable[[str], None],
) -> Beginning | None:
    """Return the furthest stored run that can be continued as the requested one, or None; say which it is.

    Parameters
    ----------
    config : RunConfig
        Configuration of the requested run.
    same : mapping
        Its identity.
    solver : type
        Its solver.
    store : Store
        Searched for runs.
    n : int
        Number of training examples.
    say : callable
        Receives which run is continued, or that a stored run has no state.
    """
    budget, counter = config.budget, config.budget.counter
    # The folds of a cross-validation have budgets of their own.
    if config.force or by_cache(counter, solver) or config.validate:
        return None
    first = prepare.first_checkpoint(solver, counter, n)
    found, stateless = [], None
    for run in beginnings(store.root, same):
        rows = run.rows() if run.status in _OPEN else []
        state = State.load(run) if solver.resumable and run.status in _OPEN else None
        if state is not None:
            rows = [row for row in rows if row["iterations"] <= state.iterations]
        at = rows[-1] if state is None and rows else None if state is None else state.spent
        if at is None or budget.ended(at) or any(map(budget.reached, rows)):
            continue
        if state is None:
            stateless = run
            continue
        begun = Beginning(run.id, state, rows, first, config.observe, counter)
        if begun.seen or run.status != "killed":  # else the checkpoint may be damaged
            found.append(begun)
    if not found:
        if stateless is not None:
            say(f"{stateless.id} has no stored state: starting again")
        return None
    furthest = max(found, key=lambda one: one.state.iterations)
    say(f"continuing {furthest.run} from {furthest.state.iterations:,} iterations")
    return furthest


def keeping(
    put_state: Callable[[State], None] | None, solver: type[Solver], observer: Observer
) -> Callable[[State], None] | None:
    """Return a function that stores the state of a run and its observer, or None if no state is stored."""
    if put_state is None or not solver.resumable:
        return None
    return lambda state: put_state(state.also(observer.state()))
