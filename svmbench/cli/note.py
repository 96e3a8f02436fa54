"""``svmbench note``: a note about a run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from svmbench.cli._parser import Parser
from svmbench.errors import printable


def main(arguments: Sequence[str]) -> int:
    """Set the note of a run, or print it."""
    parser = Parser("note", "Add a note to a run; show and list print it. Without TEXT, print the note.")
    parser.add_argument("run", metavar="RUN", help="name of the run, a unique prefix of it, or its folder")
    parser.add_argument("text", nargs="?", metavar="TEXT", help="the note; '' removes it")
    given = parser.parse_with_results(arguments)

    from svmbench.store import Store
    from svmbench.store.notes import Notes

    run, notes = Store(given.results).find(given.run).id, Notes(Path(given.results))
    if given.text is not None:
        notes.note(run, given.text)
    tags, note = notes.of(run)
    if given.json:
        print(json.dumps({"run": run, "tags": tags, "note": note}, indent=2))
    else:
        print(f"{run}: {printable(note) or 'no note'}")
    return 0
