"""Progress of a run: a few lines that are overwritten on a terminal, plain lines elsewhere."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from svmbench.runner.block import Block, on_terminal, size
from svmbench.runner.progress import PlainLines, Progress, Standing, duration

#: Seconds between two checks for news, and between two drawings without news.
_LOOK, _DRAW = 0.1, 0.5
#: Seconds before the first drawing: a shorter run shows nothing.
_FIRST = 0.3
#: Cells of the bar.
_CELLS = 12


class LiveLines(Standing):
    """Live lines of one run, drawn by a separate thread, so that times advance in every phase.

    ::

        sbp adult: training, 0:12  [#####-------] 45 %  about 15 s left
        error 15.20 %, objective 0.351234, best gap 1.0e-03 (2 s ago)
        kev_ondemand 4.52e+07 of 1e+08, 3.77e+06/s

    Parameters
    ----------
    stream : text stream
        A terminal.
    title : str
        Shown first.
    """

    def __init__(self, stream: TextIO, title: str) -> None:
        super().__init__()
        self._stream = stream
        self._title = title
        self._block = Block(stream)
        self._said: deque[str] = deque()
        self._ending = False
        # The thread alone writes: a lock would be lost where Ctrl-C comes while it is taken.
        self._thread = threading.Thread(target=self._draw, daemon=True)
        self._thread.start()

    def say(self, text: str) -> None:
        """Print a sentence above the lines."""
        self._said.append(text)

    def close(self) -> None:
        """Print pending sentences and remove the lines."""
        self._ending = True
        self._thread.join()

    def _draw(self) -> None:
        """Draw until `close`."""
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())  # they are for the run
        due = time.monotonic() + _FIRST
        while not self._ending:
            time.sleep(_LOOK)
            self._tell()
            if time.monotonic() >= due:
                self._block.draw(lines(self._title, self, size(self._stream)[0] - 1))
                due = time.monotonic() + _DRAW
        self._tell()
        self._block.clear()

    def _tell(self) -> None:
        """Print pending sentences in place of the lines, which are drawn again below."""
        if self._said:
            self._block.clear()
        while self._said:
            print(self._said.popleft(), file=self._stream, flush=True)


def lines(title: str, standing: Standing, columns: int) -> list[str]:
    """Return the state of a run in one to three lines.

    Parameters
    ----------
    title : str
        Shown first.
    standing : Standing
        Its state.
    columns : int
        Width of a line; parts that do not fit are dropped, the last one first.
    """
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
    """Join as many of the parts as fit, at least one."""
    while len(parts) > 1 and len(between.join(parts)) > columns:
        parts = parts[:-1]
    return between.join(parts)


def clock(seconds: float) -> str:
    """Format a time as a clock: 0:07, 12:34, 1:02:03."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= 60 else f"{minutes}:{rest:02}"


@contextmanager
def progress(title: str, stream: TextIO | None = None) -> Iterator[Progress]:
    """Yield a listener for a stream, standard error by default, and close it at the end."""
    stream = stream or sys.stderr
    if not on_terminal(stream):
        yield PlainLines(stream)
        return
    live = LiveLines(stream, title)
    try:
        yield live
    finally:
        live.close()
