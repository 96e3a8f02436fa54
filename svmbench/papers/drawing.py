"""Pictures and tables from the material of artifacts; this module neither trains nor loads data."""

from __future__ import annotations

import itertools
import tempfile
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from svmbench.analysis import picture
from svmbench.analysis.fronts import stairs
from svmbench.analysis.profiles import profiles
from svmbench.errors import UserError, command
from svmbench.figures import FORMATS
from svmbench.figures.against_key import Points, draw_sweep
from svmbench.figures.curves import Looks, Row, View, draw_rows
from svmbench.figures.selection import Panel, Selection
from svmbench.figures.series import METRICS, OPTIMUM_COLUMNS, Curve, steps_of
from svmbench.figures.sheet import draw_sheet
from svmbench.figures.style import write_all
from svmbench.figures.tables import table
from svmbench.papers.artifact import Artifact, Check, Curves, Front, Grid, Listing, Profile, Sweep
from svmbench.papers.comparison import listing
from svmbench.papers.estimate import Draw, NotAttempted
from svmbench.papers.fronts import FRONT, FRONT_CAPTION, OTHERS, emphasis, front_table
from svmbench.papers.grid_table import grid_table
from svmbench.papers.keys import axis_words
from svmbench.papers.matching import Match
from svmbench.papers.material import Material
from svmbench.papers.panels import check_plots, known_points, levels_of, line_of, places_of, title_of
from svmbench.papers.quantities import Arrival, OfLine, of_panel, spaced
from svmbench.papers.samples import measured
from svmbench.store.timing import SECONDS

#: If a panel has more curves, each line gets a panel of its own, if possible.
_CROWDED = 8


def draw(material: Material, results: Path) -> list[Path]:
    """Write the picture or table of an artifact and return the paths of its files."""
    artifact = material.artifact
    if isinstance(artifact, Grid | Listing):
        made = grid_table(material, artifact) if isinstance(artifact, Grid) else listing(material)
        return write_all(results / "tables" / artifact.id, made)
    if not artifact.is_check and not material.stored:
        raise UserError(
            f"none of the {len(material.matches)} runs of {artifact.id} is stored and up to date: "
            f"make them by {command(artifact.command('run'), results)}"
        )
    folder = results / "figures" / artifact.id
    if artifact.is_check:
        return _draw_check(material, folder)
    paths = [path for counter in artifact.conventions for path in _draw_one(material, counter, folder)]
    if isinstance(artifact, Curves) and artifact.together:  # all conventions on one sheet, one row each
        rows = [row for counter in artifact.conventions for row in _rows(material, counter)]
        paths += _draw_sheet(material, rows, _stem(folder, artifact, ""))
    return paths


def notes(artifact: Artifact) -> list[str]:
    """Return the last paragraphs of every caption."""
    return [f"Source: {artifact.source}.", f"Redrawn from stored runs by: svmbench paper draw {artifact.id}"]


def _stem(folder: Path, artifact: Artifact, counter: str) -> Path:
    return folder / (f"{artifact.id}-{counter}" if counter else artifact.id)


def _draw_one(material: Material, counter: str, folder: Path) -> list[Path]:
    if isinstance(material.artifact, Sweep):
        return _draw_sweep(material, material.artifact, counter, folder)
    if isinstance(material.artifact, Profile):
        return _draw_profile(material, material.artifact, counter, folder)
    return _draw_curves(material, counter, folder)


def _draw_curves(material: Material, counter: str, folder: Path) -> list[Path]:
    """Draw curves or fronts; of fronts, write the table once for all costs."""
    artifact = material.artifact
    looks = emphasis(material, counter) if isinstance(artifact, Front) else None
    paths = _draw_sheet(material, _rows(material, counter), _stem(folder, artifact, counter), looks)
    if isinstance(artifact, Front) and counter == artifact.conventions[0]:
        paths += write_all(folder.parent.parent / "tables" / artifact.id, front_table(material))
    return paths


def front_svg(material: Material, counter: str) -> str:
    """Return the picture of the fronts under one cost as SVG, without the title."""
    with tempfile.TemporaryDirectory() as folder:
        rows, looks = _rows(material, counter), emphasis(material, counter)
        svg, _ = _draw_sheet(material, rows, Path(folder) / "fronts", looks, ["svg"], titled=False)
        return svg.read_text(encoding="utf-8")


def _draw_sheet(
    material: Material,
    rows: Sequence[Row],
    stem: Path,
    looks: Looks | None = None,
    formats: Sequence[str] = FORMATS,
    titled: bool = True,
) -> list[Path]:
    artifact = material.artifact
    said = [*getattr(artifact, "notes", ()), *notes(artifact)]
    if looks is not None:
        looks = _of_drawn(looks, rows)
    if isinstance(artifact, Front):
        said.insert(0, FRONT_CAPTION)
    return draw_rows(
        rows, stem, title=artifact.title if titled else None, notes=said, scale=artifact.scale, looks=looks,
        formats=formats,
        listed=not isinstance(artifact, Front),  # it has hundreds of runs; its table names what is missing
    )  # fmt: skip


def _of_drawn(looks: Looks, rows: Sequence[Row]) -> Looks:
    """Return looks whose legend names only lines that are drawn: a method may lack a cost, or every run."""
    drawn = {curve.label for row in rows for panel in row.selection.panels for curve in panel.curves}
    coloured = {str(handle.get_label()) for handle in looks.handles}
    names = drawn & coloured | ({OTHERS} if drawn - coloured else set())
    return replace(looks, handles=[handle for handle in looks.handles if handle.get_label() in names])


def _rows(material: Material, counter: str) -> list[Row]:
    """Return a row of panels per metric; published values belong to the first."""
    artifact = material.artifact
    assert isinstance(artifact, Curves)
    ranges = artifact.ranges
    rows = []
    for place, metric in enumerate(artifact.metrics.split()):
        names = [panel.name for panel in artifact.runs.panels] if place == 0 else []
        cut = {name: ranges.get(f"y {name}", ranges.get("y")) for name in names}
        views = {
            panel.name: View(
                f"{panel.title}; axis cut at {ends[1]:g}" if (ends := cut.get(panel.name)) else panel.title,
                ranges.get("x"),
                ends,
                known_points(material, panel.name, counter) if place == 0 else (),
                levels_of(artifact, panel.name) if place == 0 else (),
                _optimum(material, panel.name, metric),
            )
            for panel in artifact.runs.panels
        }
        chosen = selection(material, counter, metric)
        if not isinstance(artifact, Front) and _is_crowded(material, chosen):
            chosen, views = _by_line(material, chosen, views)
        rows.append(Row(counter, metric, chosen, views))
    return rows


def _is_crowded(material: Material, chosen: Selection) -> bool:
    """Return whether a panel has many curves, and several lines with several values of a key each."""
    most = max((len(panel.curves) for panel in chosen.panels), default=0)
    over = {(match.planned.solver, match.planned.over) for match in material.matches if match.planned.over}
    lines = len({solver for solver, _ in over})
    return most > _CROWDED and 1 < lines < len(over)


def _optimum(material: Material, panel: str, metric: str) -> float | None:
    """Return a metric at the certified optimum, if all runs of a panel have the same."""
    column = OPTIMUM_COLUMNS.get(metric)
    evidence = material.evidence(panel, "")
    runs = [match.result for match in evidence.matches if match.complete]
    values = {evidence.reference(run).record.get(column) for run in runs} if column else {None}
    value = values.pop() if len(values) == 1 else None
    return None if value is None else METRICS[metric][1] * float(value)


def _by_line(
    material: Material, chosen: Selection, views: Mapping[str, View]
) -> tuple[Selection, dict[str, View]]:
    """Give each line with several values of a key its own panel; the values name its curves."""
    split, shown = Selection(left_out=chosen.left_out), {}
    for panel in chosen.panels:
        titles = [title for line in material.artifact.runs.lines if (title := title_of(material, line.name))]
        for title in titles:
            curves = [c for c in panel.curves if c.label.startswith(f"{title}, ")]
            if curves:
                name = f"{panel.name}, {title}"
                named = [replace(c, label=c.label.removeprefix(f"{title}, ")) for c in curves]
                split.panels.append(Panel(name, tuple(named)))
                shown[name] = replace(views[panel.name], title=f"{title}: {views[panel.name].title}")
    return split, shown


def selection(material: Material, counter: str, metric: str) -> Selection:
    """Return the curves of an artifact under one convention, with panels and solvers in the file's order."""
    chosen = Selection(left_out=left_out(material))
    if isinstance(material.artifact, Front):
        return _fronts(material, counter)
    untimed = material.untimed if {counter, metric} & set(SECONDS) else {}
    hidden = material.artifact.hidden.split()
    for panel in material.artifact.runs.panels:
        evidence = material.evidence(panel.name, counter)
        groups: dict[tuple[str, Any], list[Match]] = {}
        for match in evidence.matches:
            if match.complete and match.planned.solver not in hidden:
                groups.setdefault((match.planned.solver, match.planned.over), []).append(match)
        curves = []
        for (name, over), matches in groups.items():
            steps = []
            for run in (match.result for match in matches):
                found = untimed.get(run.path) or steps_of(run, counter, metric, evidence.reference(run))
                if isinstance(found, str):
                    chosen.left_out.append((run.id, found))
                else:
                    steps.append(found)
            if steps:
                line = line_of(material.artifact, name)
                label = title_of(material, name)
                label += "".join(f", {key.partition('.')[2] or key} = {value}" for key, value in over)
                curves.append(Curve(line.solver, label, tuple(steps)))
        if curves:
            chosen.panels.append(Panel(panel.name, tuple(curves)))
    return chosen


def _fronts(material: Material, counter: str) -> Selection:
    """Return the fronts of all lines under one cost."""
    chosen = Selection(left_out=left_out(material))
    for panel in material.artifact.runs.panels:
        evidence = material.evidence(panel.name, counter)
        found, missing = evidence.fronts(FRONT)
        try:
            empty = evidence.empty
        except NotAttempted as reason:
            found, missing = {}, dict.fromkeys(found, str(reason)) | missing
        chosen.left_out += [(f"{name} on {panel.name}", reason) for name, reason in missing.items()]
        curves = tuple(
            replace(
                stairs(curve, empty),
                solver=line_of(material.artifact, name).solver,
                label=title_of(material, name),
            )
            for name, curve in found.items()
        )
        if curves:
            chosen.panels.append(Panel(panel.name, curves))
    return chosen


def left_out(material: Material) -> list[tuple[str, str]]:
    """Return the runs that are not drawn, with reasons."""
    return [
        (match.stored.id if match.stored is not None else match.planned.command, match.state)
        for match in material.matches
        if not match.complete
    ]


def _draw_sweep(material: Material, artifact: Sweep, counter: str, folder: Path) -> list[Path]:
    shown = artifact.y if isinstance(artifact.y, Mapping) else {"": artifact.y}
    drawn = [line for line in artifact.runs.lines if line.name not in artifact.hidden.split()]
    panels: dict[str, list[Points]] = {}
    for panel in artifact.runs.panels:
        evidence = material.evidence(panel.name, counter)
        for line, (y_title, y) in itertools.product(drawn, shown.items()):
            over = artifact.x[line.name] if isinstance(artifact.x, Mapping) else artifact.x
            x, values, bounds = places_of(evidence, line, over, of_panel(y, panel.name), artifact.scale)
            if x:
                title = ", ".join(t for t in (title_of(material, line.name), y_title) if t)
                points = Points(title, line.solver, np.array(x), values, bounds)
                panels.setdefault(panel.name, []).append(points)
    if not panels:
        raise UserError(
            f"{artifact.id}: no point of the sweep has all its runs; "
            f"{command(artifact.command('plan'), folder.parent.parent)}"
        )
    names = [panel.name for panel in artifact.runs.panels]
    y_label = artifact.y_label or _y_label(next(iter(shown.values())))
    x_label = artifact.x_label or ("" if isinstance(artifact.x, Mapping) else axis_words(artifact.x))
    return draw_sweep(
        panels, x_label, y_label,
        _stem(folder, artifact, counter), title=artifact.title,
        titles={panel.name: panel.title for panel in artifact.runs.panels}, notes=notes(artifact),
        runs=[run.id for run in material.stored], left_out=left_out(material), scale=artifact.scale,
        known={name: known_points(material, name, counter) for name in names},
        levels={name: levels_of(artifact, name) for name in names}, share_y=artifact.share_y,
    )  # fmt: skip


def _draw_profile(material: Material, artifact: Profile, counter: str, folder: Path) -> list[Path]:
    """Draw the fraction of cases solved; a case is a problem with a target."""
    found = profiles(material.stored, counter, artifact.metric, list(artifact.targets))
    return picture.draw(found, _stem(folder, artifact, counter), FORMATS, artifact.title)


def _y_label(given: OfLine) -> str:
    if isinstance(given, Arrival):
        return f"cost until {spaced(given.metric)} is reached"
    return METRICS[given.metric][0]


def _laid_out(artifact: Check, found: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the table of a check as the document prints it, ours under its rows."""
    rows = []
    for row, printed in artifact.published.items():
        mine = (name for name in found if name.startswith(f"{row} "))
        values = {name.removeprefix(f"{row} "): found[name]["value"] for name in mine}
        rows.append([f"{row}, printed", *printed])
        if values:
            rows.append([f"{row}, here", *(cell.format(**values) for cell in artifact.columns.values())])
    return table(["", *artifact.columns], rows)


def _draw_check(material: Material, folder: Path) -> list[Path]:
    """Draw the measurements of a check; without a picture, make a table of its numbers."""
    artifact, outcome = material.artifact, material.outcome
    assert isinstance(artifact, Check)
    if outcome is None:
        made = command(artifact.command("run"), folder.parent.parent)
        raise UserError(f"{artifact.id} is not measured: {made}")
    if not outcome["panels"]:
        found = {name: one for name, one in outcome["measures"].items() if "series" not in one}
        if artifact.columns:
            made = _laid_out(artifact, found)
        else:
            shown = [(name, measured(one, Draw()).shown) for name, one in found.items()]
            made = table(("measured", "value"), shown)
        text = "\n\n".join([f"# {artifact.title}", *outcome["notes"], made]) + "\n"
        return write_all(folder.parent.parent / "tables" / artifact.id, {"md": text})
    plots, y_label, scale = check_plots(artifact, outcome["panels"])
    first = outcome["panels"][0]
    caption = "\n\n".join(
        textwrap.fill(text, 100) for text in (artifact.title, *outcome["notes"], *notes(artifact))
    )
    return draw_sheet(
        [plots], first["x_label"], [y_label], _stem(folder, artifact, ""), caption=caption + "\n",
        title=artifact.title, scale=scale, x_scale=first.get("x_scale", "linear"),
    )  # fmt: skip
