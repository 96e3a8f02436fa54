"""``svmbench delete``: remove stored runs."""

from __future__ import annotations

import json
from collections.abc import Sequence

from svmbench.cli._parser import Parser
from svmbench.sweep.select import RUNS, chosen

_NAMED = 10


def main(arguments: Sequence[str]) -> int:
    """Print what would be removed, or with ``--yes`` remove it."""
    parser = Parser(
        "delete",
        "Remove stored runs with their tags and notes. Without --yes list what would be removed.",
    )
    parser.add_argument("runs", nargs="+", metavar="RUNS", help=RUNS)
    parser.add_argument("--yes", action="store_true", help="remove them permanently")
    given = parser.parse_with_results(arguments)

    from svmbench.store import Store
    from svmbench.store.delete import check, delete, size

    store = Store(given.results)
    runs = chosen(given.results, given.runs)
    check(runs, store)
    count = sum(size(run) for run in runs)
    if given.yes:
        delete(runs, store)
    if given.json:
        print(json.dumps({"runs": [run.id for run in runs], "bytes": count, "removed": given.yes}, indent=2))
        return 0
    for run in runs[:_NAMED]:
        print(run.id)
    if len(runs) > _NAMED:
        print(f"and {len(runs) - _NAMED} more")
    what = f"{len(runs)} run{'s' * (len(runs) > 1)}, {count / 1e6:.1f} MB"
    print(f"{what}: removed" if given.yes else f"{what}: nothing is removed yet; add --yes to remove them")
    return 0
