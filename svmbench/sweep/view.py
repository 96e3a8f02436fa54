"""The table of the running jobs of a sweep on a terminal."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from svmbench.runner.block import aligned, cut_to, fit_width, over
from svmbench.runner.progress import duration
from svmbench.sweep.job_state import Now, read
from svmbench.sweep.planning import Job

#: Headings of the columns, and those of left-aligned ones.
_HEADER = ("job", "overrides", "phase", "time", "done", "left", "error", "objective", "gap", "age")
_LEFT = ("overrides", "phase")
#: Columns left out on a narrow terminal: before the overrides are shortened, and if that does not suffice.
_FIRST, _LAST = ("objective", "left"), ("done", "age", "time")
#: Least width of the column of overrides.
_LEAST = 16


@dataclass(frozen=True)
class Running:
    """A running job.

    Attributes
    ----------
    name, label : str
        Number of the job, from 1, and its overrides.
    seconds : float
        Wall time since the job began.
    now : Now or None
        Latest note of the job; None before the first.
    """

    name: str
    label: str
    seconds: float
    now: Now | None


def running(jobs: Sequence[Job], began: Mapping[int, float], folder: Path) -> list[Running]:
    """Return the state of running jobs from the times at which they began, in seconds since 1970."""
    at = time.time()

    def one(job: Job) -> Running:
        note = read(folder / f"{job.number}.now")
        return Running(str(job.number + 1), job.label, max(0.0, at - began[job.number]), note)

    return [one(job) for job in jobs]


def table(jobs: Sequence[Running], columns: int, most: int) -> list[str]:
    """Return a line of headings and a line for each running job; nothing if none is running.

    Parameters
    ----------
    jobs : sequence of Running
        The jobs, in this order.
    columns : int
        Most characters of a line.
    most : int
        Most lines. If there are more jobs, the last line says how many are not shown.
    """
    shown = jobs if len(jobs) < most else jobs[: max(0, most - 2)]
    if not shown:
        return []
    texts = {name: [name] for name in _HEADER}
    for job in shown:
        for name, text in zip(_HEADER, _row(job), strict=True):
            texts[name].append(text)
    texts = {name: column for name, column in texts.items() if any(column[1:])}
    for name in _FIRST:
        if over(texts, columns) > 0:
            texts.pop(name, None)
    fit_width(texts, columns, "overrides", _LEAST, _LAST, cut_to)
    found = aligned(texts, _LEFT)
    return found + ([f"and {len(jobs) - len(shown)} more"] if len(shown) < len(jobs) else [])


def _row(running: Running) -> tuple[str, ...]:
    """Return the cells of a job; unknown ones are empty."""
    name, now = (running.name, running.label), running.now
    if now is None:
        return (*name, "starting", duration(running.seconds), "", "", "", "", "", "")
    passed = max(0.0, time.time() - now.time)
    return (
        *name,
        now.phase,
        duration(running.seconds),
        "" if now.share is None else f"{100 * now.share:.0f} %",
        "" if now.left is None else duration(max(0.0, now.left - passed)),
        "" if now.error is None else f"{100 * now.error:.2f} %",
        "" if now.objective is None else f"{now.objective:.5g}",
        "" if now.gap is None else f"{now.gap:.0e}",
        "" if now.seen is None else duration(max(0.0, time.time() - now.seen)),
    )
