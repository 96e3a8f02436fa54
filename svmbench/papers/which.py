"""The tables of ``docs/which-solver.md``, from the stored runs of the comparison of the field.

The groups of data sets and the wishes were fixed while the runs were made, before anyone had looked at them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np

from svmbench.analysis.fronts import mean_ranks
from svmbench.errors import UserError
from svmbench.figures.tables import table
from svmbench.files import write_whole
from svmbench.papers.advice import NEAR, OPTIMUM, WISHES, by_own_rule, shapes_of, soonest, took
from svmbench.papers.fronts import FRONT, Standing, agreements, section, standings
from svmbench.papers.material import Material
from svmbench.papers.shown import title_of

#: Data sets of which at most 15 % of the values are not 0.
SPARSE = ("adult", "w8a", "reuters")

#: Test error of the certified optimum, in percent, from which a data set counts as noisy.
NOISY = 5.0

_MARKERS = re.compile(r"(<!-- field: (\w+) -->\n\n)(.*?)(\n\n|\Z)", re.DOTALL)


def groups(material: Material) -> dict[str, list[str]]:
    """Return the data sets on which half of the methods have a front, by group; a data set is in several."""
    there = {name for counter in WISHES.values() for name in standings(material, counter)}
    shapes = {name: shape for name, shape in shapes_of(material).items() if name in there}
    errors = {name: material.evidence(name, "").reference().record.get("test_error") for name in shapes}
    tests: Mapping[str, Callable[[str], bool]] = {
        "all": lambda name: True,
        "fewer than 10,000 examples": lambda name: shapes[name][0] < 10_000,
        "10,000 to 50,000 examples": lambda name: 10_000 <= shapes[name][0] <= 50_000,
        "more than 50,000 examples": lambda name: shapes[name][0] > 50_000,
        "at most 25 columns": lambda name: shapes[name][1] <= 25,
        "more than 25 columns": lambda name: shapes[name][1] > 25,
        "sparse": lambda name: name in SPARSE,
        f"optimum's test error at least {NOISY:g} %": lambda name: _noise(errors[name]) >= NOISY,
        f"optimum's test error below {NOISY:g} %": lambda name: _noise(errors[name]) < NOISY,
    }
    return {
        group: found for group, test in tests.items() if (found := [name for name in shapes if test(name)])
    }


def _noise(error: float | None) -> float:
    """Return a stored test error in percent; NaN, which is in neither group, if it is unknown."""
    return np.nan if error is None else 100.0 * float(error)


def chart(material: Material) -> str:
    """Return the best method for each group of data sets and each wish, with the measurements behind it."""
    rows: list[tuple[str, str, str, str, str]] = []
    by_wish = {wish: standings(material, counter) for wish, counter in WISHES.items()}
    for group, names in groups(material).items():
        rows.append((group, OPTIMUM, *_optimum(material, names), str(len(names))))
        for wish, found in by_wish.items():
            rows.append((group, wish, *_best(material, found, names), str(len(names))))
        rows.append((group, "little memory", *_memory(material, names), str(len(names))))
    return table(("data", "wanted", "method", "measured", "data sets"), rows)


def _optimum(material: Material, names: list[str]) -> tuple[str, str]:
    """Return the exact method that ends by its own rule on most data sets, and soonest."""
    ends = {
        name: {panel: run for panel, run in runs.items() if panel in names}
        for name, runs in by_own_rule(material).items()
    }
    ends = {name: runs for name, runs in ends.items() if runs}
    if not ends:
        return "–", "no exact method ended by its own rule"
    best = soonest(ends)
    seconds = [took(run) for run in ends[best].values()]
    measured = f"ends on {len(seconds)} of {len(names)}, after {min(seconds):.2g} to {max(seconds):.2g} s"
    return title_of(material, best), measured


def _best(material: Material, found: Mapping[str, Standing], names: list[str]) -> tuple[str, str]:
    """Return the method of the best mean rank over the data sets, and the next one."""
    ranks = mean_ranks({name: found[name].means for name in names if name in found})
    if len(ranks) < 2:
        return "–", "fewer than two methods have this cost on all"
    first, second = sorted(ranks, key=ranks.__getitem__)[:2]
    share = np.mean([found[name].ahead[first] for name in names if name in found])
    measured = (
        f"mean rank {ranks[first]:.1f} of {len(ranks)}, ahead on {100.0 * share:.0f} % of the costs; then "
        f"{title_of(material, second)}, {ranks[second]:.1f}"
    )
    return title_of(material, first), measured


def _memory(material: Material, names: list[str]) -> tuple[str, str]:
    """Return the method with the least peak memory, of those near the smallest error on all data sets."""
    peaks: dict[str, list[float]] = {}
    for name in names:
        fronts, _ = material.evidence(name, "cpu_seconds").fronts(FRONT)
        ends = {line: float(np.median([s.value[-1] for s in curve.steps])) for line, curve in fronts.items()}
        for line, end in ends.items():
            peak = [s.run.peak_memory for s in fronts[line].steps if s.run.peak_memory is not None]
            if peak and end <= min(ends.values()) + NEAR:
                peaks.setdefault(line, []).append(float(np.median(peak)))
    whole = {line: found for line, found in peaks.items() if len(found) == len(names)}
    if not whole:
        return "–", f"no method ends within {NEAR:g} point of the least error on all"
    best = min(whole, key=lambda line: float(np.median(whole[line])))
    least, most = min(whole[best]), max(whole[best])
    measured = f"{least:.0f} to {most:.0f} MiB, within {NEAR:g} point of the least error on all"
    return title_of(material, best), measured


def seconds(material: Material) -> str:
    """Return the table of mean errors over the seconds."""
    return section(material, standings(material, "cpu_seconds"))


def evaluations(material: Material) -> str:
    """Return the table of mean errors over kernel evaluations, counted on demand."""
    return section(material, standings(material, "kev_ondemand"))


def costs(material: Material) -> str:
    """Return how far the orders by the costs agree."""
    return agreements({counter: standings(material, counter) for counter in material.artifact.counters})


#: The tables of the page by the names in its markers.
TABLES: Mapping[str, Callable[[Material], str]] = {
    "chart": chart,
    "seconds": seconds,
    "evaluations": evaluations,
    "costs": costs,
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
