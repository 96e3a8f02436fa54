"""Data of the figures of a page: checkpoints of runs by problem, in compact form."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, TypedDict

import numpy as np

from svmbench.analysis.costs import Key, distinguished, in_order, method_of, problem_names, problem_of
from svmbench.figures.series import COUNTERS, METRICS, OPTIMUM_COLUMNS, calm_since, optimum_of
from svmbench.figures.settings import setting, shared
from svmbench.figures.style import PALETTE, Look, looks
from svmbench.figures.tables import few_digits
from svmbench.store import SETTLED, StoredRun
from svmbench.store.timing import SECONDS, comparable, note, summary

#: Quantities for the axes.
COSTS = tuple(sorted(COUNTERS, key=lambda name: not name.startswith("kev_")))
VALUES = (
    *("test_error", "validation_error", "train_error", "primal_objective", "relative_gap"),
    *("support_vectors", "norm"),
)
_COLUMNS = (*COSTS, *VALUES)

#: A value in a title that is not whole.
_FRACTION = re.compile(r"(?<= = )\d+(\.\d+(e[-+]?\d+)?|e[-+]?\d+)")

#: The vertical axis is logarithmic by default if values span at least this factor.
DECADE = 10.0

#: Most checkpoints shown of a run (None: all), in the order in which they are tried until the page is small
#: enough.
FEWER = (None, 30, 20, 12, 8, 5, 3)


class Method(TypedDict):
    """A method of a figure; ``colour`` is an index of `PALETTE`."""

    name: str
    solver: str
    colour: int
    dash: list[float]


class DrawnRun(TypedDict):
    """A run of a figure; ``method`` is the index of its method.

    ``values`` has the values of each column at the checkpoints, None where unknown. ``calm`` has, for each
    column that jumps up and down, the checkpoint from which it no longer does.
    """

    name: str
    method: int
    seed: int
    settled: bool
    values: dict[str, list[float | int | None]]
    calm: dict[str, int]


class Figure(TypedDict):
    """The data of a figure, as the script of the page reads them.

    ``cost`` is the counter of most budgets, ``log`` says whether the vertical axis is logarithmic,
    ``optimum`` has the value at the optimum by column, ``seconds`` explains which runs have no times here and
    why, and ``columns`` has the label and factor of each column.
    """

    title: str
    cost: str
    log: bool
    optimum: dict[str, float]
    seconds: str
    methods: list[Method]
    columns: dict[str, tuple[str, float]]
    runs: list[DrawnRun]


def figures(groups: Sequence[tuple[str, Sequence[StoredRun]]], kept: int | None = None) -> Iterator[Figure]:
    """Generate one figure per problem.

    Parameters
    ----------
    groups : sequence of (str, sequence of StoredRun)
        Title and runs of each problem, from `problems`.
    kept : int or None
        Most checkpoints of a run; None: all.
    """
    return (figure for group in groups if (figure := _figure(*group, kept)) is not None)


def problems(runs: Sequence[StoredRun]) -> list[tuple[str, list[StoredRun]]]:
    """Return the title and the runs of each problem; those with most methods, then most runs, come first.

    Runs without a checkpoint are omitted.
    """
    grouped: dict[Key, list[StoredRun]] = {}
    for run in runs:
        if run.facts["last"]:
            grouped.setdefault(problem_of(run), []).append(run)
    titles = {problem: _title(group) for problem, group in grouped.items()}
    for title in [title for title, times in Counter(titles.values()).items() if times > 1]:
        same = [problem for problem in titles if titles[problem] == title]
        for problem, name in problem_names(same).items():
            titles[problem] += name.removeprefix(grouped[problem][0].dataset)
    # Values that are not whole get three digits, unless two titles would be the same.
    short = {
        problem: _FRACTION.sub(lambda found: few_digits(float(found[0])), title)
        for problem, title in titles.items()
    }
    times = Counter(short.values())
    titles = {problem: titles[problem] if times[name] > 1 else name for problem, name in short.items()}

    def richest(problem: Key) -> Any:
        group = grouped[problem]
        methods = len({method_of(run) for run in group})
        return -methods, -len(group), in_order(titles[problem])

    return [(titles[problem], grouped[problem]) for problem in sorted(grouped, key=richest)]


def _title(runs: Sequence[StoredRun]) -> str:
    """Return a description of the problem: data set, kernel with γ, C or λ, bias, and weights."""
    said = shared(runs)
    about = runs[0].facts["about"]["problem"]
    if "C = " not in said and "λ = " not in said:
        name, value = ("λ", about["lam"]) if about["lam"] is not None else ("C", about["C"])
        said += f"{', ' if said else ''}{name} = {value:.4g}"
    bias = about["bias"]
    if bias not in (None, "none"):
        said += f", {bias} bias"
    if "weights" in about:
        said += f", {about['weights']} weights"
    subset = runs[0].config.subset
    part = "" if subset is None else f", {subset} examples (seed {runs[0].seed})"
    return f"{setting(runs[0], 'dataset')}{part}: {said}"


def _figure(title: str, runs: Sequence[StoredRun], kept: int | None) -> Figure | None:
    runs = [run.copy() for run in runs]
    keys = {run.id: method_of(run) for run in runs}
    named = distinguished({keys[run.id]: run.title for run in runs})
    solvers = {named[keys[run.id]]: run.solver for run in runs}
    labels = sorted(solvers)
    style = looks((label, solvers[label]) for label in labels)
    timed, untimed = comparable(runs, lenient=True)
    alone = {run.path for run in timed}
    drawn = [_run(run, labels.index(named[keys[run.id]]), kept, run.path in alone) for run in runs]
    present = [name for name in _COLUMNS if any(name in one["values"] for one in drawn)]
    counted = Counter(run.config.budget.counter for run in runs)
    value = next((name for name in VALUES if name in present), None)
    costs = sorted((name for name in COSTS if name in present), key=lambda name: -counted[name])
    cost = next((name for name in costs if value and _seen(drawn, name, value)), None)
    if value is None or cost is None:
        return None  # there is nothing to draw
    errors = [y for one in drawn for y in one["values"].get(value, ()) if y]
    return {
        "title": title,
        "cost": cost,
        "log": bool(errors) and max(errors) >= DECADE * min(errors) > 0.0,
        "optimum": _optimum(runs),
        "seconds": " ".join(filter(None, [summary(len(timed), untimed), note(timed)])),
        "methods": [_method(label, solvers[label], style[label]) for label in labels],
        "columns": {name: METRICS[name] for name in present},
        "runs": drawn,
    }


def _method(name: str, solver: str, look: Look) -> Method:
    dash = [] if isinstance(look.line, str) else list(look.line[1])
    return {"name": name, "solver": solver, "colour": PALETTE.index(look.colour), "dash": dash}


def _seen(drawn: Sequence[DrawnRun], cost: str, value: str) -> bool:
    """Return whether any checkpoint of any run has both a positive cost and a value."""
    pairs = ((one["values"].get(cost, ()), one["values"].get(value, ())) for one in drawn)
    return any(x and y is not None for xs, ys in pairs for x, y in zip(xs, ys))


def _optimum(runs: Sequence[StoredRun]) -> dict[str, float]:
    """Return the stored values of the certified optimum, by metric."""
    record = next((found for run in runs if (found := optimum_of(run)) is not None), {})
    known = {name: record.get(key) for name, key in OPTIMUM_COLUMNS.items() if name in VALUES}
    return {name: short for name, value in known.items() if (short := _short(value)) is not None}


def _run(run: StoredRun, method: int, kept: int | None, timed: bool) -> DrawnRun:
    every = rows = run.rows()
    places = np.arange(len(every))
    if kept is not None and len(every) > kept:
        places = np.unique(np.linspace(0, len(every) - 1, kept).round().astype(int))
        rows = [every[place] for place in places]
    columns = {
        name: [_short(row.get(name)) for row in rows] for name in _COLUMNS if timed or name not in SECONDS
    }
    known = {name: values for name, values in columns.items() if any(v is not None for v in values)}
    return {
        "name": run.id,
        "method": method,
        "seed": run.seed,
        "settled": run.status in SETTLED,
        "values": known,
        "calm": {
            name: int(np.searchsorted(places, calm))
            for name in VALUES
            if name in known and (calm := _calm([row.get(name) for row in every]))
        },
    }


def _calm(values: Sequence[float | None]) -> int:
    """Return the checkpoint from which a column no longer jumps (see `calm_since`); 0 if it never does."""
    seen = [place for place, value in enumerate(values) if value is not None and math.isfinite(value)]
    calm = calm_since(np.array([values[place] for place in seen], dtype=float)) if seen else 0
    return seen[calm] if calm else 0


def _short(value: Any) -> float | int | None:
    """Return a number rounded to five digits; None if it is unknown or not a JSON number."""
    if value is None or not np.isfinite(value):
        return None
    number = float(f"{float(value):.5g}")
    return int(number) if number.is_integer() else number
