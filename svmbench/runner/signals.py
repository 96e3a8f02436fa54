"""Ctrl-C, SIGTERM and SIGHUP, so that a run ends with a last observation and a stored end."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

#: Seconds that an iteration or a look has after the first signal.
PATIENCE = 0.25

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupt:
    """What was asked for by a signal.

    The first one lets the iteration or the look that is under way come to its end, for `PATIENCE` seconds:
    then KeyboardInterrupt is raised in its middle, and whatever it has touched must not be used again.

    Attributes
    ----------
    requested : str or None
        Name of the signal that asked the training loop to end.
    defers : bool
        Whether the first signal raises nothing by itself now.
    """

    def __init__(self) -> None:
        self.requested: str | None = None
        self.defers = False
        self._cuttable = False
        self._late = False
        self._alarm: Any = None

    @contextmanager
    def deferred(self) -> Iterator[None]:
        """Let the first signal only set `requested` meanwhile; a second one raises KeyboardInterrupt."""
        self.defers = True
        try:
            yield
        finally:
            self.defers = False

    @contextmanager
    def cuttable(self) -> Iterator[None]:
        """Raise KeyboardInterrupt meanwhile once a signal has been known for `PATIENCE` seconds."""
        self._cuttable = True
        try:
            if self._late:
                self._cut()
            yield
        finally:
            self._cuttable = False

    def _cut(self) -> None:
        raise KeyboardInterrupt(self.requested)

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Serve a signal."""
        if not self.defers or self.requested is not None:
            raise KeyboardInterrupt(signal.Signals(number).name)
        self.requested = signal.Signals(number).name
        self._alarm = signal.signal(signal.SIGALRM, self._lose_patience)
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)

    def _lose_patience(self, number: int, frame: FrameType | None) -> None:
        self._late = True
        if self._cuttable:
            self._cut()

    def calm(self) -> None:
        """Take the alarm back."""
        if self._alarm is not None:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, self._alarm)


@contextmanager
def handling() -> Iterator[Interrupt]:
    """Serve SIGINT, SIGTERM and SIGHUP alike; outside the main thread, which alone can, change nothing.

    One that the process was started to ignore stays ignored: ``nohup`` does so with SIGHUP.
    """
    interrupt = Interrupt()
    if threading.current_thread() is not threading.main_thread():
        yield interrupt
        return
    served = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, interrupt) for number in served}
    try:
        yield interrupt
    finally:
        interrupt.calm()
        for number, handler in before.items():
            signal.signal(number, handler)
