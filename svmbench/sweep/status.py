"""Status of a sweep: counts, time left, and the table of its ends."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

from svmbench.runner.outcome import ended
from svmbench.store.runs import FLAG
from svmbench.sweep.plan import Job
from svmbench.sweep.record import Record

#: Names of ends in the table.
NAMES = {"done": "done", "found": "skipped"}

#: Seconds between two status lines without a terminal.
_EVERY = 30.0


class Status:
    """Records beginnings and ends, prints a line per end, and maintains one status line.

    Parameters
    ----------
    record : Record
        Record of the sweep.
    total : int
        Number of jobs in the sweep.
    workers : int
        Number of simultaneous jobs.
    ends : dict of int to dict
        Earlier ends, which count as well.
    out, live : text stream
        Streams for ends and for the status line.
    """

    def __init__(
        self,
        record: Record,
        total: int,
        workers: int,
        ends: Mapping[int, dict[str, Any]] | None = None,
        out: TextIO | None = None,
        live: TextIO | None = None,
    ) -> None:
        self.ends = dict(ends or {})
        self._record = record
        self._total = total
        self._workers = workers
        self._out = out or sys.stdout
        self._live = live or sys.stderr
        self._running = 0
        self._seconds: list[float] = []
        self._shown = time.monotonic()

    def began(self, job: Job) -> None:
        """Receive a beginning."""
        self._running += 1
        self._record.add(job=job.number, event="began")

    def ended(self, job: Job, end: dict[str, Any]) -> None:
        """Receive an end and print it."""
        self._running -= 1
        self.known(job, end)
        self.tick(now=True)

    def known(self, job: Job, end: dict[str, Any]) -> None:
        """Receive the end of a job that was not started here, and print it."""
        self.ends[job.number] = end
        if end["state"] == "done":
            self._seconds.append(end["seconds"])
        self._record.add(job=job.number, event="ended", **{k: v for k, v in end.items() if k != "number"})
        self._clear()
        state = NAMES.get(end["state"], end["state"])
        text = f"{job.label}: {ended(state, end['reason'])} ({end['seconds']:.2f} s)"
        print(f"[{len(self.ends)}/{self._total}] {text}", file=self._out, flush=True)

    def tick(self, now: bool = False) -> None:
        """Show the status line: on a terminal at once, replacing the last one, elsewhere occasionally."""
        terminal = self._live.isatty()
        if time.monotonic() - self._shown < (0.0 if now and terminal else 1.0 if terminal else _EVERY):
            return
        self._shown = time.monotonic()
        self._clear()
        print(self.line(), file=self._live, end="" if terminal else "\n", flush=True)

    def line(self) -> str:
        """Return done, running, failed and the time left."""
        left = None
        if self._seconds:
            mean = sum(self._seconds) / len(self._seconds)
            left = mean * (self._total - len(self.ends)) / self._workers
        return line(self._total, self.ends, self._running, left)

    def close(self) -> None:
        """Clear the status line."""
        self._clear()

    def _clear(self) -> None:
        if self._live.isatty():
            print("\r\x1b[K", file=self._live, end="", flush=True)


def line(total: int, ends: Mapping[int, dict[str, Any]], running: int, left: float | None) -> str:
    """Return the status line of a sweep; ``left`` in seconds, or None if unknown."""
    good = sum(end["state"] in NAMES for end in ends.values())
    parts = [f"{good} of {total} done", f"{running} running", f"{len(ends) - good} failed"]
    if left is not None and len(ends) < total:
        parts.append(f"about {duration(left)} left")
    return ", ".join(parts)


def duration(seconds: float) -> str:
    """Format a duration: 8 s, 3 min 20 s, 2 h 5 min."""
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


HEADER = ("job", "overrides", "end", "test error", "objective", "gap", "counter", "cost", "iterations", "run")


def rows(jobs: Sequence[Job], ends: Mapping[int, dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Return the table of a sweep, a row of `HEADER` per job; None if unknown."""
    found = []
    for job in jobs:
        end = ends.get(job.number, {"state": "not run", "numbers": {}, "run": None})
        numbers, counter = end["numbers"], job.config.budget.counter
        error, gap = numbers.get("test_error"), numbers.get("relative_gap")
        found.append(
            (
                job.number + 1,
                job.label,
                NAMES.get(end["state"], end["state"]),
                None if error is None else f"{100 * error:.2f} %",
                numbers.get("primal_objective"),
                None if gap is None else f"{gap:.1e}",
                counter,
                numbers.get(counter),
                numbers.get("iterations"),
                end["run"],
            )
        )
    return found


def failures(jobs: Sequence[Job], ends: Mapping[int, dict[str, Any]]) -> list[str]:
    """Return a line for each job without a result, or whose method ended far from the optimum, with why."""
    return [
        f"  {job.number + 1}  {job.label}: {ended(end['state'], end['reason'])}"
        for job in jobs
        if (end := ends.get(job.number)) is not None
        and (end["state"] not in NAMES or FLAG in (end["reason"] or ""))
    ]


def counts(jobs: Sequence[Job], ends: Mapping[int, dict[str, Any]]) -> str:
    """Return how many jobs ended how."""
    states = Counter(NAMES.get(s := ends.get(job.number, {}).get("state", "not run"), s) for job in jobs)
    return ", ".join(f"{count} {state}" for state, count in states.items())
