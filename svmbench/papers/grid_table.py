"""Tables with cells from a template, each with the published value: Markdown, CSV, LaTeX and text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from svmbench.errors import UserError
from svmbench.figures.latex import tabular
from svmbench.figures.tables import csv_text, table
from svmbench.papers.claims import of_panel
from svmbench.papers.estimate import Floats, NotAttempted
from svmbench.papers.material import Material
from svmbench.papers.quantities import Evidence
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


def grid_table(material: Material) -> Mapping[str, str]:
    """Return the table of an artifact of the kind ``grid``, by file suffix."""
    artifact = material.artifact
    hidden = artifact.options.get("hidden", ())
    lines = [line for line in artifact.runs.lines if line.name not in hidden]
    rows: list[list[str]] = []
    for panel in artifact.runs.panels:
        evidence = material.evidence(panel.name, artifact.counters[0])
        rows.append([panel.title, *(_cell(evidence, artifact.options, panel.name, line) for line in lines)])
        published = artifact.options.get("published", {}).get(panel.name, {})
        printed = [str(published.get(line.name, "")) for line in lines]
        if any(printed):
            rows.append([f"{panel.title}, published", *printed])
    header = ["", *(_title(material, line) for line in lines)]
    about = [f"# {artifact.title}", f"{artifact.source}.", f"{material.tally()}.", _legend(artifact.options)]
    text = table(header, rows)
    return {
        "md": "\n\n".join([*about, text]) + "\n",
        "csv": csv_text(header, rows),
        "tex": tabular(
            [[(name, 1) for name in header]], [[(text, False) for text in row] for row in rows], 1
        ),
        "txt": _plain(header, rows),
    }


def _cell(evidence: Evidence, options: Mapping[str, Any], panel: str, line: Line) -> str:
    """Return the cell of one line on one panel; en dashes for what is not there."""
    numbers: dict[str, float | _Absent] = {}
    for name, given in options["values"].items():
        try:
            numbers[name] = _number(evidence, given, panel, line)
        except NotAttempted:
            numbers[name] = _Absent()
    if all(isinstance(number, _Absent) for number in numbers.values()):
        return "–"
    # A single run has no deviation: its cell has only the number.
    return re.sub(r"\s*±\s*nan", "", str(options["cell"]).format(**numbers))


def _number(evidence: Evidence, given: Mapping[str, Any], panel: str, line: Line) -> float:
    take = str(given.get("take", "median"))
    if take not in _TAKE:
        raise UserError(f"take={take} is not allowed: give one of {', '.join(_TAKE)}")
    quantity = {key: of_panel(value, panel) for key, value in given.items() if key != "take"}
    if quantity.keys() & {"optimum", "known"}:
        return float(evidence.sample(quantity).rows.at[0])
    return float(_TAKE[take](evidence.values({**quantity, "solver": line.name})))


def _title(material: Material, line: Line) -> str:
    """Return the name of a line, from its file or its runs."""
    stored = (
        match.result.title
        for match in material.matches
        if match.planned.solver == line.name and match.complete
    )
    return line.title or next(stored, line.name)


def _legend(options: Mapping[str, Any]) -> str:
    parts = [f"{name}: {_meaning(given)}" for name, given in options["values"].items()]
    missing = "An en dash: the runs are not there; inf: not reached."
    single = " Without ±: a single run." if "±" in options["cell"] else ""
    return f"Each cell is `{options['cell']}`; {'; '.join(parts)}. {missing}{single}"


def _meaning(given: Mapping[str, Any]) -> str:
    """Return the meaning of a number in a cell."""
    for source, of in (("optimum", "the certified optimum"), ("known", "what was known beforehand")):
        if source in given:
            return f"{str(given[source]).replace('_', ' ')} of {of}"
    metric = str(given.get("metric", given.get("arrival", "test_error"))).replace("_", " ")
    return f"{metric}, {given.get('take', 'median')} over seeds"


def _plain(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, *rows]
    widths = [max(map(len, column)) for column in zip(*lines)]
    texts = ("  ".join(cell.ljust(w) for cell, w in zip(line, widths)).rstrip() for line in lines)
    return "\n".join(texts) + "\n"
