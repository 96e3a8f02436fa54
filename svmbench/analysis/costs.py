"""Problems, methods, and the cost from which a method stays at or below a target on a problem.

A problem consists of data set, kernel, regularisation and bias. A method is a solver with its parameters and
features. Runs of one method on one problem differ in their seed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from svmbench.analysis.arrivals import arrivals
from svmbench.errors import UserError, nearest
from svmbench.figures.series import COUNTERS, METRICS, Steps, keep_longer, steps_of
from svmbench.figures.settings import written
from svmbench.run_config import flatten
from svmbench.store import StoredRun
from svmbench.store.timing import for_seconds

#: Metrics for targets. Smaller is better, and none of them needs a certified optimum.
TARGETS = (
    *("test_error", "validation_error", "train_error", "primal_objective", "relative_gap", "mean_hinge"),
)

#: Keys of a data set's configuration that locate files but do not affect their content.
_PLACES = ("path", "test_path")

Key = tuple[tuple[str, Any], ...]


@dataclass
class Observed:
    """Runs by problem and method, with observations of one cost and one metric.

    Attributes
    ----------
    problems : dict
        Key of a problem -> its name.
    methods : dict
        Key of a method -> its name.
    solvers, titles : dict
        Key of a method -> the name of its solver, and its title in figures.
    steps : dict
        (problem, method) -> seed -> observations; values in the units of `METRICS`' axes.
    rows : dict
        Key of a problem -> number of its training examples.
    left_out : list of (str, str)
        Run and reason.
    """

    problems: dict[Key, str] = field(default_factory=dict)
    methods: dict[Key, str] = field(default_factory=dict)
    solvers: dict[Key, str] = field(default_factory=dict)
    titles: dict[Key, str] = field(default_factory=dict)
    steps: dict[tuple[Key, Key], dict[int, Steps]] = field(default_factory=dict)
    rows: dict[Key, int] = field(default_factory=dict)
    left_out: list[tuple[str, str]] = field(default_factory=list)

    def with_names_of(self, other: Observed) -> Observed:
        """Return the problems and methods of both, named unambiguously, without observations."""
        titles = self.titles | other.titles
        problems = problem_names([*self.problems, *other.problems])
        return Observed(problems, distinguished(titles), self.solvers | other.solvers, titles)

    def is_constant(self, method: Key, seedless: Collection[str]) -> bool:
        """Return whether the seed has no effect. With random features, it affects every solver."""
        return self.solvers[method] in seedless and "features.name" not in dict(method)

    def arrivals(self, problem: Key, method: Key, target: float) -> dict[int, float]:
        """Return the cost from which each seed stays at or below a target; infinite if it ends above it."""
        seeds = self.steps[problem, method]
        return dict(zip(seeds, arrivals(list(seeds.values()), target).tolist(), strict=True))


def observe(runs: Iterable[StoredRun], cost: str, metric: str) -> Observed:
    """Group runs by problem and method.

    If two runs of a method on a problem have the same seed, only the longer one is kept.

    Parameters
    ----------
    runs : iterable of StoredRun
        Any stored runs.
    cost : str
        A key of `COUNTERS`.
    metric : str
        A key of `TARGETS`.

    Raises
    ------
    UserError
        If the cost or metric is unknown.
    """
    for given, allowed, what in ((cost, COUNTERS, "cost"), (metric, TARGETS, "target")):
        if given not in allowed:
            raise UserError(
                f"{what} '{given}' is unknown: give one of {', '.join(allowed)}{nearest(given, allowed)}"
            )
    found = Observed()
    # Runs from the index share their configuration objects, so each is flattened once.
    known: dict[tuple[int, int], tuple[Key, dict[int, Steps]]] = {}
    methods: dict[Key, Key] = {}
    titles: dict[int, str] = {}  # by the id() of the method, since hashing its key for every run is slow
    kept, found.left_out = for_seconds(runs, cost)
    for run in kept:
        steps = steps_of(run, cost, metric)
        if isinstance(steps, str):
            found.left_out.append((run.id, steps))
            continue
        place = id(run.facts.common), id(run.facts["about"])
        if place not in known:
            try:
                problem, method = problem_of(run), method_of(run)
            except UserError as error:
                found.left_out.append((run.id, str(error)))
                continue
            method = methods.setdefault(method, method)
            found.problems[problem], found.solvers[method] = "", run.solver
            found.rows[problem] = int(run.facts["about"]["dataset"].get("rows", {}).get("train") or 1)
            known[place] = method, found.steps.setdefault((problem, method), {})
        method, seeds = known[place]
        titles[id(method)] = run.title
        keep_longer(seeds, steps, found.left_out)
    found.titles = {method: titles[id(method)] for method in methods}
    found.problems = problem_names(found.problems)
    found.methods = distinguished(found.titles)
    return found


def problem_of(run: StoredRun) -> Key:
    """Return the key of a run's problem; a `UserError` if the problem is not stored."""
    data = {key: value for key, value in run.config.dataset.document().items() if key not in _PLACES}
    about = run.facts["about"]
    try:
        # λ of the solved problem, since one run may be given C and another λ. Without one λ, as several
        # binary problems have only C in common, C.
        posed = about["problem"]
        name = "C" if posed["lam"] is None else "lam"
        solved = {name: f"{posed[name]:.6g}", "bias": posed["bias"]}
        solved |= {key: posed[key] for key in ("weights", "multiclass") if posed.get(key) is not None}
        checksum, kernel = about["dataset"]["checksum"], run.config.kernel_document()
    except (KeyError, TypeError) as error:
        raise UserError("its run.json does not say which problem it solves") from error
    return _key({"dataset": {**data, "checksum": checksum}, "kernel": kernel, "problem": solved})


def method_of(run: StoredRun) -> Key:
    """Return the key of a run's method."""
    return _key({"solver": run.document["solver"], "features": run.document.get("features", {})})


def scaled(metric: str, value: float) -> float:
    """Return a stored value in the units of the metric's axis: errors, stored as fractions, in percent."""
    return value * METRICS[metric][1]


def unscaled(metric: str, value: float) -> float:
    """Return a value in stored units, given in the units of the metric's axis."""
    return value / METRICS[metric][1]


def median(costs: Iterable[float]) -> float:
    """Return the median of costs, some of which may be infinite."""
    return float(np.median(list(costs)))


def problem_names(keys: Iterable[Key]) -> dict[Key, str]:
    """Name each problem by its data set, and by the keys in which problems on that data set differ."""
    named = {key: str(dict(key)["dataset.name"]) for key in keys}
    names = distinguished(named, without="dataset.checksum")
    # A checksum is meaningless to readers; it is used only if nothing else distinguishes the data.
    return names if len(set(names.values())) == len(names) else distinguished(named)


def distinguished(names: Mapping[Key, str], without: str | None = None) -> dict[Key, str]:
    """Name problems or methods by their titles and by the keys in which those of one title differ."""
    found = {}
    for key, name in names.items():
        namesakes = [dict(other) for other, title in names.items() if title == name and other != key]
        parts = []
        for entry in sorted({entry for one in (dict(key), *namesakes) for entry in one} - {without}):
            value = dict(key).get(entry)
            if value is not None and any(namesake.get(entry) != value for namesake in namesakes):
                parts.append(_part(entry, value))
        found[key] = f"{name} ({', '.join(parts)})" if parts else name
    return found


def _part(entry: str, value: Any) -> str:
    if entry == "dataset.checksum":
        return f"checksum {value[:8]}"
    return f"{value} kernel" if entry == "kernel.name" else written(entry, value)


def in_order(name: str) -> list[tuple[float, str]]:
    """Return a sort key for a name that orders the numbers in it by value."""
    parts = re.split(r"(\d+\.?\d*(?:e[-+]?\d+)?)", name)
    return [(float(part), "") if k % 2 else (-1.0, part) for k, part in enumerate(parts)]


def _key(config: Mapping[str, Any]) -> Key:
    flat = flatten(config)
    return tuple(sorted((k, json.dumps(v) if isinstance(v, list | dict) else v) for k, v in flat.items()))
