"""Progress of a run: the protocol, its current state, and plain lines for streams that are not terminals."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Protocol, TextIO

if TYPE_CHECKING:
    from svmbench.store.trace import Row


class Progress(Protocol):
    """The listener of one run."""

    def say(self, text: str) -> None:
        """Receive one sentence about the current step."""
        ...

    def advanced(self, counter: str, value: int, goal: int | None, seconds: float) -> None:
        """Receive the state after each slice of training (a few per second).

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

    def observed(self, row: Row) -> None:
        """Receive a checkpoint as it was stored."""
        ...

    def doing(self, what: str, left: float | None = None) -> None:
        """Receive the phase that begins.

        Parameters
        ----------
        what : str
            ``loading``, ``solving the optimum``, ``waiting`` for a quiet machine, ``training``,
            ``checkpoint``, ``certifying`` the last gap, or ``drawing``; in a cross-validation after
            ``fold K of N:``, with several binary problems after ``problem K of N:``.
        left : float, optional
            Seconds after which a budget probably ends the training, where one allows a forecast.
        """
        ...


class PartProgress:
    """Passes on the progress of one of several trainings of a run, but not its checkpoints."""

    def __init__(self, progress: Progress, name: str) -> None:
        self._progress = progress
        self._name = name

    def say(self, text: str) -> None:
        """Pass a sentence on, with the name of the training."""
        self._progress.say(f"{self._name}: {text}")

    def advanced(self, counter: str, value: int, goal: int | None, seconds: float) -> None:
        """Pass on the state of this training."""
        self._progress.advanced(counter, value, goal, seconds)

    def doing(self, what: str, left: float | None = None) -> None:
        """Pass on the phase, with the name of the training."""
        self._progress.doing(f"{self._name}: {what}", left)

    def observed(self, row: Row) -> None:
        """Ignore a checkpoint."""


class Standing:
    """The current state of a run: its phase, its counter, and the numbers of its checkpoints.

    Attributes
    ----------
    phase : str
        The last argument of `Progress.doing`.
    counter : str
        Counter of the budget.
    value, goal : int or None
        Its value, and the value at which the run ends; None before the training, or if unlimited.
    trained : float
        Seconds of training so far.
    left : float or None
        Estimated seconds until a budget ends the training.
    error, objective, gap : float or None
        The last test error and objective, and the least relative gap.
    """

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.phase = "loading"
        self.counter = ""
        self.value: int | None = None
        self.goal: int | None = None
        self.trained = 0.0
        self.left: float | None = None
        self.error: float | None = None
        self.objective: float | None = None
        self.gap: float | None = None
        self._seen: float | None = None

    def advanced(self, counter: str, value: int, goal: int | None, seconds: float) -> None:
        """Receive the state after a slice."""
        self.counter, self.value, self.goal, self.trained = counter, value, goal, seconds

    def observed(self, row: Row) -> None:
        """Receive a checkpoint; unknown numbers keep their last values."""
        error, objective, gap = (row.get(key) for key in ("test_error", "primal_objective", "relative_gap"))
        self.error = self.error if error is None else error
        self.objective = self.objective if objective is None else objective
        if gap is not None:
            self.gap = gap if self.gap is None else min(gap, self.gap)
        self._seen = time.monotonic()

    def doing(self, what: str, left: float | None = None) -> None:
        """Receive the phase that begins."""
        self.phase, self.left = what, left

    @property
    def seconds(self) -> float:
        """Wall time since the run began."""
        return time.monotonic() - self.began

    @property
    def age(self) -> float | None:
        """Seconds since the last checkpoint; None before the first."""
        return None if self._seen is None else time.monotonic() - self._seen

    @property
    def share(self) -> float | None:
        """Share of the goal reached, at most 1: the last iteration may overshoot it."""
        if self.goal is None or self.value is None:
            return None
        return min(1.0, self.value / max(self.goal, 1))

    def cost(self) -> list[str]:
        """Return the counter and its rate; nothing before the training."""
        if self.value is None:
            return []
        goal = "" if self.goal is None else f" of {self.goal:.3g}"
        return [f"{self.counter} {self.value:.3g}{goal}", f"{self.value / max(self.trained, 1e-9):.3g}/s"]

    def numbers(self) -> list[str]:
        """Return the numbers of the checkpoints, with their age if that is a second or more."""
        parts = [] if self.error is None else [f"error {100 * self.error:.2f} %"]
        parts += [] if self.objective is None else [f"objective {self.objective:.6g}"]
        parts += [] if self.gap is None else [f"best gap {self.gap:.1e}"]
        if parts and self.age is not None and self.age >= 1.0:
            parts[-1] += f" ({duration(self.age)} ago)"
        return parts


class PlainLines:
    """One line for each sentence, and occasional lines for checkpoints and for the state between them.

    Parameters
    ----------
    stream : text stream
        Receives the lines.
    checkpoints : float, default 5
        Seconds without a line after which a checkpoint is printed. 0: all checkpoints are printed.
    between : float, default 30
        Seconds without a line after which the state is printed.
    """

    def __init__(self, stream: TextIO, *, checkpoints: float = 5.0, between: float = 30.0) -> None:
        self._stream = stream
        self._checkpoints = checkpoints
        self._between = between
        self._last = time.monotonic()
        self.standing = Standing()

    def say(self, text: str) -> None:
        """Print the sentence."""
        self._print(text)

    def advanced(self, counter: str, value: int, goal: int | None, seconds: float) -> None:
        """Print the state, unless something was printed recently."""
        standing = self.standing
        standing.advanced(counter, value, goal, seconds)
        if self._silent_for(self._between):
            parts = [*standing.cost(), *standing.numbers(), f"{seconds:.1f} s of training"]
            parts.append(f"{duration(standing.seconds)} since the start")
            left = [] if standing.left is None else [f"about {duration(standing.left)} left"]
            self._print(f"{standing.phase}: {', '.join([*parts, *left])}")

    def observed(self, row: Row) -> None:
        """Print the checkpoint, unless something was printed recently."""
        self.standing.observed(row)
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
        """Store the phase; print that the last bound is computed, unless something was printed recently."""
        self.standing.doing(what, left)
        if what == "certifying" and self._silent_for(self._checkpoints):
            self._print("training has ended; certifying the duality gap")

    def _silent_for(self, seconds: float) -> bool:
        return time.monotonic() - self._last >= seconds

    def _print(self, text: str) -> None:
        # If the reader is gone (its terminal is closed, or its pipe has ended), the run continues.
        with contextlib.suppress(OSError):
            print(text, file=self._stream, flush=True)
        self._last = time.monotonic()


def duration(seconds: float) -> str:
    """Format a duration: 8 s, 3 min 20 s, 2 h 5 min."""
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
