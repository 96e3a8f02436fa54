"""Limits that are kept from outside: a program of others may compute for hours and react to no signal.

Our own solvers look at their limits several times a second, and a longer iteration is given up. A fit of a
baseline is one call into native code, and an iteration of a plug-in may hear nothing: their limits in seconds
and in memory can only be kept by ending the process. What the run had shown until then is the run.

The process says by a file in the run's folder when it trains, and how long it had trained before
(`RunWriter.training`), so that a fit has little time beyond the limit and a look at its answer has enough.
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

from svmbench.files import holder, holding
from svmbench.run_config import RunConfig
from svmbench.runner.clock import grace
from svmbench.runner.memory import Allowance
from svmbench.solvers import registry
from svmbench.store import StoredRun, documents
from svmbench.store.runs import LOCK, RUNNING, TRAINING
from svmbench.store.writer import conclude

#: Seconds that a run has beyond ``budget.seconds`` each time that it does not train. Converting examples and
#: looking at an answer take long where both are large: only what never ends has to end.
ASIDE = 300.0

#: Seconds that a process has to notice by itself that it is to end, and to do so. A run that takes twice the
#: memory that it may has none.
_NOTICE = 2.0

#: Seconds between two looks, and signals that are passed on.
_LOOK = 0.2
_PASSED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def needed(config: RunConfig) -> bool:
    """Return whether a run has a limit that it can miss: its solver is not one of ours."""
    solver, budget = registry.get(config.solver.name), config.budget
    foreign = solver.access == "data" or not solver.__module__.startswith("svmbench.")
    return foreign and (budget.seconds is not None or budget.memory is not None)


class Guard:
    """Watches the process that makes a run.

    Parameters
    ----------
    config : RunConfig
        Of the run.
    process : int
        Who makes it.
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

    def exceeded(self) -> bool:
        """Return whether the run has passed a limit, so that its process is to be killed."""
        if self._end is not None:
            return True
        # Once its run is stored a process may still draw pictures: its memory is no longer that of a run.
        if self._path is None or not self._makes(self._path):
            self._path = self._found()
        if self._path is not None:
            with suppress(FileNotFoundError):  # it has ended, or changed its mark, meanwhile
                self._folder = self._path.stat().st_ino
                self._end = self._too_long(self._path) or self._too_much(self._path)
        return self._end is not None

    def conclude(self) -> StoredRun | None:
        """Store the end of the run, whose process was killed for it; None if there was no reason to.

        If it had stored an end of its own before it was dead, this is returned.
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
        return conclude(self._path, status, f"{reason}; its process was ended from outside")

    def _too_long(self, path: Path) -> tuple[str, str] | None:
        limit = self._budget.seconds
        if limit is None:
            return None
        mark = path / TRAINING
        spent = mark.read_text(encoding="ascii") if mark.exists() else ""
        # The mark comes and goes in the folder, a checkpoint is a line more.
        sign = (spent, path.stat().st_mtime_ns, (path / "trace.csv").stat().st_size)
        if sign != self._sign:
            self._sign, self._since = sign, time.monotonic()
        left = max(0.0, limit - float(spent)) + grace(limit) if spent else limit + ASIDE
        if time.monotonic() - self._since <= left:
            return None
        return "timeout", f"budget.seconds={limit:g} reached" + ("" if spent else ", not by training")

    def _too_much(self, path: Path) -> tuple[str, str] | None:
        if self._budget.memory is None:
            return None
        if self._allowance is None:
            # An earlier run of the same identity, which was killed, may have left its own.
            if (path / "run.json").stat().st_mtime_ns < (path / LOCK).stat().st_mtime_ns:
                return None
            about = documents.read(path / "run.json").get("memory")
            if about is None:  # the system does not say what a process holds
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
        """Return the folder that the process holds the lock of."""
        return next(filter(self._makes, self._runs.glob(f"{self._prefix}*{RUNNING}")), None)

    def _makes(self, path: Path) -> bool:
        """Return whether the process holds the lock of a folder.

        What a lock file says is not enough: after a kill it stays, and its process' number is given again.
        """
        with suppress(OSError):  # it has just ended
            return holder(path / LOCK) == self._holds
        return False


def follow(guard: int) -> None:
    """End this process when the one that watches it has gone, as nobody else would keep its limits."""

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
    """Make a run by a command in a process of its own.

    Parameters
    ----------
    config : RunConfig
        Of the run.
    command : sequence of str
        What makes it. Signals are passed on; a second one ends it at once, as the first may have no effect.
    environment : mapping
        Of that process.

    Returns
    -------
    (int, StoredRun or None)
        Its exit code, less than 0 where a signal killed it, and the run if it had to be ended for its limits.

    Raises
    ------
    KeyboardInterrupt
        If it was ended by a second signal.
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
                    return code, guard.conclude() if code < 0 else None  # it may have ended just before
    finally:
        process.kill()
        process.wait()
        for number, handler in kept.items():
            signal.signal(number, handler)
    if code < 0 and len(passed) > 1:
        raise KeyboardInterrupt
    return code, None
