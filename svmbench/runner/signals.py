"""Ctrl-C, SIGTERM, SIGHUP and limits of time, so that a run ends with a last observation and a stored end."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType

#: Seconds that an iteration or a look has after the first signal.
PATIENCE = 0.25

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

#: Longest limit that a timer is set to.
_LONGEST = 1e6
#: Seconds by which the timer may be ahead of the clock.
_EARLY = 0.01


class Overdue(KeyboardInterrupt):
    """Something has taken longer than it may."""


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
    timed : bool
        Whether there is a timer: the main thread has one, unless its caller uses it.
    """

    def __init__(self) -> None:
        self.requested: str | None = None
        self.defers = False
        self.timed = False
        self._cuttable = False
        self._late = False
        self._until: float | None = None

    @contextmanager
    def deferred(self) -> Iterator[None]:
        """Let the first signal only set `requested` meanwhile; a second one raises KeyboardInterrupt."""
        self._cuttable = False
        self.defers = True
        try:
            yield
        finally:
            self.defers = False

    @contextmanager
    def cuttable(self, seconds: float | None = None) -> Iterator[None]:
        """Raise KeyboardInterrupt meanwhile once a signal has been known for `PATIENCE` seconds.

        And `Overdue` after so many `seconds`, if they are given and there is a timer.
        """
        limited = seconds is not None and self.timed and self.requested is None
        self._cuttable = True
        try:
            if self._late:
                raise KeyboardInterrupt(self.requested)
            if limited and seconds is not None:
                self._until = time.monotonic() + seconds
                signal.setitimer(signal.ITIMER_REAL, min(max(seconds, 1e-6), _LONGEST))
            yield
        finally:
            self._cuttable = False
            self._until = None
            if limited:
                signal.setitimer(signal.ITIMER_REAL, 0.0)
                if self.requested is not None:  # perhaps just before the timer was stopped
                    signal.setitimer(signal.ITIMER_REAL, PATIENCE)

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Serve a signal."""
        if not self.defers or self.requested is not None:
            raise KeyboardInterrupt(signal.Signals(number).name)
        self.requested = signal.Signals(number).name
        if self.timed:
            signal.setitimer(signal.ITIMER_REAL, PATIENCE)

    def ring(self, number: int, frame: FrameType | None) -> None:
        """Serve the timer, and no alarm that another program sends."""
        self._late = self.requested is not None
        if not self._cuttable:
            return
        if self._late:
            raise KeyboardInterrupt(self.requested)
        if self._until is not None and time.monotonic() > self._until - _EARLY:
            raise Overdue


@contextmanager
def handling() -> Iterator[Interrupt]:
    """Serve SIGINT, SIGTERM and SIGHUP alike; outside the main thread, which alone can, change nothing.

    One that the process was started to ignore stays ignored: ``nohup`` does so with SIGHUP. A timer that runs
    already is the caller's, and stays so: then an iteration ends by itself.
    """
    interrupt = Interrupt()
    if threading.current_thread() is not threading.main_thread():
        yield interrupt
        return
    with ExitStack() as before:
        free = signal.getitimer(signal.ITIMER_REAL)[0] == 0.0
        if free and signal.getsignal(signal.SIGALRM) is not None:  # None: one that is not Python's
            # Put back after the others, which set the timer.
            before.callback(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, interrupt.ring))
            before.callback(signal.setitimer, signal.ITIMER_REAL, 0.0)
            interrupt.timed = True
        for number in _SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                before.callback(signal.signal, number, signal.signal(number, interrupt))
        yield interrupt
