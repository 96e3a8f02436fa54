"""Jobs on the machines of a cluster: the code that all engines share.

A job makes a bundle of runs (`svmbench.sweep.bundle`) and reports to a file in the folder of the sweep, which
all machines share. The engine starts and cancels jobs, and tells which have ended. What a job that has ended
leaves undone is given to a new one, unless a run itself may be the cause.

::

    cluster/ARRAY.jsonl          the bundles that were submitted together, a line each
    cluster/ARRAY.id             their name in the cluster, if they outlive this process
    cluster/told/ARRAY-N.jsonl   report of the job of a line; removed when all its runs have ended
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, cast

from svmbench.sweep.bundle import BundleDocument, heard
from svmbench.sweep.planning import Job
from svmbench.sweep.pool import Listener as _Listener
from svmbench.sweep.stored import JobEnd, without_run

#: Least and most seconds between two looks at the reports, and how many waiting or running runs add a second.
_LOOK, _LONGEST, _WAITING, _RUNNING = 0.3, 10.0, 1000, 20

#: Seconds within which the last report of an ended job must be visible on all machines.
_GRACE = 10.0

#: Seconds that interrupted runs have to store their ends; SLURM kills them after 30 by default.
_PATIENCE = 40.0


@dataclass(frozen=True)
class Fate:
    """How a job ended, or why it never will.

    Attributes
    ----------
    how : str
        A clause, such as "12_3 ended as FAILED".
    kind : str
        ``over`` (it ended by itself), ``lost`` (the cluster ended it, and the runs are not the cause),
        ``cancelled``, ``died``, or ``never`` (it would wait for ever).
    """

    how: str
    kind: str


@dataclass(eq=False)
class Bundle:
    """Runs of one job.

    Attributes
    ----------
    jobs : list of Job
        The runs that have not ended.
    options : mapping
        Options of the launcher for them.
    seconds : float or None
        Limit on the time of the job.
    name : str
        ``ARRAY-N``, once it is submitted.
    begun : list of int
        Runs that the job has begun; if the cluster has restarted it, since then.
    interrupted : dict of int to JobEnd
        Ends of runs that are final unless another job continues them.
    stopped : str
        Signal that has stopped the job, or ``time``.
    position : int
        Bytes of the report that were read.
    dead : float or None
        When it was noticed that the job had ended.
    """

    jobs: list[Job]
    options: Mapping[str, Any] = field(default_factory=dict)
    seconds: float | None = None
    name: str = ""
    begun: list[int] = field(default_factory=list)
    interrupted: dict[int, JobEnd] = field(default_factory=dict)
    stopped: str = ""
    position: int = 0
    dead: float | None = None


class Listener(_Listener, Protocol):
    """Receives the progress of jobs, and what those in the queue wait for."""

    def waits(self, text: str) -> None:
        """Receive what jobs in the queue wait for, in words; empty if none does, or it is unknown."""
        ...


class Engine(Protocol):
    """Starts jobs on machines."""

    def room(self, live: Sequence[Bundle]) -> int:
        """Return how many jobs can be submitted now, beside the live ones."""
        ...

    def submit(self, array: str, documents: Sequence[BundleDocument], options: Mapping[str, Any]) -> bool:
        """Submit jobs under a name; return whether they were accepted. If not, try again later."""
        ...

    def attach(self, arrays: Iterable[str]) -> None:
        """Learn which jobs of an earlier process are alive, by the names of its arrays."""
        ...

    def fates(self, bundles: Sequence[Bundle]) -> dict[str, Fate]:
        """Return the fates of bundles whose jobs are neither queued nor running, by their names."""
        ...

    def waiting(self) -> str:
        """Return what queued jobs wait for, in words; empty if unknown."""
        ...

    def cancel(self, bundles: Sequence[Bundle]) -> None:
        """Make running jobs store their state and end; waiting jobs never start."""
        ...

    def close(self) -> None:
        """Release resources."""
        ...


class Bundler(Protocol):
    """Divides runs into bundles."""

    def divided(self, jobs: Sequence[Job]) -> list[Bundle]:
        """Return bundles of runs, of some now and of the others when more is known about their times."""
        ...

    def learn(self, job: Job, end: JobEnd) -> None:
        """Receive the end of a run."""
        ...


class Cluster:
    """Runs jobs through an engine.

    Parameters
    ----------
    folder : Path
        Folder of the sweep, on a file system shared by all machines.
    engine : Engine
        The engine.
    bundler : Bundler
        Divides runs into bundles.
    """

    def __init__(self, folder: Path, engine: Engine, bundler: Bundler) -> None:
        self._folder = folder / "cluster"
        self._engine = engine
        self._bundler = bundler
        self._waiting: list[Job] = []
        self._live: dict[str, Bundle] = {}
        self._made: set[int] = set()
        self._stopping = False

    def run(self, jobs: Sequence[Job], listener: Listener, *, fail_fast: bool = False) -> bool:
        """Run the jobs; return whether they were interrupted, in which case some may have no end."""
        interrupted, deadline = False, float("inf")
        (self._folder / "told").mkdir(parents=True, exist_ok=True)
        try:
            self._waiting = self._attach(jobs, listener)
            while (self._live or self._waiting) and time.monotonic() < deadline:
                try:
                    self._feed()
                    if self._look(listener) and fail_fast and not self._stopping:
                        deadline = self._stop(listener)
                    time.sleep(self._pause())
                except KeyboardInterrupt:
                    if interrupted:
                        break
                    interrupted, deadline = True, self._stop(listener)
            for bundle in self._live.values():
                for job in _begun(bundle):
                    reason = "its job did not end when it was asked to"
                    listener.ended(job, without_run("interrupted", reason))
        finally:
            self._engine.close()
        if not self._live:
            shutil.rmtree(self._folder)
        return interrupted

    def _attach(self, jobs: Sequence[Job], listener: Listener) -> list[Job]:
        """Adopt jobs that an earlier process has submitted; return the runs that have none, or failed."""
        left = {job.number: job for job in jobs}
        arrays = submitted(self._folder)
        if arrays:
            self._engine.attach(arrays)
        for array, documents in arrays.items():
            for line, document in enumerate(documents):
                own = [left[number] for number in map(int, document["runs"]) if number in left]
                bundle = Bundle(own, seconds=document["seconds"], name=f"{array}-{line}")
                self._live[bundle.name] = bundle
                self._hear(bundle, listener)
        over = self._engine.fates(list(self._live.values())) if arrays else {}
        for name in over.keys() & self._live.keys():
            self._forget(self._live[name])
        adopted = {job.number for bundle in self._live.values() for job in bundle.jobs}
        return [job for job in jobs if job.number not in adopted | self._made]

    def _pause(self) -> float:
        """Return the seconds until the next look, which asks the shared file system about running jobs."""
        if self._stopping:
            return _LOOK
        waiting = len(self._waiting) + sum(len(bundle.jobs) for bundle in self._live.values())
        running = sum(bool(bundle.begun) for bundle in self._live.values())
        return min(_LONGEST, max(_LOOK, waiting / _WAITING, running / _RUNNING))

    def _feed(self) -> None:
        """Submit as many bundles as the engine accepts, those with equal options together."""
        while self._waiting and (room := self._engine.room(list(self._live.values()))):
            bundles = self._bundler.divided(self._waiting)[:room]
            options = bundles[0].options
            batch = [bundle for bundle in bundles if bundle.options == options]
            array = f"{time.time_ns():x}"
            documents = [self._document(bundle, f"{array}-{line}") for line, bundle in enumerate(batch)]
            path = self._folder / f"{array}.jsonl"
            path.write_text("".join(f"{json.dumps(document)}\n" for document in documents), encoding="utf-8")
            if not self._engine.submit(array, documents, options):
                path.unlink()
                return
            self._live |= {bundle.name: bundle for bundle in batch}
            given = {job.number for bundle in batch for job in bundle.jobs}
            self._waiting = [job for job in self._waiting if job.number not in given]

    def _document(self, bundle: Bundle, name: str) -> BundleDocument:
        """Name a bundle, and return its document for its machine, with absolute paths."""
        bundle.name = name
        runs = {
            str(job.number): replace(job.config, results=str(Path(job.config.results).absolute())).document()
            for job in bundle.jobs
        }
        return {
            "runs": runs,
            "folder": str(self._folder.parent),
            "told": str(self._told(bundle)),
            "cwd": str(Path.cwd()),
            "threads": max(job.config.threads for job in bundle.jobs),
            "seconds": bundle.seconds,
        }

    def _told(self, bundle: Bundle) -> Path:
        return self._folder / "told" / f"{bundle.name}.jsonl"

    def _look(self, listener: Listener) -> bool:
        """Process reports since the last call, and jobs that have ended; return whether a run failed."""
        failed = False
        with os.scandir(self._folder / "told") as entries:
            found = {entry.name.removesuffix(".jsonl"): entry for entry in entries}
        for name in found.keys() & self._live.keys():
            if found[name].stat().st_size > self._live[name].position:
                failed = self._hear(self._live[name], listener) or failed
        now = time.monotonic()
        for name, fate in self._engine.fates(list(self._live.values())).items():
            bundle = self._live[name]
            bundle.dead = bundle.dead or now
            if now - bundle.dead > _GRACE or fate.kind == "never":
                failed = self._hear(bundle, listener) or failed  # though it is not listed yet
                if name in self._live:
                    failed = self._settle(bundle, fate, listener) or failed
        listener.waits(self._engine.waiting())
        listener.tick()
        return failed

    def _hear(self, bundle: Bundle, listener: Listener) -> bool:
        """Process new lines of a report; return whether a run failed."""
        failed = False
        known = {job.number: job for job in bundle.jobs}
        lines, bundle.position = heard(self._told(bundle), bundle.position)
        for line in lines:
            if "host" in line:  # the job has begun, or was restarted
                bundle.begun, bundle.stopped, bundle.dead = [], "", None
                bundle.interrupted.clear()
            elif "stopped" in line:
                bundle.stopped = line["stopped"]
            elif (job := known.get(line.get("began", line.get("number", -1)))) is None:
                continue
            elif "began" in line:
                bundle.begun.append(job.number)
                listener.began(job)
            elif line["state"] == "interrupted" and not self._stopping:
                bundle.interrupted[job.number] = cast(JobEnd, line)
            else:
                bundle.jobs.remove(job)
                end = cast(JobEnd, line)
                self._bundler.learn(job, end)
                listener.ended(job, end)
                if line["state"] in ("failed", "refused"):
                    failed = True
                else:
                    self._made.add(job.number)
        if not bundle.jobs:
            self._forget(bundle)
        return failed

    def _settle(self, bundle: Bundle, fate: Fate, listener: Listener) -> bool:
        """Decide about the runs that an ended job leaves undone; return whether one failed."""
        cut, ended, reason = _begun(bundle), "failed", f"its job {fate.how}"
        if fate.kind == "cancelled":
            ended, cut = "interrupted", bundle.jobs
        elif fate.kind == "never" or (fate.kind != "lost" and not bundle.begun and not bundle.stopped):
            cut = bundle.jobs
        elif bundle.stopped == "time" and len(bundle.begun) <= 1 and bundle.seconds is not None:
            minutes = bundle.seconds / 60.0
            ended, cut = "interrupted", cut if bundle.begun else bundle.jobs  # all, if it only prepared
            reason = f"launcher.minutes={minutes:g} reached; svmbench resume continues it"
        elif fate.kind == "lost" or bundle.stopped:
            cut = []
        for job in cut:
            if job.number not in bundle.begun:
                listener.began(job)
            known = bundle.interrupted.get(job.number, without_run(ended, reason))
            listener.ended(job, {**known, "state": ended, "reason": reason})
        again = [job for job in bundle.jobs if job not in cut]
        self._forget(bundle)
        if not self._stopping:
            self._waiting = again + self._waiting
        return bool(cut) and ended == "failed"

    def _forget(self, bundle: Bundle) -> None:
        """Remove a bundle whose job is over."""
        self._live.pop(bundle.name)
        self._told(bundle).unlink(missing_ok=True)

    def _stop(self, listener: Listener) -> float:
        """Cancel all jobs, drop those that never began, and return when to stop waiting."""
        self._look(listener)  # what began since the last look has an end
        self._stopping = True
        self._waiting.clear()
        self._engine.cancel(list(self._live.values()))
        for bundle in list(self._live.values()):
            bundle.jobs = _begun(bundle)
            if not bundle.jobs:
                self._forget(bundle)
        return time.monotonic() + _PATIENCE


def submitted(folder: Path) -> dict[str, list[BundleDocument]]:
    """Return the arrays that were submitted for a sweep and have not ended, from its folder ``cluster``."""
    found = {}
    for path in sorted(folder.glob("*.jsonl")):
        with contextlib.suppress(ValueError):  # this process was killed as it wrote, so nothing was submitted
            found[path.stem] = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return found


def _begun(bundle: Bundle) -> list[Job]:
    """Return the runs of a bundle that have begun and not ended."""
    return [job for job in bundle.jobs if job.number in bundle.begun]
