"""``svmbench tag``: tags of runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from svmbench.cli._parser import Parser
from svmbench.sweep.select import RUNS, chosen


def main(arguments: Sequence[str]) -> int:
    """Tag runs, or print the tags."""
    parser = Parser(
        "tag",
        "Tag runs, or print all tags. Commands that take RUNS accept tag:NAME for the runs with this tag.",
    )
    parser.add_argument("tag", nargs="?", metavar="TAG", help="a name of letters, digits, '.', '_' and '-'")
    parser.add_argument("runs", nargs="*", metavar="RUNS", help=RUNS)
    parser.add_argument("--remove", action="store_true", help="remove the tag from the runs")
    given = parser.parse_with_results(arguments)
    if given.tag is not None and not given.runs:
        parser.error(f"give the runs that {given.tag} is for")

    from svmbench.store.notes import Notes

    notes = Notes(Path(given.results))
    if given.tag is not None:
        notes.tag([run.id for run in chosen(given.results, given.runs)], given.tag, remove=given.remove)
    tags = notes.tags()
    if given.json:
        print(json.dumps(tags, indent=2))
    else:
        print("\n".join(f"{tag}: {count} run{'s' * (count > 1)}" for tag, count in tags.items()) or "no tags")
    return 0
