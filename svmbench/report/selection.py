"""Which stored runs make which curves: panels by data set, curves by solver and parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from svmbench.errors import UserError, nearest
from svmbench.report.series import COUNTERS, METRICS, OPTIMUM_COLUMNS, Curve, Steps, optimum_of, steps_of
from svmbench.store import StoredRun

#: Solvers that stand first in a legend, in this order: those of the figures that came first.
_FIRST = ("sbp", "pegasos", "sdca", "smo", "perceptron")

#: Groups of the configuration that decide what a curve shows; budgets only decide where it ends.
_CURVE_GROUPS = ("solver", "kernel", "features", "problem")


@dataclass(frozen=True)
class Panel:
    """The curves of one data set.

    Attributes
    ----------
    dataset : str
        Name of the data set and, where two panels share it, the parameters in which they differ.
    curves : tuple of Curve
        One for each solver and its parameters: the solvers of the SBP paper first, then by label.
    """

    dataset: str
    curves: tuple[Curve, ...]


@dataclass
class Selection:
    """What is drawn and what is not.

    Attributes
    ----------
    panels : list of Panel
        One per data set.
    left_out : list of (str, str)
        Run and reason.
    """

    panels: list[Panel] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)

    @property
    def runs(self) -> list[StoredRun]:
        """The runs that are drawn."""
        return [s.run for panel in self.panels for curve in panel.curves for s in curve.steps]


def check_axes(counter: str, metric: str) -> None:
    """Raise a `UserError` unless the counter and the metric can be drawn."""
    for given, allowed, what in ((counter, COUNTERS, "counter"), (metric, METRICS, "metric")):
        if given not in allowed:
            raise UserError(
                f"{what} '{given}' cannot be drawn: give one of {', '.join(allowed)}{nearest(given, allowed)}"
            )


def optimum_value(panel: Panel, metric: str) -> float | None:
    """Return the metric at the certified optimum, as its axis has it; None unless the panel has one."""
    column = OPTIMUM_COLUMNS.get(metric)
    if column is None:
        return None
    runs = (steps.run for curve in panel.curves for steps in curve.steps)
    values = {record[column] for run in runs if (record := optimum_of(run)) is not None} - {None}
    return METRICS[metric][1] * float(values.pop()) if len(values) == 1 else None


def flatten(config: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return a nested mapping as one level with dotted keys."""
    flat: dict[str, Any] = {}
    for key, value in config.items():
        if isinstance(value, Mapping):
            flat.update(flatten(value, f"{prefix}{key}."))
        else:
            flat[prefix + key] = value
    return flat


def select(runs: Iterable[StoredRun], counter: str, metric: str = "test_error") -> Selection:
    """Group stored runs into panels and curves.

    Runs that differ only in their seed make one curve. Of two runs of one curve and one seed, which differ in
    their budget, the one that went further is kept.

    Parameters
    ----------
    runs : iterable of StoredRun
        Any stored runs.
    counter, metric : str
        Keys of `COUNTERS` and `METRICS`.
    """
    check_axes(counter, metric)
    selection = Selection()
    panels: dict[tuple[Any, ...], dict[tuple[Any, ...], dict[int, Steps]]] = {}
    for run in runs:
        steps = steps_of(run, counter, metric)
        if isinstance(steps, str):
            selection.left_out.append((run.id, steps))
            continue
        seeds = panels.setdefault(_panel_key(run), {}).setdefault(_curve_key(run, counter), {})
        other = seeds.get(run.seed)
        if other is not None:
            steps, shorter = (steps, other) if steps.cost[-1] > other.cost[-1] else (other, steps)
            selection.left_out.append((shorter.run.id, f"{steps.run.id} is the same run and goes further"))
        seeds[run.seed] = steps
    names = _labels([(key, dict(key)["name"]) for key in panels])
    for key in sorted(panels, key=names.__getitem__):
        selection.panels.append(Panel(names[key], _curves(panels[key])))
    return selection


def _panel_key(run: StoredRun) -> tuple[tuple[str, Any], ...]:
    """Return what must agree for two runs to share a panel: the data set and its parameters."""
    return tuple((key, _hashable(value)) for key, value in flatten(run.config["dataset"]).items())


def _curve_key(run: StoredRun, counter: str) -> tuple[tuple[str, Any], ...]:
    """Return what must agree for two runs to differ only in their seed."""
    config: dict[str, Any] = {group: run.config.get(group, {}) for group in _CURVE_GROUPS}
    if counter == "kev_computed":
        config["budget"] = {"memory": run.config["budget"].get("memory")}
    return tuple((key, _hashable(value)) for key, value in flatten(config).items())


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _curves(groups: Mapping[tuple[Any, ...], Mapping[int, Steps]]) -> tuple[Curve, ...]:
    solver = {key: str(dict(key)["solver.name"]) for key in groups}
    labels = _labels([(key, next(iter(seeds.values())).run.title) for key, seeds in groups.items()])
    place = {name: number for number, name in enumerate(_FIRST)}
    ordered = sorted(groups, key=lambda key: (place.get(solver[key], len(place)), labels[key]))
    return tuple(
        Curve(solver[key], labels[key], tuple(groups[key][seed] for seed in sorted(groups[key])))
        for key in ordered
    )


def _labels(named: Sequence[tuple[tuple[Any, ...], str]]) -> dict[tuple[Any, ...], str]:
    """Label each key by its name and by the parameters in which keys of the same name differ."""
    labels = {}
    for key, name in named:
        settings = dict(key)
        rivals = [dict(other) for other, other_name in named if other_name == name and other != key]
        differing = [k for k in settings if any(rival.get(k) != settings[k] for rival in rivals)]
        details = ", ".join(f"{k.removeprefix('solver.')}={settings[k]}" for k in differing)
        labels[key] = f"{name} ({details})" if details else name
    return labels
