"""The tables of ``docs/which-solver.md``, from the stored runs of the comparison of the field.

The groups of data sets were fixed while the runs were made, before anyone had looked at them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from svmbench.analysis.choice import Choice, choose
from svmbench.errors import UserError
from svmbench.figures.tables import table
from svmbench.files import write_whole
from svmbench.papers.advice import amount, shapes_of
from svmbench.papers.fronts import agreements, section_cells, standings
from svmbench.papers.material import Material
from svmbench.papers.panels import title_of
from svmbench.papers.wishes import WISHES, by_noise, costs, measured

#: Data sets of which at most 15 % of the values are not 0.
SPARSE = ("adult", "w8a", "reuters", "rcv1_subset")

#: Most data sets in one table of mean errors: with more, its lines are too long to read.
_WIDTH = 7

#: A marker and all tables after it.
_MARKERS = re.compile(r"(<!-- field: (\w+) -->\n\n)(.*?)(\n\n(?!\|)|\Z)", re.DOTALL)


def groups(material: Material) -> dict[str, list[str]]:
    """Return the data sets on which half of the methods have a cost, by group; a data set is in several."""
    there = {name for wish in WISHES for name in measured(material, wish)}
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
    return {group: names for group, names in (found | by_noise(material, shapes)).items() if names}


def data_sets(material: Material) -> str:
    """Return the size, γ, C, test error of the optimum and limit of seconds of each data set."""
    shapes, rows = shapes_of(material), []
    for panel in material.artifact.runs.panels:
        config = next(match.planned.config for match in material.matches if match.planned.panel == panel.name)
        error = material.evidence(panel.name, "").reference().record.get("test_error")
        n, columns = shapes.get(panel.name, (None, None))
        rows.append(
            (
                panel.title,
                "–" if n is None else f"{n:,}",
                "–" if columns is None else f"{columns:,}",
                f"{config.kernel.parameters['gamma']:g}",
                f"{config.problem.C:g}" if config.problem.C else "–",
                "–" if error is None else f"{100.0 * error:.2f}",
                "–" if config.budget.seconds is None else f"{config.budget.seconds:g}",
            )
        )
    header = ("data set", "examples", "columns", "γ", "C", "optimum's test error, %", "limit, s")
    return table(header, rows)


def best(material: Material) -> str:
    """Return the method with the least cost on each data set, with the cost, for each wish."""
    titles = {panel.name: panel.title for panel in material.artifact.runs.panels}
    found = {wish: costs(measured(material, wish)) for wish in WISHES}
    parts = []
    for wishes in (tuple(WISHES)[:3], tuple(WISHES)[3:]):
        rows = [
            (title, *(_least(material, found[wish].get(panel, {})) for wish in wishes))
            for panel, title in titles.items()
            if any(panel in found[wish] for wish in wishes)
        ]
        parts.append(table(("data set", *map(_wanted, wishes)), rows))
    return "\n\n".join(parts)


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


def chart(material: Material) -> str:
    """Return the method chosen for each group of data sets and each wish, and how sure that is."""
    found = {wish: costs(measured(material, wish)) for wish in WISHES}
    rows = [
        (group, wish, *_chosen(material, choose({name: there[name] for name in names if name in there})))
        for group, names in groups(material).items()
        for wish, there in found.items()
    ]
    return table(("data", "wanted", "method", "near the best", "rank", "right", "at random"), rows)


def _chosen(material: Material, choice: Choice | None) -> tuple[str, str, str, str, str]:
    if choice is None:
        return ("–",) * 5
    title = title_of(material, choice.method)
    least, _, most = choice.ranks
    return (
        title if choice.ahead else f"none is ahead; {title} is first",
        f"{choice.near} of {choice.problems}",
        f"{least:g} to {most:g} of {choice.methods}",
        f"{choice.right} of {choice.tried}",
        f"{choice.chance:.1f}",
    )


def _means(material: Material, counter: str) -> str:
    """Return the mean errors over a cost, in as many tables as the number of data sets needs."""
    header, rows = section_cells(material, standings(material, counter))
    methods, ranks, errors = slice(1), slice(1, 3), range(3, len(header), _WIDTH)
    parts = [slice(first, first + _WIDTH) for first in errors]
    return "\n\n".join(
        table(*_columns(header, rows, [methods, *([] if number else [ranks]), part]))
        for number, part in enumerate(parts)
    )


def _columns(
    header: list[str], rows: list[list[str]], parts: list[slice]
) -> tuple[list[str], list[list[str]]]:
    """Return some columns of a table, without rows that have a value in none of the last ones."""

    def chosen(cells: list[str]) -> list[str]:
        return [cell for part in parts for cell in cells[part]]

    return chosen(header), [chosen(row) for row in rows if set(row[parts[-1]]) != {"–"}]


def agreement(material: Material) -> str:
    """Return how far the orders by the costs agree."""
    return agreements({counter: standings(material, counter) for counter in material.artifact.conventions})


#: The tables of the page by the names in its markers.
TABLES: Mapping[str, Callable[[Material], str]] = {
    "sets": data_sets,
    "chart": chart,
    "best": best,
    "seconds": partial(_means, counter="cpu_seconds"),
    "evaluations": partial(_means, counter="kev_ondemand"),
    "costs": agreement,
}


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
        raise UserError(f"--page {page} cannot be read: {error}") from error
    names = [name for name, _ in blocks(text)]
    unknown = [name for name in names if name not in TABLES]
    if not names or unknown:
        given = f"has no table '{unknown[0]}'" if unknown else "has no marker of a table"
        raise UserError(f"--page {page} {given}: write <!-- field: NAME --> with one of {', '.join(TABLES)}")
    made = {name: TABLES[name](material) for name in dict.fromkeys(names)}
    write_whole(page, _MARKERS.sub(lambda found: found[1] + made[found[2]] + found[4], text))
