"""User requests for pictures of stored runs, and the pictures: curves, or a heat map over two keys."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from matplotlib.lines import Line2D

from svmbench.errors import UserError
from svmbench.figures.bounds import references
from svmbench.figures.curves import Looks, Row, View, make_figure
from svmbench.figures.heat import make_heat
from svmbench.figures.labels import handles_of
from svmbench.figures.selection import CURVE_GROUPS, Panel, Selection, in_order, select
from svmbench.figures.series import CERTIFIED, Curve
from svmbench.figures.settings import check_keys, setting, written
from svmbench.figures.sheet import WIDTHS
from svmbench.figures.style import LINES, MARKERS, PALETTE, Look, Picture
from svmbench.run_config import flatten
from svmbench.store import StoredRun
from svmbench.store.timing import SECONDS, note

#: Most curves in a panel.
MOST = 12

#: Short names of metrics, as in the keys of a budget.
_ALSO = {"gap": "relative_gap"}


@dataclass(frozen=True)
class Request:
    """Description of a picture.

    Attributes
    ----------
    x : str or None
        The cost, a key of `series.COUNTERS`. Default: the counter of the runs' budgets, or ``kev_ondemand``
        if they differ.
    y : str
        The metric, a key of `series.METRICS`, or ``gap``.
    title : str or None
        Title of the picture.
    xlim, ylim : (float, float) or None
        Ranges of the axes, in their units: errors in percent.
    xscale, yscale : {"log", "linear"} or None
        Default: logarithmic for costs, and for metrics that span more than a factor of three.
    size : {"one", "two"} or None
        Width in columns of a journal. Default: it grows with the panels.
    color_by, style_by : str or None
        Keys of the configuration shown by colour and by dashes. Default: each method has its own look.
    panels_by : sequence of str
        Keys of the configuration; each combination of their values gets a panel. Default: the data set.
    heat : (str, str) or None
        Two keys: draw a heat map of the last value over them, instead of curves.
    """

    x: str | None = None
    y: str = "test_error"
    title: str | None = None
    xlim: tuple[float, float] | None = None
    ylim: tuple[float, float] | None = None
    xscale: str | None = None
    yscale: str | None = None
    size: str | None = None
    color_by: str | None = None
    style_by: str | None = None
    panels_by: Sequence[str] = ()
    heat: tuple[str, str] | None = None


def make(runs: Sequence[StoredRun], request: Request) -> tuple[Picture, str, list[tuple[str, str]]]:
    """Draw runs; call it, and save the picture, within `style.drawing`.

    Returns
    -------
    figure : Picture
    caption : str
    left_out : list of (str, str)
        Runs that are not drawn, with reasons.

    Raises
    ------
    UserError
        If the request cannot be fulfilled, with a remedy.
    """
    _check(request)
    asked = [key for key in (request.color_by, request.style_by) if key is not None]
    check_keys([*asked, *request.panels_by, *(request.heat or ())], runs)
    request = replace(request, y=_ALSO.get(request.y, request.y))
    width = None if request.size is None else WIDTHS[request.size]
    if request.heat is not None:
        return make_heat(runs, request.y, request.heat, request.panels_by, request.title, width)
    counter = request.x or usual_cost(runs)
    found = select(
        runs,
        counter,
        request.y,
        panels_by=request.panels_by,
        apart=asked,
        references=references(runs) if request.y in CERTIFIED else None,
    )
    found.left_out += [cut for panel in found.panels for curve in panel.curves if (cut := _cut(panel, curve))]
    looks = None
    if asked and found.panels:
        found, looks = _told_apart(found, request)
    _check_crowd(found)
    view = View(x=request.xlim, y=request.ylim)
    row = Row(counter, request.y, found, {panel.name: view for panel in found.panels})
    figure, caption = make_figure(
        [row],
        title=request.title,
        notes=[said] if {counter, request.y} & set(SECONDS) and (said := note(found.runs)) else (),
        scale=request.yscale,
        x_scale=request.xscale or "log",
        width=width,
        looks=looks,
    )
    return figure, caption, found.left_out


#: Ratio of costs from which the end of a run is seen to be missing: budgets of another counter end at about
#: the same cost.
_SEEN = 1.25


def _cut(panel: Panel, curve: Curve) -> tuple[str, str] | None:
    """Return the part of a curve that is not drawn since its shortest run has ended, with the reason."""
    last = max(float(steps.cost[-1]) for steps in curve.steps)
    if curve.end * _SEEN >= last:
        return None
    first = min(curve.steps, key=lambda steps: steps.end).run
    return (
        f"the end of {panel.name}, {curve.label}",
        f"{first.id} ends at {curve.end:.2g} and others go on to {last:.2g}; a median needs every seed, so "
        "resume that run, give it a larger budget, or leave it out",
    )


def usual_cost(runs: Sequence[StoredRun]) -> str:
    """Return the counter that all budgets of the runs share, else one that all kernel methods have."""
    counters = {run.facts.common.config.budget.counter for run in runs}
    return str(counters.pop()) if len(counters) == 1 else "kev_ondemand"


def _check(request: Request) -> None:
    """Raise a `UserError` for invalid values."""
    choices = {"xscale": ("log", "linear"), "yscale": ("log", "linear"), "size": tuple(WIDTHS)}
    for name, allowed in choices.items():
        value = getattr(request, name)
        if value is not None and value not in allowed:
            raise UserError(f"{name}={value} is not allowed: give {' or '.join(allowed)}")
    for name, scale in (("xlim", request.xscale or "log"), ("ylim", request.yscale)):
        limits = getattr(request, name)
        if limits is not None and not limits[0] < limits[1]:
            raise UserError(f"{name}={limits[0]:g},{limits[1]:g} is empty: give the lower end first")
        if limits is not None and scale == "log" and limits[0] <= 0.0:
            raise UserError(
                f"{name} begins at {limits[0]:g}, which a logarithmic axis does not have: give a number "
                f"above 0, or {name[0]}scale=linear"
            )
    if request.heat is not None:
        for name in ("x", "xlim", "ylim", "xscale", "yscale", "color_by", "style_by"):
            if getattr(request, name) is not None:
                raise UserError(
                    f"a heat map has no {name}: it shows the last value over two keys; leave one out"
                )


def _told_apart(found: Selection, request: Request) -> tuple[Selection, Looks]:
    """Name the curves by the requested keys, and assign a look to each name."""
    colour_key, style_key = request.color_by or "solver", request.style_by
    colours = _values(found, colour_key, "--color-by", len(PALETTE))
    styles = _values(found, style_key, "--style-by", len(LINES)) if style_key else [None]
    style, panels = {}, []
    for panel in found.panels:
        curves = []
        for curve in panel.curves:
            run = curve.steps[0].run
            colour = setting(run, colour_key)
            dash = setting(run, style_key) if style_key else None
            label = written(colour_key, colour) + (f", {written(style_key, dash)}" if style_key else "")
            number = colours.index(colour)
            style[label] = Look(PALETTE[number], LINES[styles.index(dash)], MARKERS[number])
            curves.append((in_order(colour), replace(curve, label=label)))
        _check_alike(panel, [curve.label for _, curve in curves])
        ordered = [curve for _, curve in sorted(curves, key=lambda entry: entry[0])]
        panels.append(replace(panel, curves=tuple(ordered)))
    tints = {
        written(colour_key, value): Look(PALETTE[number], "-", MARKERS[number])
        for number, value in enumerate(colours)
    }
    handles = handles_of(tints)
    if style_key:
        handles += [
            Line2D([], [], color="0.3", linestyle=dashes, label=written(style_key, value))
            for value, dashes in zip(styles, LINES)
        ]
    return Selection(panels, found.left_out), Looks(style, handles)


def _values(found: Selection, key: str, option: str, most: int) -> list[Any]:
    """Return the values of a key in order, at most `most`."""
    values = sorted({setting(run, key) for run in found.runs}, key=in_order)
    if len(values) > most:
        raise UserError(
            f"{key} has {len(values)} values, and {option} can distinguish {most}: draw fewer runs, or give "
            f"--panels-by {key}, or a heat map (--heat)"
        )
    return values


def _check_alike(panel: Panel, labels: Sequence[str]) -> None:
    """Raise a `UserError` if two curves of a panel would look the same."""
    label, number = Counter(labels).most_common(1)[0]
    if number > 1:
        raise UserError(
            f"{number} curves of {panel.name} would all be '{label}'; they differ in "
            f"{_some(_differing(panel))}: give one of these to --color-by, --style-by or --panels-by, or "
            "draw fewer runs"
        )


def _check_crowd(found: Selection) -> None:
    """Raise a `UserError` for too many curves to distinguish, naming the keys in which they differ."""
    for panel in found.panels:
        if len(panel.curves) > MOST:
            raise UserError(
                f"{len(panel.curves)} curves of {panel.name} cannot be told apart (at most {MOST}); "
                f"they differ in {_some(_differing(panel))}: give one of these to --panels-by, two of them "
                "to --heat, or draw fewer runs"
            )


def _differing(panel: Panel) -> list[str]:
    """Return the keys in which the curves of a panel differ."""
    flats = [flatten({group: run.document.get(group, {}) for group in CURVE_GROUPS}) for run in panel.runs]
    keys = dict.fromkeys(itertools.chain.from_iterable(flats))
    return [
        "solver" if key == "solver.name" else "dataset" if key == "dataset.name" else key
        for key in keys
        if any(flat.get(key) != flats[0].get(key) for flat in flats)
    ]


def _some(keys: Sequence[str]) -> str:
    return ", ".join(keys[:5]) + (", ..." if len(keys) > 5 else "")
