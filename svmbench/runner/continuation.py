"""More budget, same run: which stored run can be continued, and from where.

A run that was ended by its budget or a signal, or was killed, is continued from its state, bit for bit as if
it had been made in one piece. Its checkpoints are taken over, but for a last one that lay between two marks
because the budget ended there. Only ``kev_computed`` and the clocks tell: the cache of kernel rows is cold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from svmbench.runner import prepare
from svmbench.runner.loop import Clock, thresholds
from svmbench.runner.observe import Observer
from svmbench.solvers.base import Solver
from svmbench.store import Store, StoredRun
from svmbench.store.state import State, with_state

#: Keys of a budget that decide where a run ends and nothing else.
_ENDS = ("kev", "iterations", "seconds", "gap", "test_error")
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
        Its checkpoints that are those of the longer run as well.
    counts : mapping of str to int
        Its counters at the state.
    """

    run: StoredRun
    state: State
    rows: list[dict[str, Any]]
    counts: Mapping[str, Any]

    def told(self, say: Callable[[str], None]) -> dict[str, Any]:
        """Say where the run goes on, and return what is stored of it."""
        say(f"going on from {self.run.id} at {self.state.iterations:,} iterations")
        return {"run": self.run.id, "iterations": self.state.iterations}

    def stand(
        self, run: Any, ledger: Any, observer: Observer, checkpoint: Callable[[dict[str, Any]], None]
    ) -> Clock:
        """Put a started run and its observer where these stood, hand the checkpoints on, return the clock."""
        run.restore(self.state.arrays, self.state.iterations)
        dropped = not self.rows or self.rows[-1]["iterations"] != self.state.iterations
        observer.restore(self.state.arrays, before=dropped)
        for name in ledger.as_dict():
            if self.counts[name] is not None:
                setattr(ledger, name, self.counts[name])
        for row in self.rows:
            checkpoint(row)
        return Clock(self.state.wall, self.state.cpu)


def beginning(
    asked: Mapping[str, Any], same: Mapping[str, Any], solver: type[Solver], store: Store, n: int
) -> Beginning | None:
    """Return the furthest stored run that is the beginning of another one, or None.

    Parameters
    ----------
    asked, same : mapping
        Configuration and identity of the run that is to be made.
    solver : type
        Its solver.
    store : Store
        Where.
    n : int
        Number of training examples.
    """
    config = same["config"]
    counter = config["budget"]["counter"]
    # What is really computed depends on the cache, and the folds of a cross-validation have own budgets.
    if not solver.resumable or asked["force"] or counter == "kev_computed" or "validate" in asked:
        return None
    first = prepare.first_checkpoint(solver, counter, n)
    found = []
    wanted = _without_ends(same)
    name = f"{config['solver']['name']}-{config['dataset']['name']}-*"
    for run in with_state(store.root, name, lambda identity: _without_ends(identity) == wanted):
        state = State.load(run) if run.status in _OPEN else None
        if state is None:
            continue
        rows = _common(run, state, config, first)
        at = next((row for row in run.rows() if row["iterations"] == state.iterations), None)
        if at is not None and rows is not None and _is_open(at, state, config["budget"]):
            # What was spent on looking is that of the checkpoints taken over.
            looked = {name: rows[-1][name] if rows else 0 for name in _LOOKING if at[name] is not None}
            found.append(Beginning(run, state, rows, {**at, **looked}))
    return max(found, key=lambda one: one.state.iterations, default=None)


def _without_ends(identity: Mapping[str, Any]) -> dict[str, Any]:
    config = dict(identity["config"])
    config["budget"] = {key: value for key, value in config["budget"].items() if key not in _ENDS}
    return {**identity, "config": config}


def _is_open(at: Mapping[str, Any], state: State, budget: Mapping[str, Any]) -> bool:
    """Tell whether a budget has anything left at a checkpoint."""
    spent = {"kev": at[budget["counter"]], "iterations": state.iterations, "seconds": state.wall}
    return all(budget[key] is None or value < budget[key] for key, value in spent.items())


def _common(
    run: StoredRun, state: State, config: Mapping[str, Any], first: int
) -> list[dict[str, Any]] | None:
    """Return the checkpoints that one piece has made as well; None where it would have ended there."""
    counter, budget = config["budget"]["counter"], config["budget"]
    rows = [row for row in run.rows() if row["iterations"] <= state.iterations]
    for row in rows:
        for key, column in (("gap", "relative_gap"), ("test_error", "test_error")):
            if budget[key] is not None and row[column] is not None and row[column] <= budget[key]:
                return None
    if rows:
        marks = thresholds(config["observe"]["points"], first)
        before = rows[-2][counter] if len(rows) > 1 else -1
        mark = next(mark for mark in marks if mark > before)
        if rows[-1][counter] < mark:
            rows.pop()
    return rows
