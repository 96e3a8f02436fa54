"""Jobs made on the machines of a cluster: what its engines have in common.

A job runs `svmbench.sweep.remote.make` somewhere. It writes ``N.log`` when it begins and ``N.json``, its
end, when it is over, both into the folder of the sweep, which all machines share. The engine starts and stops
jobs, and says which of them are over; one that is over and wrote no end has died.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from svmbench.sweep.plan import Job
from svmbench.sweep.pool import Listener

#: Seconds between two looks at the folder, and from the end of a job until its file must be seen by all.
_LOOK = 0.3
_GRACE = 10.0

#: Seconds that interrupted runs have to store their ends; SLURM kills them after 30 by default.
_PATIENCE = 40.0


class Engine(Protocol):
    """What starts jobs on machines.

    Attributes
    ----------
    most : int or None
        Jobs that it is given at a time, at most; None: all at once, it has a limit of its own.
    """

    most: int | None

    def submit(self, documents: Sequence[Mapping[str, Any]]) -> None:
        """Start jobs as soon as there are machines for them; each document is what `remote.make` takes."""
        ...

    def over(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return those of the jobs that will not go on, each with how it ended, as a clause."""
        ...

    def cancel(self, numbers: Sequence[int]) -> None:
        """Ask jobs to store what they have and end; those that wait never begin."""
        ...

    def close(self) -> None:
        """Give back what was taken."""
        ...


class Cluster:
    """Makes jobs by an engine.

    Parameters
    ----------
    folder : Path
        Of the sweep, on a file system that all machines share.
    engine : Engine
        Which.
    """

    def __init__(self, folder: Path, engine: Engine) -> None:
        self._folder = folder
        self._engine = engine
        self._waiting: list[Job] = []
        self._begun: set[int] = set()
        self._dead: dict[int, float] = {}

    def run(self, jobs: Sequence[Job], listener: Listener, *, fail_fast: bool = False) -> bool:
        """Make the jobs; return whether they were interrupted, so that some have no end or a stored one."""
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
                    pending[number], _death("did not end when it was asked to", "interrupted", 0.0)
                )
        finally:
            self._engine.close()
        return interrupted

    def _feed(self, pending: dict[int, Job]) -> None:
        """Submit as many of the waiting jobs as the engine takes."""
        most = self._engine.most
        count = len(self._waiting) if most is None else max(0, most - len(pending))
        batch, self._waiting = self._waiting[:count], self._waiting[count:]
        if batch:
            documents = [self._document(job) for job in batch]
            pending.update((job.number, job) for job in batch)
            self._engine.submit(documents)

    def _document(self, job: Job) -> dict[str, Any]:
        """Return what a machine is told about a job; its folders are named in full."""
        for kind in ("log", "json"):  # of an attempt before
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
        """Take what has begun and ended since; return whether a job failed."""
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
            if now - since > _GRACE:  # the file of an end may take a while to be seen here
                failed = self._ended(pending, number, _death(how, "failed", now - since), listener) or failed
        listener.tick()
        return failed

    def _ended(self, pending: dict[int, Job], number: int, end: dict[str, Any], listener: Listener) -> bool:
        job = pending.pop(number)
        if number not in self._begun:
            self._begun.add(number)
            listener.began(job)
        listener.ended(job, end)
        return end["state"] in ("failed", "refused")

    def _end(self, number: int) -> dict[str, Any] | None:
        try:
            return dict(json.loads(self._path(number, "json").read_bytes()))
        except (FileNotFoundError, ValueError):
            return None

    def _stop(self, pending: dict[int, Job]) -> float:
        """Cancel what is left, forget what never began, and return when to wait no longer."""
        self._waiting.clear()
        self._engine.cancel(list(pending))
        for number in list(pending):
            if number not in self._begun:
                del pending[number]
        return time.monotonic() + _PATIENCE


def _death(how: str, state: str, seconds: float) -> dict[str, Any]:
    """Return the end of a job that told none."""
    return {"state": state, "reason": f"its job {how}", "run": None, "seconds": seconds, "numbers": {}}
