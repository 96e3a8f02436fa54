"""A job of a cluster: several runs, one after the other, by a worker process of the machine that it is on.

`make` is given a document, a line of ``cluster/ARRAY.jsonl`` in the folder of the sweep. It reports to
``cluster/told/ARRAY-NUMBER.jsonl``, a line when a run begins and when it ends, written at most once a second.
A job that the cluster has restarted appends to the same file, and omits runs that have ended.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any, TypedDict

from svmbench.run_config import Document, RunConfig
from svmbench.sweep.planning import Job
from svmbench.sweep.pool import Pool
from svmbench.sweep.stored import JobEnd

#: Seconds between two reports.
_EVERY = 1.0

#: Seconds that interrupted runs have to store their ends. By default, SLURM kills 30 s after its SIGTERM.
_PATIENCE = 25.0

#: A job stops this many seconds before the end of its time or, if that is less, after this part of it.
_NOTICE, _SHARE = 90.0, 0.75

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class BundleDocument(TypedDict):
    """A job of a cluster: its runs by number, the folder of the sweep, the file for reports, most seconds."""

    runs: dict[str, Document]
    folder: str
    told: str
    cwd: str
    threads: int
    seconds: float | None


class Told:
    """The report of a job, of which others read complete lines.

    Parameters
    ----------
    path : Path
        The file. A restarted job continues it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines: list[str] = []
        self._written = time.monotonic()

    def add(self, **line: Any) -> None:
        """Append a line, now or at a later `tick`."""
        self._lines.append(f"{json.dumps(line)}\n")
        self.tick()

    def began(self, job: Job) -> None:
        """Receive a run that begins."""
        self.add(began=job.number)

    def ended(self, job: Job, end: JobEnd) -> None:
        """Receive the end of a run."""
        self.add(**{**end, "number": job.number})

    def tick(self) -> None:
        """Write the lines if the last ones were written a while ago."""
        if self._lines and time.monotonic() - self._written >= _EVERY:
            with contextlib.suppress(OSError):  # a full disk, perhaps not at the next attempt
                self.write()

    def write(self) -> None:
        """Write the lines that are not written."""
        self._written = time.monotonic()
        with self._path.open("ab") as stream:
            stream.write(("\n" * _incomplete(self._path) + "".join(self._lines)).encode())
        self._lines.clear()


def heard(path: Path, start: int = 0) -> tuple[list[dict[str, Any]], int]:
    """Return the complete lines of a report from a position on, and the position behind them."""
    try:
        with path.open("rb") as stream:
            stream.seek(start)
            whole = stream.read().rpartition(b"\n")[0]
    except FileNotFoundError:
        return [], start
    found = []
    for line in whole.splitlines():
        with contextlib.suppress(ValueError):  # the incomplete line of a job that was killed
            found.append(json.loads(line))
    return found, start + len(whole) + bool(whole)


def make(document: BundleDocument, begun: float | None = None) -> None:
    """Make the runs of a job.

    Parameters
    ----------
    document : BundleDocument
        The job.
    begun : float, optional
        When it began, in seconds since 1970. Default: now.
    """
    os.chdir(document["cwd"])
    told = Told(Path(document["told"]))
    lines = heard(Path(document["told"]))[0]
    over = {line["number"] for line in lines if line.get("state", "interrupted") != "interrupted"}
    jobs = [
        Job(int(number), "", [], RunConfig.of(config))
        for number, config in document["runs"].items()
        if int(number) not in over
    ]
    told.add(host=os.uname().nodename)
    pool = Pool(Path(document["folder"]), 1, document["threads"], pin=False, patience=_PATIENCE)
    signals: list[str] = []
    limit = _stopped(document["seconds"], time.time() if begun is None else begun, signals)
    with contextlib.suppress(KeyboardInterrupt), limit:  # before the first run, or after the last
        pool.run(jobs, told)
    if signals:
        told.add(stopped=signals[0])
    told.write()


@contextlib.contextmanager
def _stopped(seconds: float | None, begun: float, received: list[str]) -> Iterator[None]:
    """Raise KeyboardInterrupt at the first signal or near the end of the time, and ignore further signals.

    Parameters
    ----------
    seconds : float or None
        Limit on the time of the job. SLURM itself announces its end up to a minute early.
    begun : float
        When the job began, in seconds since 1970.
    received : list of str
        Receives the name of the signal, or ``time``.
    """
    late = threading.Event()

    def handle(number: int, frame: FrameType | None) -> None:
        if not received:
            received.append("time" if late.is_set() else signal.Signals(number).name)
            raise KeyboardInterrupt

    def ring() -> None:
        late.set()
        os.kill(os.getpid(), signal.SIGTERM)

    left = 0.0 if seconds is None else max(seconds - _NOTICE, seconds * _SHARE) - (time.time() - begun)
    timer = threading.Timer(max(0.0, left), ring)
    timer.daemon = True
    kept: Mapping[int, Any] = {number: signal.signal(number, handle) for number in _SIGNALS}
    try:
        if seconds is not None:
            timer.start()
        yield
    finally:
        timer.cancel()
        for number, handler in kept.items():
            signal.signal(number, handler)


def _incomplete(path: Path) -> bool:
    """Return whether a file ends in the middle of a line."""
    with path.open("ab+") as stream:
        if not stream.tell():
            return False
        stream.seek(-1, os.SEEK_END)
        return stream.read(1) != b"\n"


def main() -> None:
    """Make the job of a line of a file: ``python -m svmbench.sweep.bundle FILE LINE BEGUN``."""
    path, number, begun = sys.argv[1:]
    with Path(path).open(encoding="utf-8") as stream:
        line = next(line for count, line in enumerate(stream) if count == int(number))
    make(json.loads(line), float(begun))


if __name__ == "__main__":
    main()
