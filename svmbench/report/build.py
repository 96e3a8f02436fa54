"""One self-contained HTML page of stored runs.

All text from runs is escaped, including text in the data for the script. The content security policy of the
page prevents it from loading anything.
"""

from __future__ import annotations

import functools
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from importlib import import_module, resources
from typing import Any

from svmbench.errors import UserError
from svmbench.figures.series import COUNTERS
from svmbench.figures.style import PALETTE
from svmbench.figures.tables import count
from svmbench.report.compressed import Packs, escape, head, packed, script
from svmbench.report.figures import COSTS, FEWER, VALUES, Figure, Method, figures, problems
from svmbench.report.opening import Opening
from svmbench.report.summary import Row, summary
from svmbench.report.tables import commands, environment_table, run_table, verdict_table
from svmbench.store import StoredRun
from svmbench.version import __version__

#: Most bytes of a page: this many, or the second number times the number of runs if that is more.
LIMIT, EACH = 900_000, 1_000

#: Most figures that are compressed together, and number of runs at which a pack is full. Large packs compress
#: better, small ones are unpacked faster.
TOGETHER, RUNS_TOGETHER = 16, 150

#: Entries of the contents that are shown at once: more than the list has room for. The others follow.
_FIRST = 16

#: How the head of the page says that runs ended; other states say it themselves.
_ENDED = {
    "budget": "ended at the budget",
    "timeout": "ended at the time limit",
    "out_of_memory": "ran out of memory",
}

#: Colours that a dark page replaces by brighter ones of the same hue.
ON_DARK = {
    "#000000": "#FFFFFF",
    "#0072B2": "#4AA3E0",
    "#D55E00": "#F07F2E",
    "#009E73": "#1DBB8E",
    "#882255": "#E0507F",
    "#6A4FB3": "#A58EF0",
    "#8B5A2B": "#C28C58",
    "#8A8A1F": "#B3B33A",
}

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data:"
)


def vega() -> str:
    """Return Vega, Vega-Lite and vega-embed as one script.

    Raises
    ------
    UserError
        If the extra ``report`` is not installed.
    """
    try:
        # Its type stub requires an argument that the function does not need.
        vl_convert: Any = import_module("vl_convert")
    except ImportError as error:
        raise UserError("the page's charts need vl-convert: pip install vl-convert-python") from error
    return str(vl_convert.javascript_bundle())


def page(
    runs: Sequence[StoredRun],
    title: str,
    verdicts: Sequence[Mapping[str, Any]] = (),
    *,
    seedless: Collection[str] = (),
    tags: Mapping[str, Sequence[str]] | None = None,
    refresh: float | None = None,
    opening: Opening | None = None,
) -> str:
    """Return the page.

    Title, contents and headings, which are read first, are HTML. Figures and tables are compressed, and the
    script unpacks them as the reader scrolls near them.

    Parameters
    ----------
    runs : sequence of StoredRun
        At least one.
    title : str
        Heading of the page.
    verdicts : sequence of mapping
        Verdicts on claims of papers, as in ``VERDICTS.json``.
    seedless : collection of str
        Solvers without random choices.
    tags : mapping of str to sequence of str, optional
        Run -> its tags.
    refresh : float, optional
        Seconds after which an open page reloads itself, for runs in progress.
    opening : Opening, optional
        A comparison shown before the figures.

    Raises
    ------
    UserError
        If the page would be larger than `LIMIT` and `EACH` allow, or a package is missing.
    """
    tags, rest = tags or {}, Packs()
    library = script("library", packed([vega()]))
    front = "" if opening is None else opening.html(rest)
    tables = verdict_table(verdicts, rest) + run_table(runs, tags, rest)
    tables += environment_table(runs, rest) + commands(runs, rest)
    groups = problems(runs)
    members = dict(groups)

    @functools.cache
    def summarise(title: str, cost: str) -> str:
        return _summary(members[title], cost, seedless)

    most, size = max(LIMIT, EACH * len(runs)), 0
    for kept in FEWER:
        packs = Packs(rest.scripts)
        # The smallest page is always made in full, since the error message states its size.
        enough = math.inf if kept == FEWER[-1] else most
        sections = list(_sections(figures(groups, kept), summarise, tags, packs, enough))
        words = [one.words for one in sections]
        search = script("search", packed([json.dumps(words, separators=(",", ":"), allow_nan=False)]))
        content = f"""{_contents(sections, front, tables)}{front}
<h2 id="figures-title" tabindex="-1">Figures</h2>
<p class="note">A figure for each problem (data set, kernel, C or λ, bias), those with most methods first.
The median over seeds with the quartiles as a band, or a line for each run. A line that jumps up and down is
pale until it stays down.</p>
{"".join(one.html for one in sections)}{tables}"""
        text = _text(runs, title, content, "".join([*packs.scripts, search, library]), kept, refresh)
        size = len(text.encode())
        if size <= most:
            return text
    raise UserError(
        f"the page of {len(runs)} runs would have {size / 1e6:.1f} MB, {most / 1e6:.1f} are allowed: "
        "name fewer runs"
    )


def _text(
    runs: Sequence[StoredRun], title: str, content: str, data: str, kept: int | None, refresh: float | None
) -> str:
    """Return the whole page: header, content, and the data for its script."""
    files = resources.files("svmbench.report")
    note = (
        f'<p class="note">To keep the page small, {kept} checkpoints at most of each run are shown.</p>'
        if kept
        else ""
    )
    again = "" if refresh is None else f'<meta http-equiv="refresh" content="{refresh:.0f}">\n'
    text = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
{again}<meta name="generator" content="svmbench {escape(__version__)}">
<link rel="icon" href="data:,">
<title>{escape(title)}</title>
<style>{_colours()}{files.joinpath("page.css").read_text()}</style>
</head>
<body>
<a class="skip" href="#figures-title">Go to the figures</a>
<header><h1>{escape(title)}</h1>{_about(runs)}{note}</header>
<noscript>Figures, tables and long contents are shown by JavaScript, which is off here.</noscript>
<main id="main">{content}</main>
{data}<script>{files.joinpath("page.js").read_text()}</script>
</body>
</html>
"""
    # A character beyond Latin-1 would make a browser hold all of the text with two bytes per character.
    return text.encode("ascii", "xmlcharrefreplace").decode()


def _colours() -> str:
    """Return the palette as variables of CSS, with brighter colours on a dark page."""
    light, dark = (
        "".join(f"--line-{place}: {colour}; " for place, colour in enumerate(colours))
        for colours in (PALETTE, (ON_DARK.get(colour, colour) for colour in PALETTE))
    )
    return f":root {{ {light}}}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark}}} }}\n"


def _about(runs: Sequence[StoredRun]) -> str:
    ends = Counter(run.status for run in runs)
    solvers = ", ".join(sorted({run.title for run in runs}))
    data = ", ".join(sorted({run.dataset for run in runs}))
    first, last = min(run.started for run in runs)[:10], max(run.started for run in runs)[:10]
    said = ", ".join(f"{number} {_ENDED.get(status, status)}" for status, number in ends.most_common())
    when = first if first == last else f"{first} to {last}"
    return (
        f"<p>{_several(runs, 'run')}, {escape(when)}: {escape(said)}.<br>"
        f"Solvers: {escape(solvers)}.<br>Data sets: {escape(data)}.</p>"
    )


def _several(items: Sized, noun: str) -> str:
    return f"{len(items)} {noun}{'s' * (len(items) != 1)}"


def _options(names: Iterable[str], columns: Mapping[str, tuple[str, float]]) -> str:
    return "".join(
        f'<option value="{escape(name)}">{escape(columns[name][0])}</option>'
        for name in names
        if name in columns
    )


def _contents(sections: Sequence[_Section], front: str, tables: str) -> str:
    """Return the table of contents: links, and a field that filters figures and runs by words."""
    entries = [one.entry for one in sections]
    first, rest = "".join(entries[:_FIRST]), "".join(entries[_FIRST:])
    rest = f'<template><ol start="{_FIRST + 1}">{rest}</ol></template>' if rest else ""
    above, below = (
        "".join(
            f'<li><a href="#{name}">{heading}</a></li>'
            for name, heading in re.findall(r'<h2 id="([a-z-]+)">([^<]+)</h2>', part)
        )
        for part in (front, tables)
    )
    above = f"<ul>{above}</ul>" if above else ""
    return f"""<nav aria-label="Contents"><label class="filter">Show what has these words (solver, set, tag)
<input type="search" name="filter" autocomplete="off"></label> <span id="shown" role="status"></span>
{above}<div class="entries"><ol>{first}</ol>{rest}</div><ul>{below}</ul></nav>"""


def _words(figure: Figure, tags: Mapping[str, Sequence[str]]) -> str:
    """Return the search text of a figure."""
    methods = [f"{method['name']} {method['solver']}" for method in figure["methods"]]
    runs = [run["name"] for run in figure["runs"]]
    said = {tag for run in runs for tag in tags.get(run, ())}
    return " ".join([figure["title"], *methods, *runs, *sorted(said)]).lower()


def _summary(runs: Sequence[StoredRun], cost: str, seedless: Collection[str]) -> str:
    """Return the table of methods on a problem; empty if no test error is known."""
    found = summary(runs, cost, seedless)
    if found is None:
        return ""
    rows, target = found
    body = "".join(map(_row, rows))
    names = ("method", "seeds", "last test error (%)", f"{COUNTERS[cost]} until {100 * target:.2f} %")
    bold = "; no test over these seeds distinguishes the best from another" if len(rows) > 1 else ""
    if any(row.best for row in rows):
        bold = "; bold: the best, and those not significantly worse (Wilcoxon test over seeds, 5 %, Holm)"
    return (
        f'<div class="scroll summary" tabindex="0"><table><caption><span>Median (quartiles){bold}. '
        f"{100 * target:.2f} %: 99 % of the way from the worst first value to the best end; the cost "
        "is that from which a run stays at or below it.</span></caption>"
        f"{head(names)}<tbody>{body}</tbody></table></div>"
    )


def _row(row: Row) -> str:
    end = f"<strong>{_range(row.end, '.2f')}</strong>" if row.best else _range(row.end, ".2f")
    reached = "" if row.reached == row.seeds else f" ({row.reached} of {row.seeds})"
    return (
        f'<tr><td>{escape(row.method)}</td><td class="number" data-value="{row.seeds}">{row.seeds}</td>'
        f'<td class="number" data-value="{row.end[0]:.6g}">{end}</td>'
        f'<td class="number" data-value="{row.cost[0] if math.isfinite(row.cost[0]) else ""}">'
        f"{_range(row.cost, '.2g')}{reached}</td></tr>"
    )


def _range(values: Sequence[float], form: str) -> str:
    """Return the text of a median and its quartiles."""

    def shown(value: float) -> str:
        if not math.isfinite(value):
            return "not reached"
        return format(value, form) if form == ".2f" or value < 1e4 else count(value)

    middle, *ends = map(shown, values)
    return f"{middle} ({ends[0]} to {ends[1]})" if ends and set(ends) != {middle} else middle


@dataclass(frozen=True)
class _Section:
    """The uncompressed parts of a figure: heading and element, entry in the contents, and search text.

    The element is the one that the script fills; the first and last of a pack hold an end of its group.
    """

    html: str
    entry: str
    words: str


def _sections(
    drawn: Iterable[Figure],
    summarise: Callable[[str, str], str],
    tags: Mapping[str, Sequence[str]],
    packs: Packs,
    most: float,
) -> Iterator[_Section]:
    """Pack a few figures at a time to save memory; stop when the packs exceed `most` bytes."""
    number = 0
    for some in _together(drawn):
        if packs.size > most:
            return
        html = [
            _figure(place, figure, summarise(figure["title"], figure["cost"]))
            for place, figure in enumerate(some, number + 1)
        ]
        group = f'<div class="far" style="--parts: {len(some)}">'
        for place, (figure, attributes) in enumerate(zip(some, packs.add(html, some)), 1):
            number += 1
            name = escape(figure["title"])
            size = f"{_several(figure['methods'], 'method')}, {_several(figure['runs'], 'run')}"
            yield _Section(
                f"{group * (place == 1)}"
                f'<section class="figure later" aria-labelledby="figure-{number}" {attributes}>'
                f'<h3 id="figure-{number}">{number}. {name}</h3></section>\n'
                f"{'</div>' * (place == len(some))}",
                f'<li><a href="#figure-{number}">{name}</a> ({size})</li>',
                _words(figure, tags),
            )


def _together(drawn: Iterable[Figure]) -> Iterator[list[Figure]]:
    """Group figures into packs, each of which is compressed together."""
    some: list[Figure] = []
    for figure in drawn:
        some.append(figure)
        if len(some) == TOGETHER or sum(len(one["runs"]) for one in some) >= RUNS_TOGETHER:
            yield some
            some = []
    if some:
        yield some


def _figure(number: int, figure: Figure, summary: str) -> str:
    """Return everything below the heading of a figure."""
    columns = figure["columns"]
    costs = sorted(COSTS, key=lambda name: name != figure["cost"])  # the first one is the default
    axes = f"""<label>horizontally<select name="x">{_options(costs, columns)}</select></label>
<label>vertically<select name="y">{_options(VALUES, columns)}</select></label>"""
    log, linear = "<option>log</option>", "<option>linear</option>"
    y_scales = log + linear if figure["log"] else linear + log
    scales = (
        f'<label>horizontal axis<select name="xscale">{log}{linear}</select></label>'
        f'<label>vertical axis<select name="yscale">{y_scales}</select></label>'
    )
    legend = "".join(
        f'<label><input type="checkbox" value="{place}" checked>'
        f"{_swatch(method)}{escape(method['name'])}</label>"
        for place, method in enumerate(figure["methods"])
    )
    note = f'<p class="note">{escape(figure["seconds"])}</p>' if figure["seconds"] else ""
    several = ""
    if len(figure["runs"]) > len(figure["methods"]):
        several = (
            '<label class="switch"><input type="checkbox" name="medians" checked>medians over seeds</label>'
        )
    return f"""{summary}<div class="controls">{axes}{scales}{several}
<button type="button" class="download">Data of figure {number} (CSV)</button></div>
<div class="chart" role="region" aria-labelledby="figure-{number}"></div>
<fieldset><legend>Curves shown</legend>{legend}</fieldset>{note}"""


def _swatch(method: Method) -> str:
    dash = " ".join(f"{2 * length:g}" for length in method["dash"])
    return (
        '<svg width="34" height="10" aria-hidden="true">'
        '<line x1="1" y1="5" x2="33" y2="5" stroke-width="2.5" '
        f'stroke="var(--line-{method["colour"]})" stroke-dasharray="{dash}"/></svg>'
    )
