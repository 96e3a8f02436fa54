"""Limits enforced from outside: a baseline may compute for hours and not respond to signals.

Our own solvers check their limits several times a second, and an iteration that takes too long is abandoned.
A fit of a baseline is one call into native code, and an iteration of a plug-in may not respond to signals:
their limits in seconds and memory can only be enforced by killing the process. Earlier checkpoints remain.

A file in the folder of the run marks when the process trains, and for how long it has trained before
(`RunWriter.training`). So fits may exceed the limit only briefly, while observations have more time.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType

from svmbench.locking import holder, holding
from svmbench.run_config import RunConfig
from svmbench.runner.clock import grace
from svmbench.runner.load import EVERY, Sample, recorded, sample_of
from svmbench.runner.memory import Allowance
from svmbench.solvers import registry
from svmbench.store import StoredRun, documents
from svmbench.store.runs import LOCK, RUNNING, TRAINING
from svmbench.store.writer import conclude

#: Seconds beyond ``budget.seconds`` for each phase without training. Converting large data sets and
#: evaluating large models take long; only a phase that never ends must be stopped.
ASIDE = 300.0

#: Seconds that a process has to notice a limit and end by itself. A run that takes twice its memory is killed
#: at once.
_NOTICE = 2.0

#: Seconds between two checks; signals that are passed on.
_LOOK = 0.2
_PASSED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def needed(config: RunConfig) -> bool:
    """Return whether the solver of a run, not being one of ours, may miss a limit of the run."""
    solver, budget = registry.get(config.solver.name), config.budget
    third_party = solver.access == "data" or not solver.__module__.startswith("svmbench.")
    return third_party and (budget.seconds is not None or budget.memory is not None)


class Guard:
    """Watches the process that makes a run and enforces its limits.

    Parameters
    ----------
    config : RunConfig
        Configuration of the run.
    process : int
        Number of the process.
    """

    def __init__(self, config: RunConfig, process: int) -> None:
        self._runs = Path(config.results) / "runs"
        self._prefix = f"{config.solver.name}-{config.dataset.name}-"
        self._budget = config.budget
        self._process = process
        self._holds = holding(process)
        self._path: Path | None = None
        self._allowance: Allowance | None = None
        self._sign: tuple[object, ...] = ()
        self._since = 0.0
        self._above: float | None = None
        self._end: tuple[str, str] | None = None
        self._folder = -1
        self._load: list[Sample] = []

    def exceeded(self) -> bool:
        """Return whether the run has exceeded a limit, so that its process must be killed."""
        if self._end is not None:
            return True
        # The process may draw pictures after its run is stored; their memory does not count.
        if self._path is None or not self._makes(self._path):
            self._path = self._found()
        if self._path is not None:
            with suppress(FileNotFoundError):  # it has ended, or changed its mark, in between
                self._folder = self._path.stat().st_ino
                self._end = self._too_long(self._path) or self._too_much(self._path)
        return self._end is not None

    def conclude(self) -> StoredRun | None:
        """Store the end of the run whose process was killed; None if it exceeded no limit.

        If the process stored an end itself before it was killed, that run is returned.
        """
        if self._path is None or self._end is None:
            return None
        (status, reason), self._end = self._end, None
        final = self._path.with_name(self._path.name.removesuffix(RUNNING))
        with suppress(FileNotFoundError):
            if final.stat().st_ino == self._folder:
                return StoredRun.read(final)
        if not self._path.exists():
            return None
        load = {"load": recorded(self._load)} if len(self._load) > 1 else {}
        return conclude(self._path, status, f"{reason}; its process was ended from outside", **load)

    def _too_long(self, path: Path) -> tuple[str, str] | None:
        limit = self._budget.seconds
        if limit is None:
            return None
        mark = path / TRAINING
        spent = mark.read_text(encoding="ascii") if mark.exists() else ""
        self._observe_load(bool(spent))
        # The mark changes the time of the folder, and a checkpoint changes the size of the trace.
        sign = (spent, path.stat().st_mtime_ns, (path / "trace.csv").stat().st_size)
        if sign != self._sign:
            self._sign, self._since = sign, time.monotonic()
        left = max(0.0, limit - float(spent)) + grace(limit) if spent else limit + ASIDE
        if time.monotonic() - self._since <= left:
            return None
        return "timeout", f"budget.seconds={limit:g} reached" + ("" if spent else ", not by training")

    def _observe_load(self, training: bool) -> None:
        """Take a sample of the load a second while the process trains: it may not come to do so itself."""
        if not training:
            self._load = []  # as after each fit of a baseline; the last one is what is cut off
        elif not self._load or time.perf_counter() - self._load[-1].at >= EVERY:
            taken = sample_of(self._process)
            self._load += [] if taken is None else [taken]

    def _too_much(self, path: Path) -> tuple[str, str] | None:
        if self._budget.memory is None:
            return None
        if self._allowance is None:
            # It may be from a killed run of the same identity.
            if (path / "run.json").stat().st_mtime_ns < (path / LOCK).stat().st_mtime_ns:
                return None
            about = documents.read(path / "run.json").get("memory")
            if about is None:  # the memory of processes is unknown on this system
                return None
            self._allowance = Allowance(self._budget.memory, **about)
        passed = self._allowance.passed(self._process)
        if passed is None:
            self._above = None
            return None
        now = time.monotonic()
        self._above = now if self._above is None else self._above
        waited = now - self._above > _NOTICE or self._allowance.passed(self._process, times=2.0) is not None
        return ("budget", passed) if waited else None

    def _found(self) -> Path | None:
        """Return the run's folder, which the process has locked."""
        return next(filter(self._makes, self._runs.glob(f"{self._prefix}*{RUNNING}")), None)

    def _makes(self, path: Path) -> bool:
        """Return whether the process holds the lock of a folder.

        The content of the lock file is not enough: it remains after a kill, and process numbers are reused.
        """
        with suppress(OSError):  # it has just ended
            return holder(path / LOCK) == self._holds
        return False


def follow(guard: int) -> None:
    """End this process when the watching process is gone, since nothing else enforces its limits."""

    def look() -> None:
        while os.getppid() == guard:
            time.sleep(_NOTICE)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_NOTICE)
        os._exit(1)

    threading.Thread(target=look, daemon=True).start()


def watched(
    config: RunConfig, command: Sequence[str], environment: Mapping[str, str]
) -> tuple[int, StoredRun | None]:
    """Make a run in a separate process.

    Parameters
    ----------
    config : RunConfig
        Configuration of the run.
    command : sequence of str
        Command that makes the run. Signals are passed on; a second one kills it, as the first may be ignored.
    environment : mapping
        Environment of the process.

    Returns
    -------
    (int, StoredRun or None)
        Exit code, negative if a signal killed it, and the run if it was killed for a limit.

    Raises
    ------
    KeyboardInterrupt
        If it was killed by a second signal.
    """
    process = subprocess.Popen(command, env=environment, process_group=0)
    guard = Guard(config, process.pid)
    passed: list[int] = []

    def pass_on(number: int, frame: FrameType | None) -> None:
        process.send_signal(signal.SIGKILL if passed else number)
        passed.append(number)

    kept = {number: signal.signal(number, pass_on) for number in _PASSED}
    try:
        while True:
            try:
                code = process.wait(_LOOK)
                break
            except subprocess.TimeoutExpired:
                if guard.exceeded():
                    process.kill()
                    code = process.wait()
                    return code, guard.conclude() if code < 0 else None  # it may just have ended by itself
    finally:
        process.kill()
        process.wait()
        for number, handler in kept.items():
            signal.signal(number, handler)
    if code < 0 and len(passed) > 1:
        raise KeyboardInterrupt
    return code, None
