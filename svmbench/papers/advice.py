"""Advice on a solver for new data, from the summary of the comparison of the field.

For each wish, the method that is near the best cost on most data sets of the comparison is recommended, if
such a choice is right on data sets that it did not use; otherwise there is no advice. The shape of the new
data serves for forecasts; with their sparsity and the error of a first model, it decides which data sets are
shown first. How noisy the new data are is known only from that model, on few examples, so methods that are
ahead only on noisy data, or only on others, are shown as well. Where the recommended method is not ahead on
data as sparse, or that may be as noisy, advice says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from svmbench.analysis.choice import Choice, choose
from svmbench.analysis.forecast import Forecast, forecast
from svmbench.errors import UserError
from svmbench.figures.tables import count
from svmbench.papers.method_costs import EARLY, NOISY, OPTIMUM, WISHES, by_noise, costs
from svmbench.papers.summary import SPARSE_SHARE, DataSet, Summary

#: Fewest data sets that advice is based on.
LEAST = 3


@dataclass(frozen=True)
class Advice:
    """What to use for one wish.

    Attributes
    ----------
    wish : str
        A key of `WISHES`.
    method : str
        Title of the method that is first; recommended only if ``choice.ahead``.
    overrides : tuple of str
        Arguments for it of ``svmbench run`` or, where a key has several values, separated by commas, of
        ``svmbench run -m``: those values were tried, and the best counted.
    choice : Choice
        How it was chosen, and how often such a choice is right.
    evidence : sequence of (str, str, str)
        For each data set, the most similar one first: its title, what was measured there, and the run.
    seconds, memory : Forecast or None
        On the new data, CPU seconds until the method's own rule holds or, for other wishes, until its test
        error stays near the optimum's; and MiB of the process. None if too few data sets have such runs.
    never : sequence of str
        Titles of the data sets on which the method does not get there with any of its settings.
    noise : mapping of str to (str, tuple of str, Choice)
        For noisy data sets or for the others, a method that is ahead on them and is not recommended for
        all: its title, its overrides and the choice.
    doubt : mapping of str to Choice
        Groups of data sets, which the new data belong to, on which the recommended method is not ahead, and
        the choice there.
    missed : int
        Number of data sets with runs on which these seconds are not known: the method did not get there
        within its limit, or was not alone on the machine. Their costs would be above the forecast's, if any.
    """

    wish: str
    method: str
    overrides: tuple[str, ...]
    choice: Choice
    evidence: Sequence[tuple[str, str, str]]
    seconds: Forecast | None
    memory: Forecast | None
    never: Sequence[str]
    noise: Mapping[str, tuple[str, tuple[str, ...], Choice]]
    doubt: Mapping[str, Choice]
    missed: int


@dataclass(frozen=True)
class Nearness:
    """How near new data are to the data sets of the comparison.

    By the logarithms of rows and columns and of the test error of a first model, where it is known.

    Attributes
    ----------
    nearest : DataSet
        The nearest of the data sets that are as sparse, or as dense, as the new data.
    ratio : float
        Its distance, divided by the second largest distance of a data set of the comparison from its own
        nearest, so that no single one decides what is far.
    """

    nearest: DataSet
    ratio: float

    @property
    def far(self) -> bool:
        """Whether no choice was tested on data so far from those that it was made from."""
        return self.ratio > 1.0


def advise(
    summary: Summary, rows: int, columns: int, density: float | None = None, first: float | None = None
) -> list[Advice]:
    """Return advice for such data, described as for `nearness`, per wish for which some method gets there.

    Raises
    ------
    UserError
        If fewer than `LEAST` data sets have runs and a certified optimum.
    """
    known = {panel for one in summary.found.values() for panel in one}
    if len(known) < LEAST:
        raise UserError(
            f"advice needs {LEAST} data sets with runs and certified optima, and has {len(known)}"
        )
    new = _described(rows, columns, density, first)
    return [
        _advice(summary, wish, choice, new)
        for wish in WISHES
        if (choice := choose(costs(summary.found[wish]))) is not None
    ]


def nearness(
    summary: Summary, rows: int, columns: int, density: float | None, first: float | None = None
) -> Nearness:
    """Return how near data of this shape and share of values that are not 0 are to those compared.

    `first` is the test error in percent of decomposition on `svmbench.papers.summary.FIRST` examples.
    """
    new = _described(rows, columns, density, first)
    nearest = summary.sets[_nearest_first(summary, new)[0]]
    alike = [one for one in summary.sets.values() if one["sparse"] == nearest["sparse"]]
    between = sorted(
        min((_apart(one, other) for other in alike if other is not one), default=0.0) for one in alike
    )
    return Nearness(nearest, _apart(nearest, new) / (between[-2:][0] or 1.0))


def _described(rows: int, columns: int, density: float | None, first: float | None) -> DataSet:
    sparse = density is not None and density <= SPARSE_SHARE
    return DataSet(title="", rows=rows, columns=columns, sparse=sparse, error=None, first=first)


def _nearest_first(summary: Summary, new: DataSet) -> list[str]:
    """Return the names of the data sets: those as sparse as the new data first, each by its distance."""
    sets = summary.sets
    return sorted(sets, key=lambda name: (sets[name]["sparse"] != new["sparse"], _apart(sets[name], new)))


def _advice(summary: Summary, wish: str, choice: Choice, new: DataSet) -> Advice:
    """Return advice with its evidence, and with forecasts from what was measured on each data set."""
    name, timed = choice.method, costs(summary.found[OPTIMUM if wish == OPTIMUM else EARLY])
    seconds = {panel: one[name] for panel, one in timed.items() if one.get(name, np.inf) < np.inf}
    memory = summary.memory.get(name, {})
    shapes = {panel: _shape(one) for panel, one in summary.sets.items()}
    time, space = (
        forecast([shapes[panel] for panel in one], list(one.values()), _shape(new))
        for one in (seconds, memory)
    )
    # Smaller data than those compared leave the memory of the program itself.
    space = None if space is None else space.at_least(summary.least_memory)
    found = summary.found[wish]
    panels = [panel for panel in _nearest_first(summary, new) if name in found.get(panel, {})]
    titles = {panel: summary.sets[panel]["title"] for panel in panels}
    return Advice(
        wish,
        summary.titles[name],
        _overrides(summary, name, new["rows"]),
        choice,
        [(titles[panel], *_shown(summary, wish, found[panel], name)) for panel in panels],
        time,
        space,
        [titles[panel] for panel in panels if not found[panel][name][0] < np.inf],
        _by_noise(summary, choice, costs(found), new["rows"]),
        _doubt(summary, choice, costs(found), new),
        len(shapes.keys() - seconds.keys()),
    )


def _by_noise(
    summary: Summary, every: Choice, known: Mapping[str, Mapping[str, float]], rows: int
) -> dict[str, tuple[str, tuple[str, ...], Choice]]:
    """Return the methods ahead on noisy data sets, and on others, that are not recommended for all."""
    found = {}
    errors = {panel: summary.sets[panel]["error"] for panel in known}
    for group, panels in by_noise(errors).items():
        one = choose({panel: known[panel] for panel in panels})
        if one is not None and one.ahead and not (every.ahead and one.method == every.method):
            found[group] = summary.titles[one.method], _overrides(summary, one.method, rows), one
    return found


def _doubt(
    summary: Summary, every: Choice, known: Mapping[str, Mapping[str, float]], new: DataSet
) -> dict[str, Choice]:
    """Return the groups of the new data on which the recommended method is not ahead, with the choices."""
    noisy, _ = by_noise({panel: summary.sets[panel]["error"] for panel in known}).items()
    groups = {
        "sparse data": [panel for panel in known if summary.sets[panel]["sparse"]] * new["sparse"],
        f"data with an {noisy[0]}": noisy[1] * ((new["first"] or 0.0) >= NOISY),
    }
    there = {group: choose({panel: known[panel] for panel in panels}) for group, panels in groups.items()}
    return {
        group: one
        for group, one in there.items()
        if every.ahead and one is not None and (one.method, one.ahead) != (every.method, True)
    }


def _overrides(summary: Summary, name: str, rows: int) -> tuple[str, ...]:
    """Return the arguments of a method; of sizes in examples, those that the data have."""
    found = []
    for word in summary.overrides[name]:
        key, _, values = word.partition("=")
        if key in ("subset", "features.s", "solver.budget"):
            sizes = [size for size in values.split(",") if int(size) <= rows]
            found += [f"{key}={','.join(sizes)}"] if sizes else []
        else:
            found.append(word)
    return tuple(found)


def _shape(one: DataSet) -> tuple[int, int]:
    return one["rows"], one["columns"]


def _apart(one: DataSet, other: DataSet) -> float:
    """Return the distance of two data sets; errors below a tenth of a percent count as this."""
    errors = [one["first"], other["first"]]
    noise = 0.0
    if None not in errors:
        noise = float(np.diff(np.log(np.maximum(np.array(errors, dtype=float), 0.1)))[0])
    return float(np.hypot(np.hypot(*(np.log(_shape(one)) - np.log(_shape(other)))), noise))


def _shown(summary: Summary, wish: str, there: Mapping[str, tuple[float, str]], name: str) -> tuple[str, str]:
    """Return what a method costs on a data set and which one costs least, and its run."""
    (cost, run), best = there[name], min(there, key=lambda other: there[other][0])
    text = f"{amount(cost)} {WISHES[wish].unit}" if cost < np.inf else "does not get there"
    if cost > there[best][0]:
        text += f", the least {amount(there[best][0])} ({summary.titles[best]})"
    return text, run


def amount(value: float) -> str:
    """Return a positive number of any size in few digits."""
    return f"{value:.3g}" if value < 999.5 else f"{value:,.0f}" if value < 1e6 else count(value)
