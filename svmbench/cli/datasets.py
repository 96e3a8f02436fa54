"""``svmbench datasets``: list, fetch and verify data sets."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from svmbench.cli._parser import Parser
from svmbench.cli._tables import number

_ACTIONS = ("list", "fetch", "verify")


def main(arguments: Sequence[str]) -> int:
    """List the data sets, or fetch or verify the files of some."""
    parser = Parser("datasets", "List the data sets, fetch the files of some, or verify them.")
    parser.add_argument("action", choices=_ACTIONS, help="what to do")
    parser.add_argument("names", nargs="*", metavar="NAME", help="data sets to fetch or verify")
    parser.add_argument(
        "--mirror", metavar="DIR", help="folder with copies of the published files ($SVMBENCH_MIRROR)"
    )
    parser.add_argument(
        "--dir", metavar="DIR", help="folder of the downloaded and prepared data ($SVMBENCH_DATA)"
    )
    parser.add_json()
    given = parser.parse_args(arguments)
    if given.action == "list" and given.names:
        parser.error(f"list shows all data sets: leave out {' '.join(given.names)}")
    if given.action == "list":
        return _list(given.dir, given.json)
    if not given.names:
        parser.error(f"{given.action} needs the name of a data set; svmbench datasets list shows them")
    if given.action == "fetch":
        return _fetch(given.names, given.mirror, given.dir)
    return _verify(given.names, given.dir)


def _list(directory: str | None, as_json: bool) -> int:
    from svmbench.data import catalogue
    from svmbench.figures.tables import table

    sets = catalogue.list_sets(directory)
    if as_json:
        print(json.dumps(sets, indent=2))
        return 0
    rows = [
        (
            entry["name"],
            " / ".join(number(count) for count in entry["rows"].values()),
            entry["features"],
            "yes" if entry["present"] else "no",
            entry["title"],
        )
        for entry in sets
    ]
    print(table(("name", "rows", "features", "here", "title"), rows))
    return 0


def _fetch(names: Sequence[str], mirror: str | None, directory: str | None) -> int:
    from svmbench.data import catalogue

    for name in names:
        paths = catalogue.fetch(name, mirror, directory, say=lambda line: print(line, file=sys.stderr))
        for path in paths:
            print(path)
        if not paths:
            print(f"{name} has no files to fetch")
    return 0


def _verify(names: Sequence[str], directory: str | None) -> int:
    from svmbench.data import catalogue

    results = [result for name in names for result in catalogue.verify(name, directory)]
    for path, right, sentence in results:
        print(f"{'ok ' if right else 'BAD'}  {path}: {sentence}")
    return 0 if all(right for _, right, _ in results) else 1
