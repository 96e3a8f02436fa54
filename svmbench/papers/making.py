"""Making of missing runs, by worker processes or on a cluster, and of checks."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from svmbench.files import digest
from svmbench.papers import checks
from svmbench.papers.artifact import Artifact, Check
from svmbench.papers.matching import Index
from svmbench.papers.material import Material
from svmbench.papers.runs import PlannedRun
from svmbench.run_config import RunConfig
from svmbench.runner.environment import environment
from svmbench.runner.outcome import ended
from svmbench.runner.signals import handling
from svmbench.store import Store, StoredRun
from svmbench.store.timing import disturbed, machine, name_of
from svmbench.sweep import launch
from svmbench.sweep.planning import Job, Plan
from svmbench.sweep.pool import Pool

#: Identity of a run, the artifact that needs it, the run, and whether it replaces a stale one.
Task = tuple[str, Artifact, PlannedRun, bool]

#: Seconds that a run whose time matters waits for a quiet machine, and the most attempts if it is disturbed
#: anyway.
QUIET, TRIES = 600.0, 3


#: Launcher of worker processes on this machine.
LOCAL: Mapping[str, Any] = {"name": "local"}


def make(
    artifacts: Sequence[Artifact], results: Path, jobs: int = 1, launcher: Mapping[str, Any] = LOCAL
) -> int:
    """Make what is missing; stored runs are never repeated, so that it can be resumed at any time.

    Parameters
    ----------
    artifacts : sequence of Artifact
        What is made.
    results : Path
        The results folder.
    jobs : int
        Number of simultaneous runs. Runs whose seconds matter are made one at a time on this machine.
    launcher : mapping
        Options ``launcher`` of a sweep. On SLURM, a run whose seconds matter has a node to itself.

    Returns
    -------
    int
        0, 1 if a run failed, 130 if interrupted.
    """
    failed: list[str] = []
    local = launcher["name"] == "local"
    tried: Counter[str] = Counter()
    for artifact in artifacts:
        if isinstance(artifact, Check) and checks.stored(artifact, results) is None:
            print(f"{artifact.id}: measuring", flush=True)
            print(checks.make(artifact, results), flush=True)
    while True:
        # Runs with values from other runs are known when those are stored: hence the rounds.
        missing = list(_missing([a for a in artifacts if not a.is_check], results, tried))
        if not missing:
            break
        tried.update(task[0] for task in missing)
        # The first seed of all, then the second, so that a slowdown of the machine affects all alike.
        serial = [entry for entry in missing if _is_timed(entry[2], entry[1])]
        serial.sort(key=lambda task: task[2].seed)
        parallel = [entry for entry in missing if entry not in serial]
        if _make_all(parallel, results, jobs, failed, launcher=launcher):
            return 130
        if serial:
            alone = "one at a time" if local else "each in a job of its own"
            runs = f"{len(serial)} run{'s' * (len(serial) > 1)} whose seconds matter, {alone}"
            print(f"{runs}, each after up to {QUIET:g} s of waiting for a quiet machine", flush=True)
        if _make_all(serial, results, 1 if local else jobs, failed, launcher=launcher, reuse=False):
            return 130
    _say_disturbed(artifacts, results)
    if failed:
        print("\n".join([f"{len(failed)} run{'s' * (len(failed) > 1)} failed:", *failed]), file=sys.stderr)
    return 1 if failed else 0


def _say_disturbed(artifacts: Sequence[Artifact], results: Path) -> None:
    """Print the runs whose times are still not comparable."""
    timed = [artifact for artifact in artifacts if artifact.timed and not artifact.is_check]
    if not timed:
        return
    index = Index(Store(results))
    for artifact in timed:
        material = Material.of(artifact, index)
        for match in material.matches:
            reason = material.untimed.get(match.result.path) if match.complete else None
            if reason is not None:
                run = match.planned
                why = reason.partition(": ")[2]
                print(f"still disturbed: {run.solver} {run.panel} seed {run.seed}: {why}", file=sys.stderr)


def _missing(artifacts: Sequence[Artifact], results: Path, tried: Mapping[str, int]) -> Iterator[Task]:
    """Yield runs that are not stored and can be made, without duplicates.

    A stored run whose time is needed but not comparable counts as missing, `TRIES` times, unless it would be
    the same here: it was alone on this machine, and most of the others had another one.
    """
    index = Index(Store(results))
    seen = set()
    here = name_of(environment(1)) if any(artifact.timed for artifact in artifacts) else ""
    for artifact in artifacts:
        material = Material.of(artifact, index)
        if not tried:
            print(f"{artifact.id}: {material.tally()}", flush=True)
        for match in material.matches:
            key = digest(match.planned.config.document()) if not match.waits else ""
            again = match.complete and match.result.path in material.untimed and _helps(match.result, here)
            made = tried.get(key, 0)
            if key and key not in seen and (made < TRIES if again else not (match.complete or made)):
                seen.add(key)
                yield key, artifact, match.planned, bool(match.stale) or again


def _helps(run: StoredRun, here: str) -> bool:
    """Return whether the time of a run can become comparable if it is made again here."""
    return bool(disturbed(run)) or machine(run) != here


def _is_timed(run: PlannedRun, artifact: Artifact) -> bool:
    """Return whether the time of a run is needed."""
    return run.config.budget.seconds is not None or artifact.timed


def _make_all(
    missing: Sequence[Task],
    results: Path,
    jobs: int,
    failed: list[str],
    *,
    launcher: Mapping[str, Any] = LOCAL,
    reuse: bool = True,
) -> bool:
    """Make runs, some at a time or, without reuse, each alone; return whether that was interrupted."""
    if not missing:
        return False
    logs = results / "figures" / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    lines = _Lines(missing, failed)
    with handling():
        runs = lines.jobs(results)
        if launcher["name"] == "local":
            threads = max(job.config.threads for job in runs)
            return Pool(logs, jobs, threads, pin=False, reuse=reuse).run(runs, lines)
        alone = {} if reuse else {"bundle": 1, **({"exclusive": True} if "exclusive" in launcher else {})}
        folder = logs.absolute() / f"{time.time_ns():x}"  # the reports of another call are not collected
        plan = Plan(runs, {"jobs": jobs, "launcher": {**launcher, **alone}})
        return launch.launcher(plan, folder).run(runs, lines)


def _placed(config: RunConfig, results: Path, stale: bool, timed: bool) -> RunConfig:
    """Return a configuration with the results folder, and the time to wait for a quiet machine."""
    budget = replace(config.budget, quiet=config.budget.quiet or QUIET) if timed else config.budget
    return replace(config, results=str(results), force=stale, budget=budget)


class _Lines:
    """Prints a line at the start and end of each run, and collects failures."""

    def __init__(self, missing: Sequence[Task], failed: list[str]) -> None:
        self._missing = missing
        self._failed = failed
        self._waits = ""

    def jobs(self, results: Path) -> list[Job]:
        """Return the runs as jobs for workers."""
        return [
            Job(
                number,
                planned.command,
                list(planned.overrides),
                _placed(planned.config, results, stale, _is_timed(planned, artifact)),
            )
            for number, (_, artifact, planned, stale) in enumerate(self._missing, start=1)
        ]

    def began(self, job: Job) -> None:
        """Print that a run has started."""
        print(f"{self._label(job)}: {job.label}", flush=True)

    def ended(self, job: Job, end: Mapping[str, Any]) -> None:
        """Print how it ended."""
        print(f"{self._label(job)}: {ended(end['state'], end['reason'])}", flush=True)
        if end["state"] not in ("done", "found", "interrupted"):
            self._failed.append(f"{self._label(job)}: {end['reason']}")

    def waits(self, text: str) -> None:
        """Print what queued jobs wait for, when it changes."""
        if text not in ("", self._waits):
            print(text, flush=True)
        self._waits = text

    def tick(self) -> None:
        """Do nothing: lines are printed when runs start and end."""

    def _label(self, job: Job) -> str:
        planned = self._missing[job.number - 1][2]
        return f"[{job.number}/{len(self._missing)}] {planned.solver} {planned.panel} seed {planned.seed}"
