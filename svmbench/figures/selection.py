"""Grouping of stored runs: panels by data set, curves by solver and parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from svmbench.errors import UserError, nearest
from svmbench.figures.bounds import problem_of
from svmbench.figures.series import (
    COUNTERS,
    METRICS,
    OPTIMUM_COLUMNS,
    Curve,
    Reference,
    Steps,
    keep_longer,
    optimum_of,
    steps_of,
)
from svmbench.figures.settings import dataset_title, labels, setting, written
from svmbench.run_config import flatten
from svmbench.store import StoredRun
from svmbench.store.timing import for_seconds

#: Solvers that come first in legends, in this order: those of the first figures.
_FIRST = ("sbp", "pegasos", "sdca", "smo", "perceptron")

#: Groups of the configuration that identify a curve. The budget is not among them: it only determines the
#: end.
CURVE_GROUPS = ("solver", "dataset", "kernel", "features", "problem", "subset")


@dataclass(frozen=True)
class Panel:
    """The curves of one data set, or of another setting.

    Attributes
    ----------
    name : str
        Name of the data set and, if two panels share it, the parameters in which they differ; or the settings
        of the panel.
    curves : tuple of Curve
        One per solver and parameters: the solvers of the SBP paper first, then by label.
    told : tuple of str
        Keys of the configuration contained in the name.
    """

    name: str
    curves: tuple[Curve, ...]
    told: tuple[str, ...] = ()

    @property
    def runs(self) -> list[StoredRun]:
        """All runs of the panel."""
        return [steps.run for curve in self.curves for steps in curve.steps]


@dataclass
class Selection:
    """The panels, and the runs left out.

    Attributes
    ----------
    panels : list of Panel
        One per data set, by default.
    left_out : list of (str, str)
        Run and reason.
    """

    panels: list[Panel] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)

    @property
    def runs(self) -> list[StoredRun]:
        """The runs that are drawn."""
        return [run for panel in self.panels for run in panel.runs]


def check_axes(counter: str, metric: str) -> None:
    """Raise a `UserError` unless the counter and the metric can be drawn."""
    for given, allowed, what in ((counter, COUNTERS, "cost"), (metric, METRICS, "metric")):
        if given not in allowed:
            raise UserError(
                f"{what} '{given}' cannot be drawn: give one of {', '.join(allowed)}{nearest(given, allowed)}"
            )


def nothing_to_draw(left_out: Iterable[tuple[str, str]]) -> UserError:
    """Return an error that says why none of the runs can be drawn: each reason with its runs."""
    runs: dict[str, list[str]] = {}
    for run, reason in left_out:
        runs.setdefault(reason, []).append(run)
    told = [
        f"{', '.join(named[:3])}{f' and {len(named) - 3} more' * (len(named) > 3)}: {reason}"
        for reason, named in runs.items()
    ]
    return UserError(f"there is nothing to draw ({'; '.join(told) or 'no run was given'})")


def optimum_value(panel: Panel, metric: str) -> float | None:
    """Return the metric at the certified optimum, in the units of its axis; None unless there is one."""
    column = OPTIMUM_COLUMNS.get(metric)
    if column is None:
        return None
    named = {
        (run.path.parent, name): run
        for run in panel.runs
        if (name := run.facts["about"]["optimum"]) is not None
    }
    records = [record for run in named.values() if (record := optimum_of(run)) is not None]
    values = {record[column] for record in records} - {None}
    return METRICS[metric][1] * float(values.pop()) if len(values) == 1 else None


def select(
    runs: Iterable[StoredRun],
    counter: str,
    metric: str = "test_error",
    *,
    panels_by: Sequence[str] = (),
    apart: Sequence[str] = (),
    references: Mapping[str, Reference] | None = None,
) -> Selection:
    """Group stored runs into panels and curves.

    Runs that differ only in their seed form one curve. If two runs of a curve have the same seed and
    different budgets, only the longer one is kept.

    Parameters
    ----------
    runs : iterable of StoredRun
        Any stored runs.
    counter, metric : str
        Keys of `COUNTERS` and `METRICS`.
    panels_by : sequence of str
        Keys of the configuration; each combination of their values gets a panel. Default: the data set.
    apart : sequence of str
        Further keys in which runs of one curve must agree.
    references : mapping of str to Reference, optional
        References by problem for the metrics in `series.CERTIFIED`.
    """
    check_axes(counter, metric)
    selection = Selection()
    panels: dict[tuple[Any, ...], dict[tuple[Any, ...], dict[int, Steps]]] = {}
    # Runs from the index share one configuration object apart from the seed, so each is flattened once.
    known: dict[Any, dict[int, Steps]] = {}
    by_seed = "seed" in (*panels_by, *apart)
    kept, selection.left_out = for_seconds(runs, counter, metric, lenient=True)

    def reference(run: StoredRun) -> Reference | None:
        return None if references is None else references.get(problem_of(run))

    for run in kept:
        steps = steps_of(run, counter, metric, reference(run))
        if isinstance(steps, str):
            selection.left_out.append((run.id, steps))
            continue
        place = (id(run.facts.common), run.title, run.seed if by_seed else None)
        if place not in known:
            panel = _made_of(run, panels_by) if panels_by else _panel_key(run)
            entries = _curve_key(run, counter, apart)
            curve = tuple(entry for entry in entries if entry not in panel)
            known[place] = panels.setdefault(panel, {}).setdefault(curve, {})
        keep_longer(known[place], steps, selection.left_out)
    _leave_out_disjoint(panels, selection.left_out)
    told = tuple(panels_by)
    if panels_by:
        for key in sorted(panels, key=_in_order):
            curves = _curves(panels[key])
            name = ", ".join(written(one, value) for one, value in key)
            every = {id(steps.run.facts.common): steps.run for curve in curves for steps in curve.steps}
            data = {setting(run, "dataset") for run in every.values()}
            if len(data) == 1 and data.isdisjoint(value for _, value in key):
                name = f"{data.pop()}, {name}"
            selection.panels.append(Panel(name, curves, told))
        return selection
    names = labels([(key, dataset_title({k.partition(".")[2]: v for k, v in key})) for key in panels])
    for key in sorted(panels, key=names.__getitem__):
        selection.panels.append(Panel(names[key], _curves(panels[key]), told))
    return selection


def _made_of(run: StoredRun, keys: Sequence[str]) -> tuple[tuple[str, Any], ...]:
    return tuple((key, setting(run, key)) for key in keys)


def _in_order(key: tuple[tuple[str, Any], ...]) -> list[tuple[bool, Any]]:
    return [in_order(value) for _, value in key]


def in_order(value: Any) -> tuple[bool, Any]:
    """Return the sort key of a setting: numbers by size, before words."""
    return (False, value) if isinstance(value, int | float) else (True, str(value))


def _panel_key(run: StoredRun) -> tuple[tuple[str, Any], ...]:
    """Return what all runs of a panel have in common: the data set and its parameters."""
    flat = flatten({"dataset": run.config.dataset.document()})
    return tuple((key, _hashable(value)) for key, value in sorted(flat.items()))


def _curve_key(run: StoredRun, counter: str, apart: Sequence[str]) -> tuple[tuple[str, Any], ...]:
    """Return what all runs of a curve have in common: everything but the seed."""
    config: dict[str, Any] = {group: run.document.get(group, {}) for group in CURVE_GROUPS}
    if counter == "kev_computed":
        config["budget"] = {"memory": run.config.budget.memory}
    groups = {key: _hashable(value) for key, value in flatten(config).items()}
    # Sorted, since the keys of packed runs have another order.
    return tuple(sorted({**dict(_made_of(run, apart)), **groups}.items()))


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _leave_out_disjoint(
    panels: dict[tuple[Any, ...], dict[tuple[Any, ...], dict[int, Steps]]], left_out: list[tuple[str, str]]
) -> None:
    """Remove curves in which one seed ends before the first checkpoint of another."""
    for panel, groups in list(panels.items()):
        for curve, seeds in list(groups.items()):
            line = Curve("", "", tuple(seeds.values()))
            if line.start > line.end:
                del groups[curve]
                reason = "its seeds have no cost in common: one ends before another begins"
                left_out += [(steps.run.id, reason) for steps in seeds.values()]
        if not groups:
            del panels[panel]


def _curves(groups: Mapping[tuple[Any, ...], Mapping[int, Steps]]) -> tuple[Curve, ...]:
    solver = {key: next(iter(seeds.values())).run.solver for key, seeds in groups.items()}
    place = {name: number for number, name in enumerate(_FIRST)}
    title = {key: next(iter(seeds.values())).run.title for key, seeds in groups.items()}
    named = labels(list(title.items()))
    ordered = sorted(
        groups, key=lambda key: (place.get(solver[key], len(place)), title[key], _in_order(key), named[key])
    )
    return tuple(
        Curve(solver[key], named[key], tuple(groups[key][seed] for seed in sorted(groups[key])))
        for key in ordered
    )
