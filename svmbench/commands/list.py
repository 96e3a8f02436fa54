"""``svmbench list``: the stored runs, oldest first."""

from __future__ import annotations

import json
from collections.abc import Sequence

from svmbench.commands._parser import Parser
from svmbench.commands._tables import number, percent

_HEADER = ("run", "seed", "status", "test error", "objective", "kev_ondemand", "iterations", "wall s")


def main(arguments: Sequence[str]) -> int:
    """Print a line for each run, or a JSON array of what `svmbench show` prints of one."""
    parser = Parser("list", "List the stored runs, oldest first, with the numbers of their last checkpoint.")
    parser.add_json()
    parser.add_results()
    given = parser.parse_args(arguments)

    from svmbench.report.tables import table
    from svmbench.store import Store

    summaries = [run.summary() for run in Store(given.results).runs()]
    if given.json:
        print(json.dumps(summaries, indent=2, allow_nan=False))
        return 0
    if not summaries:
        print(f"no runs in {given.results}; make one with: svmbench run")
        return 0
    rows = [
        (
            summary["run"],
            summary["seed"],
            summary["status"],
            percent(summary["test_error"]),
            summary["primal_objective"],
            number(summary["kev_ondemand"], ".3g"),
            summary["iterations"],
            summary["wall_seconds"],
        )
        for summary in summaries
    ]
    print(table(_HEADER, rows))
    return 0
