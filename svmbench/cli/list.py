"""``svmbench list``: an overview of stored runs, or a table with filters, order and chosen columns."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from argparse import SUPPRESS
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svmbench.cli._output import paged, percent, print_array
from svmbench.cli._parser import Parser, as_number
from svmbench.errors import UserError, command, nearest, write_csv
from svmbench.run_config import flatten, role

if TYPE_CHECKING:
    from svmbench.store import StoredRun

#: Most runs printed by default.
_MOST = 20

#: First default columns of CSV, before the keys of the configuration that differ between runs.
_FIRST = ("run", "status")
_LAST = ("test_error", "primal_objective", "kev_ondemand", "iterations", "wall_seconds")

#: Columns with a place of their own in the overview; sections that define the problem; order of keys.
_NAMES = ("config.dataset.name", "config.solver.name")
_OF_PROBLEM = ("config.dataset.", "config.kernel.", "config.features.", "config.problem.")
_OF_OPTION = ("config.solver.", "config.kernel.", "config.features.")
_WEIGHTS = ("features.name", "kernel.", "problem.", "features.", "dataset.", "solver.", "seed", "budget.")

_PERCENT = ("test_error", "validation_error", "train_error")


def main(arguments: Sequence[str]) -> int:
    """Print a line per run, or machine-readable output."""
    parser = _parser()
    given = parser.parse_with_results(arguments)
    if given.words:
        word = given.words[0]
        if word in ("datasets", "solvers"):
            raise UserError(f"list shows runs; did you mean 'svmbench {word}'?")
        if word.startswith("results="):
            raise UserError(f"list takes no {word}: give --results {shlex.quote(word[8:])}")
        raise UserError(
            f"list takes no names, such as {word}: give --where dataset={word}, --where solver={word}, or "
            f"see {command(f'show {shlex.quote(word)}', given.results)}"
        )
    if given.best is not None and given.best < 1:
        parser.error(f"--best {given.best} is not allowed: give a whole number of at least 1")

    from svmbench.store import Store
    from svmbench.store.notes import Notes

    store, notes = Store(given.results), Notes(Path(given.results)).all()
    runs = _Columns(store.own(), notes)
    if not runs.all and not (given.json or given.csv):
        print(f"no runs in {given.results}; make one with: {command('run', given.results)}")
        return 0
    chosen = _chosen(runs, given.where, given.sort, given.reverse)[: given.best]
    if runs.all and not chosen and not (given.json or given.csv):
        print(f"none of {len(runs.all)} runs in {given.results} has {' '.join(given.where)}")
        return 0
    if given.json:
        said = ((run.summary(), runs.said(run)) for run in chosen)
        print_array({**summary, "tags": tags, "note": note} for summary, (tags, note) in said)
        return 0
    if given.csv:
        _print_csv(runs, chosen, given.columns)
        return 0
    found = len(chosen)
    if not given.all and given.best is None:
        # The newest runs are last, unless an order was given.
        chosen = chosen[-_MOST:] if given.sort is None and not given.reverse else chosen[:_MOST]
    rest = f"\n{len(chosen)} of {found:,} runs; --all lists all" if len(chosen) < found else ""
    paged((_wide(runs, chosen, given.columns) if given.columns else _overview(runs, chosen)) + rest)
    return 0


def _overview(runs: _Columns, chosen: Sequence[StoredRun]) -> str:
    """Return an overview of the runs that fits the terminal, or of full width without one."""
    from svmbench.cli._overview import overview

    terminal = sys.stdout.isatty() or "COLUMNS" in os.environ
    width = shutil.get_terminal_size().columns if terminal else None
    differing = [key.removeprefix("config.") for key in runs.differing(chosen)]
    return overview(chosen, differing, [run.id for run in runs.all], width, datetime.now(UTC))


def _wide(runs: _Columns, chosen: Sequence[StoredRun], asked: str) -> str:
    """Return the table of the chosen columns."""
    from svmbench.cli._overview import OWN_RULE
    from svmbench.figures.tables import table

    columns = [runs.full(name) for name in asked.split(",")]
    values = [list(map(runs.value(column), chosen)) for column in columns]
    for place, column in enumerate(columns):
        if column in _PERCENT:
            values[place] = [percent(value) for value in values[place]]
        elif column == "status":
            values[place] = [f"{run.status}, {OWN_RULE}" if run.flagged else run.status for run in chosen]
    return table([column.removeprefix("config.") for column in columns], list(zip(*values, strict=True)))


def _print_csv(runs: _Columns, chosen: Sequence[StoredRun], asked: str | None) -> None:
    columns = [runs.full(name) for name in asked.split(",")] if asked else runs.usual(chosen)
    names = [column.removeprefix("config.") for column in columns]
    rows = zip(*(map(runs.value(column), chosen) for column in columns), strict=True)
    write_csv(sys.stdout, names, rows)


def _parser() -> Parser:
    parser = Parser(
        "list",
        f"List the last {_MOST} of the stored runs, newest last, as wide as the terminal: the keys in which "
        "they differ, and their last test error, objective, relative gap and cost. A column is a key of "
        "svmbench show --json (test_error) or of the configuration (problem.C, kernel.gamma, seed). The "
        "column 'end' appears where a run has no result, or converged by its own rule alone ('own rule'): "
        "at a relative gap above 1 %, or with no bound that tells how far the optimum is; svmbench show "
        "says which.",
    )
    parser.add_argument("words", nargs="*", help=SUPPRESS)
    parser.add_argument("--all", action="store_true", help="every run, in a pager on a terminal")
    parser.add_argument("--columns", metavar="A,B", help="these columns, however wide")
    parser.add_argument(
        "--where", metavar="KEY=VALUE", nargs="+", default=[], help="only runs that have these"
    )
    parser.add_argument("--sort", metavar="COLUMN", help="the smallest first, unknown ones last")
    parser.add_argument("--reverse", action="store_true", help="the largest first; without --sort the newest")
    parser.add_argument("--best", metavar="N", type=int, help="only the first N")
    parser.add_argument("--csv", action="store_true", help="print all as CSV; unknown numbers are empty")
    return parser


class _Columns:
    """The runs, oldest first in ``all``, and the values of their columns.

    A column is a key of a summary, or a dotted key of the configuration after ``config.``. Runs from the
    index share their configurations except the seed: each is flattened once and cached by its address, which
    is stable while the runs exist.
    """

    def __init__(self, runs: list[StoredRun], notes: Mapping[str, Mapping[str, Any]]) -> None:
        from svmbench.store import SUMMARY_KEYS

        self.all = runs
        self._notes = notes
        self._configs = {id(run.facts.common): run.facts.common for run in runs}
        self._dotted = {place: flatten(config.document, "config.") for place, config in self._configs.items()}
        own = dict.fromkeys((*SUMMARY_KEYS, "tags", "note"))
        del own["config"]
        for dotted in self._dotted.values():
            own.update(dict.fromkeys(dotted))
        self.keys = list(own) if runs else []

    def said(self, run: StoredRun) -> tuple[list[str], str]:
        """Return the tags and the note of a run."""
        known = self._notes.get(run.id, {})
        return list(known.get("tags", [])), str(known.get("note", ""))

    def value(self, column: str) -> Callable[[StoredRun], Any]:
        """Return the function from a run to the value of a column."""
        from svmbench.store import TRACE_COLUMNS

        if column == "config.seed":
            return lambda run: run.seed
        if column == "tags":
            return lambda run: " ".join(self.said(run)[0])
        if column == "note":
            return lambda run: self.said(run)[1]
        if column.startswith("config."):
            found = {place: dotted.get(column) for place, dotted in self._dotted.items()}
            return lambda run: found[id(run.facts.common)]
        if column in TRACE_COLUMNS and column != "validation_error":
            return lambda run: run.facts.cell(column)
        return lambda run: run.value(column)

    def full(self, name: str) -> str:
        """Return the full key of a column; a `UserError` if no run has it."""
        for key in (name, f"config.{name}"):
            if key in self.keys or not self.all:
                return key
        short = [key.removeprefix("config.") for key in self.keys]
        raise UserError(f"no run has a column '{name}'{nearest(name, short)} (see: svmbench show RUN --json)")

    def differing(self, chosen: Sequence[StoredRun]) -> list[str]:
        """Return the keys that distinguish runs on the same data set, or of one solver on it.

        Keys that follow from the data set or the solver are omitted.
        """
        configs = [self._dotted[place] for place in {id(run.facts.common) for run in chosen}]
        found = set()
        for names, sections in ((_NAMES[:1], _OF_PROBLEM), (_NAMES, ("config.",))):
            groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
            for one in configs:
                groups.setdefault(tuple(one.get(name) for name in names), []).append(one)
            for group in groups.values():
                found |= {key for key in _varying(group) if key.startswith(sections)}
        found -= {"config.seed", *_NAMES}
        if len({run.seed for run in chosen}) > 1:
            found.add("config.seed")
        kept = [key for key in self.keys if key in found and not _says_where(key)]
        return sorted(kept, key=_place)

    def usual(self, chosen: Sequence[StoredRun]) -> list[str]:
        """Return the default columns, including the keys of the configuration in which runs differ."""
        keys = [key for key in self.keys if key.startswith("config.") and not _says_where(key)]
        present = {id(run.facts.common) for run in chosen}
        configs = [self._dotted[place] for place in present]
        differing = [key for key in keys if any(one.get(key) != configs[0].get(key) for one in configs)]
        if "config.seed" in keys and any(run.seed != chosen[0].seed for run in chosen):
            differing = [key for key in keys if key in differing or key == "config.seed"]
        elif "config.seed" in differing:
            differing.remove("config.seed")
        return [*_FIRST, *differing, *_LAST]


def _place(key: str) -> int:
    """Return the position of a key among those shown."""
    weights = (place for place, section in enumerate(_WEIGHTS) if key.startswith(f"config.{section}"))
    return next(weights, len(_WEIGHTS))


def _varying(configs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the keys whose values differ; for options not chosen by all runs, only the name."""
    for key in dict.fromkeys(key for config in configs for key in config):
        absent = () if key.startswith(_OF_OPTION) and not key.endswith(".name") else (None,)
        values = [config[key] for config in configs if key in config]
        if len(values) < len(configs):
            values.extend(absent)
        if any(value != values[0] for value in values):
            yield key


def _says_where(key: str) -> bool:
    """Return whether a key of the configuration is a location only."""
    return role(key.removeprefix("config.")) == "place"


def _chosen(runs: _Columns, where: Sequence[str], sort: str | None, reverse: bool) -> list[StoredRun]:
    """Return the requested runs in the requested order."""
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
    """Return the sort key of a value: numbers before text, since columns such as solver.nu have both."""
    number = isinstance(value, int | float)
    return not number, value if number else 0.0, "" if number else str(value)


def _same(value: Any, text: str) -> bool:
    """Return whether a value equals that of a text: 1e-2 and 0.01 are the same number."""
    from svmbench.option import show

    if isinstance(value, int | float) and not isinstance(value, bool):
        return as_number(text) == value
    return show(value) == text
