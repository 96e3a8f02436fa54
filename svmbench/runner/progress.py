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

    def doing(self, what: str, left: float | None = None) -> None:
        """Take what begins now: training, a checkpoint, or the bound of the gap that the run ends with.

        Parameters
        ----------
        what : str
            ``training``, ``checkpoint`` or ``certifying``.
        left : float, optional
            Seconds after which a budget probably ends the training, where one allows a forecast.
        """
        ...


class Best:
    """The last objective and the least gap of the checkpoints so far."""

    def __init__(self) -> None:
        self.objective: float | None = None
        self.gap: float | None = None

    def see(self, row: dict[str, Any]) -> None:
        """Take a checkpoint."""
        objective, gap = row.get("primal_objective"), row.get("relative_gap")
        self.objective = self.objective if objective is None else objective
        if gap is not None:
            self.gap = gap if self.gap is None else min(gap, self.gap)

    def told(self) -> list[str]:
        """Return what is known, each in a few words."""
        parts = [] if self.objective is None else [f"objective {self.objective:.6g}"]
        return parts + ([] if self.gap is None else [f"gap {self.gap:.1e}"])


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
        self._left: float | None = None
        self._best = Best()

    def say(self, text: str) -> None:
        """Print the sentence."""
        self._print(text)

    def advanced(self, counter: str, value: int, goal: int | None, seconds: float) -> None:
        """Print where the counter stands, unless something was printed not long before."""
        if self._silent_for(self._between):
            share = f" of {goal:.3g}" if goal is not None else ""
            parts = [f"training: {counter} {value:.3g}{share}", f"{value / max(seconds, 1e-9):.3g}/s"]
            parts += self._best.told()
            left = [] if self._left is None else [f"about {self._left:.0f} s left"]
            self._print(", ".join([*parts, f"{seconds:.1f} s", *left]))

    def observed(self, row: dict[str, Any]) -> None:
        """Print the checkpoint, unless something was printed just before."""
        self._best.see(row)
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

    def doing(self, what: str, left: float | None = None) -> None:
        """Note the forecast; print that the last bound is made, unless something was printed just before."""
        self._left = left
        if what == "certifying" and self._silent_for(self._checkpoints):
            self._print("training has ended; certifying the duality gap")

    def _silent_for(self, seconds: float) -> bool:
        return time.monotonic() - self._last >= seconds

    def _print(self, text: str) -> None:
        # A reader that has gone, with its terminal or at the end of a pipe, is no reason to lose the run.
        with contextlib.suppress(OSError):
            print(text, file=self._stream, flush=True)
        self._last = time.monotonic()
