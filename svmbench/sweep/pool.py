"""Worker processes for the jobs of a sweep, each pinned to its own cores."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from svmbench.errors import UserError
from svmbench.locking import Lock, own_folder
from svmbench.run_config import RunConfig
from svmbench.runner import guard
from svmbench.runner.outcome import Outcome
from svmbench.runner.spawn import cores, worker_environment
from svmbench.sweep.planning import Job
from svmbench.sweep.stored import JobDocument, JobEnd, end_of, without_run

#: Seconds that interrupted runs have to store their ends before they are killed.
PATIENCE = 5.0


class Listener(Protocol):
    """Receives the progress of jobs."""

    def began(self, job: Job) -> None:
        """Receive a job that a worker has started."""
        ...

    def ended(self, job: Job, end: JobEnd) -> None:
        """Receive the end of a job."""
        ...

    def tick(self) -> None:
        """Update the display; called a few times a second."""
        ...


class Pool:
    """Runs jobs in worker processes.

    Parameters
    ----------
    folder : Path
        Folder for the logs of jobs and other output of workers.
    size : int
        Most workers.
    threads : int
        Threads of the libraries in each worker.
    pin : bool
        Whether to pin each worker to cores that no other sweep on this machine uses.
    reuse : bool
        Whether a worker makes several runs. If not, no run begins with memory kept of another one.
    patience : float
        Seconds that interrupted runs have to store their ends before they are killed.
    """

    def __init__(
        self,
        folder: Path,
        size: int,
        threads: int,
        *,
        pin: bool = True,
        reuse: bool = True,
        patience: float = PATIENCE,
    ) -> None:
        self._folder = folder
        self._size = size
        self._threads = threads
        self._cores = _Cores() if pin else None
        self._reuse = reuse
        self._patience = patience
        self._workers: list[_Worker] = []
        self._selector = selectors.DefaultSelector()

    def run(self, jobs: Sequence[Job], listener: Listener, *, fail_fast: bool = False) -> bool:
        """Run the jobs; return whether they were interrupted, in which case some may have no end."""
        pending = list(jobs)
        interrupted = False
        try:
            while pending or self._busy():
                try:
                    self._feed(pending, listener)
                    failed = self._listen(listener)
                    if failed and fail_fast:
                        pending.clear()
                        self._interrupt()
                except KeyboardInterrupt:
                    if interrupted:
                        for worker in self._workers:
                            worker.process.kill()
                    pending.clear()
                    interrupted = True
                    self._interrupt()
        finally:
            self._end()
        return interrupted

    def _busy(self) -> list[_Worker]:
        return [worker for worker in self._workers if worker.job is not None]

    def _feed(self, pending: list[Job], listener: Listener) -> None:
        """Give jobs to idle workers, preferably on data they hold, and start workers if there are too few."""
        while pending:
            idle = next((worker for worker in self._workers if worker.job is None and not worker.done), None)
            if idle is None:
                if len(self._workers) >= self._size:
                    return
                idle = self._start()
            held = {worker.dataset for worker in self._workers if worker is not idle}
            place = next((i for i, job in enumerate(pending) if _dataset(job) == idle.dataset), None)
            if place is None:  # no more jobs on its data: prefer data that no other worker holds
                place = next((i for i, job in enumerate(pending) if _dataset(job) not in held), 0)
            job = pending.pop(place)
            (self._folder / f"{job.number}.now").unlink(missing_ok=True)  # left by an earlier attempt
            idle.give(job, self._folder / f"{job.number}.log")
            listener.began(job)

    def _start(self) -> _Worker:
        with (self._folder / "workers.log").open("a", encoding="utf-8") as errors:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "svmbench.sweep.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=worker_environment(self._threads),
                process_group=0,  # Ctrl-C on the terminal reaches only this process, which passes it on once
            )
        worker = _Worker(process)
        if self._cores is not None:
            self._cores.pin(process.pid, self._threads)
        self._workers.append(worker)
        self._selector.register(worker.output(), selectors.EVENT_READ, worker)
        return worker

    def _listen(self, listener: Listener) -> bool:
        """Process messages of workers for a moment; return whether a job failed."""
        failed = False
        for key, _ in self._selector.select(0.2):
            worker: _Worker = key.data
            answers = worker.answers()
            if answers is None:
                self._selector.unregister(worker.output())
                self._workers.remove(worker)
                worker.process.stdout.close()  # type: ignore[union-attr]
                code = worker.process.wait()
                if self._cores is not None:
                    self._cores.free(worker.process.pid)
                answers = [] if worker.job is None else [_death(code, self._folder / "workers.log", worker)]
                cut = worker.guard.conclude() if worker.guard and worker.job else None
                if cut is not None and worker.job is not None:
                    seconds = time.monotonic() - worker.begun
                    answers = [end_of(worker.job.config, Outcome.of(cut), seconds)]
            for end in answers:
                job, worker.job, worker.stopping = worker.job, None, False
                worker.done = not self._reuse
                if worker.done:
                    worker.process.stdin.close()  # type: ignore[union-attr]
                if job is not None:
                    listener.ended(job, end)
                    failed = failed or end["state"] in ("failed", "refused")
        for worker in self._workers:
            if worker.overdue() or worker.exceeded():
                worker.process.kill()
        listener.tick()
        return failed

    def _interrupt(self) -> None:
        for worker in self._busy():
            worker.stop(self._patience)

    def _end(self) -> None:
        """Let all workers exit; kill those that do not."""
        for worker in self._workers:
            worker.process.stdin.close()  # type: ignore[union-attr]
        deadline = time.monotonic() + self._patience
        for worker in self._workers:
            try:
                worker.process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                worker.process.kill()
                worker.process.wait()
            worker.process.stdout.close()  # type: ignore[union-attr]
            if self._cores is not None:
                self._cores.free(worker.process.pid)
        self._selector.close()


def alone(config: RunConfig, folder: Path) -> JobEnd:
    """Make one run in a process of its own, with its log in a folder, and return its end.

    Raises
    ------
    KeyboardInterrupt
        If this process was interrupted; the run has stored its end.
    """
    last = _Last()
    if Pool(folder, 1, config.threads, pin=False, reuse=False).run([Job(0, "", [], config)], last):
        raise KeyboardInterrupt
    return last.end


class _Last:
    """A `Listener` that keeps the last end."""

    end: JobEnd

    def began(self, job: Job) -> None:
        pass

    def ended(self, job: Job, end: JobEnd) -> None:
        self.end = end

    def tick(self) -> None:
        pass


@dataclass(eq=False)
class _Worker:
    """A process and its current job."""

    process: subprocess.Popen[bytes]
    job: Job | None = None
    dataset: str | None = None
    done: bool = False
    stopping: bool = False
    deadline: float = 0.0
    said: bytes = b""
    begun: float = 0.0
    guard: guard.Guard | None = None

    def output(self) -> int:
        assert self.process.stdout is not None
        return self.process.stdout.fileno()

    def give(self, job: Job, log: Path) -> None:
        """Start a job."""
        self.job, self.dataset, self.begun = job, _dataset(job), time.monotonic()
        self.guard = guard.Guard(job.config, self.process.pid) if guard.needed(job.config) else None
        given: JobDocument = {"number": job.number, "config": job.config.document(), "log": str(log)}
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(f"{json.dumps(given)}\n".encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # it died while idle: `Pool._listen` will see its end and report the job as failed

    def answers(self) -> list[JobEnd] | None:
        """Return the messages of the worker since the last call, or None when it has ended."""
        piece = os.read(self.output(), 1 << 16)
        if not piece:
            return None
        *lines, self.said = (self.said + piece).split(b"\n")
        return [json.loads(line) for line in lines]

    def overdue(self) -> bool:
        """Return whether the worker was asked to stop and has had its time to do so."""
        return self.stopping and time.monotonic() > self.deadline

    def exceeded(self) -> bool:
        """Return whether the run of the worker has exceeded a limit."""
        return self.job is not None and self.guard is not None and self.guard.exceeded()

    def stop(self, patience: float) -> None:
        """Ask the run of the worker to store its state and end within so many seconds."""
        if not self.stopping:
            self.process.send_signal(signal.SIGINT)
            self.stopping, self.deadline = True, time.monotonic() + patience


class _Cores:
    """Cores used by the workers of sweeps, each protected by a lock that ends with this process."""

    def __init__(self) -> None:
        self._taken: dict[int, list[Lock]] = {}
        self._folder = own_folder(lambda line: print(f"svmbench: {line}", file=sys.stderr))

    def pin(self, process: int, count: int) -> None:
        """Pin a process to free cores; if there are too few, the system schedules it."""
        locks: dict[int, Lock] = {}
        if self._folder is None:
            return
        for core in sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else ():
            if len(locks) < count:
                with contextlib.suppress(
                    UserError, OSError
                ):  # a file that is not a lock, or a removed folder
                    lock = Lock.try_acquire(self._folder / f"core-{core}.lock")
                    if lock is not None:
                        locks[core] = lock
        self._taken[process] = list(locks.values())
        if len(locks) == count < cores():
            os.sched_setaffinity(process, locks)

    def free(self, process: int) -> None:
        """Release the cores of a process."""
        for lock in self._taken.pop(process, []):
            lock.remove()


def _dataset(job: Job) -> str:
    return json.dumps(job.config.dataset.document(), sort_keys=True)


def _death(code: int, log: Path, worker: _Worker) -> JobEnd:
    """Return the end of a job whose worker died."""
    how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
    state = "interrupted" if worker.stopping else "failed"
    how += ", perhaps because memory ran out" * (code == -signal.SIGKILL and state == "failed")
    return without_run(state, f"its process {how}; see {log}", time.monotonic() - worker.begun)
