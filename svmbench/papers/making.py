"""Making what artifacts lack: missing runs, each in a process of its own, and checks. Nothing else trains."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

from svmbench.files import digest
from svmbench.papers import checks
from svmbench.papers.artifact import Artifact
from svmbench.papers.material import Material
from svmbench.papers.plan import Index
from svmbench.papers.runs import PlannedRun
from svmbench.runner.signals import handling
from svmbench.runner.spawn import run_in_process
from svmbench.store import Store

#: What a run is told by, whose picture it is for, the run, and whether a stale one is to be replaced.
Task = tuple[str, Artifact, PlannedRun, bool]

#: Counters that company on the machine changes: runs with such a budget are made one at a time.
_TIMED = ("wall_seconds", "cpu_seconds")


def make(artifacts: Sequence[Artifact], results: Path, jobs: int = 1) -> int:
    """Make what is missing; what is stored already is never repeated, so that it can be taken up at any time.

    Returns
    -------
    int
        0, 1 if a run failed, 130 if interrupted.
    """
    failed: list[str] = []
    tried: set[str] = set()
    for artifact in artifacts:
        if artifact.runs is None and checks.stored(artifact, results) is None:
            print(f"{artifact.id}: measuring", flush=True)
            print(checks.make(artifact, results, where={"mirror": None, "dir": None}), flush=True)
    while True:
        # Runs whose values are taken from others are known when those are stored: hence the rounds.
        missing = list(_missing([a for a in artifacts if a.runs is not None], results, tried))
        if not missing:
            break
        tried |= {task[0] for task in missing}
        serial = [entry for entry in missing if _is_timed(entry[2], entry[1])]
        company = [entry for entry in missing if entry not in serial]
        for part, width in ((company, jobs), (serial, 1)):
            if _make_all(part, results, width, failed):
                return 130
    if failed:
        print("\n".join([f"{len(failed)} runs failed:", *failed]), file=sys.stderr)
    return 1 if failed else 0


def _missing(artifacts: Sequence[Artifact], results: Path, tried: set[str]) -> Iterator[Task]:
    """Yield the runs that are not stored and can be made, those that artifacts share once."""
    index = Index(Store(results))
    seen = set(tried)
    for artifact in artifacts:
        material = Material.of(artifact, index)
        if not tried:
            print(f"{artifact.id}: {material.tally()}", flush=True)
        for match in material.matches:
            key = digest(match.planned.config) if not match.waits else ""
            if key and not match.complete and key not in seen:
                seen.add(key)
                yield key, artifact, match.planned, bool(match.stale)


def _is_timed(run: PlannedRun, artifact: Artifact) -> bool:
    """Tell whether seconds are what a run is made for."""
    return run.config["budget"]["seconds"] is not None or any(c in _TIMED for c in artifact.counters)


def _make_all(missing: Sequence[Task], results: Path, jobs: int, failed: list[str]) -> bool:
    """Make runs, so many at a time; return whether that was interrupted."""
    waiting = list(enumerate(missing, start=1))
    if jobs == 1:
        with handling():
            return any(_make_one(number, entry, len(missing), results, failed) for number, entry in waiting)
    running: set[Future[bool]] = set()
    interrupted = False
    with handling(), ThreadPoolExecutor(jobs) as pool:
        while running or (waiting and not interrupted):
            try:
                while waiting and len(running) < jobs and not interrupted:
                    number, entry = waiting.pop(0)
                    running.add(pool.submit(_make_one, number, entry, len(missing), results, failed))
                done, running = wait(running, return_when=FIRST_COMPLETED)
                interrupted = interrupted or any(future.result() for future in done)
            except KeyboardInterrupt:
                if interrupted:
                    raise
                interrupted = True
                print(f"interrupted: the {len(running)} runs under way end first", flush=True)
    return interrupted


def _make_one(number: int, entry: Task, count: int, results: Path, failed: list[str]) -> bool:
    """Make one run; return whether it was interrupted."""
    _, artifact, planned, stale = entry
    label = f"[{number}/{count}] {planned.solver} {planned.panel} seed {planned.seed}"
    print(f"{label}: {planned.command}", flush=True)
    logs = results / "figures" / artifact.id / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    log = logs / f"{planned.panel}-{planned.solver}-{planned.seed}-{number}.txt"
    outcome, interrupted = run_in_process({**planned.config, "results": str(results), "force": stale}, log)
    print(f"{label}: {outcome['state']}, {outcome['reason']}", flush=True)
    if outcome["state"] not in ("done", "found", "interrupted"):
        failed.append(f"{label}: {outcome['reason']}")
    return interrupted or outcome["state"] == "interrupted"
