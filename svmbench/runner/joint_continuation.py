"""Continue a stopped run of several binary problems from what it has kept of them.

Binary problems that were already solved are not solved again. The one that was being solved continues from
its stored state, like a run on two classes (`svmbench.runner.continuation`); without one it starts over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from svmbench.errors import UserError
from svmbench.run_config import RunConfig
from svmbench.runner import prepare
from svmbench.runner.continuation import Beginning, by_cache
from svmbench.solvers import registry
from svmbench.solvers.base import Solver
from svmbench.store import RunWriter, Store
from svmbench.store.identity import Identity, run_id
from svmbench.store.kept_problems import KeptProblem, kept_problems


@dataclass(frozen=True)
class Kept:
    """What a stopped run has kept of its binary problems.

    Attributes
    ----------
    run : str
        Id of the run.
    problems : mapping of int to KeptProblem
        By number, from 1.
    """

    run: str = ""
    problems: Mapping[int, KeptProblem] = field(default_factory=dict)

    @property
    def solved(self) -> int:
        """Number of the problems that have ended."""
        return sum(one.end is not None for one in self.problems.values())

    @property
    def about(self) -> dict[str, str | int]:
        """What the continuing run stores of it."""
        iterations = sum(one.iterations for one in self.problems.values())
        return {"run": self.run, "iterations": iterations, "problems": self.solved}

    def put(self, writer: RunWriter) -> None:
        """Store all in the folder of the continuing run."""
        for one in self.problems.values():
            writer.put_problem(one)

    def ended(self, number: int) -> KeptProblem | None:
        """Return a problem that has ended, or None."""
        kept = self.problems.get(number)
        return None if kept is None or kept.end is None else kept

    def beginning(self, number: int, config: RunConfig, solver: type[Solver], n: int) -> Beginning | None:
        """Return where a problem of n examples goes on that has not ended; None: at its first iteration."""
        kept = self.problems.get(number)
        if kept is None or kept.state is None:
            return None
        counter = config.budget.counter
        first = prepare.first_checkpoint(solver, counter, n)
        return Beginning(self.run, kept.state, kept.rows, first, config.observe, counter)


def kept_before(config: RunConfig, same: Identity, store: Store, say: Callable[[str], None]) -> Kept | None:
    """Return what the run of an identity has kept, or None.

    Parameters
    ----------
    config : RunConfig
        Its configuration.
    same : dict
        Its identity.
    store : Store
        Holds the stopped run.
    say : callable
        Receives which problem is solved again because what was kept of it is damaged.
    """
    if config.force:
        return None

    def unusable(path: Path, error: UserError) -> None:
        say(f"binary problem {path.stem} is solved again: {error}")

    run = run_id(same)
    found = kept_problems(store.root, run, unusable)
    ended_only = by_cache(config.budget.counter, registry.get(config.solver.name))
    usable = {number: one for number, one in found.items() if one.end is not None or not ended_only}
    return Kept(run, usable) if usable else None
