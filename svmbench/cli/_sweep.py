"""``svmbench run -m``, ``resume`` and ``status``: status lines and table of a sweep, also as JSON."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from svmbench.sweep.planning import Job, Plan
from svmbench.sweep.record import Record, all_finished
from svmbench.sweep.stored import JobEnd

#: Ends of jobs by number.
Ends = Mapping[int, JobEnd]

#: Most duplicates listed by name.
_NAMED = 5


def sweep(
    plan: Plan, *, heading: str | None = None, table: bool = True, as_json: bool = False
) -> tuple[int, Ends]:
    """Run all combinations; return 0, 1 if any job failed, or 130 if interrupted, and the ends.

    The heading is printed once the plan is known to be valid. With ``as_json``, nothing but the document is
    printed to standard output; there is no table.
    """
    from svmbench.store import Store
    from svmbench.sweep.launch import check

    results = plan.jobs[0].config.results
    check(plan.options)
    Store(results).check_writable()
    tell_left_out(plan)
    check_data(plan)
    if heading is not None:
        print(heading, file=sys.stderr)
    return make(Record.create(Path(results), plan), plan, {}, table=table, as_json=as_json)


def make(
    record: Record, plan: Plan, ends: Ends, *, table: bool = True, as_json: bool = False
) -> tuple[int, Ends]:
    """Make the unfinished jobs of a plan and print the table of all; parameters as in `sweep`."""
    from svmbench.runner.signals import handling
    from svmbench.sweep.launch import launcher
    from svmbench.sweep.status import Status

    options = plan.options
    known = _known(plan, ends)
    pending = [job for job in plan.jobs if job.number not in ends and job.number not in known]
    print(
        f"{len(plan.jobs)} job{'s' * (len(plan.jobs) > 1)}, all valid; record in {record.folder}",
        file=sys.stderr,
    )
    status = Status(record, len(plan.jobs), ends, sys.stderr if as_json else None)
    lock = record.lock()
    try:
        with handling():
            for number, end in known.items():
                status.known(plan.jobs[number], end)
            interrupted = bool(pending) and launcher(plan, record.folder).run(
                pending, status, fail_fast=options["fail_fast"]
            )
    finally:
        status.close()
        lock.remove()
    if table and as_json:
        print(json.dumps(document(record, plan, status.ends, None), indent=2))
    elif table:
        summarise(plan.jobs, status.ends)
    if interrupted:
        return 130, status.ends
    return int(not all_finished(plan.jobs, status.ends)), status.ends


def _known(plan: Plan, ends: Ends) -> dict[int, JobEnd]:
    """Return the ends of jobs that are found in the store without starting a process."""
    from svmbench.runner.outcome import Outcome
    from svmbench.store import Store
    from svmbench.sweep.stored import end_of, likely, stored

    store = Store(plan.jobs[0].config.results)
    found, unknown = stored(plan, store)
    known = {}
    for job in plan.jobs:
        run = found.get(job.number)
        if job.number not in ends and run is not None and run.complete and not job.config.force:
            known[job.number] = end_of(job.config, Outcome.found(run))
    if plan.options["retry"] == "none":
        for number, run in (found | likely(unknown, store)).items():
            if not run.complete and number not in ends:
                failed = replace(Outcome.found(run), state="failed")
                known[number] = end_of(plan.jobs[number].config, failed)
    return known


def check_data(plan: Plan) -> None:
    """Raise a `UserError` if a data set of the plan cannot be read or divided into the folds asked for.

    Nothing is recorded or run before. On a cluster nothing is read, since this process may not see the files.
    """
    from svmbench import data
    from svmbench.data import loading
    from svmbench.files import digest
    from svmbench.runner.folds import parted

    if plan.options["launcher"]["name"] != "local":
        return
    places = {digest([job.config.dataset.document(), vars(job.config.data)]): job.config for job in plan.jobs}
    for config in places.values():
        loading.check(**config.loading())
    validated = {
        digest([config.dataset.document(), vars(config.validate)]): config
        for config in (job.config for job in plan.jobs)
        if config.validate is not None and config.subset is None
    }
    for config in validated.values():
        parted(data.load(**config.loading(), say=functools.partial(print, file=sys.stderr)), config)


def tell_left_out(plan: Plan) -> None:
    """Print what a sweep leaves out: duplicates and impossible combinations."""
    for label, first in plan.duplicates[:_NAMED]:
        print(f"left out, the same run as {first}: {label}", file=sys.stderr)
    if len(plan.duplicates) > _NAMED:
        print(f"left out, {len(plan.duplicates) - _NAMED} more duplicates", file=sys.stderr)
    reasons: dict[str, list[str]] = {}
    for label, reason in plan.impossible:
        reasons.setdefault(reason, []).append(label)
    for reason, labels in reasons.items():
        more = f" and {len(labels) - 1} more" if len(labels) > 1 else ""
        print(f"left out, impossible: {labels[0]}{more}: {reason}", file=sys.stderr)


def document(record: Record, plan: Plan, ends: Ends, maker: str | None) -> dict[str, object]:
    """Return the state of a sweep as one object, for programs; ``maker`` is who is running it now."""
    names = ("state", "reason", "run", "seconds", "numbers")
    jobs = []
    for job in plan.jobs:
        end: Mapping[str, object] = ends.get(job.number) or {}
        jobs.append({"job": job.number + 1, "overrides": job.label} | {name: end.get(name) for name in names})
    return {"sweep": record.name, "maker": maker, "jobs": jobs}


def summarise(jobs: Sequence[Job], ends: Ends) -> None:
    """Print the table of all jobs and the reason of every failure."""
    from svmbench.figures.tables import table
    from svmbench.sweep import status

    print(table(status.HEADER, status.rows(jobs, ends)))
    for text in status.failures(jobs, ends):
        print(text)
    print(status.counts(jobs, ends))
