"""Tables with cells from a template, each with the published value: Markdown, CSV, LaTeX and text."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from svmbench.figures.latex import tabular
from svmbench.figures.tables import csv_text, table
from svmbench.papers.artifact import Filling, Grid
from svmbench.papers.estimate import Floats, NotAttempted
from svmbench.papers.evidence import Evidence
from svmbench.papers.keys import Key
from svmbench.papers.material import Material
from svmbench.papers.panels import title_of
from svmbench.papers.quantities import EACH, Arrival, Known, OfLine, Optimum, Quantity, of_panel, spaced
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


class _Above(float):
    """A cost that was not reached: its lower bound."""

    def __format__(self, spec: str) -> str:
        return f"> {float(self):{spec}}"


def grid_table(material: Material, artifact: Grid) -> Mapping[str, str]:
    """Return the table of an artifact of the kind ``grid``, by file suffix."""
    shown = {line.name: line for line in artifact.runs.lines if line.name not in artifact.hidden.split()}
    blocks = {name: names.split() for name, names in (artifact.blocks or {"": " ".join(shown)}).items()}
    rows: list[list[str]] = []
    for name, panel in itertools.product(blocks, artifact.runs.panels):
        evidence = material.evidence(panel.name, artifact.conventions[0])
        lines = [shown[line] for line in blocks[name]]
        for value in artifact.rows or _split(evidence, artifact.split):
            at = f", {name}" if value is None and name else ""
            at = at if value is None else f", {artifact.split.rpartition('.')[2]} = {value:,}"
            where = {} if value is None else {artifact.split: value}
            ours = [_cell(evidence, artifact, panel.name, line, where) for line in lines]
            start = len(rows)
            for key, published in artifact.published.items():
                of, _, row = key.partition(" ")
                printed = [str(published.get(line.name, "")) for line in lines]
                if of == panel.name and any(printed) and row in ("", str(value) if value else row):
                    title = row if row and value is None else panel.title
                    rows.append([f"{title}{at}, printed", *printed])
            rows.append([f"{panel.title}{at}{', here' if len(rows) > start else ''}", *ours])
    name, first = next(iter(blocks.items()))
    header = ["", *(title_of(material, line).removesuffix(f", {name}") for line in first)]
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


def _split(evidence: Evidence, key: str) -> list[Any]:
    """Return the values of a key, which have a row each; a single None without a key."""
    over = [dict(match.planned.over) for match in evidence.matches] if key else []
    return list(dict.fromkeys(one[key] for one in over if key in one)) or [None]


def _cell(
    evidence: Evidence, grid: Grid, panel: str, line: Line, where: Mapping[str, Any] | None = None
) -> str:
    """Return the cell of one line on one panel; an en dash for what is not there."""
    numbers: dict[str, float | _Absent] = {}
    own = grid.own.get(line.name, {})
    for name, given in grid.values.items():
        try:
            number = _number(evidence, own.get(name, given), panel, line.name, where or {})
            if grid.relative:
                number = _number(evidence, given, panel, grid.relative, where or {}) / number
            numbers[name] = number
        except NotAttempted:
            numbers[name] = _Absent()
    if all(isinstance(number, _Absent) for number in numbers.values()):
        return "–"
    # A single run has no deviation: its cell has only the number; nor has an error that was not reached one.
    return re.sub(r"\s*±\s*nan|\s*\(–[^)]*\)", "", grid.cell.format(**numbers))


def _taken(given: Quantity | tuple[str, Quantity]) -> tuple[str, Quantity]:
    """Return the statistic over seeds and its quantity."""
    return given if isinstance(given, tuple) else ("median", given)


def _number(
    evidence: Evidence,
    given: Filling,
    panel: str,
    line: str,
    where: Mapping[str, Any],
) -> float:
    if isinstance(given, Key):
        return evidence.planned(line, where)[0].place(given)
    take, quantity = _taken(given)
    quantity = of_panel(quantity, panel)
    if isinstance(quantity, OfLine):
        if quantity.solver == EACH:
            # A line without this key, such as a baseline, has one number for all its values.
            planned = evidence.planned(line, {}) if where else []
            known = {key for match in planned for key in dict(match.planned.over)}
            split = {key: value for key, value in where.items() if key in known}
            quantity = replace(quantity, solver=line, where={**quantity.where, **split})
        taken = float(_TAKE[take](quantity.values(evidence)))
        return _Above(_TAKE[take](quantity.values(evidence, least=True))) if np.isinf(taken) else taken
    return float(quantity.sample(evidence).rows.at[0])


def _legend(grid: Grid) -> str:
    clock = spaced(grid.conventions[0])
    parts = [f"{name}: {_meaning(given, clock)}" for name, given in grid.values.items()]
    if grid.relative:
        parts.append(f"each number is that of {grid.relative} divided by that of the line")
    disturbed = " or were disturbed" if clock.endswith("seconds") else ""
    missing = f"An en dash: the runs are not there{disturbed}; >: not reached by then."
    single = " Without ±: a single run." if "±" in grid.cell else ""
    return f"Each cell is `{grid.cell}`; {'; '.join(parts)}. {missing}{single}"


def _meaning(given: Filling, clock: str) -> str:
    """Return the meaning of a number in a cell."""
    if isinstance(given, Key):
        return given.text
    take, quantity = _taken(given)
    if isinstance(quantity, Optimum):
        of = "what was known beforehand" if isinstance(quantity, Known) else "the certified optimum"
        return f"{spaced(quantity.name)} of {of}"
    what = spaced(quantity.metric) if isinstance(quantity, OfLine) else quantity.words()
    if quantity.plus != 0.0:
        times = f"- {what}" if quantity.factor == -1.0 else f"{quantity.factor:+g} x {what}"
        what = f"{quantity.plus:g} {times}"
    if isinstance(quantity, Arrival):
        what = f"{clock} to {what}" + (" " + quantity.level_words if quantity.level is not None else "")
    return f"{what}, {take} over seeds"


def _plain(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, *rows]
    widths = [max(map(len, column)) for column in zip(*lines)]
    texts = ("  ".join(cell.ljust(w) for cell, w in zip(line, widths)).rstrip() for line in lines)
    return "\n".join(texts) + "\n"
