"""What a run shows while it trains: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from svmbench.runner.progress import Progress

_BOUNDED = "{desc} {percentage:3.0f}%|{bar:8}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}{postfix}]"
_UNBOUNDED = "{desc} {n_fmt} [{elapsed}{postfix}]"


class Bar:
    """A live line for one run.

    Parameters
    ----------
    stream : text stream
        A terminal.
    title : str
        What stands in front of the bar.
    """

    def __init__(self, stream: TextIO, title: str) -> None:
        from tqdm import tqdm

        self._tqdm = tqdm
        self._stream = stream
        self._title = title
        self._bar: tqdm[Any] | None = None

    def say(self, text: str) -> None:
        """Print a sentence above the bar."""
        self._tqdm.write(text, file=self._stream)

    def advanced(self, counter: str, value: int, goal: int | None, seconds: float) -> None:
        """Move the bar; it appears with the first training."""
        if self._bar is None:
            # tqdm shows nothing on a terminal that does not know its size; get_terminal_size has a guess.
            columns, lines = shutil.get_terminal_size()
            self._bar = self._tqdm(
                total=goal,
                desc=self._title,
                unit_scale=True,
                file=self._stream,
                leave=False,
                ncols=columns,
                nrows=lines,
                bar_format=_UNBOUNDED if goal is None else _BOUNDED,
            )
        # A method may pass its goal by part of an iteration.
        self._bar.update((value if goal is None else min(value, goal)) - self._bar.n)

    def observed(self, row: dict[str, Any]) -> None:
        """Show the newest errors at the end of the bar."""
        parts = []
        if row.get("test_error") is not None:
            parts.append(f"error {100 * row['test_error']:.2f} %")
        if row.get("relative_gap") is not None:
            parts.append(f"gap {row['relative_gap']:.0e}")
        if self._bar is not None:
            self._bar.set_postfix_str(", ".join(parts))

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()


@contextmanager
def progress(title: str, stream: TextIO | None = None) -> Iterator[Progress]:
    """Give the listener that fits a stream, standard error by default, and end it."""
    from svmbench.runner.progress import PlainLines

    stream = stream or sys.stderr
    if not stream.isatty():
        yield PlainLines(stream)
        return
    bar = Bar(stream, title)
    try:
        yield bar
    finally:
        bar.close()
