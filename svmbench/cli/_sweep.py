"""``svmbench run -m`` and ``svmbench resume``: the sweep's lines and its table."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from svmbench.sweep.plan import Job, Plan
from svmbench.sweep.record import FINISHED, Record

#: Most duplicates that are named one by one.
_NAMED = 5


def sweep(overrides: Sequence[str], folders: Sequence[Path]) -> int:
    """Run every combination; return 0, 1 if any job failed, or 130 if interrupted."""
    from svmbench.store import Store
    from svmbench.sweep import plan as planning

    plan = planning.make(overrides, folders)
    results = plan.jobs[0].config["results"]
    Store(results).check_writable()
    tell_left_out(plan)
    ends = {}
    if plan.options["retry"] == "none":
        for number, run in planning.stored(plan, Store(results)).items():
            if not run.complete:
                reason = f"stored before: {run.status}, {run.reason}"
                ends[number] = {
                    "state": "failed",
                    "reason": reason,
                    "run": run.id,
                    "seconds": 0.0,
                    "numbers": {},
                }
    return make(Record.create(Path(results), plan), plan, ends)


def make(record: Record, plan: Plan, ends: Mapping[int, dict[str, Any]]) -> int:
    """Make the jobs of a plan that have no end yet, and print the table of all."""
    from svmbench.runner.signals import handling
    from svmbench.sweep.pool import Pool
    from svmbench.sweep.status import Status

    options = plan.options
    pending = [job for job in plan.jobs if job.number not in ends]
    print(f"{len(plan.jobs)} jobs, all valid; record in {record.folder}", file=sys.stderr)
    threads = max(job.config["threads"] for job in plan.jobs)
    status = Status(record, len(plan.jobs), min(options["jobs"], max(1, len(pending))), ends)
    lock = record.lock()
    try:
        with handling():
            pool = Pool(record.folder, options["jobs"], threads, pin=not options["oversubscribe"])
            interrupted = pool.run(pending, status, fail_fast=options["fail_fast"])
    finally:
        status.close()
        lock.remove()
    return summarise(plan.jobs, status.ends, interrupted)


def tell_left_out(plan: Plan) -> None:
    """Print what a sweep leaves out: duplicates, and combinations that are impossible."""
    for label, first in plan.duplicates[:_NAMED]:
        print(f"left out, the same run as {first}: {label}", file=sys.stderr)
    if len(plan.duplicates) > _NAMED:
        print(f"left out, {len(plan.duplicates) - _NAMED} more of the same", file=sys.stderr)
    reasons: dict[str, list[str]] = {}
    for label, reason in plan.impossible:
        reasons.setdefault(reason, []).append(label)
    for reason, labels in reasons.items():
        more = f" and {len(labels) - 1} more" if len(labels) > 1 else ""
        print(f"left out, impossible: {labels[0]}{more}: {reason}", file=sys.stderr)


def summarise(jobs: Sequence[Job], ends: Mapping[int, dict[str, Any]], interrupted: bool) -> int:
    """Print the table of all jobs and every failure's reason; return the exit code."""
    from svmbench.report.tables import table
    from svmbench.sweep import status

    print(table(status.HEADER, status.rows(jobs, ends)))
    for text in status.failures(jobs, ends):
        print(text)
    print(status.counts(jobs, ends))
    if interrupted:
        return 130
    return 0 if all(ends.get(job.number, {}).get("state") in FINISHED for job in jobs) else 1
