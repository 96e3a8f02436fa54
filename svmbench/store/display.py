"""A stored run as three lines of text, and as a table for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from svmbench.errors import printable

if TYPE_CHECKING:
    from svmbench.store.runs import StoredRun

#: Costs of a run in words; that of its budget comes first.
_COSTS = {
    "kev_ondemand": "kernel evaluations (on demand)",
    "kev_rowupdate": "kernel evaluations (by row update)",
    "kev_iter": "kernel evaluations (per iteration)",
    "kev_computed": "kernel evaluations (computed)",
    "inner_products": "inner products",
}


def numbers(run: StoredRun) -> dict[str, str]:
    """Return the numbers of a run's last checkpoint, as texts by name."""
    value = run.value
    found: dict[str, str] = {}
    for key in ("test_error", "validation_error", "train_error"):
        if (error := value(key)) is not None and (key != "train_error" or not found):
            found[key.replace("train_", "training_").replace("_", " ")] = f"{100 * error:.2f} %"
    if (objective := value("primal_objective")) is not None:
        gap = value("relative_gap")
        found["objective"] = f"{objective:.6g}" + ("" if gap is None else f" (relative gap {gap:.1e})")
    if (vectors := value("support_vectors")) is not None:
        found["support vectors"] = f"{vectors:,d}"
    counter = run.config.budget.counter
    counter = counter if counter in _COSTS else "kev_ondemand"  # the budget may count iterations
    if (paid := value(counter)) is not None:
        found[_COSTS[counter]] = f"{paid:,d}"
    if (iterations := value("iterations")) is not None:
        found["iterations"] = f"{iterations:,d}"
    if (seconds := value("wall_seconds")) is not None:
        found["training time"] = f"{seconds:.3g} s"
    return found


def _end(run: StoredRun) -> str:
    """Return how a run ended, as the command line says it: a budget names itself in the reason."""
    state = "done" if run.status == "budget" else run.status
    return f"{state}, {run.reason}" if run.reason else state


def text(run: StoredRun) -> str:
    """Return a run in three lines: how it ended, its numbers, and their cost."""
    known = numbers(run)
    costs = {"iterations", "training time", *_COSTS.values()}
    found = ", ".join(f"{name} {number}" for name, number in known.items() if name not in costs)
    paid = ", ".join(
        number if name == "training time" else f"{number} {name}"
        for name, number in known.items()
        if name in costs
    )
    end = f"{run.id}: {_end(run)}"
    return "\n".join(printable(line) for line in (end, found or "no checkpoint", paid or "nothing paid"))


def html(run: StoredRun) -> str:
    """Return a run as a table for a notebook."""
    rows = {"end": _end(run), **numbers(run), "folder": str(run.path)}
    cells = "".join(
        f'<tr><th style="text-align: left">{escape(name)}</th>'
        f'<td style="text-align: left">{escape(printable(value))}</td></tr>'
        for name, value in rows.items()
    )
    return f"<table><caption>{escape(printable(run.id))}</caption><tbody>{cells}</tbody></table>"
