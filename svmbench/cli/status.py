"""``svmbench status``: the progress of a sweep, from any shell."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path

from svmbench.cli._parser import Parser


def main(arguments: Sequence[str]) -> int:
    """Print who is running a sweep, the status line, current jobs and failures."""
    parser = Parser(
        "status", "Show the progress of a sweep: done, running, time left, and the reason of each failure."
    )
    parser.add_sweep()
    given = parser.parse_with_results(arguments)

    from svmbench.cli._sweep import document
    from svmbench.sweep import slurm, status
    from svmbench.sweep.record import Record, all_finished

    record = Record.find(Path(given.results), given.sweep)
    plan, maker = record.plan(), record.maker()
    ends = {number: end for number, end in record.ends().items() if number in range(len(plan.jobs))}
    began = record.began()
    running = [job for job in plan.jobs if maker and job.number in began and job.number not in ends]
    if given.json:
        print(json.dumps(document(record, plan, ends, maker), indent=2))
        return 0
    left = status.left(ends, len(plan.jobs), max(1, len(running))) if maker else None
    left_over = not all_finished(plan.jobs, ends)
    jobs = slurm.jobs_of(record.folder) if left_over else {}
    state = f"being made by {maker}" if maker else "stopped" if left_over else "ended"
    if jobs and not maker:
        state += f", but SLURM still has {len(jobs)} of its jobs"
    print(f"sweep {record.name}: {state}")
    line = status.line(len(plan.jobs), ends, len(running), left, record.made_for())
    print(", ".join(filter(None, [line, slurm.queued(jobs.values())])))
    names = [str(end["run"]) for end in ends.values() if end.get("run")]
    if names:
        print(_alone(Path(given.results), names))
    for job in running:
        lasts = status.duration(time.time() - began[job.number])
        print(f"  {job.number + 1}  {job.label}: running for {lasts}")
    for text in status.failures(plan.jobs, ends):
        print(text)
    if not maker and left_over:
        end = f"; end its jobs with: {record.command('cancel')}" if jobs else ""
        print(f"continue with: {record.command('resume')}{end}")
    return 0


def _alone(results: Path, names: Sequence[str]) -> str:
    """Return how many runs were alone on their machine, so that their seconds can be compared."""
    from svmbench.errors import UserError
    from svmbench.store import StoredRun
    from svmbench.store.timing import disturbed

    alone = 0
    for name in names:
        try:
            alone += not disturbed(StoredRun.read(results / "runs" / name))
        except (OSError, UserError):
            continue  # deleted or damaged since
    rest = "" if alone == len(names) else "; the seconds of the others cannot be compared"
    return f"{alone} of {len(names)} runs ran alone on their machine{rest}"
