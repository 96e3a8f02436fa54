"""``svmbench report``: stored runs as one HTML page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svmbench.cli._parser import Parser, file_path
from svmbench.cli.compare import seedless
from svmbench.errors import UserError, command
from svmbench.sweep.select import RUNS, chosen

if TYPE_CHECKING:
    from svmbench.report.opening import Opening
    from svmbench.store import StoredRun

#: Heading of a page without another one.
_TITLE = "Runs of SVM solvers"


def claims_of(results: Path) -> list[dict[str, Any]]:
    """Return the claims of papers with verdicts if the results folder has them, else an empty list."""
    from svmbench.store import shared

    try:
        return shared.verdicts(results / "VERDICTS.json")
    except FileNotFoundError:
        return []


def _opening(results: Path, runs: Sequence[StoredRun]) -> Opening | None:
    """Return the comparison of the field if some of the runs belong to it."""
    from svmbench.papers import artifact as artifacts

    field = artifacts.load("field")
    if not {run.dataset for run in runs} & field.runs.datasets():
        return None  # before all runs of the comparison are composed

    from svmbench.figures.series import COUNTERS
    from svmbench.papers.drawing import front_svg
    from svmbench.papers.fronts import FRONT_LEGEND, section_cells, standings
    from svmbench.papers.matching import Index
    from svmbench.papers.material import Material
    from svmbench.report.opening import Opening, Section
    from svmbench.store import Store

    material = Material.of(field, Index(Store(results)))
    if not {run.id for run in material.stored} & {run.id for run in runs}:
        return None
    sections = [
        Section(COUNTERS[counter], front_svg(material, counter), *section_cells(material, found))
        for counter in material.artifact.conventions
        if (found := standings(material, counter))
    ]
    if not sections:
        return None
    return Opening(material.artifact.title, [f"{material.tally()}.", FRONT_LEGEND], sections)


def main(arguments: Sequence[str]) -> int:
    """Write the page and print its path."""
    parser = Parser(
        "report",
        "Write stored runs as one HTML page that opens by a double click and needs no network: figures whose "
        "axes can be switched, tables that sort, environment, commands and data.",
    )
    parser.add_argument("runs", nargs="*", metavar="RUNS", help=f"{RUNS}; all, if none is given")
    parser.add_argument(
        "--all",
        action="store_true",
        help="every run of the results folder, as without RUNS",
    )
    parser.add_argument(
        "-o", "--output", default="report.html", metavar="FILE", help="the page (report.html)"
    )
    parser.add_argument("--title", default=_TITLE, metavar="TEXT", help="its heading")
    given = parser.parse_with_results(arguments)
    if given.all and given.runs:
        parser.error("both RUNS and --all are given: give runs, or --all")
    path = file_path("-o", given.output)

    if not given.runs and not Path(given.results).is_dir():
        raise UserError(
            f"there are no runs: folder {given.results} does not exist; "
            f"make a run with: {command('run', given.results)}"
        )
    runs = chosen(given.results, given.runs or [given.results])
    verdicts = [] if given.runs else claims_of(Path(given.results))
    opening = None if given.runs else _opening(Path(given.results), runs)
    size = write(path, given.results, runs, given.title, verdicts, opening=opening)
    if given.json:
        print(json.dumps({"path": str(path), "runs": [run.id for run in runs], "bytes": size}, indent=2))
        return 0
    print(f"{path}  ({len(runs)} run{'s' * (len(runs) > 1)}, {size / 1e6:.2f} MB)")
    return 0


def write(
    path: Path,
    results: str,
    runs: Sequence[StoredRun],
    title: str = _TITLE,
    verdicts: Sequence[dict[str, Any]] = (),
    refresh: float | None = None,
    opening: Opening | None = None,
) -> int:
    """Write the page of some runs of a results folder; return its bytes.

    With `refresh` an open page loads itself again after so many seconds. `opening` comes before the figures.
    """
    from svmbench.files import write_whole
    from svmbench.report.build import page
    from svmbench.store.notes import Notes

    notes = Notes(Path(results)).all()
    tags = {run: known["tags"] for run, known in notes.items() if known.get("tags")}
    text = page(runs, title, verdicts, seedless=seedless(runs), tags=tags, refresh=refresh, opening=opening)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)
    return len(text.encode())
