"""From the traces of stored runs to curves: one per solver, the median over its seeds and their spread.

A run is observed at checkpoints. Its value at a cost is that of its last checkpoint up to it (the last
observation carried forward), so a curve never shows what was not reached yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.errors import UserError, nearest
from svmbench.store import Store, StoredRun

Floats = NDArray[np.float64]

#: What can be drawn upwards: column of the trace -> (axis label, factor).
METRICS = {
    "test_error": ("test error (%)", 100.0),
    "validation_error": ("validation error (%)", 100.0),
    "train_error": ("training error (%)", 100.0),
    "primal_objective": ("primal objective", 1.0),
    "relative_gap": ("relative duality gap", 1.0),
}

#: Where the record of a certified optimum has the value of a metric.
_OPTIMUM_COLUMNS = {"test_error": "test_error", "primal_objective": "primal"}

#: What can be drawn to the right: column of the trace -> axis label. A, B, C as in docs/counting.md.
COUNTERS = {
    "kev_ondemand": "kernel evaluations, counted on demand (A)",
    "kev_rowupdate": "kernel evaluations, counted by row update (B)",
    "kev_iter": "kernel evaluations, counted per iteration (C)",
    "kev_computed": "kernel evaluations really computed",
    "inner_products": "inner products",
    "iterations": "iterations",
    "wall_seconds": "training time (wall seconds)",
    "cpu_seconds": "training time (CPU seconds)",
}

#: Solvers that stand first in a legend, in this order: those of the figures that came first.
_FIRST = ("sbp", "pegasos", "sdca", "smo", "perceptron")

#: Checkpoints of different seeds that lie nearer than this factor are one point of the common axis.
SAME_COST = 1.03

#: A checkpoint is made after the iteration that passes its mark: this little past a cost it is at the cost.
OVERSHOOT = 1.001

#: Groups of the configuration that decide what a curve shows; budgets only decide where it ends.
_CURVE_GROUPS = ("solver", "kernel", "features", "problem")


@dataclass(frozen=True)
class Steps:
    """The observations of one run: values at increasing positive costs.

    Attributes
    ----------
    run : StoredRun
        Where they come from.
    cost, value : ndarray of float64, shape (k,)
        Cost in units of the counter and value in units of the metric's axis (errors in percent).
    """

    run: StoredRun
    cost: Floats
    value: Floats

    @property
    def end(self) -> float:
        """Cost up to which the value is known: the last observation, or infinity for a converged run."""
        return np.inf if self.run.status == "converged" else float(self.cost[-1])

    def at(self, costs: Floats) -> Floats:
        """Return the value of the last observation up to each cost; NaN before the first and past `end`."""
        index = np.searchsorted(self.cost, costs * OVERSHOOT, side="right") - 1
        known = (index >= 0) & (costs <= self.end * OVERSHOOT)
        return np.where(known, self.value[np.maximum(index, 0)], np.nan)


@dataclass(frozen=True)
class Curve:
    """The runs of one solver with one set of parameters on one data set, one per seed.

    Attributes
    ----------
    solver : str
        Name of the solver.
    label : str
        The name and, where two curves of a panel share it, the parameters in which they differ.
    steps : tuple of Steps
        One per seed, ascending.
    """

    solver: str
    label: str
    steps: tuple[Steps, ...]

    @property
    def start(self) -> float:
        """Least cost at which every seed has been observed."""
        return max(float(steps.cost[0]) for steps in self.steps)

    @property
    def known_until(self) -> float:
        """Greatest cost at which every seed is known; infinite where all have converged."""
        return min(steps.end for steps in self.steps)

    @property
    def end(self) -> float:
        """The same, but the last observation where all have converged."""
        end = self.known_until
        return end if np.isfinite(end) else max(float(steps.cost[-1]) for steps in self.steps)

    @property
    def converged(self) -> bool:
        """Whether every seed ended by its own stopping rule, so that the value stays what it is."""
        return all(steps.run.status == "converged" for steps in self.steps)

    def costs(self) -> Floats:
        """Return the costs at which the seeds were observed, merged, from `start` to `end`."""
        every = np.unique(np.concatenate([steps.cost for steps in self.steps]))
        inside = every[(every >= self.start) & (every <= self.end)]
        return inside[np.append(inside[1:] > SAME_COST * inside[:-1], True)]

    def values(self, costs: Floats) -> Floats:
        """Return the values of every seed at the costs, shape (seeds, len(costs)); NaN where unknown."""
        return np.stack([steps.at(costs) for steps in self.steps])

    def median(self, costs: Floats) -> Floats:
        """Return the median over seeds at the costs; NaN unless all seeds are known there."""
        return np.asarray(np.median(self.values(costs), axis=0))


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


def steps_of(run: StoredRun, counter: str, metric: str = "test_error") -> Steps | str:
    """Return the observations of a run, or in words why there are none."""
    trace = run.trace()
    cost = trace[counter].to_numpy(dtype=np.float64, na_value=np.nan)
    value = trace[metric].to_numpy(dtype=np.float64, na_value=np.nan) * METRICS[metric][1]
    if cost.size == 0:
        return (
            f"no checkpoint was made ({run.status}: {run.reason})"
            if run.reason
            else f"no checkpoint ({run.status})"
        )
    if np.isnan(cost).all():
        return f"{counter} cannot be observed for this solver"
    if np.isnan(value).all():
        return f"{metric} was never observed"
    known = ~np.isnan(value) & (cost > 0.0)
    if not known.any():
        return f"no checkpoint lies at a positive {counter}"
    cost, value = cost[known], value[known]
    # Without what cost more than a later checkpoint: fits of a rival, each from nothing, may do so.
    last = cost < np.append(np.minimum.accumulate(cost[::-1])[::-1][1:], np.inf)
    return Steps(run, cost[last], value[last])


def optimum_of(run: StoredRun) -> dict[str, Any] | None:
    """Return the certified optimum that a run names, from the store it lies in, or None."""
    name = run.manifest.get("optimum")
    return None if name is None else Store(run.path.parent.parent).optimum(name)


def optimum_value(panel: Panel, metric: str) -> float | None:
    """Return the metric at the certified optimum, as its axis has it; None unless the panel has one."""
    column = _OPTIMUM_COLUMNS.get(metric)
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
