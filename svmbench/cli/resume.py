"""``svmbench resume``: the unfinished jobs of a sweep."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Sequence
from pathlib import Path

from svmbench.cli._parser import Parser
from svmbench.errors import UserError

#: Beginning of a word that sets a key of the configuration.
_OVERRIDE = re.compile(r"[\w.+~@/]+=")


def main(arguments: Sequence[str]) -> int:
    """Make the missing runs and print the table of all; the plan is the stored one."""
    parser = Parser(
        "resume", "Continue a sweep: make the runs that failed, were interrupted or never started."
    )
    parser.add_sweep()
    parser.add_json()
    parser.add_results()
    given, others = parser.parse_known_args(arguments)
    words = [*others, given.sweep or ""]
    overrides = [word for word in words if _OVERRIDE.match(word) and not Path(word).exists()]
    if overrides:
        raise UserError(
            f"svmbench resume follows the stored plan and takes no {overrides[0]}: repeat the command that "
            f"started the sweep with {overrides[0]}; it skips runs that are stored"
        )
    if others:
        parser.error(f"unrecognized arguments: {' '.join(others)}")

    from svmbench.cli._sweep import make
    from svmbench.sweep.planning import check_machine
    from svmbench.sweep.record import FINISHED, Record

    record = Record.find(Path(given.results), given.sweep)
    plan = record.plan()
    keep = (*FINISHED, "failed", "refused") if plan.options["retry"] == "none" else FINISHED
    jobs = range(len(plan.jobs))
    ends = {n: end for n, end in record.ends().items() if n in jobs and end["state"] in keep}
    # Another file may have the relative path of the data here.
    with contextlib.chdir(plan.started if os.path.isdir(plan.started) else "."):
        check_machine(plan)
        return make(record, plan, ends, as_json=given.json)[0]
