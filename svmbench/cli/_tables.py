"""The numbers of a run as aligned text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from svmbench.counters import COUNTERS

#: Basis of bounds of the gap without all responses in double precision.
_KINDS = {"rounding": ", by rounding analysis", "confidence": ", with probability 1 - 1e-9"}

_COUNTERS = tuple(name for name in COUNTERS if name != "iterations")


def number(value: Any, form: str = ",d") -> str:
    """Return a formatted number, or a dash if unknown."""
    return "-" if value is None else format(value, form)


def percent(value: float | None) -> str:
    """Return a fraction as a percentage, or a dash if unknown."""
    return "-" if value is None else f"{100 * value:.2f} %"


def last_checkpoint(summary: Mapping[str, Any]) -> str:
    """Return the table shown at the end of a run, from `StoredRun.summary`."""
    error, gap = percent(summary["test_error"]), ""
    if summary["test_mistakes"] is not None:
        error += f"  ({summary['test_mistakes']:,d} mistakes)"
    if summary["relative_gap"] is not None:
        gap = f"{summary['relative_gap']:.1e}{_KINDS.get(summary['precision'], '')}"
    rows = {"test error": error}
    if summary["validation_error"] is not None:
        rows["validation error"] = percent(summary["validation_error"])
    rows["training error"] = percent(summary["train_error"])
    if summary["primal_objective"] is not None:
        rows["objective"] = number(summary["primal_objective"], ".6g")
        rows["dual objective"] = number(summary["dual_objective"], ".6g")
        rows["duality gap"] = number(summary["duality_gap"], ".3e") + (gap and f"  (relative {gap})")
    elif gap:  # the largest of several binary problems
        rows["relative gap"] = gap.replace("with probability", "each with probability")
    rows |= {counter: number(summary[counter]) for counter in (*_COUNTERS, "iterations")}
    rows["support vectors"] = number(summary["support_vectors"])
    rows["wall seconds"] = number(summary["wall_seconds"], ".2f")
    rows["CPU seconds"] = number(summary["cpu_seconds"], ".2f")
    return "\n".join(f"  {name:<16} {text}" for name, text in rows.items())
