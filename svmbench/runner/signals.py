"""Ctrl-C, SIGTERM and SIGHUP, so that a run ends with a last observation and a stored end."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupt:
    """What was asked for by a signal.

    Attributes
    ----------
    requested : str or None
        Name of the signal that asked the training loop to end.
    """

    def __init__(self) -> None:
        self.requested: str | None = None
        self._deferring = False

    @contextmanager
    def deferred(self) -> Iterator[None]:
        """Let the first signal only set `requested` meanwhile; a second one raises KeyboardInterrupt."""
        self._deferring = True
        try:
            yield
        finally:
            self._deferring = False

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Serve a signal."""
        if self._deferring and self.requested is None:
            self.requested = signal.Signals(number).name
        else:
            raise KeyboardInterrupt(signal.Signals(number).name)


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
    before = {number: signal.signal(number, interrupt.handle) for number in served}
    try:
        yield interrupt
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
