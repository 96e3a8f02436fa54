"""``svmbench plot``: curves and heat maps of stored runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from svmbench.cli._output import tell
from svmbench.cli._parser import Parser, written
from svmbench.counters import COUNTERS
from svmbench.errors import UserError
from svmbench.figures import FORMATS
from svmbench.sweep.select import RUNS, chosen

if TYPE_CHECKING:
    from svmbench.store import StoredRun

_Y = "test_error, validation_error, train_error, primal_objective, suboptimality, gap, support_vectors, norm"


def main(arguments: Sequence[str]) -> int:
    """Draw the runs and print the paths of the pictures."""
    given = _parser().parse_with_results(arguments)
    xlim, ylim = _numbers("xlim", given.xlim), _numbers("ylim", given.ylim)
    heat = _pair("heat", given.heat, "two keys")
    if given.dpi is not None and not 50 <= given.dpi <= 1200:
        raise UserError(f"--dpi {given.dpi} is not allowed: give a whole number from 50 to 1200")
    from svmbench.figures.request import Request, make
    from svmbench.figures.style import DPI, PRINTED_DPI, drawing, save

    request = Request(
        x=given.x,
        y=given.y,
        title=given.title,
        xlim=xlim,
        ylim=ylim,
        xscale=given.xscale,
        yscale=given.yscale,
        size=given.size,
        color_by=given.color_by,
        style_by=given.style_by,
        panels_by=tuple(given.panels_by.split(",")) if given.panels_by else (),
        heat=heat,
    )
    stem, formats = written(given.output, given.format, FORMATS)
    with drawing(given.style):
        figure, caption, left_out = make(_runs(given.results, given.runs, heat is not None), request)
        paths = save(figure, stem, caption, formats, given.dpi or (PRINTED_DPI if given.size else DPI))
    left_out = list(dict.fromkeys(left_out))
    if given.json:
        named = [{"run": run, "reason": reason} for run, reason in left_out]
        print(json.dumps({"files": [str(path) for path in paths], "left_out": named}, indent=2))
        return 0
    tell(left_out, f": {paths[-1]} names them with their reasons")
    print(*paths, sep="\n")
    return 0


def _runs(results: str, words: Sequence[str], heat: bool) -> list[StoredRun]:
    """Return the runs that the words select; without words all, or for a map those of the newest sweep."""
    if words or not heat:
        return chosen(results, words or [results])
    from svmbench.sweep.record import Record  # imports what trains

    return chosen(results, [Record.find(Path(results), None).name])


def _parser() -> Parser:
    parser = Parser(
        "plot",
        "Draw a metric against a cost: one panel per data set, one line per method, the median over seeds; "
        "or, with --heat, its last value over two keys. A KEY is one of the configuration: solver, dataset, "
        "kernel.gamma, problem.C, seed, ...",
    )
    newest = "all, if none is given, with --heat those of the newest sweep"
    parser.add_argument("runs", nargs="*", metavar="RUNS", help=f"{RUNS}; {newest}")
    parser.add_argument(
        "--x",
        metavar="COST",
        help=f"{', '.join(COUNTERS)}, wall_seconds or cpu_seconds; by default what the runs' "
        "budgets count, kev_ondemand if they differ",
    )
    parser.add_argument("--y", default="test_error", metavar="METRIC", help=f"{_Y}; test_error by default")
    parser.add_argument("--title", metavar="TEXT", help="above the picture")
    for axis in "xy":
        unit = "; errors in percent" if axis == "y" else ""
        parser.add_argument(f"--{axis}lim", metavar="A,B", help=f"range of the {axis} axis{unit}")
        parser.add_argument(f"--{axis}scale", choices=("log", "linear"), help=f"of the {axis} axis")
    parser.add_argument("--size", choices=("one", "two"), help="width of one or two journal columns")
    parser.add_argument(
        "--style",
        choices=("screen", "paper"),
        default="screen",
        help="paper: serif letters in the sizes of journals, for --size one or two",
    )
    parser.add_argument(
        "--dpi", type=int, metavar="N", help="pixels per inch of png: 200 by default, 300 with --size"
    )
    parser.add_argument("--color-by", metavar="KEY", help="key that colours distinguish")
    parser.add_argument("--style-by", metavar="KEY", help="key that dash styles distinguish")
    parser.add_argument("--panels-by", metavar="KEY,KEY", help="one panel for each of their values")
    parser.add_argument("--heat", metavar="KEY,KEY", help="a map of the last value over two keys, no curves")
    parser.add_argument("-o", "--output", default="curves", metavar="PATH", help="path of the pictures")
    parser.add_argument(
        "--format",
        nargs="+",
        choices=FORMATS,
        help="of the pictures, one or more; that of PATH, or png, by default",
    )
    return parser


def _pair(name: str, text: str | None, what: str) -> tuple[str, str] | None:
    """Return the two values of ``A,B``."""
    if text is None:
        return None
    first, _, second = text.partition(",")
    if not (first and second) or "," in second:
        raise UserError(f"--{name} {text} is not allowed: give {what} with a comma between them")
    return first, second


def _numbers(name: str, text: str | None) -> tuple[float, float] | None:
    pair = _pair(name, text, "two numbers")
    try:
        return None if pair is None else (float(pair[0]), float(pair[1]))
    except ValueError:
        raise UserError(f"--{name} {text} is not allowed: give two numbers, such as 1e6,1e9") from None
