"""Lines at the bottom of a terminal that are overwritten when they change."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TextIO

from svmbench.errors import printable


def on_terminal(stream: TextIO) -> bool:
    """Return whether lines of a stream can be overwritten: it is a terminal with control sequences."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def size(stream: TextIO) -> tuple[int, int]:
    """Return columns (``COLUMNS``, if set) and lines of a terminal; 80 and 24 if unknown."""
    # Not shutil first: it queries standard output, which may be a file.
    with contextlib.suppress(OSError, ValueError, AttributeError):
        columns, lines = os.get_terminal_size(stream.fileno())
        columns = int(os.environ.get("COLUMNS") or columns)
        if columns > 0 and lines > 0:
            return columns, lines
    guess = shutil.get_terminal_size()
    return guess.columns, guess.lines


class Block:
    """A few lines below all other output.

    Parameters
    ----------
    stream : text stream
        A terminal (see `on_terminal`).
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lengths: list[int] = []

    def draw(self, lines: Sequence[str]) -> None:
        """Replace the present lines, cut to the width and height of the terminal."""
        columns, height = size(self._stream)
        cut = [cut_to(printable(line), columns - 1) for line in lines[: max(1, height - 1)]]
        self._write(self._cleared() + "\n".join(cut))
        self._lengths = list(map(len, cut))

    def clear(self) -> None:
        """Remove the lines; the next output begins where they began."""
        self._write(self._cleared())

    def _cleared(self) -> str:
        """Return the control sequences that return to the first line and clear all lines."""
        if not self._lengths:
            return ""
        columns, _ = size(self._stream)
        # A terminal that has become narrower since has wrapped the lines.
        rows = sum(max(1, -(-length // columns)) for length in self._lengths)
        self._lengths = []
        return "\r\x1b[K" + "\x1b[A\r\x1b[K" * (rows - 1)

    def _write(self, text: str) -> None:
        if text:
            # If the terminal is gone, the run continues.
            with contextlib.suppress(OSError):
                self._stream.write(text)
                self._stream.flush()


def cut_to(text: str, most: int) -> str:
    """Return a text of at most `most` characters; if it was cut, it ends in two dots."""
    return text if len(text) <= most else text[: max(0, most - 2)].rstrip() + ".."


def over(columns: Mapping[str, Sequence[str]], width: int) -> int:
    """Return by how many characters a line of columns, with two blanks between them, exceeds a width."""
    return sum(max(map(len, texts)) for texts in columns.values()) + 2 * (len(columns) - 1) - width


def fit_width(
    columns: dict[str, list[str]],
    width: int,
    elastic: str,
    least: int,
    spare: Sequence[str],
    cut: Callable[[str, int], str],
) -> None:
    """Cut the texts of one column, to ``least`` at least, and leave out spare columns until lines fit."""
    for name in ("", *spare):
        columns.pop(name, None)
        if elastic in columns and over(columns, width) > 0:
            texts = columns[elastic]
            most = max(least, max(map(len, texts)) - over(columns, width))
            columns[elastic] = [cut(text, most) for text in texts]
        if over(columns, width) <= 0:
            return


def aligned(columns: Mapping[str, Sequence[str]], left: Collection[str]) -> list[str]:
    """Return columns as lines; those not named in ``left`` are aligned to the right."""
    padded = []
    for name, texts in columns.items():
        wide = max(map(len, texts))
        padded.append([text.ljust(wide) if name in left else text.rjust(wide) for text in texts])
    return ["  ".join(cells).rstrip() for cells in zip(*padded, strict=True)]
