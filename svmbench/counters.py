"""The counters of a run, once: ledger, traces, budgets and axes all follow from this list.

What each is charged is written in docs/counting.md. A counter is added here and as a field of
`svmbench.kernels._ledger.Ledger`, at the same place.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Counter:
    """One counter of the ledger, and a column of every trace.

    Attributes
    ----------
    name : str
        Field of the ledger, column of the trace, value of ``budget.counter``.
    label : str or None
        What it counts, as on the axis of a figure; None for a counter that runs are not compared by.
    """

    name: str
    label: str | None = None


#: In the order of the ledger's fields and of the trace's first columns. A, B, C as in docs/counting.md.
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

#: The names of all.
FIELDS = tuple(counter.name for counter in ALL)

#: Name to label of those that a run may be advanced by, stopped at and compared by.
LABELS = {counter.name: counter.label for counter in ALL if counter.label is not None}

#: Their names.
COUNTERS = tuple(LABELS)
