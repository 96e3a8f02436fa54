"""What a running job notes for those who watch its sweep: ``N.now``, beside its log ``N.log``.

The file is one JSON document, `Now`, replaced about once a second. Nothing in it is needed to go on.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

from svmbench.files import read_json, read_regular
from svmbench.runner.progress import PlainLines, Standing

#: Seconds from one note to the next, unless a phase begins.
_EVERY = 1.0
#: Largest note that is read; ours have a few hundred bytes.
_MOST = 1 << 16


@dataclass(frozen=True)
class Now:
    """Where a running job stands.

    Attributes
    ----------
    phase : str
        As `Progress.doing` takes it.
    time : float
        When this was noted, seconds since 1970.
    share : float or None
        Share of the goal of its counter that is reached.
    left : float or None
        Seconds after which a budget probably ends it, from ``time`` on.
    error, objective, gap : float or None
        The last test error and objective, and the least relative gap.
    seen : float or None
        When these were made, seconds since 1970.
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
    """Plain lines in the log of a job, and a note of where it stands beside it.

    Parameters
    ----------
    stream : text stream
        The log.
    path : Path
        Of the note.
    """

    def __init__(self, stream: TextIO, path: Path) -> None:
        super().__init__(stream)
        self._path = path
        self._noted = 0.0
        self._note()

    def advanced(self, counter: str, value: int, goal: int | None, seconds: float) -> None:
        """Take the state after a slice."""
        super().advanced(counter, value, goal, seconds)
        self._note_now_and_then()

    def observed(self, row: dict[str, Any]) -> None:
        """Take a checkpoint."""
        super().observed(row)
        self._note_now_and_then()

    def doing(self, what: str, left: float | None = None) -> None:
        """Take the phase that begins."""
        changed = what != self.standing.phase
        super().doing(what, left)
        # A checkpoint is mostly over within the slice; what takes long is noted at once.
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
    """Replace a note, without waiting for the disk; where that fails there is none."""
    beside = path.with_name(f".{path.name}")
    try:
        beside.unlink(missing_ok=True)  # of a process that was killed, or a link that somebody put there
        with beside.open("x", encoding="utf-8") as stream:
            json.dump(asdict(note), stream)
        beside.replace(path)
    except OSError:
        return


def read(path: Path) -> Now | None:
    """Return the note of a job; None without a readable one."""
    try:
        found = read_json(read_regular(path, _MOST))
        numbers = {key: found[key] for key in Now.__dataclass_fields__ if key != "phase"}
        if not isinstance(found["phase"], str) or numbers["time"] is None:
            return None
        floats = {key: None if value is None else float(value) for key, value in numbers.items()}
        return Now(found["phase"], **floats)  # type: ignore[arg-type]
    except (OSError, ValueError, TypeError, KeyError, RecursionError, OverflowError):
        return None
