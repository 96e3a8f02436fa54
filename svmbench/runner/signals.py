"""Handling of Ctrl-C, SIGTERM, SIGHUP and time limits: a run makes a last checkpoint and stores its end."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType

#: Seconds that an iteration or observation has after the first signal.
PATIENCE = 0.25

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

#: Largest setting of the timer, in seconds.
_LONGEST = 1e6
#: Seconds by which the timer may run ahead of the clock.
_EARLY = 0.01


class Overdue(KeyboardInterrupt):
    """A time limit was exceeded."""


class Interrupt:
    """The signals received.

    After the first signal, the current iteration or observation has `PATIENCE` seconds to finish. Then
    KeyboardInterrupt is raised within it, and whatever it was changing must not be used again.

    Attributes
    ----------
    requested : str or None
        Name of the signal that ends the training loop.
    defers : bool
        Whether the first signal currently raises nothing.
    timed : bool
        Whether a timer is available: only in the main thread, and if the caller does not use it.
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
        """In this context, the first signal only sets `requested`; a second one raises KeyboardInterrupt."""
        self._cuttable = False
        self.defers = True
        try:
            yield
        finally:
            self.defers = False

    @contextmanager
    def cuttable(self, seconds: float | None = None) -> Iterator[None]:
        """In this context, raise KeyboardInterrupt `PATIENCE` seconds after a signal.

        Also raise `Overdue` after `seconds`, if given and if a timer is available.
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
        """Handle a signal."""
        if not self.defers or self.requested is not None:
            raise KeyboardInterrupt(signal.Signals(number).name)
        self.requested = signal.Signals(number).name
        if self.timed:
            signal.setitimer(signal.ITIMER_REAL, PATIENCE)

    def ring(self, number: int, frame: FrameType | None) -> None:
        """Handle the timer; ignore alarms sent by other programs."""
        self._late = self.requested is not None
        if not self._cuttable:
            return
        if self._late:
            raise KeyboardInterrupt(self.requested)
        if self._until is not None and time.monotonic() > self._until - _EARLY:
            raise Overdue


@contextmanager
def handling() -> Iterator[Interrupt]:
    """Handle SIGINT, SIGTERM and SIGHUP alike; outside the main thread, which alone can, do nothing.

    A signal ignored at the start of the process stays ignored, as SIGHUP by ``nohup``. A running timer of the
    caller is left alone; iterations are then not cut.
    """
    interrupt = Interrupt()
    if threading.current_thread() is not threading.main_thread():
        yield interrupt
        return
    with ExitStack() as before:
        free = signal.getitimer(signal.ITIMER_REAL)[0] == 0.0
        if free and signal.getsignal(signal.SIGALRM) is not None:  # None: the handler is not Python's
            # Restored last, since the other handlers set the timer.
            before.callback(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, interrupt.ring))
            before.callback(signal.setitimer, signal.ITIMER_REAL, 0.0)
            interrupt.timed = True
        for number in _SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                before.callback(signal.signal, number, signal.signal(number, interrupt))
        yield interrupt
