"""Progress of a run: a bar on a terminal, plain lines elsewhere."""

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
    """Progress bar of one run.

    Parameters
    ----------
    stream : text stream
        A terminal.
    title : str
        Shown before the bar.
    """

    def __init__(self, stream: TextIO, title: str) -> None:
        from tqdm import tqdm

        from svmbench.runner.progress import Best

        self._tqdm = tqdm
        self._stream = stream
        self._title = title
        self._bar: tqdm[Any] | None = None
        self._doing, self._rate = "training", 0.0
        self._left: float | None = None
        self._error: float | None = None
        self._best = Best()

    def say(self, text: str) -> None:
        """Print a sentence above the bar."""
        self._tqdm.write(text, file=self._stream)

    def advanced(self, counter: str, value: int, goal: int | None, seconds: float) -> None:
        """Move the bar; the first call makes it."""
        if self._bar is None:
            # tqdm shows nothing on a terminal of unknown size; get_terminal_size guesses.
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
        self._rate = value / max(seconds, 1e-9)
        self._show()
        # The last iteration may overshoot the goal.
        self._bar.update((value if goal is None else min(value, goal)) - self._bar.n)

    def observed(self, row: dict[str, Any]) -> None:
        """Show the newest test error, the objective and the best gap at the end of the bar."""
        error = row.get("test_error")
        self._error = self._error if error is None else error
        self._best.see(row)
        self._doing = "training"
        self._show(refresh=True)

    def doing(self, what: str, left: float | None = None) -> None:
        """Show the current phase and the estimated seconds left."""
        changed = (what, left) != (self._doing, self._left)
        self._doing, self._left = what, left
        if changed:
            self._show(refresh=True)

    def _show(self, refresh: bool = False) -> None:
        """Update the text after the bar."""
        parts = [self._doing, f"{self._rate:.2g}/s"]
        if self._left is not None and self._doing == "training":
            parts.append(f"{self._left:.0f} s left")
        if self._error is not None:
            parts.append(f"error {100 * self._error:.2f} %")
        if self._bar is not None:
            self._bar.set_postfix_str(", ".join([*parts, *self._best.told()]), refresh=refresh)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()


@contextmanager
def progress(title: str, stream: TextIO | None = None) -> Iterator[Progress]:
    """Yield a listener for a stream, standard error by default, and close it at the end."""
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
