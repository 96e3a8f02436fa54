"""``svmbench list``: the stored runs, filtered and sorted, with the columns that are asked for."""

from __future__ import annotations

import csv
import gc
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from svmbench.cli._parser import Parser
from svmbench.cli._tables import percent
from svmbench.errors import UserError, nearest

#: Shown where no columns are given, around the keys of the configuration that differ between the runs.
_FIRST = ("run", "status")
_LAST = ("test_error", "primal_objective", "kev_ondemand", "iterations", "wall_seconds")

#: Keys of the configuration that say where and not what.
_PLACES = ("config.results", "config.data.", "config.force", "config.prefetch", "config.budget.name")

_PERCENT = ("test_error", "validation_error", "train_error")


def main(arguments: Sequence[str]) -> int:
    """Print a line for each run, or what programs read."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.best is not None and given.best < 1:
        parser.error(f"--best {given.best} is not allowed: give a whole number of at least 1")

    from svmbench.store import Store
    from svmbench.store.notes import Notes

    gc.disable()  # of ten thousand summaries, all kept, there is nothing to collect
    try:
        notes = Notes(Path(given.results)).all()
        summaries = [{**run.summary(), **_said(notes.get(run.id, {}))} for run in Store(given.results).runs()]
        sections: dict[int, dict[str, Any]] = {}
        rows = [_flat({**summary, "tags": " ".join(summary["tags"])}, sections) for summary in summaries]
    finally:
        gc.enable()
    if not rows and not (given.json or given.csv):
        print(f"no runs in {given.results}; make one with: svmbench run")
        return 0
    chosen = _chosen(rows, given.where, given.sort, given.reverse)[: given.best]
    if given.json:
        print(json.dumps([summaries[index] for index in chosen], indent=2, allow_nan=False))
        return 0
    rows = [rows[index] for index in chosen]
    columns = [_column(name, rows) for name in given.columns.split(",")] if given.columns else _usual(rows)
    names = [column.removeprefix("config.") for column in columns]
    if given.csv:
        csv.writer(sys.stdout, lineterminator="\n").writerows([names, *_cells(rows, columns)])
        return 0
    from svmbench.report.tables import table

    shown = [
        [percent(value) if column in _PERCENT else value for column, value in zip(columns, row, strict=True)]
        for row in _cells(rows, columns)
    ]
    print(table(names, shown))
    return 0


def _parser() -> Parser:
    parser = Parser(
        "list",
        "List the stored runs, oldest first, with the numbers of their last checkpoint. A column is a key of "
        "svmbench show --json (test_error) or of the configuration (problem.C, kernel.gamma, seed).",
    )
    parser.add_argument("--columns", metavar="A,B", help="columns; by default with the keys that differ")
    parser.add_argument(
        "--where", metavar="KEY=VALUE", nargs="+", default=[], help="only runs that have these"
    )
    parser.add_argument("--sort", metavar="COLUMN", help="the smallest first, unknown ones last")
    parser.add_argument("--reverse", action="store_true", help="the largest first; without --sort the newest")
    parser.add_argument("--best", metavar="N", type=int, help="only the first N")
    parser.add_argument("--csv", action="store_true", help="print CSV; unknown numbers are empty")
    parser.add_json()
    parser.add_results()
    return parser


def _said(known: Mapping[str, Any]) -> dict[str, Any]:
    return {"tags": list(known.get("tags", [])), "note": str(known.get("note", ""))}


def _flat(summary: Mapping[str, Any], sections: dict[int, dict[str, Any]]) -> dict[str, Any]:
    """Return a summary with the keys of its configuration dotted, behind ``config.``.

    Runs from the index share the sections of their configurations: each is taken apart once, and kept by its
    address, at which it stays while the summaries do.
    """
    found = {key: value for key, value in summary.items() if key != "config"}
    for key, value in summary["config"].items():
        if type(value) is not dict:  # as JSON has them; of ten thousand runs each look counts
            found[f"config.{key}"] = value
        elif id(value) in sections:
            found.update(sections[id(value)])
        else:
            sections[id(value)] = _dotted(value, f"config.{key}.")
            found.update(sections[id(value)])
    return found


def _dotted(section: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in section.items():
        if type(value) is dict:
            found.update(_dotted(value, f"{prefix}{key}."))
        else:
            found[prefix + key] = value
    return found


def _cells(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> Iterator[list[Any]]:
    for row in rows:
        yield [row.get(column) for column in columns]


def _usual(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the columns shown by default."""
    keys = [key for key in _keys(rows) if key.startswith("config.") and not key.startswith(_PLACES)]
    differing = []
    for key in keys:
        first = rows[0].get(key)
        if [row.get(key) for row in rows].count(first) < len(rows):
            differing.append(key)
    return [*_FIRST, *differing, *_LAST]


def _keys(rows: Sequence[Mapping[str, Any]]) -> dict[str, None]:
    """Return the keys that rows have, in their order; most have the same."""
    keys: dict[str, None] = {}
    for same in dict.fromkeys(map(tuple, rows)):
        keys.update(dict.fromkeys(same))
    return keys


def _column(name: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the full key of a column; a `UserError` for one that no run has."""
    keys = _keys(rows)
    for key in (name, f"config.{name}"):
        if key in keys or not rows:
            return key
    short = [key.removeprefix("config.") for key in keys]
    raise UserError(f"no run has a column '{name}'{nearest(name, short)} (see: svmbench show RUN --json)")


def _chosen(
    rows: Sequence[Mapping[str, Any]], where: Sequence[str], sort: str | None, reverse: bool
) -> list[int]:
    """Return the places of the rows that are asked for, in the order asked for."""
    chosen = list(range(len(rows)))
    if reverse:
        chosen.reverse()
    for condition in where:
        name, equals, value = condition.partition("=")
        if not equals:
            raise UserError(f"--where {condition} is not of the form KEY=VALUE")
        column = _column(name, rows)
        chosen = [index for index in chosen if _same(rows[index].get(column), value)]
    if sort is not None:
        column = _column(sort, rows)
        known = [index for index in chosen if rows[index].get(column) is not None]
        unknown = [index for index in chosen if rows[index].get(column) is None]
        chosen = sorted(known, key=lambda index: _rank(rows[index][column]), reverse=reverse) + unknown
    return chosen


def _rank(value: Any) -> tuple[bool, float, str]:
    """Return what a value is sorted by: numbers before text, as a column such as solver.nu holds both."""
    number = isinstance(value, int | float)
    return not number, value if number else 0.0, "" if number else str(value)


def _same(value: Any, text: str) -> bool:
    """Return whether a value is what the text says: 1e-2 and 0.01 are one number."""
    from svmbench.config.values import show

    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return float(text) == value
        except ValueError:
            return False
    return show(value) == text
