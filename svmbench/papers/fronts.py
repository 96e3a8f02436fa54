"""The table of an artifact of the kind ``front``: errors of methods by cost, over all data sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from matplotlib.lines import Line2D

from svmbench.analysis.fronts import against_best, agreement, ahead, mean_ranks
from svmbench.figures.curves import Looks
from svmbench.figures.labels import handles_of
from svmbench.figures.series import COUNTERS
from svmbench.figures.style import PALETTE, Look, looks
from svmbench.figures.tables import csv_text, table
from svmbench.papers.estimate import NotAttempted
from svmbench.papers.material import Material
from svmbench.papers.panels import title_of

#: The metric of all fronts.
FRONT = "test_error"

FRONT_CAPTION = (
    "A line is the least test error that a method has reached by a cost with any of its settings; choosing "
    "setting and checkpoint by the test error is optimistic, equally for all. Before its first checkpoint, "
    "every method answers the empty model, which names the larger class of the training set; a larger error "
    "than that of the empty model counts as this one. Eight methods have a colour: "
    "those within one standard error of the least error on the largest part of the last three decades of "
    "cost, averaged over data sets."
)

#: Number of methods in colour.
_SHOWN = 8
#: Look of the other methods: pale, and no grey, which is the colour of the dashes of the optimum.
_PALE = Look("#BBD0EA", "-", "")
#: Their entry in the legend.
OTHERS = "other methods"


@dataclass(frozen=True)
class Standing:
    """The methods on one data set under one cost.

    Attributes
    ----------
    means : mapping of str to float
        Mean test error in percent over the costs compared, the median over seeds.
    ends : mapping of str to (float, float)
        Its least and greatest value over seeds.
    ahead : mapping of str to float
        Part of these costs on which a method is on the common front.
    low, high : float
        The costs compared.
    missing : mapping of str to str
        Lines without a front, and why.
    """

    means: Mapping[str, float]
    ends: Mapping[str, tuple[float, float]]
    ahead: Mapping[str, float]
    low: float
    high: float
    missing: Mapping[str, str]


def standings(
    material: Material, counter: str, *, unanswered: bool = False, by: str = ""
) -> dict[str, Standing]:
    """Return the results of the methods under one cost, by data set, where half of them have a front.

    If `unanswered`, a method has the largest first error of all methods until it answers, instead of the
    error of the empty model: how far the results depend on this. With `by`, another error, settings and
    checkpoints are those with the least of it.
    """
    found = {}
    for panel in material.artifact.runs.panels:
        evidence = material.evidence(panel.name, counter)
        fronts, missing = evidence.fronts(FRONT, by)
        if 2 * len(fronts) < len(material.artifact.runs.lines):
            continue
        try:
            window = evidence.window(FRONT, unanswered=unanswered)
        except NotAttempted:
            continue
        values = {name: window.means(curve) for name, curve in fronts.items()}
        tests = next(iter(fronts.values())).steps[0].run.manifest["dataset"]["rows"]["test"]
        found[panel.name] = Standing(
            {name: float(np.median(one)) for name, one in values.items()},
            {name: (float(one.min()), float(one.max())) for name, one in values.items()},
            ahead(window, fronts, int(tests)),
            window.low,
            window.high,
            missing,
        )
    return found


def emphasis(material: Material, counter: str) -> Looks:
    """Return the styles of the lines: those most ahead in colour, or the highlighted one, others pale."""
    highlighted = getattr(material.artifact, "highlight", "")
    if not highlighted:
        parts: dict[str, float] = {}
        for one in standings(material, counter).values():
            for name, part in one.ahead.items():
                parts[name] = parts.get(name, 0.0) + part
        shown = set(sorted(parts, key=parts.__getitem__, reverse=True)[:_SHOWN])
    else:
        shown = {highlighted}
    lines = material.artifact.runs.lines
    titles = {line.name: title_of(material, line.name) for line in lines}
    own = _colours(looks((titles[line.name], line.solver) for line in lines if line.name in shown))
    style = {titles[line.name]: own.get(titles[line.name], _PALE) for line in lines}
    handles = handles_of({title: look for title, look in style.items() if look is not _PALE})
    if len(handles) < len(style):
        handles.append(Line2D([], [], color=_PALE.colour, label=OTHERS))
    return Looks(style, handles)


def _colours(own: Mapping[str, Look]) -> dict[str, Look]:
    """Return looks of which no two have one colour, as long as there are colours."""
    found: dict[str, Look] = {}
    spare = [colour for colour in PALETTE if colour not in {look.colour for look in own.values()}]
    for title, look in own.items():
        taken = look.colour in {other.colour for other in found.values()}
        found[title] = replace(look, colour=spare.pop(0)) if taken and spare else look
    return found


def front_table(material: Material) -> Mapping[str, str]:
    """Return the table of an artifact, by file suffix: a section per cost, and how far the costs agree."""
    artifact = material.artifact
    about = [f"# {artifact.title}", f"{artifact.source}.", f"{material.tally()}.", FRONT_LEGEND]
    rows: list[list[str]] = []
    by_counter = {counter: standings(material, counter) for counter in artifact.conventions}
    for counter, found in by_counter.items():
        if found:
            about += [f"## {COUNTERS[counter]}", table(*section_cells(material, found))]
            absent = [panel.title for panel in artifact.runs.panels if panel.name not in found]
            if absent:
                about.append(f"Fewer than half of the methods have this cost on {', '.join(absent)}.")
            rows += [
                [
                    counter,
                    panel,
                    name,
                    f"{mean:.6g}",
                    *(f"{end:.6g}" for end in one.ends[name]),
                    f"{one.ahead[name]:.3f}",
                ]
                for panel, one in found.items()
                for name, mean in one.means.items()
            ]
    about += ["## Do costs agree on the order of methods?", agreements(by_counter)]
    header = ["cost", "data set", "method", "mean error", "least", "greatest", "part ahead"]
    return {"md": "\n\n".join(about) + "\n", "csv": csv_text(header, rows)}


FRONT_LEGEND = (
    "Each cell is a mean test error in percent over the last three decades of a cost, its median over "
    "seeds, and in brackets the part of these costs, in percent, on which the method is on the common "
    "front: within one standard error of the least error. A method with several settings has the least "
    "test error that any of them has reached. Before its first checkpoint, every method answers the empty "
    "model, which names the larger class of the training set; a larger error counts as that of the empty "
    "model. An en dash: its runs are not there, were disturbed, or do "
    "not have this cost. Mean rank: over these data sets, among the methods that have the cost on all of "
    "them. p: of the signed-rank test over the data sets against the method of the best mean rank, with "
    "Holm's correction."
)


def ranked(found: Mapping[str, Standing]) -> dict[str, tuple[str, str]]:
    """Return the mean rank and the p-value of each method that has the cost on all data sets, in words."""
    means = {panel: one.means for panel, one in found.items()}
    ranks = mean_ranks(means)
    best, values = against_best(means) if len(means) > 1 and ranks else ("", {})
    return {
        name: (f"{rank:.1f}", "best" if name == best else f"{values[name]:.2g}" if name in values else "–")
        for name, rank in sorted(ranks.items(), key=lambda one: one[1])
    }


def section_cells(material: Material, found: Mapping[str, Standing]) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of the table of one cost."""
    titles = {panel.name: panel.title for panel in material.artifact.runs.panels}
    names = [line.name for line in material.artifact.runs.lines]
    every = {name for one in found.values() for name in one.means}
    ranks = ranked(found)
    rows = []
    for name in [*ranks, *sorted(every - ranks.keys(), key=names.index)]:
        cells = [
            f"{one.means[name]:.2f} ({100.0 * one.ahead[name]:.0f})" if name in one.means else "–"
            for one in found.values()
        ]
        rows.append([title_of(material, name), *ranks.get(name, ("–", "–")), *cells])
    return ["method", f"mean rank of {len(ranks)}", "p", *(titles[panel] for panel in found)], rows


def agreements(by_counter: Mapping[str, Mapping[str, Standing]]) -> str:
    """Return Kendall's correlation between the orders by seconds and by each other cost, on each data set."""
    seconds = by_counter.get("cpu_seconds", {})
    rows = []
    for counter, found in by_counter.items():
        values = [
            agreement(seconds[panel].means, one.means)
            for panel, one in found.items()
            if counter != "cpu_seconds"
            and panel in seconds
            and len(one.means.keys() & seconds[panel].means) > 2
        ]
        known = [value for value in values if value == value]
        if known:
            low, high = _interval(np.array(known))
            rows.append(
                [COUNTERS[counter], f"{np.median(known):.2f}", f"{low:.2f} to {high:.2f}", str(len(known))]
            )
    if not rows:
        return "Not known: no data set has seconds and another cost of three methods."
    return table(
        ["cost", "Kendall's tau with CPU seconds, median over data sets", "95 % interval", "data sets"], rows
    )


def _interval(values: np.ndarray) -> tuple[float, float]:
    """Return the bootstrap interval of a median over data sets, from 10,000 resamples."""
    draws = np.random.default_rng(0).integers(0, values.size, (10_000, values.size))
    low, high = np.quantile(np.median(values[draws], axis=1), [0.025, 0.975])
    return float(low), float(high)
