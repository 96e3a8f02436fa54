"""Status of a sweep: counts, time left, the running jobs, and the table of results."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

from svmbench.runner.block import Block, on_terminal, size
from svmbench.runner.outcome import ended
from svmbench.runner.progress import duration
from svmbench.store.runs import FLAG
from svmbench.sweep.planning import Job
from svmbench.sweep.record import Record
from svmbench.sweep.stored import JobEnd, without_run
from svmbench.sweep.view import running, table

#: Names of end states in the table.
NAMES = {"done": "done", "found": "skipped"}

#: Stands for the end of a job that has not ended.
_NOT_RUN = without_run("not run", "")

#: Seconds between two status lines where there is no terminal.
_EVERY = 30.0
#: Seconds between two updates of the running jobs on a terminal.
_REDRAWN = 0.5


class Status:
    """Records when jobs begin and end, prints a line for each end, and shows the status below these lines.

    On a terminal, the status is a line and a row for each running job, which are overwritten as they change.
    Elsewhere, it is a line that is printed occasionally.

    Parameters
    ----------
    record : Record
        Record of the sweep.
    total : int
        Number of jobs in the sweep.
    ends : dict of int to dict
        Ends of jobs from earlier parts of the sweep, which count as well.
    out, live : text stream
        Streams for ends and for the status.
    """

    def __init__(
        self,
        record: Record,
        total: int,
        ends: Mapping[int, JobEnd] | None = None,
        out: TextIO | None = None,
        live: TextIO | None = None,
    ) -> None:
        self.ends = dict(ends or {})
        self._record = record
        self._total = total
        self._most = 1  # simultaneous jobs so far: a cluster may make fewer than were asked for
        self._out = out or sys.stdout
        self._live = live or sys.stderr
        self._running: dict[int, tuple[Job, float]] = {}
        self._waits = ""
        self._erased = False
        self._events: list[dict[str, Any]] = []
        self._began = self._shown = time.monotonic()
        self._block = Block(self._live) if on_terminal(self._live) else None

    def began(self, job: Job) -> None:
        """Receive a job that has begun."""
        self._running[job.number] = job, time.time()
        self._most = max(self._most, len(self._running))
        self._events.append({"job": job.number, "event": "began"})

    def ended(self, job: Job, end: JobEnd) -> None:
        """Receive the end of a job and print it."""
        self._running.pop(job.number, None)
        self.known(job, end)

    def known(self, job: Job, end: JobEnd) -> None:
        """Receive the end of a job that was not started here, and print it."""
        self.ends[job.number] = end
        told = {key: value for key, value in end.items() if key != "number"}
        self._events.append({"job": job.number, "event": "ended", **told})
        self._erase()
        print(f"[{len(self.ends)}/{self._total}] {job.label}: {said(end)}", file=self._out, flush=True)

    def waits(self, text: str) -> None:
        """Receive what queued jobs wait for."""
        self._waits = text

    def tick(self) -> None:
        """Record the events since the last call, and show the progress.

        On a terminal it is drawn in place of the previous one, elsewhere printed as an occasional line.
        """
        self._write()
        since = time.monotonic() - self._shown
        if self._block is not None and (self._erased or since >= _REDRAWN):
            columns, height = size(self._live)
            self._block.draw([self.line(), *self.rows(columns - 1, height // 2)])
        elif self._block is None and since >= _EVERY:
            print(self.line(), file=self._live, flush=True)
        else:
            return
        self._shown, self._erased = time.monotonic(), False

    def line(self) -> str:
        """Return a line with the numbers of jobs done, running, failed and interrupted, and the times."""
        began = (at for _, at in self._running.values())
        expected = left(self.ends, self._total, self._most, began)
        said = line(self._total, self.ends, len(self._running), expected, time.monotonic() - self._began)
        return ", ".join(filter(None, [said, self._waits]))

    def rows(self, columns: int, most: int) -> list[str]:
        """Return the table of the running jobs: at most ``most`` lines of at most ``columns`` characters."""
        jobs = [job for job, _ in self._running.values()]
        began = {job.number: at for job, at in self._running.values()}
        return table(running(jobs, began, self._record.folder), columns, most)

    def close(self) -> None:
        """Record the last events, and erase the status from a terminal."""
        self._erase()
        self._write()

    def _write(self) -> None:
        events, self._events = self._events, []
        self._record.add(*events)

    def _erase(self) -> None:
        if self._block is not None:
            self._block.clear()
            self._erased = True


def said(end: JobEnd) -> str:
    """Return how a job ended, why, and after how long."""
    state = NAMES.get(end["state"], end["state"])
    return f"{ended(state, end['reason'])} ({end['seconds']:.2f} s)"


def left(ends: Mapping[int, JobEnd], total: int, workers: int, began: Iterable[float] = ()) -> float | None:
    """Return the estimated seconds until the last job ends, by the mean time of those done.

    Parameters
    ----------
    ends : mapping of int to dict
        Ends of jobs.
    total, workers : int
        Number of jobs, and of simultaneous ones.
    began : iterable of float
        When the running jobs began, in seconds since 1970. One that takes longer raises the mean.

    Returns
    -------
    float or None
        None if no job is done, or if only such are left that take longer than the others did.
    """
    seconds = [end["seconds"] for end in ends.values() if end["state"] == "done"]
    if not seconds:
        return None
    now = time.time()
    spent = [max(0.0, now - at) for at in began]
    mean = sum(seconds) / len(seconds)
    mean = max(mean, (sum(seconds) + sum(spent)) / (len(seconds) + len(spent)))
    rest = mean * (total - len(ends) - len(spent)) + sum(max(0.0, mean - one) for one in spent)
    return rest / workers if rest else None


def line(
    total: int,
    ends: Mapping[int, JobEnd],
    running: int,
    left: float | None,
    spent: float | None = None,
) -> str:
    """Return the status line of a sweep; ``left`` and ``spent`` are seconds, None if unknown."""
    good = sum(end["state"] in NAMES for end in ends.values())
    others = {name: sum(end["state"] == name for end in ends.values()) for name in ("interrupted", "gone")}
    failed = len(ends) - good - sum(others.values())
    parts = [f"{good} of {total} done", f"{running} running", f"{failed} failed"]
    parts += [f"{count} {name}" for name, count in others.items() if count]
    if spent is not None:
        parts.append(f"{duration(spent)} since the start")
    if left is not None and len(ends) < total:
        parts.append(f"about {duration(left)} left")
    return ", ".join(parts)


HEADER = ("job", "overrides", "end", "test error", "objective", "gap", "counter", "cost", "iterations", "run")


def rows(jobs: Sequence[Job], ends: Mapping[int, JobEnd]) -> list[tuple[Any, ...]]:
    """Return the table of a sweep: a row per job with the columns of `HEADER`, None where unknown."""
    found = []
    for job in jobs:
        end = ends.get(job.number, _NOT_RUN)
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


def failures(jobs: Sequence[Job], ends: Mapping[int, JobEnd]) -> list[str]:
    """Return a line, with the reason, for each job that has no result or ended far from the optimum."""
    return [
        f"  {job.number + 1}  {job.label}: {ended(end['state'], end['reason'])}"
        for job in jobs
        if (end := ends.get(job.number)) is not None
        and (end["state"] not in NAMES or FLAG in (end["reason"] or ""))
    ]


def counts(jobs: Sequence[Job], ends: Mapping[int, JobEnd]) -> str:
    """Return the number of jobs in each end state, as text."""
    states = Counter(NAMES.get(s := ends.get(job.number, _NOT_RUN)["state"], s) for job in jobs)
    return ", ".join(f"{count} {state}" for state, count in states.items())
