"""How a run tells what it is doing: the contract, and the plain lines for where there is no terminal."""

from __future__ import annotations

import contextlib
import time
from typing import Any, Protocol, TextIO


class Progress(Protocol):
    """The listener of one run."""

    def say(self, text: str) -> None:
        """Take one sentence about what happens now."""
        ...

    def advanced(self, counter: str, value: int, goal: int | None, seconds: float) -> None:
        """Take the state after each slice of training (a few per second).

        Parameters
        ----------
        counter : str
            Counter of the budget.
        value : int
            Where it stands.
        goal : int or None
            Where the run ends at the latest, if the budget says.
        seconds : float
            Training time so far, wall.
        """
        ...

    def observed(self, row: dict[str, Any]) -> None:
        """Take a checkpoint as it was stored, keys of TRACE_COLUMNS."""
        ...


class PlainLines:
    """One line for each sentence, and now and then one for a checkpoint or for what lies between two.

    Parameters
    ----------
    stream : text stream
        Where they go.
    checkpoints : float, default 5
        Seconds without a line after which a checkpoint is told; all are stored. 0: all are told.
    between : float, default 30
        Seconds without a line after which one tells where the counter stands.
    """

    def __init__(self, stream: TextIO, *, checkpoints: float = 5.0, between: float = 30.0) -> None:
        self._stream = stream
        self._checkpoints = checkpoints
        self._between = between
        self._last = time.monotonic()

    def say(self, text: str) -> None:
        """Print the sentence."""
        self._print(text)

    def advanced(self, counter: str, value: int, goal: int | None, seconds: float) -> None:
        """Print where the counter stands, unless something was printed not long before."""
        if self._silent_for(self._between):
            share = f" of {goal:.3g}" if goal is not None else ""
            self._print(f"{counter} {value:.3g}{share}, {seconds:.1f} s")

    def observed(self, row: dict[str, Any]) -> None:
        """Print the checkpoint, unless something was printed just before."""
        if not self._silent_for(self._checkpoints):
            return
        parts = [f"iterations {row['iterations']}"]
        costs = [name for name in ("kev_ondemand", "inner_products") if row.get(name) is not None]
        parts += [f"{name} {row[name]:.3g}" for name in costs[:1]]
        if row.get("test_error") is not None:
            parts.append(f"test error {100 * row['test_error']:.2f} %")
        if row.get("primal_objective") is not None:
            parts.append(f"objective {row['primal_objective']:.6g}")
        if row.get("relative_gap") is not None:
            parts.append(f"relative gap {row['relative_gap']:.2e}")
        self._print(", ".join([*parts, f"{row['wall_seconds']:.1f} s"]))

    def _silent_for(self, seconds: float) -> bool:
        return time.monotonic() - self._last >= seconds

    def _print(self, text: str) -> None:
        # A reader that has gone, with its terminal or at the end of a pipe, is no reason to lose the run.
        with contextlib.suppress(OSError):
            print(text, file=self._stream, flush=True)
        self._last = time.monotonic()
