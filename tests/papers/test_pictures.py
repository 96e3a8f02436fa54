"""Every picture, drawn from the committed runs: no lines that look alike, no texts that collide."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from matplotlib.axis import Axis
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from svmbench.analysis import picture
from svmbench.figures import curves, sheet, style
from svmbench.figures.style import MARKERS, PALETTE
from svmbench.papers import artifact as artifacts
from svmbench.papers import catalogue, drawing
from svmbench.papers.material import Material

# Most lines of a front are grey, alike by intent: tests/papers/test_fronts.py looks at one.
DRAWN = [name for name in catalogue.ours() if artifacts.load(name).kind not in ("grid", "front")]


@pytest.fixture
def figures(monkeypatch) -> dict[str, Figure]:
    """The pictures by name, laid out, but not written."""
    found = {}

    def save(figure: Figure, stem: Path, caption: str, formats: object = None) -> list[Path]:
        found[stem.name] = figure
        return style.save(figure, stem, None, ())

    for module in (curves, sheet, picture):
        monkeypatch.setattr(module, "save", save)
    return found


@pytest.mark.parametrize("name", DRAWN)
def test_lines_differ_and_texts_stand_apart(name, index, figures, tmp_path):
    material = Material.of(artifacts.load(name), index)
    if not material.stored and material.outcome is None:
        pytest.skip("nothing of it is committed")
    drawing.draw(material, tmp_path)
    faults = []
    for stem, figure in figures.items():
        figure.draw_without_rendering()
        assert figure.axes
        faults += [f"{stem}: {fault}" for fault in (*alike(figure), *misplaced(figure))]
    assert faults == []


def curves_of(figure: Figure) -> Iterator[tuple[str, list[Line2D]]]:
    """Yield the panels of a picture with their lines, without what is grey, pale or a continuation."""
    for ax in figure.axes:
        mine = [line for line in ax.lines if to_hex(line.get_color()) in {c.lower() for c in PALETTE}]
        plain = [line for line in mine if line.get_alpha() is None and line.get_linestyle() != ":"]
        yield ax.get_title(), [line for line in plain if line.get_markerfacecolor() != "white"]


def alike(figure: Figure) -> Iterator[str]:
    """Name lines of a panel that share colour or marker, and solvers of a legend that do."""
    for title, lines in curves_of(figure):
        drawn = [line for line in lines if line.get_linestyle() != "None"]
        marked = [
            line for line in lines if line.get_linestyle() == "None" and line.get_marker() in [*MARKERS]
        ]
        for what, values in (
            ("colour", [line.get_color() for line in drawn]),
            ("marker", [line.get_marker() for line in marked]),
        ):
            if len(set(values)) < len(values):
                yield f"lines of one {what} in {title!r}: {sorted(values)}"
    for legend in figure.legends:
        handles = [h for h in legend.legend_handles if isinstance(h, Line2D)]
        looks = [(h.get_color(), h.get_marker()) for h in handles]
        if len(set(looks)) < len(looks):
            yield f"entries of the legend with one colour and marker: {looks}"


def texts(figure: Figure) -> list[tuple[str, Bbox]]:
    """Return what is written in a picture, and where; ticks outside the range of their axis are not drawn."""
    hidden = set()
    for axis in figure.findobj(Axis):
        low, high = sorted(axis.get_view_interval())
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
            if not low <= tick.get_loc() <= high:
                hidden |= {tick.label1, tick.label2}
    shown = [
        text
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and text not in hidden
    ]
    return [(text.get_text(), Text.get_window_extent(text)) for text in shown]


def misplaced(figure: Figure) -> Iterator[str]:
    """Name texts that reach beyond the sheet, and those that overlap by more than a pixel."""
    written = texts(figure)
    for text, box in written:
        if box.x0 < -1 or box.y0 < -1 or box.x1 > figure.bbox.x1 + 1 or box.y1 > figure.bbox.y1 + 1:
            yield f"{text!r} is cut off"
    for (one, box), (other, beside) in itertools.combinations(written, 2):
        if min(box.x1, beside.x1) - max(box.x0, beside.x0) > 1 and (
            min(box.y1, beside.y1) - max(box.y0, beside.y0) > 1
        ):
            yield f"{one!r} and {other!r} overlap"
