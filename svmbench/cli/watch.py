"""``svmbench watch``: a sweep or a results folder, seen from another terminal while runs are being made."""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from svmbench.cli._parser import Parser, file_path
from svmbench.errors import UserError, command

if TYPE_CHECKING:
    from svmbench.store import Store, StoredRun
    from svmbench.sweep.view import Running

#: A sentence, a function from columns and lines to the rows below it, and whether what is watched has ended.
_View = tuple[str, Callable[[int, int], list[str]], bool]

#: Seconds between two lines without a terminal, and between two reports.
_LINES, _REPORTS = 30.0, 30.0

#: Most ended runs below those that are being made.
_ENDED = 10


def main(arguments: Sequence[str]) -> int:
    """Show the state until the sweep has ended, or until Ctrl-C."""
    given = _parsed(arguments)
    results, record = Path(given.results), None
    if given.sweep is not None:
        from svmbench.sweep.record import Record

        record = Record.find(results, given.sweep)
        view = _sweep_view(record.folder)
        names = [str(record.folder)]
    else:
        view = _store_view(results)
        names = [str(results)]
    page = None if given.html is None else _Page(file_path("--html", given.html), given.results, names)
    with contextlib.suppress(KeyboardInterrupt):  # the way to stop watching
        _follow(view, page, given.every)
    if page is not None:
        page.write(last=True)
    return 0


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parser = Parser(
        "watch",
        "Show a sweep while it runs: phase, progress, error, gap and their age for each run. Without a name, "
        "show the runs of the results folder that are being made and those that ended last. It ends with the "
        "sweep, or with Ctrl-C; the runs continue.",
    )
    parser.add_sweep("name or unique prefix, as svmbench status prints")
    parser.add_argument(
        "--every", type=float, default=1.0, metavar="SECONDS", help="seconds between two updates (1)"
    )
    parser.add_argument(
        "--html",
        metavar="FILE",
        help="also keep a report of the runs up to date; the open page reloads itself",
    )
    parser.add_results()
    given = parser.parse_args(arguments)
    if not 0.1 <= given.every <= 3600.0:
        parser.error(f"--every {given.every:g} is not allowed: give seconds from 0.1 to 3600")
    if not Path(given.results).is_dir():
        raise UserError(
            f"there is nothing to watch: folder {given.results} does not exist; "
            f"start: {command('run', given.results)}"
        )
    return given


def _follow(view: Callable[[], _View], page: _Page | None, every: float) -> None:
    """Show a view until it has ended: redrawn in place on a terminal, otherwise as occasional lines."""
    from svmbench.runner.block import Block, on_terminal, size

    block = Block(sys.stderr) if on_terminal(sys.stderr) and on_terminal(sys.stdout) else None
    said, at = "", float("-inf")
    try:
        while True:
            sentence, rows, over = view()
            columns, height = size(sys.stderr)
            if block is not None and not over:
                block.draw([sentence, *rows(columns - 1, height - 2)])
            elif over or (sentence != said and time.monotonic() - at >= _LINES):
                if block is not None:
                    block.clear()
                print(sentence, flush=True)
                said, at = sentence, time.monotonic()
            if over:
                return
            if page is not None:
                page.write()
            time.sleep(every)
    finally:
        if block is not None:
            block.clear()


def _sweep_view(folder: Path) -> Callable[[], _View]:
    """Return the function that reads the state of a sweep."""
    from svmbench.sweep import status
    from svmbench.sweep.record import Record, all_finished
    from svmbench.sweep.view import running, table

    record = Record(folder)
    plan = record.plan()

    def look() -> _View:
        maker, ends, began = record.maker(), record.ends(), record.began()
        jobs = [job for job in plan.jobs if maker and job.number in began and job.number not in ends]
        spent = record.made_for()
        since = [began[job.number] for job in jobs]
        left = status.left(ends, len(plan.jobs), max(1, len(jobs)), since) if maker else None
        sentence = status.line(len(plan.jobs), ends, len(jobs), left, spent)
        if maker is None:
            over = all_finished(plan.jobs, ends)
            sentence += "; ended" if over else f"; continue with: {record.command('resume')}"

        def rows(columns: int, most: int) -> list[str]:
            found = table(running(jobs, began, folder), columns, most)
            last = [plan.jobs[number] for number in ends if number < len(plan.jobs)][-_ENDED:]
            told = [
                f"  {job.number + 1}  {job.label}: {status.said(ends[job.number])}" for job in reversed(last)
            ]
            return [*found, *(["ended last:", *told] if told else [])][:most]

        return sentence, rows, maker is None

    return look


def _store_view(results: Path) -> Callable[[], _View]:
    """Return the function that reads the state of a results folder."""
    from svmbench.store import Store
    from svmbench.sweep.view import table

    store = Store(results)

    def look() -> _View:
        stored = store.own()
        newest, ids = stored[-_ENDED:], [run.id for run in stored]
        made = _made_now(store)
        runs = f"{len(ids):,} run{'s' * (len(ids) != 1)}"
        sentence = f"{results}: {runs}, {len(made) or 'none'} being made now"

        def rows(columns: int, most: int) -> list[str]:
            from svmbench.cli._overview import overview

            found = table([_standing(run) for run in made], columns, max(3, most // 2))
            ended = [run for run in newest if run.status != "running"]
            if not ended:
                return found
            text = overview(ended[::-1], [], ids, columns, datetime.now(UTC))
            return [*found, "ended last:", *text.splitlines()][:most]

        return sentence, rows, False

    return look


def _made_now(store: Store) -> list[StoredRun]:
    """Return the runs that are being made, oldest first."""
    found = []
    for path in (store.root / "runs").glob("*.running"):
        with contextlib.suppress(UserError):  # it ended, or begins, just now
            run = store.find(path.name)
            found += [run] if run.status == "running" else []
    return sorted(found, key=lambda run: run.started)


def _standing(run: StoredRun) -> Running:
    """Return the state of a run, from its stored checkpoints."""
    from svmbench.sweep.job_state import Now
    from svmbench.sweep.view import Running

    now, budget = time.time(), run.config.budget
    cost = run.value(budget.counter)
    share = None if budget.kev is None or cost is None else min(1.0, cost / budget.kev)
    error, objective, gap = (run.value(key) for key in ("test_error", "primal_objective", "relative_gap"))
    seen = None
    with contextlib.suppress(OSError):
        seen = (run.path / "trace.csv").stat().st_mtime if cost is not None else None
    label = f"{run.solver} {run.dataset} seed={run.seed}"
    seconds = now - datetime.fromisoformat(run.started).timestamp()
    return Running(
        run.id[-12:-4], label, seconds, Now("training", now, share, None, error, objective, gap, seen)
    )


class _Page:
    """The report of what is watched: of the runs that ``names`` select (`svmbench.sweep.select.chosen`)."""

    def __init__(self, path: Path, results: str, names: Sequence[str]) -> None:
        self._path, self._results, self._names = path, results, names
        self._seen: object = None
        self._due = 0.0

    def write(self, last: bool = False) -> None:
        """Write the page if it would differ from the previous one; the last page does not reload itself."""
        from svmbench.cli.report import write
        from svmbench.sweep.select import chosen

        if not last and time.monotonic() < self._due:
            return
        try:
            runs = [run for run in chosen(self._results, self._names) if run.value("iterations") is not None]
        except UserError:  # no run has a checkpoint yet
            runs = []
        seen = [(run.id, run.status, run.value("iterations")) for run in runs]
        if runs and (last or seen != self._seen):
            write(self._path, self._results, runs, refresh=None if last else _REPORTS)
            self._seen = seen
        self._due = time.monotonic() + _REPORTS
        if last:
            print(self._path if runs else f"no page: no run of {self._names[0]} has a checkpoint yet")
