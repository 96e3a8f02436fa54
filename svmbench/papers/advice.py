"""Advice on a solver for new data, from the stored runs of the comparison of the field.

For each wish, the method that is near the best cost on most data sets of the comparison is recommended, if
such a choice is right on data sets that it did not use; otherwise there is no advice. The shape of the new
data serves for forecasts, and to show the most similar data sets first. Before a training it is unknown how
noisy the new data are, so methods that are ahead only on noisy data, or only on others, are shown as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from svmbench.analysis.choice import Choice, choose
from svmbench.analysis.forecast import Forecast, forecast
from svmbench.config.values import show
from svmbench.errors import UserError
from svmbench.figures.tables import count
from svmbench.papers.material import Material
from svmbench.papers.panels import line_of, title_of
from svmbench.papers.wishes import EARLY, OPTIMUM, WISHES, Measured, by_noise, costs, measured, memory_of

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
    missed: int


def advise(material: Material, rows: int, columns: int) -> list[Advice]:
    """Return advice for data of this shape, one entry per wish for which some method gets there.

    Raises
    ------
    UserError
        If fewer than `LEAST` data sets have runs and a certified optimum.
    """
    found = {wish: measured(material, wish) for wish in WISHES}
    known = {panel for one in found.values() for panel in one}
    if len(known) < LEAST:
        raise UserError(
            f"advice rests on the comparison of the field, of which {len(known)} data sets are stored with "
            "their optima: make it by svmbench field, or give --results with a folder that has it"
        )
    shapes = shapes_of(material)
    return [
        _advice(material, wish, choice, found, shapes, (rows, columns))
        for wish in WISHES
        if (choice := choose(costs(found[wish]))) is not None
    ]


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


def _advice(
    material: Material,
    wish: str,
    choice: Choice,
    found: Mapping[str, Measured],
    shapes: Mapping[str, tuple[int, int]],
    new: tuple[int, int],
) -> Advice:
    """Return advice with its evidence, and with forecasts from what was measured on each data set."""
    name, timed = choice.method, costs(found[OPTIMUM if wish == OPTIMUM else EARLY])
    seconds = {panel: one[name] for panel, one in timed.items() if one.get(name, np.inf) < np.inf}
    memory: dict[str, float] = {}
    least = np.inf  # of all methods: smaller data than those compared leave the memory of the program itself
    for match in material.matches:
        if match.complete and (peak := memory_of(match.result)):
            least = min(least, peak)
            if match.planned.solver == name:
                panel = match.planned.panel
                memory[panel] = max(memory.get(panel, 0.0), peak)
    time, space = (
        forecast([shapes[panel] for panel in one], list(one.values()), new) for one in (seconds, memory)
    )
    space = None if space is None else space.at_least(least)
    panels = sorted(
        (panel for panel, one in found[wish].items() if name in one),
        key=lambda panel: _distance(shapes[panel], new),
    )
    return Advice(
        wish,
        title_of(material, name),
        _overrides(material, name),
        choice,
        [_shown(material, wish, panel, found[wish][panel], name) for panel in panels],
        time,
        space,
        [_panel_title(material, panel) for panel in panels if not found[wish][panel][name][0] < np.inf],
        _by_noise(material, choice, costs(found[wish])),
        len(shapes.keys() - seconds.keys()),
    )


def _overrides(material: Material, name: str) -> tuple[str, ...]:
    """Return the arguments of a method, with all values that were compared."""
    settings: dict[str, dict[str, None]] = {}
    for match in material.matches:
        if match.planned.solver == name:
            for key, value in match.planned.over:
                settings.setdefault(key, {})[show(value)] = None
    line = line_of(material.artifact, name)
    tried = (f"{key}={','.join(values)}" for key, values in settings.items())
    return (f"solver={line.solver}", *line.overrides, *tried)


def _by_noise(
    material: Material, every: Choice, known: Mapping[str, Mapping[str, float]]
) -> dict[str, tuple[str, tuple[str, ...], Choice]]:
    """Return the methods ahead on noisy data sets, and on others, that are not recommended for all."""
    found = {}
    for group, panels in by_noise(material, known).items():
        one = choose({panel: known[panel] for panel in panels})
        if one is not None and one.ahead and not (every.ahead and one.method == every.method):
            found[group] = title_of(material, one.method), _overrides(material, one.method), one
    return found


def _distance(one: tuple[int, int], other: tuple[int, int]) -> float:
    return float(np.hypot(*(np.log(one) - np.log(other))))


def _shown(
    material: Material, wish: str, panel: str, there: Mapping[str, tuple[float, str]], name: str
) -> tuple[str, str, str]:
    """Return the title of a data set, what a method costs there and which one costs least, and its run."""
    (cost, run), best = there[name], min(there, key=lambda other: there[other][0])
    text = f"{amount(cost)} {WISHES[wish].unit}" if cost < np.inf else "does not get there"
    if cost > there[best][0]:
        text += f", the least {amount(there[best][0])} ({title_of(material, best)})"
    return _panel_title(material, panel), text, run


def _panel_title(material: Material, panel: str) -> str:
    return next(one.title for one in material.artifact.runs.panels if one.name == panel)


def amount(value: float) -> str:
    """Return a positive number of any size in few digits."""
    return f"{value:.3g}" if value < 999.5 else f"{value:,.0f}" if value < 1e6 else count(value)
