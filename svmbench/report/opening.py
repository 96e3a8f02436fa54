"""What a page opens with: methods compared over several data sets, cost by cost, as pictures and tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from svmbench.report.build import escape

#: Id of the heading.
_NAME = "comparison"

#: Characters of a picture that need no escape in a data URL within an attribute.
_PLAIN = " !$'()*+,-./:;=?@[]_{}~"


@dataclass(frozen=True)
class Section:
    """The methods under one cost.

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


def html(title: str, about: Sequence[str], sections: Sequence[Section]) -> str:
    """Return the beginning of a page; the section of the first cost is open.

    Parameters
    ----------
    title : str
        Heading of the comparison.
    about : sequence of str
        Paragraphs that explain it.
    sections : sequence of Section
        One per cost.
    """
    notes = "".join(f'<p class="note">{escape(text)}</p>' for text in about)
    parts = "".join(_section(section, number == 0) for number, section in enumerate(sections))
    return f'<h2 id="{_NAME}">{escape(title)}</h2>{notes}{parts}'


def _section(section: Section, is_open: bool) -> str:
    cost = escape(section.cost)
    head = "".join(
        f'<th scope="col"><button type="button">{escape(name)}</button></th>' for name in section.header
    )
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in section.rows)
    source = f"data:image/svg+xml,{quote(section.picture, safe=_PLAIN)}"
    return (
        f"<details{' open' * is_open}><summary>Least test error by {cost}</summary>"
        f'<img class="fronts" src="{escape(source)}" alt="Least test error that each method has reached by a '
        f'cost, {cost}, a panel for each data set; the table below has the means">'
        f'<div class="scroll" tabindex="0"><table><caption><span>Mean test error by {cost}; a heading sorts '
        f"by its column.</span></caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        "</details>"
    )


def _cell(text: str) -> str:
    """Return a cell; one that begins with a number is sorted by it, and an en dash is unknown."""
    try:
        value = f"{float(text.partition(' ')[0]):.6g}"
    except ValueError:
        if text != "–":
            return f"<td>{escape(text)}</td>"
        value = ""
    return f'<td class="number" data-value="{value}">{escape(text)}</td>'
