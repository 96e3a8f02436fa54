"""Compressed parts of a page, which its script unpacks as the reader scrolls near them; text for HTML."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Sequence
from html import escape as escape_html
from itertools import chain
from typing import Any

from svmbench.errors import printable


def escape(text: str) -> str:
    """Escape a text for the page, including characters that reorder or hide text."""
    return escape_html(printable(text))


def head(names: Iterable[str]) -> str:
    """Return the head of a table, with a button in each heading that sorts the rows."""
    cells = "".join(f'<th scope="col"><button type="button">{escape(name)}</button></th>' for name in names)
    return f"<thead><tr>{cells}</tr></thead>"


def packed(texts: Iterable[str]) -> str:
    """Return joined texts as gzip in base64, which browsers can unpack. Equal texts give equal results."""
    squeezed = zlib.compressobj(9, zlib.DEFLATED, 31)  # 31: with a gzip header, which contains no time
    parts = [squeezed.compress(text.encode()) for text in texts]
    return base64.b64encode(b"".join([*parts, squeezed.flush()])).decode()


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
        """Pack parts and their data for the script; return attributes of the elements that they will fill."""
        text = json.dumps({"html": html, "data": data}, separators=(",", ":"), allow_nan=False)
        name = self._put([text])
        return [f'data-pack="{name}" data-place="{place}"' for place in range(len(html))]

    def later(self, html: Iterable[str]) -> str:
        """Pack one part, given in pieces, and return the element that it will fill."""
        pieces = (json.dumps(piece)[1:-1] for piece in html)
        name = self._put(chain(['{"html":["'], pieces, ['"],"data":[]}']))
        return f'<div class="later" data-pack="{name}" data-place="0"></div>'

    def _put(self, texts: Iterable[str]) -> str:
        name = f"pack-{len(self.scripts)}"
        self.scripts.append(script(name, packed(texts)))
        return name

    @property
    def size(self) -> int:
        """Number of bytes."""
        return sum(map(len, self.scripts))
