"""Advice on a solver for new data, from the stored runs of the comparison of the field.

The data sets of the comparison are ordered by their distance from the new data in the logarithms of rows and
columns. The method with the best mean rank on the `NEAREST` of them is recommended, with the runs behind it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from svmbench.analysis.arrivals import stays_below
from svmbench.analysis.forecast import Forecast, forecast
from svmbench.analysis.fronts import mean_ranks
from svmbench.errors import UserError
from svmbench.papers.fronts import FRONT, standings
from svmbench.papers.material import Material
from svmbench.papers.runs import written
from svmbench.papers.shown import line_of, title_of
from svmbench.solvers import registry
from svmbench.store import StoredRun

#: Number of data sets that advice is based on, and the distance in points from the smallest test error that
#: a method must reach for the forecast of its seconds.
NEAREST, NEAR = 3, 1.0

#: What a user wants -> the cost by which fronts are compared for it.
WISHES = {
    "a low test error early": "cpu_seconds",
    "few kernel evaluations": "kev_ondemand",
    "a small model": "prediction",
}

#: The wish that is answered by the method that first ends by its own stopping rule.
OPTIMUM = "the optimum"


@dataclass(frozen=True)
class Advice:
    """What to use for one wish.

    Attributes
    ----------
    wish : str
        A key of `WISHES`, or `OPTIMUM`.
    method : str
        Title of the method.
    overrides : tuple of str
        Arguments for it of ``svmbench run`` or, where a key has several values, separated by commas, of
        ``svmbench run -m``: those values were tried, and the best counted.
    evidence : sequence of (str, str, str)
        For each of the nearest data sets: its title, what was measured there, and the run.
    seconds, memory : Forecast or None
        On the new data, CPU seconds until the method's own rule holds or, for other wishes, until its test
        error is within `NEAR` points of the least of all methods; and MiB of the process. None if too few
        data sets have such runs.
    missed : int
        Number of data sets with runs on which these seconds are not known: the method did not get there
        within its limit, or was not alone on the machine. Their costs would be above the forecast's, if any.
    """

    wish: str
    method: str
    overrides: tuple[str, ...]
    evidence: Sequence[tuple[str, str, str]]
    seconds: Forecast | None
    memory: Forecast | None
    missed: int


def advise(material: Material, rows: int, columns: int) -> list[Advice]:
    """Return advice for data of this shape, one entry per wish that the stored runs can answer.

    Raises
    ------
    UserError
        If fewer than `NEAREST` data sets have runs.
    """
    shapes = shapes_of(material)
    if len(shapes) < NEAREST:
        raise UserError(
            f"advice rests on the comparison of the field, of which {len(shapes)} data sets are stored: make "
            "it by svmbench field, or give --results with a folder that has it"
        )
    near = sorted(shapes, key=lambda name: _distance(shapes[name], (rows, columns)))[:NEAREST]
    found = [_optimum(material, shapes, near, (rows, columns))]
    found += [
        _front(material, wish, counter, shapes, near, (rows, columns)) for wish, counter in WISHES.items()
    ]
    return [one for one in found if one is not None]


def outside(material: Material, rows: int, columns: int) -> str | None:
    """Return the shapes of the comparison in words if data of this shape are beyond them, else None."""
    known = shapes_of(material).values()
    least, most = np.min(list(known), axis=0), np.max(list(known), axis=0)
    if (least <= (rows, columns)).all() and (most >= (rows, columns)).all():
        return None
    return f"{least[0]:,} to {most[0]:,} examples and {least[1]:,} to {most[1]:,} columns"


def shapes_of(material: Material) -> dict[str, tuple[int, int]]:
    """Return the rows and columns of the data sets with runs on all of their examples."""
    shapes: dict[str, tuple[int, int]] = {}
    for match in material.matches:
        if match.complete and match.planned.config.subset is None:
            about = match.result.manifest["dataset"]
            shapes[match.planned.panel] = int(about["rows"]["train"]), int(about["features"])
    return shapes


def _distance(one: tuple[int, int], other: tuple[int, int]) -> float:
    return float(np.hypot(*(np.log(one) - np.log(other))))


def by_own_rule(material: Material) -> dict[str, dict[str, StoredRun]]:
    """Return the runs of exact methods on all examples that ended by their own rule, by method and data set.

    Runs whose seconds are not comparable are left out.
    """
    ends: dict[str, dict[str, StoredRun]] = {}
    for match in material.matches:
        run = match.planned
        if not match.complete or match.result.status != "converged" or match.result.path in material.untimed:
            continue
        if (
            registry.get(run.config.solver.name).exact
            and not run.config.features
            and run.config.subset is None
        ):
            ends.setdefault(run.solver, {}).setdefault(run.panel, match.result)
    return ends


def soonest(ends: Mapping[str, Mapping[str, StoredRun]]) -> str:
    """Return the method that ended on most data sets and, of several, with the least median of seconds."""

    def rank(name: str) -> tuple[int, float]:
        return -len(ends[name]), float(np.median([took(run) for run in ends[name].values()]))

    return min(ends, key=rank)


def took(run: StoredRun) -> float:
    """Return the CPU seconds of training."""
    return float(run.value("cpu_seconds") or 0.0)


def _optimum(
    material: Material, shapes: Mapping[str, tuple[int, int]], near: Sequence[str], new: tuple[int, int]
) -> Advice | None:
    """Return the exact method that most often ends by its own rule nearby, and soonest."""
    ends = by_own_rule(material)
    there = {name: {panel: found[panel] for panel in near if panel in found} for name, found in ends.items()}
    known = {name: runs for name, runs in there.items() if runs}
    if not known:
        return None
    best = soonest(known)
    evidence = [
        (
            _title(material, panel),
            f"test error {100.0 * float(run.value('test_error') or 0.0):.2f} %, ends by its own rule after "
            f"{took(run):.3g} s",
            run.id,
        )
        for panel, run in known[best].items()
    ]
    seconds = {panel: took(run) for panel, run in ends[best].items()}
    return _advice(material, OPTIMUM, best, evidence, seconds, shapes, new)


def _front(
    material: Material,
    wish: str,
    counter: str,
    shapes: Mapping[str, tuple[int, int]],
    near: Sequence[str],
    new: tuple[int, int],
) -> Advice | None:
    """Return the method of the best mean rank on the nearest data sets under one cost."""
    found = {panel: one for panel, one in standings(material, counter).items() if panel in near}
    ranks = mean_ranks({panel: found[panel].means for panel in near if panel in found})
    if not ranks:
        return None
    best = min(ranks, key=ranks.__getitem__)
    evidence = []
    for panel in (panel for panel in near if panel in found):
        curve = material.evidence(panel, counter).front(best, FRONT)
        one = found[panel]
        text = (
            f"mean error {one.means[best]:.2f} %, ahead on {100.0 * one.ahead[best]:.0f} % of the costs "
            "compared"
        )
        evidence.append((_title(material, panel), text, curve.steps[0].run.id))
    seconds = {panel: cost for panel in shapes if (cost := _soon(material, panel, best)) is not None}
    return _advice(material, wish, best, evidence, seconds, shapes, new)


def _soon(material: Material, panel: str, name: str) -> float | None:
    """Return the CPU seconds until a method is near the least error of all on a data set, the median."""
    fronts, _ = material.evidence(panel, "cpu_seconds").fronts(FRONT)
    if name not in fronts:
        return None
    least = min(float(np.median([steps.value[-1] for steps in curve.steps])) for curve in fronts.values())
    costs = [stays_below(steps, least + NEAR)[1] for steps in fronts[name].steps]
    cost = float(np.median(costs))
    return cost if np.isfinite(cost) else None


def _advice(
    material: Material,
    wish: str,
    name: str,
    evidence: Sequence[tuple[str, str, str]],
    seconds: Mapping[str, float],
    shapes: Mapping[str, tuple[int, int]],
    new: tuple[int, int],
) -> Advice:
    """Return advice with forecasts from what was measured on each data set."""
    memory: dict[str, float] = {}
    least = np.inf  # of all methods: smaller data than those compared leave the memory of the program itself
    settings: dict[str, dict[str, None]] = {}
    for match in material.matches:
        if match.complete and match.result.peak_memory:
            least = min(least, float(match.result.peak_memory))
        if match.planned.solver == name:
            for key, value in match.planned.over:
                settings.setdefault(key, {})[written(value)] = None
            if match.complete and match.result.peak_memory:
                panel = match.planned.panel
                memory[panel] = max(memory.get(panel, 0.0), float(match.result.peak_memory))
    line = line_of(material.artifact, name)
    overrides = (
        f"solver={line.solver}",
        *line.overrides,
        *(f"{k}={','.join(v)}" for k, v in settings.items()),
    )
    time, space = (
        forecast([shapes[panel] for panel in costs], list(costs.values()), new) for costs in (seconds, memory)
    )
    space = None if space is None else space.at_least(least)
    missed = len(shapes.keys() - seconds.keys())
    return Advice(wish, title_of(material, name), overrides, evidence, time, space, missed)


def _title(material: Material, panel: str) -> str:
    assert material.artifact.runs is not None
    return next(one.title for one in material.artifact.runs.panels if one.name == panel)
