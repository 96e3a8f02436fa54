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
    overdue : bool
        Whether something was cut because it had all of its time.
    defers : bool
        Whether the first signal raises nothing by itself now.
    """

    def __init__(self) -> None:
        self.requested: str | None = None
        self.overdue = False
        self.defers = False
        self._cuttable = False
        self._late = False
        self._alarm: Any = None
        self._clock = False

    @contextmanager
    def deferred(self) -> Iterator[None]:
        """Let the first signal only set `requested` meanwhile; a second one raises KeyboardInterrupt."""
        self.defers = True
        try:
            yield
        finally:
            self.defers = False

    @contextmanager
    def cuttable(self, seconds: float | None = None) -> Iterator[None]:
        """Raise KeyboardInterrupt meanwhile once a signal has been known for `PATIENCE` seconds.

        Also once it has lasted so many `seconds`, if there is a limit and this is the main thread.
        """
        self._cuttable = True
        timed = seconds is not None and self._clock and self._alarm is None
        try:
            if self._late:
                self._cut()
            if timed:
                self._set_alarm(max(seconds or 0.0, 1e-6))
            yield
        finally:
            self._cuttable = False
            if timed and self.requested is None:
                self.calm()

    def _cut(self) -> None:
        raise KeyboardInterrupt(self.requested)

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Serve a signal."""
        if not self.defers or self.requested is not None:
            raise KeyboardInterrupt(signal.Signals(number).name)
        self.requested = signal.Signals(number).name
        self._set_alarm(PATIENCE)

    def _set_alarm(self, seconds: float) -> None:
        if self._alarm is None:
            self._alarm = signal.signal(signal.SIGALRM, self._lose_patience)
        signal.setitimer(signal.ITIMER_REAL, seconds)

    def _lose_patience(self, number: int, frame: FrameType | None) -> None:
        self._late = self.requested is not None
        if self._cuttable:
            self.overdue = self.requested is None
            self._cut()

    def calm(self) -> None:
        """Take the alarm back."""
        if self._alarm is not None:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, self._alarm)
            self._alarm = None

    def watch(self) -> None:
        """Serve limits of time too, as the main thread alone can."""
        self._clock = True


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
    interrupt.watch()
    try:
        yield interrupt
    finally:
        interrupt.calm()
        for number, handler in before.items():
            signal.signal(number, handler)
