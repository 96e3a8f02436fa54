"""``svmbench export``: runs as a folder or zip file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from svmbench.cli._parser import Parser
from svmbench.errors import UserError
from svmbench.sweep.select import RUNS, chosen


def main(arguments: Sequence[str]) -> int:
    """Write the folder or file and print its path."""
    parser = Parser(
        "export",
        "Copy runs with their environments, optima, tags and notes, a table, and the commands that repeat "
        "them, into a new results folder, which every command reads with --results.",
    )
    parser.add_argument("runs", nargs="+", metavar="RUNS", help=RUNS)
    parser.add_argument("--zip", action="store_true", help="write one zip file instead of a folder")
    parser.add_argument(
        "-o", "--output", metavar="PATH", help="path of the output; export or export.zip by default"
    )
    given = parser.parse_with_results(arguments)

    from svmbench.report.command import command
    from svmbench.store.export import export

    path = Path(given.output or "export")
    if not path.name:
        raise UserError(f"-o {path} already exists: give the name of a new folder, such as {path / 'mine'}")
    if given.zip and path.suffix != ".zip":
        path = path.with_name(path.name + ".zip")
    found = {run.id: run for run in reversed(chosen(given.results, given.runs))}
    runs = list(reversed(found.values()))  # two folders may contain the same run
    export(runs, path, Path(given.results), [command(run.config) for run in runs])
    count = sum(
        one.stat().st_size for one in ([path] if path.is_file() else path.rglob("*")) if one.is_file()
    )
    if given.json:
        print(json.dumps({"path": str(path), "runs": [run.id for run in runs], "bytes": count}, indent=2))
    else:
        print(f"{path}  ({len(runs)} run{'s' * (len(runs) > 1)}, {count / 1e6:.2f} MB)")
    return 0
