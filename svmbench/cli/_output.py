"""What several commands print: the numbers of a run, JSON, long text, and what was left out."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from svmbench.counters import COUNTERS
from svmbench.errors import printable

#: Basis of bounds of the gap without all responses in double precision.
_KINDS = {"rounding": ", by rounding analysis", "confidence": ", with probability 1 - 1e-9"}

_COUNTERS = tuple(name for name in COUNTERS if name != "iterations")

#: Most reasons given.
_REASONS = 6


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


def print_array(documents: Iterable[Mapping[str, Any]]) -> None:
    """Print documents as one array, each as soon as it is made: all at once could take gigabytes."""
    before = "["
    for document in documents:
        text = json.dumps(document, indent=2, allow_nan=False)
        print(before + "\n  " + text.replace("\n", "\n  "), end="")
        before = ","
    print("[]" if before == "[" else "\n]")


def paged(text: str) -> None:
    """Print a text; if it does not fit the terminal, by ``PAGER`` or ``less``."""
    import shutil

    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if not on_terminal or text.count("\n") + 2 <= shutil.get_terminal_size().lines:
        print(text)
        return
    import pydoc

    os.environ.setdefault("LESS", "FSX")  # exit if the text fits, cut lines, keep the text on the screen
    pydoc.pager(text + "\n")


def tell(left_out: Iterable[tuple[str, str]], rest: str = "") -> None:
    """Print why runs or problems were left out, a line per reason; ``rest`` says how to see the others."""
    reasons: dict[str, list[str]] = {}
    for name, reason in dict.fromkeys(left_out):
        reasons.setdefault(reason, []).append(name)
    for reason, (first, *others) in list(reasons.items())[:_REASONS]:
        more = f" and {len(others)} more" if others else ""
        print(printable(f"left out: {first}{more}: {reason}"), file=sys.stderr)
    unsaid = sum(map(len, list(reasons.values())[_REASONS:]))
    if unsaid:
        print(f"left out, {unsaid} more{rest}", file=sys.stderr)
