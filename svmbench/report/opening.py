"""The beginning of a page: methods compared over several data sets, with a picture and a table per cost."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import quote

from svmbench.report.compressed import Packs, escape, head

#: Characters of a picture that need no escaping in a data URL within an attribute.
_PLAIN = " !$'()*+,-./:;=?@[]_{}~"

#: Patterns of a path made of moves and lines, of a point in it, and of a number with needless digits.
_DATA = re.compile(r' d="((?:[MLz\s]|-?\d+(?:\.\d+)?)+)"')
_POINT = re.compile(r"[ML] (\S+) (\S+)")
_LONG = re.compile(r"-?\d+\.\d{3,}")


@dataclass(frozen=True)
class Section:
    """The comparison of the methods by one cost.

    Attributes
    ----------
    cost : str
        Label of the cost.
    picture : str
        The fronts, as SVG.
    header : sequence of str
        Headings of the table.
    rows : sequence of sequence of str
        Its cells, one row per method.
    """

    cost: str
    picture: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Opening:
    """The beginning of a page.

    Attributes
    ----------
    title : str
        Heading of the comparison.
    about : sequence of str
        Paragraphs that explain it.
    sections : sequence of Section
        One per cost; the first is open.
    """

    title: str
    about: Sequence[str]
    sections: Sequence[Section]

    def html(self, packs: Packs) -> str:
        """Return the heading, the paragraphs, and the elements that the script fills with the sections."""
        notes = "".join(f'<p class="note">{escape(text)}</p>' for text in self.about)
        parts = "".join(
            f"<details{' open' * (number == 0)}><summary>Least test error by {escape(section.cost)}</summary>"
            f"{packs.later([_section(section)])}</details>"
            for number, section in enumerate(self.sections)
        )
        return f'<h2 id="comparison">{escape(self.title)}</h2>{notes}{parts}'


def _section(section: Section) -> str:
    cost = escape(section.cost)
    source = f"data:image/svg+xml,{quote(smaller(section.picture), safe=_PLAIN)}"
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in section.rows)
    return (
        f'<div class="fronts" tabindex="0"><img src="{escape(source)}" alt="Least test error that each '
        f'method has reached by a cost, {cost}, a panel for each data set; means are in the table below">'
        f'</div><div class="scroll" tabindex="0"><table><caption><span>Mean test error by {cost}; a heading '
        f"sorts by its column.</span></caption>{head(section.header)}<tbody>{body}</tbody></table></div>"
    )


def _cell(text: str) -> str:
    """Return a cell, sorted by the number at its beginning; an en dash counts as unknown."""
    try:
        value = f"{float(text.partition(' ')[0]):.6g}"
    except ValueError:
        if text != "–":
            return f"<td>{escape(text)}</td>"
        value = ""
    return f'<td class="number" data-value="{value}">{escape(text)}</td>'


def smaller(svg: str) -> str:
    """Return the same picture in about a seventh of the bytes, since step curves have few corners."""
    short = _DATA.sub(lambda found: f' d="{"".join(map(_line, re.split(r"(?=M)", found[1])))}"', svg)
    return re.sub(r">\s+<", "><", _LONG.sub(lambda found: f"{float(found[0]):.1f}", short))


def _line(data: str) -> str:
    """Return a line or polygon as relative steps between its corners."""
    corners: list[tuple[int, int]] = []  # in tenths of the unit
    for x, y in _POINT.findall(data):
        point = round(10 * float(x)), round(10 * float(y))
        if corners and point == corners[-1]:
            continue
        if len(corners) > 1 and any(corners[-2][k] == corners[-1][k] == point[k] for k in (0, 1)):
            corners.pop()
        corners.append(point)
    if not corners:
        return ""
    steps = [_step(x - before[0], y - before[1]) for before, (x, y) in pairwise(corners)]
    return f"M{_tenth(corners[0][0])} {_tenth(corners[0][1])}{''.join(steps)}{'z' * ('z' in data)}"


def _step(x: int, y: int) -> str:
    if y == 0:
        return f"h{_tenth(x)}"
    return f"v{_tenth(y)}" if x == 0 else f"l{_tenth(x)} {_tenth(y)}"


def _tenth(number: int) -> str:
    return f"{number / 10:g}"
