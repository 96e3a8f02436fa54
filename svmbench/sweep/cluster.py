"""Jobs on the machines of a cluster: the code that all engines share.

A job runs `svmbench.sweep.remote.make` on some machine. In the folder of the sweep, which all machines share,
it writes ``N.log`` when it starts and ``N.json`` when it ends. The engine starts and stops jobs, and reports
which have ended. A job that ended without ``N.json`` has died.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from svmbench.sweep.planning import Job
from svmbench.sweep.pool import Listener
from svmbench.sweep.stored import JobEnd, RemoteJob, without_run

#: Seconds between two checks of the folder, and seconds within which the file of an ended job must be
#: visible.
_LOOK = 0.3
_GRACE = 10.0

#: Seconds that interrupted runs have to store their ends; SLURM kills them after 30 by default.
_PATIENCE = 40.0


class Engine(Protocol):
    """Starts jobs on machines.

    Attributes
    ----------
    most : int or None
        Most jobs submitted at a time. None: all are submitted at once, and the engine limits how many run.
    """

    most: int | None

    def submit(self, documents: Sequence[RemoteJob]) -> None:
        """Start jobs when machines are available."""
        ...

    def over(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return the jobs that have ended, each with a clause that says how, such as "ended as FAILED"."""
        ...

    def cancel(self, numbers: Sequence[int]) -> None:
        """Make running jobs store their state and end; waiting jobs never start."""
        ...

    def close(self) -> None:
        """Release resources."""
        ...


class Cluster:
    """Runs jobs through an engine.

    Parameters
    ----------
    folder : Path
        Folder of the sweep, on a file system shared by all machines.
    engine : Engine
        The engine.
    """

    def __init__(self, folder: Path, engine: Engine) -> None:
        self._folder = folder
        self._engine = engine
        self._waiting: list[Job] = []
        self._begun: set[int] = set()
        self._dead: dict[int, float] = {}

    def run(self, jobs: Sequence[Job], listener: Listener, *, fail_fast: bool = False) -> bool:
        """Run the jobs; return whether they were interrupted, in which case some may have no end."""
        pending: dict[int, Job] = {}
        self._waiting = list(jobs)
        interrupted, deadline = False, float("inf")
        try:
            while (pending or self._waiting) and time.monotonic() < deadline:
                try:
                    self._feed(pending)
                    failed = self._look(pending, listener)
                    if failed and fail_fast and deadline == float("inf"):
                        deadline = self._stop(pending)
                    time.sleep(_LOOK)
                except KeyboardInterrupt:
                    if interrupted:
                        break
                    interrupted, deadline = True, self._stop(pending)
            for number in sorted(pending.keys() & self._begun):
                listener.ended(
                    pending[number], without_run("interrupted", "its job did not end when it was asked to")
                )
        finally:
            self._engine.close()
        return interrupted

    def _feed(self, pending: dict[int, Job]) -> None:
        """Submit as many waiting jobs as the engine accepts."""
        most = self._engine.most
        count = len(self._waiting) if most is None else max(0, most - len(pending))
        batch, self._waiting = self._waiting[:count], self._waiting[count:]
        if batch:
            documents = [self._document(job) for job in batch]
            pending.update((job.number, job) for job in batch)
            self._engine.submit(documents)

    def _document(self, job: Job) -> RemoteJob:
        """Return the document of a job for its machine, with absolute paths."""
        for kind in ("log", "json", "now"):  # files of an earlier attempt
            self._path(job.number, kind).unlink(missing_ok=True)
        config = replace(job.config, results=str(Path(job.config.results).absolute()))
        return {
            "number": job.number,
            "config": config.document(),
            "log": str(self._path(job.number, "log")),
            "end": str(self._path(job.number, "json")),
            "cwd": str(Path.cwd()),
        }

    def _path(self, number: int, kind: str) -> Path:
        return self._folder / f"{number}.{kind}"

    def _look(self, pending: dict[int, Job], listener: Listener) -> bool:
        """Process jobs that have begun or ended since the last call; return whether one failed."""
        failed = False
        for number, job in list(pending.items()):
            if number not in self._begun and self._path(number, "log").exists():
                self._begun.add(number)
                listener.began(job)
            end = self._end(number)
            if end is not None:
                failed = self._ended(pending, number, end, listener) or failed
        now = time.monotonic()
        for number, how in self._engine.over(list(pending)).items():
            since = self._dead.setdefault(number, now)
            if now - since > _GRACE:  # the file may take a while to become visible
                dead = without_run("failed", f"its job {how}", now - since)
                failed = self._ended(pending, number, dead, listener) or failed
        listener.tick()
        return failed

    def _ended(self, pending: dict[int, Job], number: int, end: JobEnd, listener: Listener) -> bool:
        job = pending.pop(number)
        if number not in self._begun:
            self._begun.add(number)
            listener.began(job)
        listener.ended(job, end)
        return end["state"] in ("failed", "refused")

    def _end(self, number: int) -> JobEnd | None:
        try:
            end: JobEnd = json.loads(self._path(number, "json").read_bytes())
            return end
        except (FileNotFoundError, ValueError):
            return None

    def _stop(self, pending: dict[int, Job]) -> float:
        """Cancel the remaining jobs, drop those that never began, and return when to stop waiting."""
        self._waiting.clear()
        self._engine.cancel(list(pending))
        for number in list(pending):
            if number not in self._begun:
                del pending[number]
        return time.monotonic() + _PATIENCE
