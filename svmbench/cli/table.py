"""``svmbench table``: a metric of stored runs as a table for a paper."""

from __future__ import annotations

import json
import math
import re
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from svmbench.cli._output import tell
from svmbench.cli._parser import Parser, as_number, written
from svmbench.cli.compare import seedless
from svmbench.errors import UserError, printable
from svmbench.sweep.select import RUNS, chosen

if TYPE_CHECKING:
    from svmbench.analysis.cell import Cell
    from svmbench.analysis.cells import At, Cells
    from svmbench.figures.series import Floats

_FORMATS = ("md", "tex", "csv")


def main(arguments: Sequence[str]) -> int:
    """Print the table, or write it in the requested formats."""
    given, found = celled(arguments)
    stem, formats = given.output, given.format
    caption = given.caption or _caption(found, given.average)
    if given.json:
        print(json.dumps({"caption": caption, "cells": records(found, given.average)}, indent=2))
        return 0
    texts = {
        "md": lambda: _markdown(found, given.average, caption),
        "tex": lambda: _latex(found, given.average, caption, given.label),
        "csv": lambda: _csv(found, given.average),
    }
    if stem is None:
        print(texts[formats[0]](), end="")
        return 0
    from svmbench.files import write_whole

    stem.parent.mkdir(parents=True, exist_ok=True)
    for name in formats:
        path = stem.with_name(f"{stem.name}.{name}")
        write_whole(path, texts[name]())
        print(path)
    return 0


def celled(arguments: Sequence[str]) -> tuple[Namespace, Cells]:
    """Return what was asked for, with the formats and path of files, and the cells; say what is left out."""
    given = _parser().parse_with_results(arguments)
    rows, columns, metrics = (_words(text) for text in (given.rows, given.columns, given.metric))
    at = _at(given.at)
    if given.output is None:
        given.format = list(dict.fromkeys(given.format or _FORMATS[:1]))
    else:
        given.output, given.format = written(given.output, given.format, _FORMATS)
    if given.output is None and len(given.format) > 1:
        raise UserError(
            f"--format {' '.join(given.format)} writes {len(given.format)} files: give -o PATH, or one format"
        )

    from svmbench.analysis.cells import cells

    runs = chosen(given.results, given.runs or [given.results])
    found = cells(runs, rows, columns, metrics, at, given.average, seedless(runs))
    tell(found.left_out)
    return given, found


def _parser() -> Parser:
    parser = Parser(
        "table",
        "Print a table of stored runs: a metric over seeds, for each value of the keys in its rows and "
        "columns. The best of each row, and those that a rank test does not distinguish from it, are bold.",
    )
    parser.add_argument("runs", nargs="*", metavar="RUNS", help=f"{RUNS}; all, if none is given")
    parser.add_argument("--rows", default="dataset", metavar="KEY,KEY", help="keys; dataset by default")
    parser.add_argument("--columns", default="solver", metavar="KEY,KEY", help="keys; solver by default")
    parser.add_argument(
        "--metric",
        default="test_error",
        metavar="METRIC,METRIC",
        help="test_error (the default), primal_objective, relative_gap, support_vectors, cpu_seconds, ...",
    )
    parser.add_argument(
        "--at",
        default="end",
        metavar="END|NAME=VALUE",
        help="end (the default); a cost, such as kev_ondemand=1e8: the last value up to there; or a target, "
        "such as test_error=0.15: the cost from which a run stays at or below it until its end",
    )
    parser.add_argument(
        "--average",
        choices=("mean", "median"),
        default="mean",
        help="mean and standard deviation (the default), or median and quartiles",
    )
    parser.add_argument("--caption", metavar="TEXT", help="caption, instead of a generated one")
    parser.add_argument("--label", default="tab:svmbench", metavar="NAME", help="label of the LaTeX table")
    parser.add_argument(
        "--format",
        nargs="+",
        choices=_FORMATS,
        type=lambda text: "tex" if text == "latex" else text,
        help="that of PATH, or md, by default",
    )
    parser.add_argument("-o", "--output", metavar="PATH", help="path of the files")
    return parser


def _words(text: str) -> list[str]:
    words = [word for word in text.split(",") if word]
    if not words:
        raise UserError(f"'{text}' names nothing: give one or more names with commas between them")
    return list(dict.fromkeys(words))


def _at(text: str) -> At:
    from svmbench.analysis.cells import At

    name, equals, value = text.partition("=")
    number = as_number(value) if equals else 0.0
    if (name == "end") == bool(equals) or not 0.0 <= number < float("inf"):
        raise UserError(f"--at {text} is not allowed: give end, or NAME=NUMBER, such as kev_ondemand=1e8")
    return At(name, number)


def _caption(found: Cells, average: str) -> str:
    """Return a description of the table."""
    from svmbench.figures.series import COUNTERS, METRICS

    names = ", ".join(METRICS[metric][0] for metric in found.metrics)
    at = found.at
    where = "at the end of each run" if at.name == "end" else f"at {at.name} = {at.value:g}"
    if at.name not in ("end", *COUNTERS):
        where = f"until {at.name} stays at or below {at.value:g}"
    counts = sorted({len(cell.values) for cell in found.cells.values() if not cell.constant})
    number = " to ".join(map(str, dict.fromkeys((counts[0], counts[-1])))) if counts else ""
    seeds = f" over {number} seed{'s' * (number != '1')}" if counts else ""
    what = "mean ± standard deviation" if average == "mean" else "median (quartiles)"
    single = any(len(cell.values) == 1 for cell in found.cells.values())
    alone = "; a number alone is a single run" if single and counts[-1:] > [1] else ""
    shown = f"{what}{seeds}" if counts and counts[-1] > 1 else "a single run each"
    bold = any(cell.best for cell in found.cells.values())
    test = (
        "Bold: the best of each row and those not significantly worse (Wilcoxon test over seeds, 5 %, Holm)."
        if bold
        else f"Nothing is bold: no difference within a row is significant{seeds}."
    )
    infinite = any(math.isinf(value) for cell in found.cells.values() for value in cell.values.values())
    never = {"mean": "at least one run ends above it", "median": "half of the runs end above it"}
    missing = f"; not reached: {never[average]}" if infinite else ""
    return f"{names[:1].upper()}{names[1:]} {where}: {shown}{alone}{missing}. {test}"


def _name(key: str) -> str:
    from svmbench.figures.settings import name_of

    return {"solver": "solver", "dataset": "data set"}.get(key, name_of(key))


def _shown(value: Any) -> str:
    if isinstance(value, float):
        from svmbench.figures.settings import number

        return number(value)
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return "–" if value is None else str(value)


def _labelled(keys: Sequence[str], values: Sequence[Any]) -> str:
    """Return the head of a column: names for solvers and sets, ``C = 1`` for values."""
    parts = []
    for key, value in zip(keys, values, strict=True):
        named = key in ("solver", "dataset", "kernel", "features")
        parts.append(_shown(value) if named else f"{_name(key)} = {_shown(value)}")
    return ", ".join(parts)


def _heads(found: Cells) -> list[list[tuple[str, int]]]:
    from svmbench.figures.series import METRICS

    left = [(_name(key), 1) for key in found.row_keys]
    labels = [_labelled(found.column_keys, column) for column in found.columns]
    if len(found.metrics) == 1:
        return [[*left, *((label, 1) for label in labels)]]
    over = [*(("", 1) for _ in left), *((label, len(found.metrics)) for label in labels)]
    return [over, [*left, *((METRICS[metric][0], 1) for _ in labels for metric in found.metrics)]]


def _body(found: Cells, average: str) -> list[list[tuple[str, bool]]]:
    body = [[(_shown(value), False) for value in row] for row in found.rows]
    for column in found.columns:
        for metric in found.metrics:
            cells = [found.cells.get((row, column, metric)) for row in found.rows]
            # Two decimals, unless a number of the column would lose its digits.
            small = any(cell is not None and _power(cell, average) < -1 for cell in cells)
            for line, cell in zip(body, cells, strict=True):
                line.append(("–", False) if cell is None else (_text(cell, average, small), cell.best))
    return body


def _power(cell: Cell, average: str) -> int:
    """Return the power of ten of the number of a cell."""
    from svmbench.analysis.cell import center, spread

    size = abs(center(cell.array, average)) or max(map(abs, spread(cell.array, average)), default=0.0)
    return math.floor(math.log10(size)) if 0.0 < size < math.inf else 0


def _text(cell: Cell, average: str, small: bool) -> str:
    """Return the number of a cell and its spread, with the same decimals; three digits if `small`."""
    from svmbench.analysis.cell import center, spread
    from svmbench.figures.settings import raised

    values: Floats = cell.array
    middle = center(values, average)
    if not math.isfinite(middle):
        return "not reached"
    around, power = spread(values, average), _power(cell, average)
    if -3 <= power <= 4:
        digits, unit, after = max(0, 2 - power) if small else 2 if power < 2 else max(0, 3 - power), 1.0, ""
        if power >= 2 and not any(value % 1.0 for value in (middle, *around) if math.isfinite(value)):
            digits = 0  # counts
    else:
        digits, unit, after = 1, 10.0**power, f" × 10{raised(power)}"
    shown = f"{middle / unit:,.{digits}f}"
    if len(around) == 1:
        shown += f" ± {around[0] / unit:,.{digits}f}"
    elif around:
        ends = (f"{end / unit:,.{digits}f}" if math.isfinite(end) else "not reached" for end in around)
        shown += f" ({' to '.join(ends)})"
    return f"({shown}){after}" if after and len(around) == 1 else shown + after


def _markdown(found: Cells, average: str, caption: str) -> str:
    from svmbench.figures.tables import table

    heads = _heads(found)
    if len(heads) > 1:
        groups = [label for label, over in heads[0] for _ in range(over)]
        header = [
            f"{group}: {name}" if group else name for group, (name, _) in zip(groups, heads[1], strict=True)
        ]
    else:
        header = [name for name, _ in heads[0]]
    body = [[f"**{text}**" if bold else text for text, bold in row] for row in _body(found, average)]
    return f"{table(header, body)}\n\n{printable(caption)}\n"


def _latex(found: Cells, average: str, caption: str, label: str) -> str:
    from svmbench.figures.latex import floating, tabular

    if not re.fullmatch(r"[A-Za-z0-9:._/+-]+", label):
        raise UserError(f"--label {label} is not allowed: give letters, digits and any of : . _ / + -")
    return floating(tabular(_heads(found), _body(found, average), len(found.row_keys)), caption, label)


def records(found: Cells, average: str) -> list[dict[str, Any]]:
    """Return a record per cell, as stored: errors are fractions; None if unknown."""
    from svmbench.analysis.cell import center, spread
    from svmbench.figures.series import METRICS

    made = []
    for (row, column, metric), cell in found.cells.items():
        factor = METRICS[metric][1]
        middle, around = center(cell.array, average), spread(cell.array, average)
        names = ("deviation",) if average == "mean" else ("lower_quartile", "upper_quartile")
        made.append(
            {
                **dict(zip(found.row_keys, row, strict=True)),
                **dict(zip(found.column_keys, column, strict=True)),
                "metric": metric,
                average: _finite(middle / factor),
                **{name: _finite(around[k] / factor) if around else None for k, name in enumerate(names)},
                "seeds": len(cell.values),
                "best": cell.best,
                "runs": [run.id for run in cell.runs],
            }
        )
    return made


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _csv(found: Cells, average: str) -> str:
    """Return a line per cell, for programs."""
    from svmbench.figures.tables import csv_text

    lines = [{**one, "runs": " ".join(one["runs"])} for one in records(found, average)]
    return csv_text(list(lines[0]), (one.values() for one in lines))
