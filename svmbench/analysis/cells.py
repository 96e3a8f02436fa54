"""Tables of stored runs: a metric over seeds, by keys of rows and columns, with a test for the best."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from svmbench.analysis.arrivals import stays_below
from svmbench.analysis.cell import Cell, mark
from svmbench.analysis.costs import TARGETS, in_order, scaled
from svmbench.errors import UserError, nearest
from svmbench.figures.bounds import problem_of, references
from svmbench.figures.selection import check_axes
from svmbench.figures.series import CERTIFIED, COUNTERS, METRICS, Reference, Steps, last_value, steps_of
from svmbench.figures.settings import check_keys, setting
from svmbench.run_config import flatten, role
from svmbench.store import StoredRun
from svmbench.store.timing import SECONDS, for_seconds

#: Metrics for which smaller is better.
SMALLER = (
    *(*TARGETS, *CERTIFIED, "least_test_error", "support_vectors", "nanoseconds"),
    *(name for name in COUNTERS if name in METRICS),
)
#: Keys, and prefixes of keys, in which the runs of a cell may differ, besides keys with the role `place`.
_APART = ("seed", "threads", "observe.", "budget.")

Labels = tuple[Any, ...]


@dataclass(frozen=True)
class At:
    """Where in a run values are taken.

    Attributes
    ----------
    name : str
        A cost, the metric of a target, or ``end``.
    value : float
        Value of that cost or target in stored units: errors are fractions.
    """

    name: str = "end"
    value: float = 0.0


@dataclass
class Cells:
    """A table.

    Attributes
    ----------
    row_keys, column_keys, metrics : sequence of str
        Keys of rows and columns, and metrics.
    rows, columns : list of tuple
        Values of those keys.
    cells : dict
        (row, column, metric) -> `Cell`. Cells without a value are omitted.
    at : At
        Where values are taken.
    left_out : list of (str, str)
        Run and reason.
    """

    row_keys: Sequence[str]
    column_keys: Sequence[str]
    metrics: Sequence[str]
    at: At
    rows: list[Labels] = field(default_factory=list)
    columns: list[Labels] = field(default_factory=list)
    cells: dict[tuple[Labels, Labels, str], Cell] = field(default_factory=dict)
    left_out: list[tuple[str, str]] = field(default_factory=list)


def cells(
    runs: Iterable[StoredRun],
    rows: Sequence[str],
    columns: Sequence[str],
    metrics: Sequence[str],
    at: At,
    average: str,
    seedless: Collection[str] = (),
) -> Cells:
    """Assign runs to cells.

    Parameters
    ----------
    runs : iterable of StoredRun
        Any stored runs.
    rows, columns : sequence of str
        Keys of the configuration.
    metrics : sequence of str
        Keys of `METRICS`.
    at : At
        Where values are taken.
    average : {'mean', 'median'}
        Determines the best of a row.
    seedless : collection of str
        Solvers without random choices; one run of them stands for all seeds.

    Raises
    ------
    UserError
        For an unknown key or metric, if the runs of a cell differ in more than their seed, or if all cells
        would be empty.
    """
    runs = list(runs)
    _check(runs, rows, columns, metrics, at)
    groups: dict[tuple[Labels, Labels], list[StoredRun]] = {}
    for run in runs:
        place = tuple(setting(run, key) for key in rows), tuple(setting(run, key) for key in columns)
        groups.setdefault(place, []).append(run)
    found = Cells(rows, columns, metrics, at)
    timed = [metric for metric in metrics if {metric, at.name} & set(SECONDS)]
    kept_for_seconds, found.left_out = for_seconds(runs, *timed, at.name)
    comparable = {run.path for run in kept_for_seconds}
    known = references(runs) if set(metrics) & set(CERTIFIED) else {}
    longest = {
        (row, column): _one_for_each_seed(group, found.left_out, _named((*rows, *columns), (*row, *column)))
        for (row, column), group in groups.items()
    }
    if at.name == "end":
        _check_ends(longest, (*rows, *columns), metrics[0])
    for (row, column), kept in longest.items():
        for metric in metrics:
            cell = Cell(constant=all(_is_seedless(run, seedless) for run in kept))
            for run in kept:
                if metric in timed and run.path not in comparable:
                    continue
                value = _value(run, metric, at, known.get(problem_of(run)) if known else None)
                if isinstance(value, str):
                    found.left_out.append((run.id, value))
                else:
                    cell.values[run.seed] = value
                    cell.runs.append(run)
            if cell.runs:
                found.cells[row, column, metric] = cell
    if not found.cells:
        why = "; ".join(f"{name}: {reason}" for name, reason in found.left_out[:3])
        raise UserError(f"no cell of the table can be filled ({why or 'no runs'})")
    found.rows = _ordered(row for row, _, _ in found.cells)
    found.columns = _ordered(column for _, column, _ in found.cells)
    for row in found.rows:
        for metric in metrics:
            if metric in SMALLER:
                places = ((row, column, metric) for column in found.columns)
                here = [found.cells[place] for place in places if place in found.cells]
                mark(here, average, timed=metric in SECONDS)
    return found


def _check(
    runs: Sequence[StoredRun], rows: Sequence[str], columns: Sequence[str], metrics: Sequence[str], at: At
) -> None:
    check_keys((*rows, *columns), runs)
    for metric in metrics:
        check_axes("kev_ondemand", metric)
    places = ("end", *COUNTERS, *TARGETS)
    if at.name not in places:
        raise UserError(
            f"--at {at.name} is unknown: give one of {', '.join(places)}{nearest(at.name, places)}"
        )
    costs = [metric for metric in metrics if metric not in COUNTERS]
    if at.name in TARGETS and at.name not in COUNTERS and costs:
        raise UserError(
            f"--at {at.name} is a target, and {costs[0]} is not a cost: give --metric one of "
            f"{', '.join(name for name in COUNTERS if name in METRICS)}"
        )


def _one_for_each_seed(
    group: Sequence[StoredRun], left_out: list[tuple[str, str]], name: str
) -> list[StoredRun]:
    """Return the runs of a cell, the longest of each seed."""
    configs = [flatten(run.document) for run in group]
    differing = _differing(configs, lambda key: role(key) != "place" and not key.startswith(_APART))
    if differing:
        raise UserError(_mixed(name, group, differing))
    seeds: dict[int, StoredRun] = {}
    for run in group:
        other = seeds.get(run.seed)
        if other is not None:
            run, shorter = (run, other) if _spent(run) > _spent(other) else (other, run)
            left_out.append((shorter.id, f"{run.id} is the same run with a larger budget"))
        seeds[run.seed] = run
    return [seeds[seed] for seed in sorted(seeds)]


def _check_ends(
    longest: Mapping[tuple[Labels, Labels], Sequence[StoredRun]], keys: Sequence[str], metric: str
) -> None:
    """Refuse cells whose runs have different budgets, and suggest a cost at which all runs are known."""
    for (row, column), kept in longest.items():
        ends = _differing([flatten(run.document) for run in kept], lambda key: role(key) == "end")
        if ends:
            at = _common_cost([run for some in longest.values() for run in some], metric)
            raise UserError(
                f"{_mixed(_named(keys, (*row, *column)), kept, ends)}, or compare all runs at one cost by "
                f"--at {at}"
            )


def _common_cost(runs: Sequence[StoredRun], metric: str) -> str:
    """Return the argument ``COST=VALUE`` of the option for the greatest cost at which all runs are known."""
    asked = dict.fromkeys((runs[0].config.budget.counter, *COUNTERS))
    for counter in (name for name in asked if name not in SECONDS):
        steps = [steps_of(run, counter, metric) for run in runs]
        known = [one for one in steps if isinstance(one, Steps)]
        if len(known) == len(runs):
            last = min(one.end for one in known)
            # The value of a converged run is known beyond its end.
            return f"{counter}={last if np.isfinite(last) else max(one.cost[-1] for one in known):.6g}"
    return "COST=VALUE"


def _differing(configs: Sequence[Mapping[str, Any]], counts: Any) -> list[str]:
    keys = dict.fromkeys(key for config in configs for key in config if counts(key))
    return [key for key in keys if any(config.get(key) != configs[0].get(key) for config in configs)]


def _mixed(name: str, group: Sequence[StoredRun], keys: Sequence[str]) -> str:
    shown = ", ".join(keys[:3]) + (f" and {len(keys) - 3} more" if len(keys) > 3 else "")
    return (
        f"the {len(group)} runs of one cell ({name}) differ in {shown}: add "
        f"{'it' if len(keys) == 1 else 'these'} to --rows or --columns, or name fewer runs"
    )


def _named(keys: Sequence[str], values: Labels) -> str:
    return ", ".join(f"{key} {value}" for key, value in zip(keys, values, strict=True))


def _spent(run: StoredRun) -> tuple[float, float]:
    counter = run.config.budget.counter
    return float(run.value(counter) or 0.0), float(run.value("wall_seconds") or 0.0)


def _is_seedless(run: StoredRun, seedless: Collection[str]) -> bool:
    return run.solver in seedless and run.config.features is None and run.config.subset is None


def _value(run: StoredRun, metric: str, at: At, reference: Reference | None) -> float | str:
    """Return the value of a run, in the units of the metric's axis, or why it is unknown."""
    if at.name == "end":
        axis = run.config.budget.counter
        for counter in dict.fromkeys((axis, "iterations", "wall_seconds")):
            value = last_value(run, counter, metric, reference)
            if not isinstance(value, str):
                return value
        return value
    if at.name in COUNTERS:
        steps = steps_of(run, at.name, metric, reference)
        if isinstance(steps, str):
            return steps
        value = float(steps.at(np.array([at.value]))[0])
        return value if value == value else f"it is not known at {at.name} = {at.value:g}"
    reached = steps_of(run, metric, at.name)
    return reached if isinstance(reached, str) else stays_below(reached, scaled(at.name, at.value))[1]


def _ordered(found: Iterable[Labels]) -> list[Labels]:
    """Return distinct labels: numbers by value, others in order of appearance."""
    labels = list(dict.fromkeys(found))
    places = {label: place for place, label in enumerate(labels)}
    first: dict[Any, int] = {}
    for label in labels:
        for value in label:
            first.setdefault(value, len(first))

    def rank(label: Labels) -> list[Any]:
        return [
            (0, in_order(f"{value:.17g}")) if _is_number(value) else (1, [(float(first[value]), "")])
            for value in label
        ]

    return sorted(labels, key=lambda label: (rank(label), places[label]))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
