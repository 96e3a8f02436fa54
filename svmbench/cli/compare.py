"""``svmbench compare``: the costs from which two groups of stored runs stay at or below a target."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from svmbench.cli._output import tell
from svmbench.cli._parser import Parser, as_number
from svmbench.errors import UserError, write_csv
from svmbench.sweep.select import RUNS, chosen_groups

if TYPE_CHECKING:
    from svmbench.analysis.compare import Row
    from svmbench.store import StoredRun


def main(arguments: Sequence[str]) -> int:
    """Print a line per problem that both groups have."""
    given, rows = compared(arguments)
    if given.json:
        print(json.dumps({"cost": given.cost, "rows": [row.plain() for row in rows]}, indent=2))
    elif given.csv:
        write_csv(sys.stdout, list(rows[0].plain()), (row.plain().values() for row in rows))
    else:
        print(_text(rows, given.cost))
    return 0


def compared(arguments: Sequence[str]) -> tuple[Namespace, list[Row]]:
    """Return what was asked for, and a row per problem that both groups have; say what is left out."""
    parser = Parser(
        "compare",
        "Compare the costs from which two groups of runs stay at or below a target until their ends, on each "
        "problem that both have: the median ratio with a bootstrap interval over seeds, and a rank test with "
        "Holm's correction.",
    )
    for side in "AB":
        parser.add_argument(side.lower(), metavar=side, help=RUNS)
    add_target(parser, "the worse of the two medians of the last test errors")
    parser.add_argument("--csv", action="store_true", help="print CSV; unknown and unreached costs are empty")
    given = parser.parse_with_results(arguments)
    metric, targets = target_of(given.to)
    if len(targets) > 1:
        raise UserError(f"--to {given.to} gives {len(targets)} targets; compare takes one")

    from svmbench.analysis.compare import compare

    a, b = chosen_groups(given.results, [[given.a], [given.b]])
    target = targets[0] if targets else None
    rows, left_out = compare(a, b, given.cost, metric, target, seedless([*a, *b]))
    tell(left_out)
    return given, rows


def seedless(runs: Iterable[StoredRun]) -> frozenset[str]:
    """Return the solvers of some runs that make no random choices, among those installed."""
    from svmbench.solvers import registry

    known = {run.solver for run in runs} & set(registry.names())
    return frozenset(name for name in known if not registry.get(name).stochastic)


def add_target(parser: Parser, default: str) -> None:
    """Add the options for the target and the cost."""
    parser.add_argument(
        "--to",
        default="test_error",
        metavar="METRIC[=VALUE]",
        help="target, such as test_error=0.15 (errors are fractions) or relative_gap=1e-3; "
        f"by default {default}",
    )
    parser.add_argument(
        "--cost",
        default="kev_ondemand",
        metavar="COST",
        help="cost: a counter, iterations, wall_seconds or cpu_seconds; kev_ondemand by default",
    )


def target_of(text: str) -> tuple[str, list[float]]:
    """Return the metric and the values of ``METRIC=VALUE,...``; no values for a metric alone."""
    metric, equals, values = text.partition("=")
    found = [as_number(value) for value in values.split(",")] if equals else []
    if not all(0.0 <= value < float("inf") for value in found):
        raise UserError(
            f"--to {text} is not of the form METRIC=NUMBER with a number of at least 0: try test_error=0.15"
        )
    if metric.endswith("_error") and any(value > 1.0 for value in found):
        percent = ",".join(f"{value / 100.0:g}" for value in found)
        raise UserError(f"--to {text}: errors are fractions, at most 1; did you mean '{metric}={percent}'?")
    return metric, found


def _text(rows: Sequence[Row], cost: str) -> str:
    from svmbench.analysis.ranks import EXACT
    from svmbench.figures.tables import count, table

    header = ["problem", "A", "B", "target", "A pays", "B pays", "A / B", "95 %", "p (Holm)", "cheaper"]
    cells = [
        [
            row.problem, row.a, row.b, f"{row.metric} {row.target:.3g}",
            *(
                f"{count(paid)}{'' if reached == seeds else f' ({reached}/{seeds})'}"
                for paid, reached, seeds in (
                    (row.cost_a, row.reached_a, row.seeds_a), (row.cost_b, row.reached_b, row.seeds_b),
                )
            ),
            _ratio(row.ratio), "–" if row.low != row.low else f"{_ratio(row.low)} to {_ratio(row.high)}",
            "–" if row.holm != row.holm else f"{row.holm:.2g}", row.verdict,
        ]
        for row in rows
    ]  # fmt: skip
    verdicts = Counter(row.verdict for row in rows)
    said = ", ".join(
        f"{name if len(name) > 1 else name + ' is cheaper'} on {n}" for name, n in verdicts.items()
    )
    ratios = {
        "the median of the ratios seed by seed"
        if row.pairs > 1 or row.pairs == 1 < row.seeds_a
        else "the ratio of the medians"
        for row in rows
        if row.ratio == row.ratio
    }
    divided = f"\nA / B: {' or '.join(sorted(ratios))}, with a bootstrap interval." if ratios else ""
    tested = [row for row in rows if row.p == row.p]
    tests = {"signed-rank test over shared seeds" if row.pairs else "rank-sum test" for row in tested}
    exact = "exact " if all(max(row.pairs, row.seeds_a + row.seeds_b) <= EXACT for row in tested) else ""
    some = any(row.reached_a < row.seeds_a or row.reached_b < row.seeds_b for row in rows)
    partly = " (4/5): four of five seeds end at or below the target." if some else ""
    how = f"p: {exact}{' or '.join(sorted(tests))} (Wilcoxon), corrected after Holm." if tests else ""
    if any(row.constant in ("A", "B") for row in rows):
        how += " A solver without random choices has one run, which is paired with every seed."
    if len(tested) < len(rows):
        how += " Without p: neither solver makes random choices, so the counts are exact."
    return (
        f"{table(header, cells)}\n\nOf {len(rows)} problem{'s' * (len(rows) > 1)}: {said}.\n"
        f"Cost: {cost} from which a run stays at or below the target until its end, the median over seeds."
        f"{divided}\n{how.strip()}{partly}"
    )


def _ratio(value: float) -> str:
    return "–" if value != value else "not reached" if value == float("inf") else f"{value:.3g}"
