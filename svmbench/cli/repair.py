"""``svmbench repair``: move damaged content of a results folder aside."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from svmbench.cli._parser import Parser


def main(arguments: Sequence[str]) -> int:
    """Move damaged runs and documents to ``damaged/`` and list them; return 1 if one could not be moved."""
    parser = Parser(
        "repair",
        "Move damaged runs, optima and environments, and damaged lines of notes and sweeps, to damaged/ in "
        "the results folder. Nothing is removed. A run that was moved is repeated when it is next requested.",
    )
    given = parser.parse_with_results(arguments)

    from svmbench.store import Store
    from svmbench.store.integrity import set_aside
    from svmbench.sweep.record import check_all

    store = Store(given.results, warn=lambda sentence: None)
    damaged = [finding for finding in check_all(store) if finding.state == "damaged"]
    # A path may have been moved with a folder of another finding.
    moved = [(finding, set_aside(finding, store)) for finding in damaged if os.path.lexists(finding.path)]
    left = sum(target is None for _, target in moved)
    if given.json:
        found = [
            {"path": str(one.path), "aside": None if target is None else str(target), "reason": one.sentence}
            for one, target in moved
        ]
        print(json.dumps(found, indent=2))
        return 1 if left else 0
    for finding, target in moved:
        if target is None:
            print(f"left     {finding.path}: restore it from version control, or end its process")
        else:
            print(f"aside    {target}")
        print(f"         {finding.sentence}")
    print(f"{len(moved) - left} set aside" + (f", {left} left" if left else ""))
    return 1 if left else 0
