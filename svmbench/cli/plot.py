"""``svmbench plot``: curves of stored runs."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from svmbench.cli._parser import Parser
from svmbench.config import folder
from svmbench.errors import UserError
from svmbench.report import FORMATS

if TYPE_CHECKING:
    from svmbench.store import Store, StoredRun


def main(arguments: Sequence[str]) -> int:
    """Draw the runs and print the paths of the pictures."""
    parser = Parser(
        "plot",
        "Draw test error against cost: one panel per data set, one line per solver, the median over seeds.",
    )
    parser.add_argument(
        "runs", nargs="+", metavar="RUN", help="name, unique beginning, folder, or pattern such as 'sbp-*'"
    )
    parser.add_argument(
        "--counter",
        choices=folder.counters(),
        help="what the x axis counts; by default what the runs' budgets count, kev_ondemand if they differ",
    )
    parser.add_argument(
        "-o", "--output", default="curves", metavar="PATH", help="path of the pictures without their ending"
    )
    parser.add_argument(
        "--format",
        nargs="+",
        choices=FORMATS,
        default=FORMATS[:1],
        help="of the pictures, one or more; png by default",
    )
    parser.add_results()
    given = parser.parse_args(arguments)

    from svmbench.report import curves
    from svmbench.store import Store

    stem = Path(given.output)
    if stem.suffix in {f".{ending}" for ending in FORMATS}:
        stem = stem.with_suffix("")
    runs = chosen(Store(given.results), given.runs)
    for path in curves.draw(runs, given.counter or _counter(runs), stem, formats=given.format):
        print(path)
    return 0


def _counter(runs: Sequence[StoredRun]) -> str:
    """Return the counter of the runs' budgets if it is one, else the one that every kernel method has."""
    counters = {run.config["budget"]["counter"] for run in runs}
    return str(counters.pop()) if len(counters) == 1 else "kev_ondemand"


def chosen(store: Store, names: Sequence[str]) -> list[StoredRun]:
    """Return the runs that the names and patterns mean, each once, in the order given."""
    found: dict[str, StoredRun] = {}
    for name in names:
        if any(sign in name for sign in "*?["):
            matches = [run for run in store.runs() if fnmatchcase(run.id, name)]
            if not matches:
                raise UserError(f"no run in {store.root} matches {name}; see: svmbench list")
        else:
            matches = [store.find(name)]
        found.update((run.id, run) for run in matches)
    return list(found.values())
