"""Overview of stored runs, one line each, as wide as the terminal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from svmbench.figures.settings import name_of
from svmbench.figures.tables import cell, few_digits, short_exponent
from svmbench.run_config import flatten
from svmbench.runner.block import aligned, fit_width

if TYPE_CHECKING:
    from svmbench.store import StoredRun

#: Digits of a run's hash that are shown, or more if needed to be unique.
_DIGITS = 8
#: Least width of the column of differences before other columns are omitted.
_LEAST = 10
#: Columns omitted if the terminal is too narrow, in this order.
_SPARE = ("objective", "age", "cost", "gap", "end", "differs")
_LEFT = ("run", "solver", "set", "differs", "end")

#: Mark of runs that converged far from the optimum, or with no known bound.
OWN_RULE = "own rule"

#: Short names of the units of evaluation budgets.
_UNITS = {"inner_products": "prods", "iterations": "iters"}
#: Units of time: largest number shown, and length in seconds.
_AGES = (("s", 60, 1), ("min", 60, 60), ("h", 48, 3600), ("d", 99, 86400), ("w", 99, 604800))


def overview(
    runs: Sequence[StoredRun], differing: Sequence[str], ids: Sequence[str], width: int | None, now: datetime
) -> str:
    """Return a heading and a line per run, of at most ``width`` characters if that is not None.

    A run is named by the shortest prefix of its hash that is unique among ``ids``. ``differing`` are the keys
    of the configuration in which the runs differ, and ages refer to ``now``.
    """
    columns = {
        "run": _names(runs, ids),
        "solver": [run.solver for run in runs],
        "set": [run.dataset for run in runs],
        "differs": _settings(runs, differing),
        "error": [_percent(run.value("test_error")) for run in runs],
        "objective": [_short(run.value("primal_objective"), ".5g") for run in runs],
        "gap": [_short(run.value("relative_gap"), ".0e") for run in runs],
        "cost": [_cost(run) for run in runs],
        "end": [_end(run) for run in runs],
        "age": [age(run.ended or run.started, now) for run in runs],
    }
    kept = {
        name: [cell(text) for text in texts]
        for name, texts in columns.items()
        if any(text not in ("", "–") for text in texts) or name in ("run", "solver", "set", "error")
    }
    for name, texts in kept.items():
        texts.insert(0, name)
    if "cost" in kept:
        _say_once(kept["cost"])
    if width is not None:
        fit_width(kept, width, "differs", _LEAST, _SPARE, _cut)
    return "\n".join(aligned(kept, _LEFT))


def age(time: str, now: datetime) -> str:
    """Return the age of an ISO time, such as ``3 h``; an en dash if it is not a time."""
    try:
        seconds = max(0.0, (now - datetime.fromisoformat(time)).total_seconds())
    except (ValueError, TypeError):
        return "–"
    unit, _, size = next((one for one in _AGES if seconds < one[1] * one[2]), ("y", 0, 31557600))
    return f"{int(seconds / size)} {unit}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _say_once(costs: list[str]) -> None:
    """Move a unit common to all costs to their heading."""
    units = {cost.partition(" ")[2] for cost in costs[1:] if cost != "–"}
    if len(units) == 1:
        costs[:] = units.pop(), *(cost.partition(" ")[0] for cost in costs[1:])


def _names(runs: Sequence[StoredRun], ids: Sequence[str]) -> list[str]:
    """Return the shortest unique prefix of each run's hash; the whole id of a run without a hash."""
    hashes = [found[1] for id in ids if (found := _HASH.search(id))]
    digits = _DIGITS
    shown = {found[1] for run in runs if (found := _HASH.search(run.id))}
    while digits < 12:
        counts = Counter(one[:digits] for one in hashes)
        if all(counts[one[:digits]] <= 1 for one in shown):
            break
        digits += 1
    return [found[1][:digits] if (found := _HASH.search(run.id)) else run.id for run in runs]


_HASH = re.compile(r"-([0-9a-f]{12})$")


def _settings(runs: Sequence[StoredRun], differing: Sequence[str]) -> list[str]:
    """Return the values of each run for the keys in which they differ, such as ``C=10 seed=3``."""
    short = [name_of(key).removesuffix(" name") for key in differing]
    names = [one if short.count(one) == 1 else key for one, key in zip(short, differing, strict=True)]
    flats = [flatten(run.document) for run in runs]
    texts = [_distinct([flat.get(key) for flat in flats]) for key in differing]
    return [
        " ".join(f"{name}={text[place]}" for name, text in zip(names, texts, strict=True) if text[place])
        for place in range(len(runs))
    ]


def _distinct(values: Sequence[Any]) -> list[str]:
    """Return values as short texts that distinguish them: empty for None, paths from the last folders on."""
    kinds = len(set(map(str, values)))
    deepest = max((str(value).count("/") for value in values), default=0) + 1
    for digits, parts in ((3, 1), *((6, parts) for parts in range(1, deepest + 1))):
        texts = ["" if value is None else _value(value, digits, parts) for value in values]
        if len(set(texts)) == kinds:
            break
    return texts


def _value(value: Any, digits: int, parts: int) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return few_digits(value, digits)
    if isinstance(value, list):
        return ",".join(_value(one, digits, parts) for one in value)
    return "/".join(str(value).split("/")[-parts:])


def _end(run: StoredRun) -> str:
    """Return how a run without a result ended, or the mark of one that converged by its own rule."""
    return OWN_RULE if run.flagged else "" if run.complete else run.status


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.2f} %"


def _short(value: float | None, form: str) -> str:
    return "–" if value is None else short_exponent(format(value, form))


def _cost(run: StoredRun) -> str:
    """Return the cost of a run in the unit of its budget, or in seconds if that does not apply."""
    counter = run.config.budget.counter
    paid = run.value(counter)
    if paid is None:
        seconds = run.value("wall_seconds")
        return "–" if seconds is None else f"{seconds:.2g} s"
    return f"{_short(float(paid), '.1e')} {_UNITS.get(counter, 'evals')}"
