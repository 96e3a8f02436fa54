"""Result of a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from svmbench.store import StoredRun

if TYPE_CHECKING:
    from svmbench.data import Dataset

_CODES = {"done": 0, "found": 0, "failed": 1, "refused": 2, "interrupted": 130}


def ended(state: str, reason: str) -> str:
    """Return a text on how a run ended: ``done, REASON``, or only the reason if it names the state."""
    return reason if reason.startswith(state) else f"{state}, {reason}"


@dataclass(frozen=True)
class Outcome:
    """Result of a run.

    Attributes
    ----------
    run : StoredRun or None
        The run; None if it ended before it was stored.
    state : str
        ``done`` (a result), ``found`` (stored before, not repeated), ``refused``, ``failed`` (also out of
        memory) or ``interrupted``.
    reason : str
        One sentence.
    data : Dataset or None
        Its data set; None unless it was trained just now.
    predict : callable or None
        Its decision function, from rows, shape (m, d), to scores, shape (m,); None likewise.
    """

    run: StoredRun | None
    state: str
    reason: str
    data: Dataset | None = None
    predict: Callable[[Any], NDArray[np.float64]] | None = None

    @property
    def ended(self) -> str:
        """How it ended, for people."""
        return ended(self.state, self.reason)

    @property
    def code(self) -> int:
        """Exit code of the command."""
        return _CODES[self.state]

    @classmethod
    def of(cls, run: StoredRun, **known: Any) -> Outcome:
        """Return the outcome of a run made just now; `known` sets the other attributes."""
        kept = run.status in ("refused", "interrupted")
        return cls(run, "done" if run.complete else run.status if kept else "failed", run.reason, **known)

    @classmethod
    def found(cls, run: StoredRun) -> Outcome:
        """Return the outcome of a run that was stored before."""
        return cls(run, "found", f"stored before: {ended(run.status, run.reason)}")
