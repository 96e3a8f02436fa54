"""What ``svmbench paper`` does with a figure or table. Each returns an exit code; only `run` needs data."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from svmbench.errors import UserError
from svmbench.papers import ids, sbp
from svmbench.papers import paper as papers
from svmbench.papers.claims import Published
from svmbench.papers.comparison import Comparison
from svmbench.papers.paper import Paper
from svmbench.papers.plan import Match, match, selection
from svmbench.papers.verdict import Verdict
from svmbench.report.curves import View, draw_selection
from svmbench.report.tables import table
from svmbench.run.signals import handling
from svmbench.run.spawn import run_in_process
from svmbench.store import Store
from svmbench.store.keep import export

#: What each figure is judged by.
PUBLISHED: dict[str, Published] = {"sbp-f2": sbp.FIGURE_2}


def plan(paper_id: str, results: str) -> int:
    """Print the runs of a figure or table, which are stored, and the commands that make the others."""
    figure, matches = _load(paper_id, results)
    rows = [(m.planned.panel, m.planned.solver, m.planned.seed, m.state, _id(m)) for m in matches]
    print(f"{figure.title}\n{figure.source}\n")
    print(table(("data set", "solver", "seed", "state", "run"), rows))
    print(f"\n{_tally(matches)}")
    _print_missing(matches, results, sys.stdout)
    return 0


def run(paper_id: str, results: str) -> int:
    """Make the missing runs of a figure or table, one after the other, each in a process of its own.

    Goes on past a run that fails; returns 1 if any did, 130 if interrupted.
    """
    _, matches = _load(paper_id, results)
    missing = [m for m in matches if not m.complete]
    print(_tally(matches), flush=True)
    failed = []
    logs = _folder(paper_id, results) / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    for number, found in enumerate(missing, start=1):
        planned = found.planned
        label = f"[{number}/{len(missing)}] {planned.solver} {planned.panel} seed {planned.seed}"
        print(f"{label}: {planned.command}", flush=True)
        log = logs / f"{planned.panel}-{planned.solver}-{planned.seed}.txt"
        with handling():
            outcome, interrupted = run_in_process({**planned.config, "results": results}, log)
        print(f"{label}: {outcome['state']}, {outcome['reason']}", flush=True)
        if interrupted:
            return 130
        if outcome["state"] not in ("done", "found"):
            failed.append(f"{label}: {outcome['reason']}")
    if failed:
        print("\n".join([f"{len(failed)} of {len(missing)} runs failed:", *failed]), file=sys.stderr)
    return 1 if failed else 0


def draw(paper_id: str, results: str) -> int:
    """Draw a figure under each convention from what is stored; train nothing, list what is missing."""
    figure, matches = _load(paper_id, results)
    if figure.is_table:
        raise UserError(f"{paper_id} is a table, not a figure: svmbench paper table {paper_id}")
    _print_missing(matches, results, sys.stderr)
    views = {panel.name: View(panel.title, panel.x, panel.y) for panel in figure.panels}
    notes = [f"Source: {figure.source}.", f"Redrawn from stored runs by: svmbench paper draw {paper_id}"]
    for counter in figure.counters:
        chosen = selection(figure, matches, counter)
        if not chosen.panels:
            raise UserError(
                f"none of the {len(matches)} runs of {paper_id} is stored in {results}: "
                f"make them by svmbench paper run {paper_id}"
            )
        stem = _folder(paper_id, results) / f"{paper_id}-{counter}"
        for path in draw_selection(chosen, counter, stem, title=figure.title, views=views, notes=notes):
            print(path)
    return 0


def verdict(paper_id: str, results: str) -> int:
    """Judge a figure's claims by what is stored; print the page and write it as Markdown and JSON."""
    figure, matches = _load(paper_id, results)
    if paper_id not in PUBLISHED:
        raise UserError(f"no claims are recorded for {paper_id}; recorded: {', '.join(PUBLISHED)}")
    judged = Verdict.of(figure, PUBLISHED[paper_id], matches)
    folder = _folder(paper_id, results)
    folder.mkdir(parents=True, exist_ok=True)
    page = judged.markdown()
    _write(folder / "verdict.md", page)
    _write(folder / "verdict.json", json.dumps(judged.document(), indent=2, allow_nan=False) + "\n")
    print(page, end="")
    return 0


def table_of(paper_id: str, results: str) -> int:
    """Write a table as Markdown and CSV from what is stored; train nothing, list what is missing."""
    paper, matches = _load(paper_id, results)
    if not paper.is_table:
        raise UserError(f"{paper_id} is a figure, not a table: svmbench paper draw {paper_id}")
    _print_missing(matches, results, sys.stderr)
    _write_table(paper, matches, Path(results))
    return 0


def keep(paper_id: str, results: str) -> int:
    """Copy the runs behind a figure or table to the reference folder of the results, to be committed."""
    paper, matches = _load(paper_id, results)
    runs = [m.stored for m in matches if m.stored is not None and m.complete]
    if len(runs) < len(matches):
        _print_missing(matches, results, sys.stderr)
        raise UserError(f"{_tally(matches)}; nothing is kept until all are")
    reference = Path(results) / "reference"
    for path in export(runs, reference):
        print(path)
    if paper.is_table:
        _write_table(paper, matches, reference)
    return 0


#: The actions by their names.
ACTIONS: dict[str, Callable[[str, str], int]] = {
    "plan": plan,
    "run": run,
    "draw": draw,
    "table": table_of,
    "verdict": verdict,
    "keep": keep,
}


def applicable(action: str) -> list[str]:
    """Return the names that an action is for where none is given: figures, tables, or both."""
    only_tables = {"draw": False, "verdict": False, "table": True}.get(action)
    return [name for name in ids() if only_tables in (None, papers.load(name).is_table)]


def _load(paper_id: str, results: str) -> tuple[Paper, list[Match]]:
    figure = papers.load(paper_id)
    return figure, match(figure, Store(results))


def _write_table(paper: Paper, matches: Sequence[Match], root: Path) -> None:
    """Write ``tables/<id>.md`` and ``.csv`` in a results folder and print their paths."""
    made = Comparison.of(paper, matches)
    (root / "tables").mkdir(parents=True, exist_ok=True)
    for ending, text in (("md", made.markdown()), ("csv", made.csv())):
        path = root / "tables" / f"{paper.id}.{ending}"
        _write(path, text)
        print(path)


def _folder(paper_id: str, results: str) -> Path:
    return Path(results) / "figures" / paper_id


def _id(found: Match) -> str | None:
    return found.stored.id if found.stored is not None else None


def _tally(matches: Sequence[Match]) -> str:
    return f"{sum(m.complete for m in matches)} of {len(matches)} runs are stored"


def _print_missing(matches: Sequence[Match], results: str, stream: TextIO) -> None:
    """Print the command of every run that is not stored with a result."""
    missing = [m for m in matches if not m.complete]
    if not missing:
        return
    elsewhere = "" if results == "results" else f" results={results}"
    lines = [f"{m.planned.command}{elsewhere}    # {m.state}" for m in missing]
    print(f"{len(missing)} are missing: `svmbench paper run` makes them, or", *lines, sep="\n", file=stream)


def _write(path: Path, text: str) -> None:
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)
