"""The tables of ``docs/which-solver.md``, and one of ``docs/counting.md``, from the comparison of the field.

The table of ``docs/newer-methods.md`` is of data sets outside it.

``python cmake/site_field.py RESULTS PAGE...`` rewrites them. The groups of data sets were fixed while the
runs were made, before anyone had looked at them.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path

import numpy as np

from svmbench.analysis.choice import FACTOR, choose, left_out
from svmbench.analysis.fronts import mean_ranks
from svmbench.errors import UserError
from svmbench.figures.tables import table
from svmbench.files import write_whole
from svmbench.papers import summary
from svmbench.papers.advice import advise, amount, nearness
from svmbench.papers.artifact import load
from svmbench.papers.fronts import agreements, ranked, standings
from svmbench.papers.matching import Index
from svmbench.papers.material import Material
from svmbench.papers.method_costs import EARLY, NEAR, OPTIMUM, WISHES, by_noise, costs, measured
from svmbench.papers.panels import title_of
from svmbench.papers.summary import SPARSE, shapes_of
from svmbench.store import Store

#: Other rules of the chart: distance in points from the optimum's test error, and largest ratio to the least.
_RULES = {
    f"{NEAR / 2:g} points": (NEAR / 2, FACTOR),
    f"{NEAR * 2:g} point": (NEAR * 2, FACTOR),
    "1.5 times": (NEAR, 1.5),
    "4 times": (NEAR, 4.0),
}

#: The methods beside which advice is tested: those that need no choice.
_ALWAYS = ("decomposition", "subset")

#: A marker and all tables after it.
_MARKERS = re.compile(r"(<!-- field: (\w+) -->\n\n)(.*?)(\n\n(?!\|)|\Z)", re.DOTALL)


def groups(material: Material, there: Collection[str]) -> dict[str, list[str]]:
    """Return those of some data sets that are in each group; a data set is in several."""
    shapes = {name: shape for name, shape in shapes_of(material).items() if name in there}
    tests: Mapping[str, Callable[[str], bool]] = {
        "all": lambda name: True,
        "fewer than 10,000 examples": lambda name: shapes[name][0] < 10_000,
        "10,000 to 50,000 examples": lambda name: 10_000 <= shapes[name][0] <= 50_000,
        "more than 50,000 examples": lambda name: shapes[name][0] > 50_000,
        "at most 25 columns": lambda name: shapes[name][1] <= 25,
        "more than 25 columns": lambda name: shapes[name][1] > 25,
        "sparse": lambda name: name in SPARSE,
    }
    found = {group: [name for name in shapes if test(name)] for group, test in tests.items()}
    noise = by_noise({name: _optimum_error(material, name) for name in shapes})
    return {group: names for group, names in (found | noise).items() if names}


def _optimum_error(material: Material, panel: str) -> float | None:
    error = material.evidence(panel, "").reference().record.get("test_error")
    return None if error is None else 100.0 * float(error)


def data_sets(material: Material) -> str:
    """Return the size, γ, C, test error of the optimum and limit of seconds of each data set."""
    shapes, rows = shapes_of(material), []
    for panel in material.artifact.runs.panels:
        config = next(match.planned.config for match in material.matches if match.planned.panel == panel.name)
        error, empty = _optimum_error(material, panel.name), material.evidence(panel.name, "").empty
        n, columns = shapes.get(panel.name, (None, None))
        rows.append(
            (
                panel.title,
                "–" if n is None else f"{n:,}",
                "–" if columns is None else f"{columns:,}",
                f"{config.kernel.parameters['gamma']:g}",
                f"{config.problem.C:g}" if config.problem.C else "–",
                "–" if error is None else f"{error:.2f}",
                f"{empty:.2f}",
                "–" if config.budget.seconds is None else f"{config.budget.seconds:g}",
            )
        )
    header = (
        "data set",
        "examples",
        "columns",
        "γ",
        "C",
        "optimum's test error, %",
        "empty model's, %",
        "limit, s",
    )
    return table(header, rows)


def best(material: Material) -> str:
    """Return the method with the least cost on each data set, with the cost, for each wish."""
    titles = {panel.name: panel.title for panel in material.artifact.runs.panels}
    found = {wish: costs(measured(material, wish)) for wish in WISHES}
    rows = [
        (title, *(_least(material, found[wish].get(panel, {})) for wish in WISHES))
        for panel, title in titles.items()
        if any(panel in there for there in found.values())
    ]
    return table(("data set", *map(_wanted, WISHES)), rows)


def _wanted(wish: str) -> str:
    unit = WISHES[wish].unit
    return wish if unit in wish.split() else f"{wish}, {unit}"


def _least(material: Material, there: Mapping[str, float]) -> str:
    """Return the methods with the least cost, and the cost."""
    least = min(there.values(), default=math.inf)
    if math.isinf(least):
        return "none" if there else "–"
    first, *others = [name for name, cost in there.items() if cost == least]
    also = f" and {len(others)} more" if others else ""
    return f"{title_of(material, first)}{also} ({amount(least)})"


def chart(material: Material, wish: str) -> str:
    """Return the method chosen for each group of data sets, how sure that is, and what other rules choose."""
    found = {
        near: costs(measured(material, wish, near)) for near in {NEAR, *(one for one, _ in _RULES.values())}
    }
    rows = []
    for group, names in groups(material, found[NEAR]).items():
        there = {near: {name: one[name] for name in names if name in one} for near, one in found.items()}
        choice = choose(there[NEAR])
        if choice is None:
            rows.append((group, *("–",) * 6))
            continue
        title, told = title_of(material, choice.method), _told(material, there[NEAR])
        others = {rule: _told(material, there[near], factor) for rule, (near, factor) in _RULES.items()}
        other = "; ".join(f"{rule}: {one}" for rule, one in others.items() if one != told)
        least, _, most = choice.ranks
        rows.append(
            (
                group,
                title if choice.ahead else f"none is ahead; {title} is first",
                f"{choice.near} of {choice.problems}",
                f"{least:g} to {most:g} of {choice.methods}",
                f"{choice.right} of {choice.tried}",
                f"{choice.chance:.1f}",
                other or "the same",
            )
        )
    header = ("data", "method", "near the best", "rank", "right", "at random", "other rules")
    return table(header, rows)


def _told(material: Material, there: Mapping[str, Mapping[str, float]], factor: float = FACTOR) -> str:
    choice = choose(there, factor)
    return "none" if choice is None or not choice.ahead else title_of(material, choice.method)


def ranks(material: Material) -> str:
    """Return the mean ranks by two costs, and those under two other rules.

    One is for methods that have no answer yet; by the other, settings and checkpoints are chosen by the
    validation error, on the data sets that have a validation part.
    """
    counters = ("cpu_seconds", "kev_ondemand")
    found = [
        ranked(standings(material, counter, unanswered=other))
        for counter in counters
        for other in (False, True)
    ]
    names = list(dict.fromkeys(name for one in found for name in one))
    held = standings(material, "cpu_seconds", by="validation_error")
    same = {panel: one for panel, one in standings(material, "cpu_seconds").items() if panel in held}
    found += [ranked(same), ranked(held)]
    rows = []
    for name in names:
        cells = [one.get(name, ("–", "–")) for one in found]
        rows.append(
            (
                title_of(material, name),
                *(cell for k, pair in enumerate(cells) for cell in pair[: 2 if k in (0, 2) else 1]),
            )
        )
    header = (
        *("method", "rank by seconds", "p", "other rule", "rank by evaluations", "p", "other rule"),
        *(f"by seconds on {len(held)} sets", "chosen by validation"),
    )
    return table(header, rows)


def backtest(material: Material) -> str:
    """Return how much more than the best a choice costs on data sets that it did not use."""
    always = [line.name for line in material.artifact.runs.lines if line.name in _ALWAYS]
    rows = []
    for wish in WISHES:
        found = costs(measured(material, wish))
        tried = list(left_out(found))
        pairs = [
            [one.get(name, math.inf) / min(one.values()) for name in (chosen, *always)]
            for _, chosen, one in tried
        ]
        rows.append((wish, "times the least cost", str(len(pairs)), *_regret(pairs)))
    means = {panel: one.means for panel, one in standings(material, "cpu_seconds").items()}
    extra = []
    for panel, one in means.items():
        average = mean_ranks({name: there for name, there in means.items() if name != panel})
        chosen, least = min(average, key=average.__getitem__), min(one.values())
        extra.append([one[name] - least if name in one else math.inf for name in (chosen, *always)])
    rows.append(
        (
            "the best mean rank by seconds",
            "points above the least mean error",
            str(len(extra)),
            *_regret(extra),
        )
    )
    header = (
        "wanted",
        "measure",
        "data sets",
        "choice: median",
        "worst",
        *(cell for name in always for cell in (f"always {title_of(material, name)}: median", "worst")),
    )
    return table(header, rows)


def _regret(pairs: list[list[float]]) -> Iterator[str]:
    """Yield the median and the worst value of the advice, and of the methods beside it."""
    for values in zip(*pairs, strict=True):
        never = sum(map(math.isinf, values))
        middle = float(np.median(values))
        yield "not there" if math.isinf(middle) else f"{middle:.3g}"
        yield f"not there on {never}" if never else f"{max(values):.3g}"


def agreement(material: Material) -> str:
    """Return how far the orders by the costs agree."""
    return agreements({counter: standings(material, counter) for counter in material.artifact.conventions})


def outside(material: Material) -> str:
    """Return what the shipped advice is worth on data sets that the comparison lacks.

    For each wish but the early answer, whose seconds are not measured, the cost of the method that is first,
    divided by the least; and the interval expected for the seconds of the optimum, beside these.
    """
    shipped, made = summary.read(), summary.of(material)
    rows = []
    for panel, one in made.sets.items():
        about = one["rows"], one["columns"], 0.0 if one["sparse"] else None, one["first"]
        cells = []
        for given in advise(shipped, *about):
            there = costs(made.found[given.wish]).get(panel, {})
            mine, least = there.get(given.choice.method, math.nan), min(there.values(), default=math.nan)
            if given.wish != EARLY:
                cells.append(_times(mine, least))
            if given.wish == OPTIMUM:
                took = amount(mine) if math.isfinite(mine) else "–"
                span = given.seconds and f"{amount(given.seconds.low)} to {amount(given.seconds.high)}"
                cells.append(f"{took} ({span or 'unknown'})")
        rows.append((one["title"], f"{nearness(shipped, *about).ratio:.2g}", *cells))
    wanted = [wish for wish in WISHES if wish not in (OPTIMUM, EARLY)]
    return table(("data set", "distance", OPTIMUM, "its seconds (expected)", *wanted), rows)


def _times(cost: float, least: float) -> str:
    """Return how many times the least cost another one is."""
    if math.isnan(cost):
        return "–"
    return "not there" if math.isinf(cost) else f"{cost / least:.3g}"


#: The tables of the page by the names in its markers.
TABLES: Mapping[str, Callable[[Material], str]] = {
    **{wish.split()[-1]: partial(chart, wish=wish) for wish in WISHES},
    "ranks": ranks,
    "backtest": backtest,
    "best": best,
    "sets": data_sets,
    "costs": agreement,
    "outside": outside,
}

#: Pages whose table is of other runs than those of the comparison.
_RUNS = {"newer-methods": "outside"}


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the content of the tables of a page."""
    for found in _MARKERS.finditer(text):
        yield found[2], found[3]


def rewrite(material: Material, page: Path) -> None:
    """Replace the tables of a page, which follow markers such as ``<!-- field: chart -->``.

    Raises
    ------
    UserError
        If the page cannot be read, has no marker, or one of a table that does not exist.
    """
    try:
        text = page.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{page} cannot be read: {error}") from error
    names = [name for name, _ in blocks(text)]
    unknown = [name for name in names if name not in TABLES]
    if not names or unknown:
        given = f"has no table '{unknown[0]}'" if unknown else "has no marker of a table"
        raise UserError(f"{page} {given}: write <!-- field: NAME --> with one of {', '.join(TABLES)}")
    made = {name: TABLES[name](material) for name in dict.fromkeys(names)}
    write_whole(page, _MARKERS.sub(lambda found: found[1] + made[found[2]] + found[4], text))


if __name__ == "__main__":
    results, *pages = map(Path, sys.argv[1:])
    index = Index(Store(results))
    for page in pages:
        rewrite(Material.of(load(_RUNS.get(page.stem, "field")), index), page)
