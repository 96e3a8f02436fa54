"""Progress of a run: the protocol, and plain lines for streams that are not terminals."""

from __future__ import annotations

import contextlib
import time
from typing import Any, Protocol, TextIO


class Progress(Protocol):
    """Listener of one run."""

    def say(self, text: str) -> None:
        """Receive one sentence."""
        ...

    def advanced(self, counter: str, value: int, goal: int | None, seconds: float) -> None:
        """Receive the state after each slice of training, a few times a second.

        Parameters
        ----------
        counter : str
            Counter of the budget.
        value : int
            Its value.
        goal : int or None
            Value at which the budget ends the run, if any.
        seconds : float
            Wall time of training so far.
        """
        ...

    def observed(self, row: dict[str, Any]) -> None:
        """Receive a stored checkpoint, keys of TRACE_COLUMNS."""
        ...

    def doing(self, what: str, left: float | None = None) -> None:
        """Receive the phase that begins.

        Parameters
        ----------
        what : str
            ``waiting`` for a quiet machine, ``training``, ``checkpoint`` or ``certifying``.
        left : float, optional
            Estimated seconds until a budget ends the training, if known.
        """
        ...


class Best:
    """The last objective and the least gap so far."""

    def __init__(self) -> None:
        self.objective: float | None = None
        self.gap: float | None = None

    def see(self, row: dict[str, Any]) -> None:
        """Receive a checkpoint."""
        objective, gap = row.get("primal_objective"), row.get("relative_gap")
        self.objective = self.objective if objective is None else objective
        if gap is not None:
            self.gap = gap if self.gap is None else min(gap, self.gap)

    def told(self) -> list[str]:
        """Return what is known, in a few words each."""
        parts = [] if self.objective is None else [f"objective {self.objective:.6g}"]
        return parts + ([] if self.gap is None else [f"gap {self.gap:.1e}"])


class PlainLines:
    """One line per sentence, and occasional lines for checkpoints and the state between them.

    Parameters
    ----------
    stream : text stream
        Where the lines are written.
    checkpoints : float, default 5
        Seconds without a line after which a checkpoint is printed. 0: print all.
    between : float, default 30
        Seconds without a line after which the counter is printed.
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
        """Print the counter, unless something was printed recently."""
        if self._silent_for(self._between):
            share = f" of {goal:.3g}" if goal is not None else ""
            parts = [f"training: {counter} {value:.3g}{share}", f"{value / max(seconds, 1e-9):.3g}/s"]
            parts += self._best.told()
            left = [] if self._left is None else [f"about {self._left:.0f} s left"]
            self._print(", ".join([*parts, f"{seconds:.1f} s", *left]))

    def observed(self, row: dict[str, Any]) -> None:
        """Print the checkpoint, unless something was printed recently."""
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
        """Store the estimate; print a last bound that begins, unless something was printed recently."""
        self._left = left
        if what == "certifying" and self._silent_for(self._checkpoints):
            self._print("training has ended; certifying the duality gap")

    def _silent_for(self, seconds: float) -> bool:
        return time.monotonic() - self._last >= seconds

    def _print(self, text: str) -> None:
        # A closed terminal or pipe must not end the run.
        with contextlib.suppress(OSError):
            print(text, file=self._stream, flush=True)
        self._last = time.monotonic()
