"""``svmbench datasets``: list, fetch, verify and describe data sets."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from svmbench.cli._output import number, percent
from svmbench.cli._parser import Parser
from svmbench.errors import nearest

_ACTIONS = ("list", "fetch", "verify", "describe")


def main(arguments: Sequence[str]) -> int:
    """List the data sets, fetch or verify the files of some, or describe their rows."""
    parser = Parser(
        "datasets",
        "List the data sets, fetch or verify the files of some, or count repeated rows and others.",
    )
    parser.add_argument(
        "action", nargs="?", choices=_ACTIONS, default=_ACTIONS[0], help="what to do; list by default"
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="data sets to fetch, verify or describe")
    parser.add_argument(
        "--mirror", metavar="DIR", help="folder with copies of the published files ($SVMBENCH_MIRROR)"
    )
    parser.add_argument(
        "--dir", metavar="DIR", help="folder of the downloaded and prepared data ($SVMBENCH_DATA)"
    )
    parser.add_json()
    if arguments and not arguments[0].startswith("-") and arguments[0] not in _ACTIONS:
        from svmbench.data import names

        meant = f"fetch {arguments[1]}" if len(arguments) > 1 else f"describe {arguments[0]}"
        other = f"; did you mean '{meant}'?" if meant.split()[1] in names() else ""
        hint = nearest(arguments[0], _ACTIONS) or other
        parser.error(f"unknown action '{arguments[0]}'{hint} ({', '.join(_ACTIONS)})")
    given = parser.parse_args(arguments)
    if given.action == "list" and given.names:
        parser.error(f"list shows all data sets: leave out {' '.join(given.names)}")
    if given.action == "list":
        return _list(given.dir, given.json)
    if not given.names:
        parser.error(f"{given.action} needs the name of a data set; svmbench datasets list shows them")
    if given.action == "fetch":
        return _fetch(given.names, given.mirror, given.dir)
    if given.action == "describe":
        return _describe(given.names, given.mirror, given.dir, given.json)
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


def _describe(names: Sequence[str], mirror: str | None, directory: str | None, as_json: bool) -> int:
    from svmbench.data.describe import describe
    from svmbench.figures.tables import table

    found = {}
    for name in names:
        found[name] = describe(name, mirror, directory, say=lambda line: print(line, file=sys.stderr))
    if as_json:
        print(json.dumps(found, indent=2))
        return 0
    for kind in ("parts", "files"):
        items = [{"name": name, **item} for name, about in found.items() for item in about[kind]]
        if items:
            header = [key.replace("_", " ") for key in items[0]]
            print(table(header, [[_cell(value) for value in item.values()] for item in items]), end="\n\n")
    return 0


def _cell(value: str | float | None) -> str:
    """Return a text, a count or a share for a table."""
    return value if isinstance(value, str) else percent(value) if isinstance(value, float) else number(value)
