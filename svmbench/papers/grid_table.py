"""Tables with cells from a template, each with the published value: Markdown, CSV, LaTeX and text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from svmbench.figures.latex import tabular
from svmbench.figures.tables import csv_text, table
from svmbench.papers.artifact import Grid
from svmbench.papers.estimate import Floats, NotAttempted
from svmbench.papers.evidence import Evidence
from svmbench.papers.material import Material
from svmbench.papers.quantities import Known, OfLine, Optimum, Quantity, of_panel, spaced
from svmbench.papers.runs import Line


def _deviation(values: Floats) -> float:
    """Return the sample standard deviation; NaN for a single run."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else float("nan")


#: Statistics over seeds.
_TAKE: Mapping[str, Callable[[Floats], Any]] = {"median": np.median, "mean": np.mean, "sd": _deviation}


class _Absent:
    """A number of a cell whose runs are not there."""

    def __format__(self, spec: str) -> str:
        return "–"


def grid_table(material: Material, artifact: Grid) -> Mapping[str, str]:
    """Return the table of an artifact of the kind ``grid``, by file suffix."""
    lines = [line for line in artifact.runs.lines if line.name not in artifact.hidden.split()]
    rows: list[list[str]] = []
    for panel in artifact.runs.panels:
        evidence = material.evidence(panel.name, artifact.conventions[0])
        rows.append([panel.title, *(_cell(evidence, artifact, panel.name, line) for line in lines)])
        published = artifact.published.get(panel.name, {})
        printed = [str(published.get(line.name, "")) for line in lines]
        if any(printed):
            rows.append([f"{panel.title}, published", *printed])
    header = ["", *(_title(material, line) for line in lines)]
    about = [f"# {artifact.title}", f"{artifact.source}.", f"{material.tally()}.", _legend(artifact)]
    text = table(header, rows)
    return {
        "md": "\n\n".join([*about, text]) + "\n",
        "csv": csv_text(header, rows),
        "tex": tabular(
            [[(name, 1) for name in header]], [[(text, False) for text in row] for row in rows], 1
        ),
        "txt": _plain(header, rows),
    }


def _cell(evidence: Evidence, grid: Grid, panel: str, line: Line) -> str:
    """Return the cell of one line on one panel; en dashes for what is not there."""
    numbers: dict[str, float | _Absent] = {}
    for name, given in grid.values.items():
        try:
            numbers[name] = _number(evidence, given, panel, line)
        except NotAttempted:
            numbers[name] = _Absent()
    if all(isinstance(number, _Absent) for number in numbers.values()):
        return "–"
    # A single run has no deviation: its cell has only the number.
    return re.sub(r"\s*±\s*nan", "", grid.cell.format(**numbers))


def _taken(given: Quantity | tuple[str, Quantity]) -> tuple[str, Quantity]:
    """Return the statistic over seeds and its quantity."""
    return given if isinstance(given, tuple) else ("median", given)


def _number(evidence: Evidence, given: Quantity | tuple[str, Quantity], panel: str, line: Line) -> float:
    take, quantity = _taken(given)
    quantity = of_panel(quantity, panel)
    if isinstance(quantity, OfLine):
        return float(_TAKE[take](replace(quantity, solver=line.name).values(evidence)))
    return float(quantity.sample(evidence).rows.at[0])


def _title(material: Material, line: Line) -> str:
    """Return the name of a line, from its file or its runs."""
    stored = (
        match.result.title
        for match in material.matches
        if match.planned.solver == line.name and match.complete
    )
    return line.title or next(stored, line.name)


def _legend(grid: Grid) -> str:
    parts = [f"{name}: {_meaning(given)}" for name, given in grid.values.items()]
    missing = "An en dash: the runs are not there; inf: not reached."
    single = " Without ±: a single run." if "±" in grid.cell else ""
    return f"Each cell is `{grid.cell}`; {'; '.join(parts)}. {missing}{single}"


def _meaning(given: Quantity | tuple[str, Quantity]) -> str:
    """Return the meaning of a number in a cell."""
    take, quantity = _taken(given)
    if isinstance(quantity, Optimum):
        of = "what was known beforehand" if isinstance(quantity, Known) else "the certified optimum"
        return f"{spaced(quantity.name)} of {of}"
    return (
        f"{spaced(quantity.metric) if isinstance(quantity, OfLine) else quantity.words()}, {take} over seeds"
    )


def _plain(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, *rows]
    widths = [max(map(len, column)) for column in zip(*lines)]
    texts = ("  ".join(cell.ljust(w) for cell, w in zip(line, widths)).rstrip() for line in lines)
    return "\n".join(texts) + "\n"
