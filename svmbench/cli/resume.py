"""``svmbench resume``: the unfinished jobs of a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from svmbench.cli._parser import Parser


def main(arguments: Sequence[str]) -> int:
    """Make the missing runs and print the table of all; the plan is the stored one."""
    parser = Parser(
        "resume", "Continue a sweep: make the runs that failed, were interrupted or never started."
    )
    parser.add_sweep()
    parser.add_json()
    parser.add_results()
    given = parser.parse_args(arguments)

    from svmbench.cli._sweep import make
    from svmbench.sweep.planning import check_machine
    from svmbench.sweep.record import FINISHED, Record

    record = Record.find(Path(given.results), given.sweep)
    plan = record.plan()
    check_machine(plan)
    keep = (*FINISHED, "failed", "refused") if plan.options["retry"] == "none" else FINISHED
    jobs = range(len(plan.jobs))
    ends = {n: end for n, end in record.ends().items() if n in jobs and end["state"] in keep}
    return make(record, plan, ends, as_json=given.json)[0]
