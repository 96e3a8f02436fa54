"""The state of a running job, for those who watch its sweep: the file ``N.now`` beside the log ``N.log``.

The file is a JSON document of `Now` with a digest, replaced about once a second. It is for display only: a
sweep continues without it, and one that does not match its digest is not shown.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from svmbench.files import read_regular
from svmbench.runner.progress import PlainLines, Standing
from svmbench.store import lines

if TYPE_CHECKING:
    from svmbench.store.trace import Row

#: Seconds between two notes, unless a new phase begins.
_EVERY = 1.0
#: Bytes of the largest note that is read; those written here have a few hundred.
_MOST = 1 << 16


@dataclass(frozen=True)
class Now:
    """State of a running job.

    Attributes
    ----------
    phase : str
        The current phase, as in `Progress.doing`.
    time : float
        When this was noted, in seconds since 1970.
    share : float or None
        Value of the counter, as a fraction of its goal.
    left : float or None
        Estimated seconds from ``time`` until a budget ends the run.
    error, objective, gap : float or None
        The last test error and objective, and the least relative gap.
    seen : float or None
        When these were observed, in seconds since 1970.
    """

    phase: str
    time: float
    share: float | None = None
    left: float | None = None
    error: float | None = None
    objective: float | None = None
    gap: float | None = None
    seen: float | None = None


class NotedLines(PlainLines):
    """Progress as plain lines in the log of a job, and as a note of its state beside the log.

    Parameters
    ----------
    stream : text stream
        The log.
    path : Path
        The note.
    """

    def __init__(self, stream: TextIO, path: Path) -> None:
        super().__init__(stream)
        self._path = path
        self._noted = 0.0
        self._note()

    def advanced(self, counter: str, value: int, goal: int | None, seconds: float) -> None:
        """Receive the counter after a slice."""
        super().advanced(counter, value, goal, seconds)
        self._note_now_and_then()

    def observed(self, row: Row) -> None:
        """Receive a checkpoint."""
        super().observed(row)
        self._note_now_and_then()

    def doing(self, what: str, left: float | None = None) -> None:
        """Receive the phase that begins."""
        changed = what != self.standing.phase
        super().doing(what, left)
        # Phases that may take long are noted at once; a checkpoint is usually over within a slice.
        if changed and what not in ("checkpoint", "training"):
            self._note()
        self._note_now_and_then()

    def _note_now_and_then(self) -> None:
        if time.monotonic() - self._noted >= _EVERY:
            self._note()

    def _note(self) -> None:
        self._noted = time.monotonic()
        write(self._path, now(self.standing))


def now(standing: Standing) -> Now:
    """Return the note of a run."""
    at, age = time.time(), standing.age
    numbers = standing.error, standing.objective, standing.gap
    return Now(standing.phase, at, standing.share, standing.left, *numbers, None if age is None else at - age)


def write(path: Path, note: Now) -> None:
    """Replace a note without waiting for the disk; failures are ignored."""
    beside = path.with_name(f".{path.name}")
    try:
        beside.unlink(missing_ok=True)  # left by a process that was killed, or a link that somebody put there
        with beside.open("x", encoding="utf-8") as stream:
            json.dump(lines.checked(asdict(note)), stream)
        beside.replace(path)
    except OSError:
        return


def read(path: Path) -> Now | None:
    """Return the note of a job; None if there is no readable one."""
    try:
        found, sealed = lines.whole(read_regular(path, _MOST))
        numbers = {key: found[key] for key in Now.__dataclass_fields__ if key != "phase"}
        if not sealed or not isinstance(found["phase"], str) or numbers["time"] is None:
            return None
        floats = {key: None if value is None else float(value) for key, value in numbers.items()}
        return Now(found["phase"], **floats)  # type: ignore[arg-type]
    except (OSError, ValueError, TypeError, KeyError, RecursionError, OverflowError):
        return None
