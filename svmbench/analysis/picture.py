"""Picture of profiles: the fraction of cases solved against cost, and against the ratio to the least cost."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from svmbench.analysis.profiles import PER_ROW, Profiles, share
from svmbench.errors import UserError
from svmbench.figures.labels import handles_of, put_legend, put_title
from svmbench.figures.panel import scale_x
from svmbench.figures.series import COUNTERS, Floats
from svmbench.figures.style import Look, drawing, looks, save

#: Most curves in a picture.
MOST = 35


def draw(found: Profiles, stem: Path, formats: Sequence[str], title: str | None = None) -> list[Path]:
    """Draw the data profile on the left and the performance profile on the right.

    Raises
    ------
    UserError
        If there are more methods than can be distinguished.
    """
    if len(found.methods) > MOST:
        raise UserError(
            f"{len(found.methods)} methods cannot be told apart in one picture, {MOST} can; name fewer runs"
        )
    with drawing():
        # Room for the legend, with about three names per row.
        figure = Figure(figsize=(8.5, 3.4 + 0.25 * -(-len(found.methods) // 3)), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        style = looks(found.methods)
        unit = " / training examples" if found.cost in PER_ROW else ""
        _panel(left, found, found.scaled_costs, style, f"{_short(found.cost)}{unit}", "data profile")
        _panel(right, found, found.ratios, style, "cost / least cost on the case", "performance profile")
        left.set_ylabel(f"share of {len(found.cases)} case{'s' * (len(found.cases) > 1)} solved")
        if title:
            put_title(figure, title)
        put_legend(figure, handles_of(style))
        return save(figure, stem, caption(found), formats)


def _panel(ax: Axes, found: Profiles, values: Floats, style: dict[str, Look], label: str, title: str) -> None:
    finite = values[np.isfinite(values)]
    if finite.size == 0:
        raise UserError("no method reaches any of the targets; give others with --to METRIC=VALUE")
    first, last = float(finite.min()), float(finite.max())
    ends = (first, last * 1.1) if title == "performance profile" else (first / 1.5, last * 1.5)
    for (name, _), row in zip(found.methods, values, strict=True):
        at = np.unique(row[np.isfinite(row)])
        x = np.concatenate([[ends[0]], at, [ends[1]]])
        look = style[name]
        ax.step(x, share(row, x), where="post", color=look.colour, linestyle=look.line)
        if at.size == 0:
            continue  # unclipped markers outside the axes would break the layout
        ax.plot(at, share(row, at), linestyle="none", color=look.colour, marker=look.marker,
                markeredgecolor="white", markeredgewidth=0.5, clip_on=False)  # fmt: skip
    scale_x(ax, *ends, "log", np.array(ends))
    ax.set(ylim=(0.0, 1.04), xlabel=textwrap.fill(label, 36), title=title)
    ax.grid(alpha=0.25)


def _short(cost: str) -> str:
    return COUNTERS[cost].replace("kernel evaluations, ", "evaluations ")


def caption(found: Profiles) -> str:
    """Return a description of the picture."""
    problems = list(dict.fromkeys(problem for problem, _ in found.cases))
    targets = ", ".join(f"{problem}: {target:.3g}" for problem, target in found.cases)
    cases = len(found.cases)
    return (
        f"Share of {cases} case{'s' * (cases > 1)} solved, a case being a problem and a target of "
        f"{found.metric}: "
        f"against cost ({found.cost}; Moré and Wild 2009) and against the cost as a multiple of the least "
        f"that a method paid on the case (Dolan and Moré 2002). The cost is that from which a run stays at "
        f"or below the target, the median over seeds. "
        f"{len(problems)} problem{'s' * (len(problems) > 1)}; targets: {targets}.\n"
    )
