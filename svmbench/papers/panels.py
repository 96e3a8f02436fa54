"""Content of pictures of artifacts: names of lines, places of a sweep, published values, panels of checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.errors import UserError
from svmbench.figures.panel import Drawn, Known, Plot, common_y
from svmbench.papers.artifact import Artifact
from svmbench.papers.estimate import Floats, NotAttempted
from svmbench.papers.evidence import Evidence
from svmbench.papers.keys import Axis
from svmbench.papers.matching import Match
from svmbench.papers.material import Material
from svmbench.papers.quantities import OfLine
from svmbench.papers.runs import Line


def line_of(artifact: Artifact, name: str) -> Line:
    """Return a line of an artifact by its name."""
    return next(line for line in artifact.runs.lines if line.name == name)


def title_of(material: Material, name: str) -> str:
    """Return the name of a line in pictures: its title, or that of its solver in a stored run."""
    line = line_of(material.artifact, name)
    stored = (
        match.result.title for match in material.matches if match.planned.solver == name and match.complete
    )
    return line.title or next(stored, line.solver)


def known_points(material: Material, panel: str, counter: str) -> Sequence[Known]:
    """Return the published points of a panel."""
    found = []
    for point in material.artifact.points:
        if point["panel"] == panel and point.get("counter", counter) == counter:
            value = point["value"]
            low, high = value if isinstance(value, list | tuple) else (value, value)
            found.append(Known(title_of(material, point["solver"]), float(point["at"]), low, high))
    return found


def levels_of(artifact: Artifact, panel: str) -> Sequence[tuple[str, float]]:
    """Return the published values of a panel without a place."""
    return [
        (level["label"], float(level["value"]))
        for level in artifact.levels
        if level.get("panel", panel) == panel
    ]


def places_of(
    evidence: Evidence, line: Line, x: Axis, y: OfLine, scale: str | None
) -> tuple[list[float], list[Floats], list[NDArray[np.bool_]]]:
    """Return the places of a line with all seeds stored, the values, and which of them are bounds.

    0 is omitted on a logarithmic axis.
    """
    found: dict[float, tuple[Floats, NDArray[np.bool_]]] = {}
    first: dict[tuple[tuple[str, Any], ...], Match] = {}
    for match in evidence.matches:
        if match.planned.solver == line.name:
            first.setdefault(match.planned.over, match)
    for over, match in first.items():
        given = replace(y, solver=line.name, where=dict(over))
        try:
            at = match.place(x)
            values = given.values(evidence)
        except (NotAttempted, UserError):
            continue
        never = ~np.isfinite(values)
        if never.any():
            # Drawn at the cost of the run at its end, a lower bound of what it was to reach.
            values = np.where(never, given.values(evidence, least=True), values)
        if np.isfinite(values).all() and (scale != "log" or (values > 0.0).all()):
            found[at] = values, never
    places = sorted(found)
    return places, [found[at][0] for at in places], [found[at][1] for at in places]


def check_plots(
    artifact: Artifact, panels: Sequence[Mapping[str, Any]]
) -> tuple[list[Plot], str, str | None]:
    """Return the panels of a check, the label of their y axes and its scale.

    Seconds below a thousandth throughout are shown in microseconds.
    """
    lines = [[_measured_line(line) for line in panel["lines"]] for panel in panels]
    y_labels = {str(panel["y_label"]) for panel in panels}
    y_label = str(panels[0]["y_label"])
    greatest = max(float(line.y.max()) for own in lines for line in own)
    if all(label.endswith(" seconds") for label in y_labels) and greatest < 1e-3:
        lines = [[replace(line, y=1e6 * line.y) for line in own] for own in lines]
        y_label = f"{y_label.removesuffix(' seconds')} microseconds"
    scale = panels[0].get("scale")
    alike = len(panels) > 1 and len(y_labels) == 1
    y = common_y([Plot("", own) for own in lines], scale) if alike else None
    plots = [
        Plot(panel["title"], own, levels=levels_of(artifact, panel["title"]), y=y, x_label=panel["x_label"])
        for panel, own in zip(panels, lines, strict=True)
    ]
    return plots, y_label, scale


def _measured_line(line: Mapping[str, Any]) -> Drawn:
    x, y, band = (None if key not in line else np.array(line[key], dtype=float) for key in ("x", "y", "band"))
    assert x is not None and y is not None
    return Drawn(line["label"], line.get("solver", ""), x, y, band, bare=bool(line.get("bare")))
