"""The counters of a run; ledger, traces, budgets and axes are derived from this list.

docs/counting.md says what is charged to each. To add a counter, add it here and, at the same place, as a
field of `svmbench.kernels._ledger.Ledger`.
"""

from __future__ import annotations

from dataclasses import dataclass

from svmbench.errors import UserError, nearest


@dataclass(frozen=True)
class Counter:
    """One counter of the ledger, and a column of every trace.

    Attributes
    ----------
    name : str
        Field of the ledger, column of the trace, value of ``budget.counter``.
    label : str or None
        What it counts, for the axis of a figure; None for a counter that is not used to compare runs.
    """

    name: str
    label: str | None = None


#: In the order of the ledger's fields and the first columns of a trace. A, B, C as in docs/counting.md.
ALL = (
    Counter("iterations", "iterations"),
    Counter("kev_ondemand", "kernel evaluations, counted on demand (A)"),
    Counter("kev_rowupdate", "kernel evaluations, counted by row update (B)"),
    Counter("kev_iter", "kernel evaluations, counted per iteration (C)"),
    Counter("kev_computed", "kernel evaluations really computed"),
    Counter("inner_products", "inner products"),
    Counter("kev_setup"),
    Counter("kev_observation"),
    Counter("kev_prediction"),
    Counter("kev_discarded"),
)

#: Names of all counters.
FIELDS = tuple(counter.name for counter in ALL)

#: Labels by name of the counters that budgets and figures can use.
LABELS = {counter.name: counter.label for counter in ALL if counter.label is not None}

#: Names of these counters.
COUNTERS = tuple(LABELS)


def index_of(counter: str) -> int:
    """Return the position of a counter in the ledger; a `UserError` unless a budget can use it."""
    if counter not in COUNTERS:
        raise UserError(
            f"counter '{counter}' is unknown{nearest(counter, COUNTERS) or ':'} "
            f"the counters are {', '.join(COUNTERS)}"
        )
    return FIELDS.index(counter)
