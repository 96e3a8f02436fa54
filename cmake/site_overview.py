"""A hook of MkDocs: the page on architecture gets a picture of the rooms, drawn from its table of imports."""

from __future__ import annotations

import io
import re
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.structure.files import Files

TABLE = Path(__file__).parent.parent / "docs" / "architecture.md"
_NAME = "rooms.svg"
_LEFT_OUT = {"errors", "version"}
_CAPTION = (
    f"![The rooms, each above those that it imports]({_NAME})\n\n"
    "A line says: the upper room imports the lower one. A line is left out where the upper room reaches\n"
    "the lower one through others. `errors`, which every room may import, and `version` are left out.\n"
)


def allowed(page: str) -> dict[str, set[str]]:
    """Return what each room may import beside itself and `errors`, from the table of a page in Markdown.

    The second cell is ``nothing``, names, ``all but`` names, or ``what`` a room ``may, and`` names. The
    package itself, its ``__init__``, is called ``svmbench``; a room within a room has a slash in its name.
    """
    rows = re.findall(r"^\| (`[^|]+) \| ([^|]+) \|$", _section(page), re.MULTILINE)
    names = {room: said for rooms, said in rows for room in re.findall(r"`([\w/]+)`", rooms)}
    found: dict[str, set[str]] = {}
    for room, said in names.items():
        listed = set(re.findall(r"`([\w/]+)`", said))
        if said.startswith("all but"):
            listed = set(names) - listed - {room, "svmbench"}
        elif said.startswith("what"):
            listed |= found[re.findall(r"`([\w/]+)`", said)[0]]
        found[room] = listed
    return found


def _section(page: str) -> str:
    return page.partition("What a room may import")[2].partition("\n#")[0]


def rooms(table: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the graph to be drawn, in which a room within a room is a part of that."""
    graph: dict[str, set[str]] = {}
    for room, others in table.items():
        outer = room.partition("/")[0]
        graph.setdefault(outer, set()).update(other.partition("/")[0] for other in others)
    return {room: others - {room} - _LEFT_OUT for room, others in graph.items() if room not in _LEFT_OUT}


def reduced(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the arrows of a graph without circles that no longer way replaces."""
    reach: dict[str, set[str]] = {}
    for room in TopologicalSorter(graph).static_order():
        reach[room] = set(graph[room]).union(*(reach[other] for other in graph[room]))
    return {
        room: {other for other in others if not any(other in reach[via] for via in others)}
        for room, others in graph.items()
    }


def floors(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the rooms floor by floor from the ground up, each above, and near, what it imports."""
    height: dict[str, int] = {}
    for room in TopologicalSorter(graph).static_order():
        height[room] = 1 + max((height[other] for other in graph[room]), default=-1)
    levels = [sorted(r for r in graph if height[r] == h) for h in range(1 + max(height.values()))]
    place: dict[str, float] = {}
    for level in levels:
        below = {room: [place[other] for other in graph[room]] for room in level}
        level.sort(key=lambda room: sum(below[room]) / len(below[room]) if below[room] else 0.0)
        place |= {room: (k + 1) / (len(level) + 1) for k, room in enumerate(level)}
    return levels


def places(levels: list[list[str]], lines: dict[str, set[str]]) -> dict[str, tuple[float, float]]:
    """Return where each room stands: floors are shifted so that few lines pass behind other rooms."""
    shifts = [0.0] * len(levels)

    def placed() -> dict[str, tuple[float, float]]:
        return {
            room: ((k + 1) / (len(level) + 1) + shifts[y], float(y))
            for y, level in enumerate(levels)
            for k, room in enumerate(level)
        }

    def hidden() -> int:
        at, count = placed(), 0
        for room, others in lines.items():
            for other in others:
                (x, y), (u, v) = at[room], at[other]
                for z in range(int(v) + 1, int(y)):
                    crossing = u + (x - u) * (z - v) / (y - v)
                    count += sum(abs(at[between][0] - crossing) < 0.07 for between in levels[z])
        return count

    for y in [*range(len(levels))] * 3:
        found = {}
        for shift in (0.0, 0.03, -0.03, 0.06, -0.06, 0.09, -0.09, 0.12, -0.12):
            shifts[y] = shift
            found[shift] = hidden()
        shifts[y] = min(found, key=found.__getitem__)
    return placed()


def picture(graph: dict[str, set[str]]) -> bytes:
    """Draw the rooms and the lines of `reduced` as SVG; the same graph gives the same bytes."""
    import matplotlib
    from matplotlib.figure import Figure

    lines = reduced(graph)
    levels = floors(lines)
    figure = Figure(figsize=(9.0, 0.8 * len(levels)))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0.0, 1.0), ylim=(-0.5, len(levels) - 0.5))
    axes.axis("off")
    at = places(levels, lines)
    style = {"boxstyle": "round,pad=0.35", "facecolor": "#eef3f8", "edgecolor": "#456"}
    for room, (x, y) in at.items():
        axes.text(x, y, room, ha="center", va="center", fontsize=9, bbox=style)
        for other in sorted(lines[room]):
            axes.plot((x, at[other][0]), (y, at[other][1]), color="#89a", linewidth=1.0, zorder=1)
    made = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "rooms", "svg.fonttype": "none"}):
        figure.savefig(made, format="svg", metadata={"Date": None})
    return made.getvalue()


def on_files(files: Files, config: Any) -> Files:
    """Add the picture."""
    from mkdocs.structure.files import File

    graph = rooms(allowed(TABLE.read_text(encoding="utf-8")))
    files.append(File.generated(config, _NAME, content=picture(graph)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Show it where the rooms are listed."""
    if page.file.src_uri != TABLE.name:
        return markdown
    return markdown.replace("\nWhat a room may import", f"\n{_CAPTION}\nWhat a room may import", 1)
