"""What the figures of a page show: the checkpoints of runs, problem by problem, in few characters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from svmbench.analysis.costs import Key, in_order, method_names, method_of, problem_names, problem_of
from svmbench.report.series import COUNTERS, METRICS
from svmbench.report.style import looks
from svmbench.store import SETTLED, StoredRun

#: What the axes can show, where a run has it.
COSTS = tuple(sorted(COUNTERS, key=lambda name: not name.startswith("kev_")))
VALUES = (
    *("test_error", "validation_error", "train_error", "primal_objective", "relative_gap"),
    *("support_vectors", "norm"),
)
_COLUMNS = (*COSTS, *VALUES)

#: Checkpoints of a run that are kept where the page would be too large with all of them.
FEWER = (None, 30, 20, 12, 8, 5, 3)


def figures(runs: Sequence[StoredRun], kept: int | None = None) -> list[dict[str, Any]]:
    """Return a figure for each problem.

    Parameters
    ----------
    runs : sequence of StoredRun
        Those without a checkpoint are left out.
    kept : int or None
        Most checkpoints of a run, None for all of them.

    Returns
    -------
    list of dict
        title, cost (what most budgets count), methods (name, colour, dash), columns (name -> label, factor),
        runs (name, method, seed, settled, and the values of each column at its checkpoints, None where
        unknown).
    """
    grouped: dict[Key, list[StoredRun]] = {}
    for run in runs:
        if run.facts["last"]:
            grouped.setdefault(problem_of(run), []).append(run)
    names = problem_names(grouped)
    order = sorted(grouped, key=lambda problem: in_order(names[problem]))
    return [_figure(names[problem], grouped[problem], kept) for problem in order]


def _figure(title: str, runs: Sequence[StoredRun], kept: int | None) -> dict[str, Any]:
    keys = {run.id: method_of(run) for run in runs}
    named = method_names({keys[run.id]: run.title for run in runs})
    solvers = {named[keys[run.id]]: run.solver for run in runs}
    labels = sorted(solvers)
    style = looks((label, solvers[label]) for label in labels)
    drawn = [_run(run, labels.index(named[keys[run.id]]), kept) for run in runs]
    present = [name for name in _COLUMNS if any(name in one["values"] for one in drawn)]
    counted = Counter(run.config.budget.counter for run in runs)
    return {
        "title": title,
        "cost": max(present, key=lambda name: counted[name]),
        "methods": [
            {
                "name": label,
                "colour": style[label].colour,
                "dash": [] if style[label].line == "-" else list(style[label].line[1]),
            }
            for label in labels
        ],
        "columns": {name: list(METRICS[name]) for name in present},
        "runs": drawn,
    }


def _run(run: StoredRun, method: int, kept: int | None) -> dict[str, Any]:
    rows = run.rows()
    if kept is not None and len(rows) > kept:
        rows = [rows[index] for index in np.unique(np.linspace(0, len(rows) - 1, kept).round().astype(int))]
    columns = {name: [_short(row.get(name)) for row in rows] for name in _COLUMNS}
    known = {name: values for name, values in columns.items() if any(v is not None for v in values)}
    return {
        "name": run.id,
        "method": method,
        "seed": run.seed,
        "settled": run.status in SETTLED,
        "values": known,
    }


def _short(value: Any) -> float | int | None:
    """Return a number with five digits; None for what is unknown or no number of JSON."""
    if value is None or not np.isfinite(value):
        return None
    number = float(f"{float(value):.5g}")
    return int(number) if number.is_integer() else number
