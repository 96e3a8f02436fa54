"""Limits that are kept from outside: an external program may compute for hours and react to no signal.

Our own solvers look at their limits several times a second. A fit of a baseline is one call into native code,
and its limit in seconds can only be kept by ending its process. What it had shown until then is the run.
"""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from svmbench.solvers import registry
from svmbench.store import StoredRun
from svmbench.store.runs import LOCK, RUNNING
from svmbench.store.trace import read_rows
from svmbench.store.writer import conclude

#: Seconds beyond the limit after which a process is ended: a checkpoint may be being made.
GRACE = 20.0

#: Seconds between two looks, and signals that are passed on.
_LOOK = 0.2
_PASSED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def needed(config: dict[str, Any]) -> bool:
    """Return whether a run can miss its limit in seconds."""
    return config["budget"]["seconds"] is not None and registry.get(config["solver"]["name"]).access == "data"


class Guard:
    """Watches the process that makes a run.

    Parameters
    ----------
    config : dict
        Of the run.
    process : int
        Who makes it.
    grace : float, optional
        Seconds beyond the limit that it has.
    """

    def __init__(self, config: dict[str, Any], process: int, grace: float = GRACE) -> None:
        self._runs = Path(config["results"]) / "runs"
        self._prefix = f"{config['solver']['name']}-{config['dataset']['name']}-"
        self._seconds = float(config["budget"]["seconds"])
        self._process = process
        self._grace = grace
        self._path: Path | None = None
        self._signs = 0
        self._since = 0.0

    def late(self) -> bool:
        """Return whether the fit that runs now has gone on for longer than the run may."""
        path = self._path = self._path or self._found()
        if path is None or not path.exists():
            return False  # it has not begun, or has just ended
        rows = read_rows(path / "trace.csv")
        if self._signs != len(rows) + 1:  # a fit has begun
            self._signs, self._since = len(rows) + 1, time.monotonic()
        spent = sum(row["wall_seconds"] for row in rows)  # type: ignore[misc]
        return time.monotonic() - self._since > max(0.0, self._seconds - spent) + self._grace

    def conclude(self) -> StoredRun | None:
        """Store the end of the run, whose process is dead; None if it never began."""
        path = self._path
        if path is None or not path.exists():
            return None
        reason = (
            f"budget.seconds={self._seconds:g} reached; deaf to signals, its process was ended from outside"
        )
        return conclude(path, "timeout", reason)

    def _found(self) -> Path | None:
        """Return the folder that the process holds the lock of."""
        for path in self._runs.glob(f"{self._prefix}*{RUNNING}"):
            try:
                if (path / LOCK).read_text().startswith(f"process {self._process} on "):
                    return path
            except OSError:  # it has just ended
                continue
        return None


def watched(
    config: dict[str, Any], command: Sequence[str], environment: Mapping[str, str]
) -> tuple[int, StoredRun | None]:
    """Make a run by a command in a process of its own.

    Parameters
    ----------
    config : dict
        Of the run.
    command : sequence of str
        What makes it. Signals are passed on; a second one ends it at once, as the first may have no effect.
    environment : mapping
        Of that process.

    Returns
    -------
    (int, StoredRun or None)
        Its exit code, less than 0 where a signal killed it, and the run if it had to be ended.

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
                if guard.late():
                    process.kill()
                    return process.wait(), guard.conclude()
    finally:
        process.kill()
        process.wait()
        for number, handler in kept.items():
            signal.signal(number, handler)
    if code < 0 and len(passed) > 1:
        raise KeyboardInterrupt
    return code, None
