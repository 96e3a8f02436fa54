"""What a run shows meanwhile: a few lines that are written over on a terminal, plain lines elsewhere."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from svmbench.runner.progress import Progress, Standing

#: Seconds between two looks at what is to be shown, and between two drawings while nothing is said.
_LOOK, _DRAW = 0.1, 0.5
#: Seconds before the first drawing: what is over by then shows nothing.
_FIRST = 0.3
#: Cells of the bar.
_CELLS = 12


class LiveLines:
    """The live lines of one run, drawn by a thread of their own, so that they go on while nothing is told.

    ::

        sbp adult: training, 0:12  [#####-------] 45 %  about 15 s left
        error 15.20 %, objective 0.351234, best gap 1.0e-03 (2 s ago)
        kev_ondemand 4.52e+07 of 1e+08, 3.77e+06/s

    Parameters
    ----------
    stream : text stream
        A terminal.
    title : str
        What stands in front.
    """

    def __init__(self, stream: TextIO, title: str) -> None:
        from svmbench.runner.block import Block
        from svmbench.runner.progress import Standing

        self._stream = stream
        self._title = title
        self._standing = Standing()
        self._block = Block(stream)
        self._said: deque[str] = deque()
        self._ending = False
        # The thread alone writes: a lock would be lost where Ctrl-C comes while it is taken.
        self._thread = threading.Thread(target=self._draw, daemon=True)
        self._thread.start()

    def say(self, text: str) -> None:
        """Print a sentence above the lines."""
        self._said.append(text)

    def advanced(self, counter: str, value: int, goal: int | None, seconds: float) -> None:
        """Take the state after a slice."""
        self._standing.advanced(counter, value, goal, seconds)

    def observed(self, row: dict[str, Any]) -> None:
        """Take a checkpoint; training goes on."""
        self._standing.observed(row)

    def doing(self, what: str, left: float | None = None) -> None:
        """Take the phase that begins."""
        self._standing.doing(what, left)

    def close(self) -> None:
        """Print what is still to be said, and take the lines away."""
        self._ending = True
        self._thread.join()

    def _draw(self) -> None:
        """Draw until the end."""
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())  # they are for the run
        due = time.monotonic() + _FIRST
        while not self._ending:
            time.sleep(_LOOK)
            self._tell()
            if time.monotonic() >= due:
                from svmbench.runner.block import size

                self._block.draw(lines(self._title, self._standing, size(self._stream)[0] - 1))
                due = time.monotonic() + _DRAW
        self._tell()
        self._block.clear()

    def _tell(self) -> None:
        """Print what was said, in place of the lines: they are drawn again below it."""
        if self._said:
            self._block.clear()
        while self._said:
            print(self._said.popleft(), file=self._stream, flush=True)


def lines(title: str, standing: Standing, columns: int) -> list[str]:
    """Return what is known of a run in one to three lines.

    Parameters
    ----------
    title : str
        What stands in front.
    standing : Standing
        What is known.
    columns : int
        Width of a line; what does not fit is left out, the last part first.
    """
    from svmbench.runner.progress import duration

    parts = [f"{title}: {standing.phase}, {clock(standing.seconds)}"]
    share = standing.share
    if share is not None:
        done = round(_CELLS * share)
        parts.append(f"[{'#' * done}{'-' * (_CELLS - done)}] {100 * share:.0f} %")
    if standing.left is not None:
        parts.append(f"about {duration(standing.left)} left")
    more = (numbers for numbers in (standing.numbers(), standing.cost()) if numbers)
    return [_fit(parts, "  ", columns), *(_fit(numbers, ", ", columns) for numbers in more)]


def _fit(parts: list[str], between: str, columns: int) -> str:
    """Return as many of the parts as there is room for, one at least."""
    while len(parts) > 1 and len(between.join(parts)) > columns:
        parts = parts[:-1]
    return between.join(parts)


def clock(seconds: float) -> str:
    """Return a time as a clock shows it: 0:07, 12:34, 1:02:03."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= 60 else f"{minutes}:{rest:02}"


@contextmanager
def progress(title: str, stream: TextIO | None = None) -> Iterator[Progress]:
    """Give the listener that fits a stream, standard error by default, and end it."""
    from svmbench.runner.block import on_terminal
    from svmbench.runner.progress import PlainLines

    stream = stream or sys.stderr
    if not on_terminal(stream):
        yield PlainLines(stream)
        return
    live = LiveLines(stream, title)
    try:
        yield live
    finally:
        live.close()
