"""``svmbench list``: the stored runs, filtered and sorted, with the columns that are asked for."""

from __future__ import annotations

import argparse
import csv
import gc
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svmbench.cli._parser import Parser
from svmbench.cli._tables import percent
from svmbench.errors import UserError, csv_cell, nearest

if TYPE_CHECKING:
    from svmbench.store import StoredRun

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

    gc.disable()  # of a hundred thousand runs, all kept, there is nothing to collect
    try:
        return _print(given)
    finally:
        gc.enable()


def _print(given: argparse.Namespace) -> int:
    from svmbench.store import Store
    from svmbench.store.notes import Notes

    runs = _Columns(Store(given.results).runs(), Notes(Path(given.results)).all())
    if not runs.all and not (given.json or given.csv):
        print(f"no runs in {given.results}; make one with: svmbench run")
        return 0
    chosen = _chosen(runs, given.where, given.sort, given.reverse)[: given.best]
    if given.json:
        _print_json(runs, chosen)
        return 0
    columns = [runs.full(name) for name in given.columns.split(",")] if given.columns else runs.usual(chosen)
    names = [column.removeprefix("config.") for column in columns]
    values = [list(map(runs.value(column), chosen)) for column in columns]
    if given.csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(map(csv_cell, names))
        writer.writerows([csv_cell(value) for value in row] for row in zip(*values, strict=True))
        return 0
    from svmbench.report.tables import table

    del chosen, runs
    for place, column in enumerate(columns):
        if column in _PERCENT:
            values[place] = [percent(value) for value in values[place]]
    print(table(names, list(zip(*values, strict=True))))
    return 0


def _print_json(runs: _Columns, chosen: Sequence[StoredRun]) -> None:
    """Print an array of summaries, one after the other: all at once would take gigabytes."""
    before = "["
    for run in chosen:
        tags, note = runs.said(run)
        text = json.dumps({**run.summary(), "tags": tags, "note": note}, indent=2, allow_nan=False)
        print(before + "\n  " + text.replace("\n", "\n  "), end="")
        before = ","
    print("\n]" if chosen else "[]")


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


class _Columns:
    """The runs, and what each column says of them.

    A column is a key of a summary, or one of the configuration, dotted and behind ``config.``. Runs from the
    index share their configurations but for the seed: each is taken apart once, and kept by its address, at
    which it stays while the runs do.

    Attributes
    ----------
    all : list of StoredRun
        Oldest first.
    """

    def __init__(self, runs: list[StoredRun], notes: Mapping[str, Mapping[str, Any]]) -> None:
        from svmbench.store import SUMMARY_KEYS

        self.all = runs
        self._notes = notes
        self._configs = {id(run.facts.common): run.facts.common for run in runs}
        self._dotted = {place: _dotted(config, "config.") for place, config in self._configs.items()}
        own = dict.fromkeys((*SUMMARY_KEYS, "tags", "note"))
        del own["config"]
        for dotted in self._dotted.values():
            own.update(dict.fromkeys(dotted))
        self.keys = list(own) if runs else []

    def said(self, run: StoredRun) -> tuple[list[str], str]:
        """Return tags and note of a run."""
        known = self._notes.get(run.id, {})
        return list(known.get("tags", [])), str(known.get("note", ""))

    def value(self, column: str) -> Callable[[StoredRun], Any]:
        """Return what a column says of a run, as a function of it."""
        if column == "config.seed":
            return lambda run: run.seed
        if column == "tags":
            return lambda run: " ".join(self.said(run)[0])
        if column == "note":
            return lambda run: self.said(run)[1]
        if column.startswith("config."):
            found = {place: dotted.get(column) for place, dotted in self._dotted.items()}
            return lambda run: found[id(run.facts.common)]
        return lambda run: run.value(column)

    def full(self, name: str) -> str:
        """Return the full key of a column; a `UserError` for one that no run has."""
        for key in (name, f"config.{name}"):
            if key in self.keys or not self.all:
                return key
        short = [key.removeprefix("config.") for key in self.keys]
        raise UserError(f"no run has a column '{name}'{nearest(name, short)} (see: svmbench show RUN --json)")

    def usual(self, chosen: Sequence[StoredRun]) -> list[str]:
        """Return the columns shown by default, with the keys of the configuration in which runs differ."""
        keys = [key for key in self.keys if key.startswith("config.") and not key.startswith(_PLACES)]
        present = {id(run.facts.common) for run in chosen}
        configs = [self._dotted[place] for place in present]
        differing = [key for key in keys if any(one.get(key) != configs[0].get(key) for one in configs)]
        if "config.seed" in keys and any(run.seed != chosen[0].seed for run in chosen):
            differing = [key for key in keys if key in differing or key == "config.seed"]
        elif "config.seed" in differing:
            differing.remove("config.seed")
        return [*_FIRST, *differing, *_LAST]


def _dotted(section: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in section.items():
        if type(value) is dict:
            found.update(_dotted(value, f"{prefix}{key}."))
        else:
            found[prefix + key] = value
    return found


def _chosen(runs: _Columns, where: Sequence[str], sort: str | None, reverse: bool) -> list[StoredRun]:
    """Return the runs that are asked for, in the order asked for."""
    chosen = runs.all[::-1] if reverse else runs.all
    for condition in where:
        name, equals, text = condition.partition("=")
        if not equals:
            raise UserError(f"--where {condition} is not of the form KEY=VALUE")
        value = runs.value(runs.full(name))
        chosen = [run for run in chosen if _same(value(run), text)]
    if sort is not None:
        value = runs.value(runs.full(sort))
        ranked = [(run, found) for run in chosen if (found := value(run)) is not None]
        unknown = [run for run in chosen if value(run) is None]
        ranked.sort(key=lambda pair: _rank(pair[1]), reverse=reverse)
        chosen = [run for run, _ in ranked] + unknown
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
