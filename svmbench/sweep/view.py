"""A sweep on a terminal: how far it is, and a row for each job that runs."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from svmbench.runner.block import cut_to
from svmbench.runner.progress import duration
from svmbench.sweep.noted import Now, read
from svmbench.sweep.planning import Job

#: Headings of the columns; numbers stand at the right.
_HEADER = ("job", "overrides", "phase", "time", "done", "left", "error", "objective", "gap", "age")
_LEFT = ("overrides", "phase")
#: Columns that are left out of a narrow terminal, before and after the one that says what is run is cut.
_FIRST, _LAST = ("objective", "left"), ("done", "age", "time")
#: Least width of the column that says what is run.
_LEAST = 16


@dataclass(frozen=True)
class Running:
    """A job that runs.

    Attributes
    ----------
    name, label : str
        Which, and what is run.
    seconds : float
        Wall time since it began.
    now : Now or None
        What it noted last; None: nothing yet.
    """

    name: str
    label: str
    seconds: float
    now: Now | None


def running(jobs: Sequence[Job], began: Mapping[int, float], folder: Path) -> list[Running]:
    """Return what runs, from the times at which jobs began (seconds since 1970) and their notes."""
    at = time.time()

    def one(job: Job) -> Running:
        note = read(folder / f"{job.number}.now")
        return Running(str(job.number + 1), job.label, max(0.0, at - began[job.number]), note)

    return [one(job) for job in jobs]


def table(jobs: Sequence[Running], columns: int, most: int) -> list[str]:
    """Return a line for each running job below a line of headings; nothing where none runs.

    Parameters
    ----------
    jobs : sequence of Running
        In this order.
    columns : int
        Width of the lines.
    most : int
        Most lines; a last one says how many jobs are not shown.
    """
    shown = jobs if len(jobs) < most else jobs[: max(0, most - 2)]
    if not shown:
        return []
    texts = {name: [name] for name in _HEADER}
    for job in shown:
        for name, text in zip(_HEADER, _row(job), strict=True):
            texts[name].append(text)
    texts = {name: column for name, column in texts.items() if any(column[1:])}
    _fit(texts, columns)
    wide = {name: max(map(len, column)) for name, column in texts.items()}
    padded = [
        [text.ljust(wide[name]) if name in _LEFT else text.rjust(wide[name]) for text in column]
        for name, column in texts.items()
    ]
    found = ["  ".join(cells).rstrip() for cells in zip(*padded, strict=True)]
    return found + ([f"and {len(jobs) - len(shown)} more"] if len(shown) < len(jobs) else [])


def _row(running: Running) -> tuple[str, ...]:
    """Return the cells of a job, empty where nothing is known."""
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


def _fit(texts: dict[str, list[str]], columns: int) -> None:
    """Cut what is run, and leave out columns, until a line has its width."""

    def over() -> int:
        return sum(max(map(len, column)) for column in texts.values()) + 2 * (len(texts) - 1) - columns

    for name in _FIRST:
        if over() > 0:
            texts.pop(name, None)
    for name in ("", *_LAST):
        texts.pop(name, None)
        if over() > 0:
            most = max(_LEAST, max(map(len, texts["overrides"])) - over())
            texts["overrides"] = [cut_to(text, most) for text in texts["overrides"]]
        if over() <= 0:
            return
