"""More budget, same run: which stored run can be continued, and from where.

A run that was ended by its budget or a signal, or was killed, is continued from its state, bit for bit as if
it had been made in one piece. Its checkpoints are taken over, but for a last one that lay between two marks
because the budget ended there. Only ``kev_computed`` and the clocks tell: the cache of kernel rows is cold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from svmbench.run_config import BudgetConfig, RunConfig
from svmbench.runner import prepare
from svmbench.runner.clock import Clock
from svmbench.runner.loop import thresholds
from svmbench.runner.observe import Observer
from svmbench.solvers.base import Solver
from svmbench.store import RunWriter, Store, StoredRun
from svmbench.store.state import State, beginnings

#: Counters of what is evaluated at a checkpoint.
_LOOKING = ("kev_observation", "kev_prediction")
#: Ends that leave a run where more budget would have taken it further.
_OPEN = ("budget", "timeout", "interrupted", "killed")


@dataclass(frozen=True)
class Beginning:
    """Where a run goes on.

    Attributes
    ----------
    run : StoredRun
        The run that was made before.
    state : State
        Its state.
    rows : list of dict
        Its checkpoints until there.
    first, points : int
        Value of the counter from which on there are checkpoints, and checkpoints per factor of ten of it.
    counter : str
        That counter.
    """

    run: StoredRun
    state: State
    rows: list[dict[str, Any]]
    first: int
    points: int
    counter: str

    @property
    def about(self) -> dict[str, Any]:
        """What is stored of it with the longer run."""
        return {"run": self.run.id, "iterations": self.state.iterations}

    def stand(
        self, run: Any, ledger: Any, observer: Observer, checkpoint: Callable[[dict[str, Any]], None]
    ) -> tuple[Clock, bool]:
        """Put a started run and its observer where these stood, and hand the checkpoints on.

        Return the clock, and whether the checkpoint of this very iteration is still to be made.
        """
        start = ledger.as_dict()[self.counter]
        rows = self._common()
        run.restore(self.state.arrays, self.state.iterations)
        observer.restore(self.state.arrays, before=len(rows) < len(self.rows))
        # What was spent on looking is that of the checkpoints taken over.
        looked = {name: rows[-1][name] if rows else 0 for name in _LOOKING}
        for name, count in self.state.counts.items():
            setattr(ledger, name, looked.get(name, count))
        for row in rows:
            checkpoint(row)
        due = self.state.counts[self.counter] >= self._mark(rows, start)
        return Clock(self.state.wall, self.state.cpu), due

    @property
    def seen(self) -> bool:
        """Whether the last checkpoint is that of the state; not where a signal left no time to make it."""
        return bool(self.rows) and self.rows[-1]["iterations"] == self.state.iterations

    def _common(self) -> list[dict[str, Any]]:
        """Return the checkpoints that one piece has made as well.

        The last one of an ended run may lie between two marks, and what it proves is made for the end of a
        run: if it is at a mark, it is made again.
        """
        return self.rows[:-1] if self.seen else self.rows

    def _mark(self, rows: list[dict[str, Any]], start: int) -> int:
        """Return the value of the counter at which one piece makes its next checkpoint."""
        before = rows[-1][self.counter] if rows else start
        return next(mark for mark in thresholds(self.points, self.first) if mark > before)


def beginning(
    config: RunConfig,
    same: Mapping[str, Any],
    solver: type[Solver],
    store: Store,
    n: int,
    say: Callable[[str], None],
) -> Beginning | None:
    """Return the furthest stored run that is the beginning of another one, or None; say which it is.

    Parameters
    ----------
    config : RunConfig
        Configuration of the requested run.
    same : mapping
        Its identity.
    solver : type
        Its solver.
    store : Store
        Where.
    n : int
        Number of training examples.
    say : callable
        Told where the run goes on, or that a stored run has no state to go on from.
    """
    budget, counter, points = config.budget, config.budget.counter, config.observe.points
    # What is really computed depends on the cache, and the folds of a cross-validation have own budgets.
    if config.force or counter == "kev_computed" or config.validate:
        return None
    first = prepare.first_checkpoint(solver, counter, n)
    found, stateless = [], None
    for run in beginnings(store.root, same):
        rows = run.rows() if run.status in _OPEN else []
        state = State.load(run) if solver.resumable and run.status in _OPEN else None
        if state is not None:
            rows = [row for row in rows if row["iterations"] <= state.iterations]
        at = rows[-1] if state is None and rows else None if state is None else state.spent
        if at is None or not _leaves(budget, at) or _reached(budget, rows):
            continue
        if state is None:
            stateless = run
            continue
        begun = Beginning(run, state, rows, first, points, counter)
        if begun.seen or run.status != "killed":  # there the checkpoint may be what is damaged
            found.append(begun)
    if not found:
        if stateless is not None:
            say(f"{stateless.id} has no stored state: starting again")
        return None
    furthest = max(found, key=lambda one: one.state.iterations)
    say(f"continuing {furthest.run.id} from {furthest.state.iterations:,} iterations")
    return furthest


def keeping(
    writer: RunWriter | None, solver: type[Solver], observer: Observer
) -> Callable[[State], None] | None:
    """Return what stores the state of a run, with its observer's; None where none is stored."""
    if writer is None or not solver.resumable:
        return None
    return lambda state: writer.put_state(state.also(observer.state()))


def _leaves(budget: BudgetConfig, at: Mapping[str, Any]) -> bool:
    """Tell whether a budget has anything left where so much is spent, a checkpoint or a state."""
    limits = (
        (budget.kev, budget.counter),
        (budget.iterations, "iterations"),
        (budget.seconds, "wall_seconds"),
    )
    return all(limit is None or at[column] < limit for limit, column in limits)


def _reached(budget: BudgetConfig, rows: list[dict[str, Any]]) -> bool:
    """Tell whether one piece would have ended at a checkpoint because a target is reached there."""
    targets = ((budget.gap, "relative_gap"), (budget.test_error, "test_error"))
    return any(
        target is not None and row[column] is not None and row[column] <= target
        for row in rows
        for target, column in targets
    )
