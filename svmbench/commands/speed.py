"""``svmbench speed``: what this machine can do, and what the kernel rows reach of it."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from svmbench.commands._parser import Parser

_ACTIONS = {
    "machine": "the limits of one core: memory, popcount, products, exp, sgemm",
    "rows": "kernel values a second on each storage layout, and the part of the limit",
}


def main(arguments: Sequence[str]) -> int:
    """Measure one thing, print it as a table or JSON, and store it."""
    parser = Parser(
        "speed",
        "Measure speed on one thread and store it below speed/ in the results folder: "
        + "; ".join(f"{name}: {text}" for name, text in _ACTIONS.items())
        + ". The best of repeated measurements counts.",
    )
    parser.add_argument("action", choices=_ACTIONS, help="what to measure")
    parser.add_json()
    parser.add_results()
    given = parser.parse_args(arguments)

    from svmbench.speed import machine, record

    limits = machine.measure()
    measured: dict[str, Any] = {"limits": limits.as_dict()}
    header: tuple[str, ...] = ("limit", "rate", "unit")
    lines: list[tuple] = list(limits.lines())
    if given.action == "rows":
        from svmbench.speed import rows

        rates = rows.measure(limits, say=lambda line: print(line, file=sys.stderr))
        measured["rows"] = [{**vars(rate), "fraction": rate.fraction} for rate in rates]
        header = ("data", "layout", "rows", "columns", "block", "million values/s", "limit", "of the limit")
        lines = [
            (rate.data, rate.layout, rate.n, rate.d, rate.block, rate.values_per_second / 1e6,
             rate.limit / 1e6, f"{100 * rate.fraction:.0f} %")
            for rate in rates
        ]  # fmt: skip
    path = record.save(given.results, given.action, measured)
    if given.json:
        print(json.dumps(measured, indent=2, allow_nan=False))
        return 0

    from svmbench.report.tables import table

    print(table(header, lines))
    print(f"one thread, instruction set {limits.isa}; stored in {path}")
    return 0
