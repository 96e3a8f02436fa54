"""The best methods on a problem and their costs: the table above a figure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from svmbench.analysis.cell import Cell, center, mark, spread
from svmbench.analysis.costs import observe, unscaled
from svmbench.analysis.profiles import relative_targets
from svmbench.figures.series import Floats
from svmbench.store import StoredRun

#: The target is reached when this fraction of the range from the worst start to the best end remains.
REMAINING = 0.01


@dataclass(frozen=True)
class Row:
    """One method on a problem.

    Attributes
    ----------
    method : str
        Its name.
    end : tuple of float
        Median and quartiles over seeds of the last test error, in percent; only the value for one seed.
    best : bool
        Whether the method is marked as the best, or as not significantly worse; see `analysis.cell.mark`.
    cost : tuple of float
        Median and quartiles over seeds of the cost from which a run stays at or below the target; infinite if
        it ends above it.
    reached, seeds : int
        Number of seeds that end at or below the target, and of all seeds.
    """

    method: str
    end: tuple[float, ...]
    best: bool
    cost: tuple[float, ...]
    reached: int
    seeds: int


def summary(
    runs: Sequence[StoredRun], cost: str, seedless: Collection[str] = ()
) -> tuple[list[Row], float] | None:
    """Return the methods on one problem, best first, and the target of the costs as a fraction.

    The result is None if no test error is known.

    Parameters
    ----------
    runs : sequence of StoredRun
        Runs on one problem.
    cost : str
        The cost, a key of `COUNTERS`.
    seedless : collection of str
        Solvers without random choices.
    """
    observed = observe(runs, cost, "test_error")
    if not observed.steps:
        return None
    ((problem, _), *_) = observed.steps
    (target,) = relative_targets(observed, problem, [REMAINING])
    cells, costs = [], []
    for (_, method), seeds in observed.steps.items():
        values = {seed: float(steps.value[-1]) for seed, steps in seeds.items()}
        constant = observed.is_constant(method, seedless)
        cells.append(Cell(values, [steps.run for steps in seeds.values()], constant))
        costs.append(np.array(list(observed.arrivals(problem, method, target).values())))
    mark(cells, "median", timed=False)
    found = []
    for (_, method), cell, paid in zip(observed.steps, cells, costs, strict=True):
        name, reached = observed.methods[method], int(np.isfinite(paid).sum())
        found.append(Row(name, _around(cell.array), cell.best, _around(paid), reached, len(paid)))
    return sorted(found, key=lambda row: (row.end[0], row.method)), unscaled("test_error", target)


def _around(values: Floats) -> tuple[float, ...]:
    return center(values, "median"), *spread(values, "median")
