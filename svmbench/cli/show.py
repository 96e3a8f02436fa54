"""``svmbench show``: one stored run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from svmbench.cli._output import last_checkpoint
from svmbench.cli._parser import Parser
from svmbench.errors import printable


def main(arguments: Sequence[str]) -> int:
    """Print the end, the last checkpoint and the configuration of a run."""
    parser = Parser("show", "Show one stored run: its end, its last numbers, its configuration.")
    parser.add_argument("run", metavar="RUN", help="name of the run, a unique prefix of it, or its folder")
    given = parser.parse_with_results(arguments)

    from svmbench.runner.outcome import ended
    from svmbench.store import Store
    from svmbench.store.notes import Notes
    from svmbench.store.timing import disturbed

    run = Store(given.results).find(given.run)
    tags, note = Notes(Path(given.results)).of(run.id)
    summary = {**run.summary(), "tags": tags, "note": note, "load": run.load}
    if given.json:
        print(json.dumps(summary, indent=2, allow_nan=False))
        return 0

    import yaml

    print(f"{summary['run']}: {ended(summary['status'], summary['reason'])}")
    print(last_checkpoint(summary))
    if summary["wall_seconds"] is not None:
        print(f"seconds: {_worth(disturbed(run))}")
    if tags or note:
        print()
    if tags:
        print(f"tags  {' '.join(tags)}")
    if note:
        print(f"note  {printable(note)}")
    print(f"\nconfiguration ({printable(summary['path'])})")
    for line in yaml.safe_dump(summary["config"], sort_keys=False, default_flow_style=None).splitlines():
        print(f"  {line}")
    return 0


def _worth(disturbance: str) -> str:
    return f"not comparable with others, {disturbance}" if disturbance else "it ran alone on its machine"
