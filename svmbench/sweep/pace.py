"""How long a stored run would take under another budget; loads nothing that trains, for plans of figures."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from statistics import median

from svmbench.run_config import BudgetConfig
from svmbench.store import StoredRun


def expected(runs: Sequence[StoredRun], budget: BudgetConfig) -> tuple[float | None, float | None]:
    """Return the median time that runs would take under another budget, and their largest memory."""
    times = [one for run in runs if (one := seconds(run, budget)) is not None]
    memory = max((run.peak_memory for run in runs if run.peak_memory is not None), default=None)
    return median(times) if times else None, memory


def seconds(run: StoredRun, budget: BudgetConfig) -> float | None:
    """Return the time that a run would take under another budget, at its pace; None if nothing limits it."""
    elapsed = datetime.fromisoformat(str(run.ended)) - datetime.fromisoformat(run.started)
    taken, last = elapsed.total_seconds(), run.summary()
    if run.status in ("budget", "timeout") and (trained := last["wall_seconds"]):
        left = budget.left(last)  # below 0 if the other budget is smaller
        if left is None:
            return None
        taken = max(taken, trained)
        # Loading takes no longer with a larger budget.
        taken = min(taken + left, taken * (1.0 + left / trained))
    return taken if budget.seconds is None else min(taken, budget.seconds)
