"""Parts of a page that its script unpacks when they come near the view; text for HTML."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable, Sequence
from html import escape as escape_html
from typing import Any

from svmbench.errors import printable


def escape(text: str) -> str:
    """Escape a text for the page, including characters that reorder or hide text."""
    return escape_html(printable(text))


def head(names: Iterable[str]) -> str:
    """Return the head of a table whose headings sort its rows."""
    cells = "".join(f'<th scope="col"><button type="button">{escape(name)}</button></th>' for name in names)
    return f"<thead><tr>{cells}</tr></thead>"


def packed(text: str) -> str:
    """Return a text as gzip in base64, which browsers unpack; equal texts give equal results."""
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


def script(name: str, content: str) -> str:
    """Return a packed text as an element that the script of the page reads."""
    return f'<script type="text/plain" id="{name}">{content}</script>\n'


class Packs:
    """The parts of a page, compressed a few at a time.

    Attributes
    ----------
    scripts : list of str
        An element for each pack.
    """

    def __init__(self, scripts: Iterable[str] = ()) -> None:
        self.scripts = list(scripts)

    def add(self, html: Sequence[str], data: Sequence[Any] = ()) -> list[str]:
        """Pack some parts, and what the script knows of each; return attributes of the elements to fill."""
        name = f"pack-{len(self.scripts)}"
        text = json.dumps({"html": html, "data": data}, separators=(",", ":"), allow_nan=False)
        self.scripts.append(script(name, packed(text)))
        return [f'data-pack="{name}" data-place="{place}"' for place in range(len(html))]

    def later(self, html: str) -> str:
        """Pack one part and return the element that it will fill."""
        (attributes,) = self.add([html])
        return f'<div class="later" {attributes}></div>'
