"""``svmbench profile``: the fraction of problems that methods solve, against cost."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from svmbench.cli._output import tell
from svmbench.cli._parser import Parser, as_number, written
from svmbench.cli.compare import add_target, target_of
from svmbench.errors import UserError, write_csv
from svmbench.figures import FORMATS
from svmbench.sweep.select import RUNS, chosen

if TYPE_CHECKING:
    from svmbench.analysis.profiles import Profiles

#: Multiples of the least cost shown as columns of the table.
_FACTORS = (1.0, 2.0, 10.0)


def main(arguments: Sequence[str]) -> int:
    """Draw the profiles and print their table."""
    parser = Parser(
        "profile",
        "Draw data and performance profiles of methods that were run on the same problems: the share of "
        "cases solved against cost. A case is a problem and a target. It is solved at the cost from which a "
        "run stays at or below the target until its end.",
    )
    parser.add_argument("runs", nargs="+", metavar="RUNS", help=RUNS)
    add_target(
        parser,
        "three on each problem: 90, 99 and 99.9 %% of the way from the worst first value to the best end",
    )
    parser.add_argument("--tau", metavar="T,T", help="remaining fractions tau, 0.1,0.01,0.001 by default")
    parser.add_argument("-o", "--output", default="profile", metavar="PATH", help="path of the picture")
    parser.add_argument("--format", nargs="+", choices=FORMATS, help="that of PATH, or png, by default")
    parser.add_argument(
        "--csv", action="store_true", help="print the cost of each method in each case as CSV"
    )
    given = parser.parse_with_results(arguments)
    metric, targets = target_of(given.to)
    stem, formats = written(given.output, given.format, FORMATS)
    tolerances = _tolerances(given.tau) if given.tau else None
    if tolerances and targets:
        raise UserError(f"--to {given.to} gives the targets, and so does --tau: give one of them")

    from svmbench.analysis.picture import draw
    from svmbench.analysis.profiles import TOLERANCES, profiles

    runs = chosen(given.results, given.runs)
    found = profiles(runs, given.cost, metric, targets, tolerances or TOLERANCES)
    pictures = draw(found, stem, formats)
    tell(found.left_out)
    if given.json:
        print(json.dumps({"cost": found.cost, "metric": found.metric, "cases": _cases(found)}, indent=2))
    elif given.csv:
        cases = _cases(found)
        write_csv(sys.stdout, list(cases[0]), (case.values() for case in cases))
    else:
        print(_table(found), *pictures, sep="\n")
    return 0


def _tolerances(text: str) -> list[float]:
    found = [as_number(value) for value in text.split(",")]
    if not all(0.0 < value < 1.0 for value in found):
        raise UserError(f"--tau {text} is not allowed: give numbers between 0 and 1, such as 0.1,0.01")
    return found


def _cases(found: Profiles) -> list[dict[str, object]]:
    """Return a row per case and method; None if the target is not reached."""
    return [
        {
            "problem": problem,
            "target": target,
            "method": method,
            "cost": None if cost == float("inf") else float(cost),
            "ratio": None if ratio == float("inf") else float(ratio),
        }
        for number, (problem, target) in enumerate(found.cases)
        for (method, _), cost, ratio in zip(
            found.methods, found.costs[:, number], found.ratios[:, number], strict=True
        )
    ]


def _table(found: Profiles) -> str:
    import numpy as np

    from svmbench.analysis.profiles import share
    from svmbench.figures.tables import count, table

    header = ["method", "solved", *("cheapest" if f == 1 else f"within {f:g}x" for f in _FACTORS), "half at"]
    rows = []
    for (name, _), ratios, costs in zip(found.methods, found.ratios, found.scaled_costs, strict=True):
        shares = share(ratios, np.array(_FACTORS))
        half = float(np.sort(costs)[(costs.size - 1) // 2])
        solved = np.isfinite(costs).mean()
        rows.append([name, *(f"{100 * s:.0f} %" for s in (solved, *shares)), count(half)])
    per = " per training example" if (found.units != 1.0).any() else ""
    problems = len(dict.fromkeys(problem for problem, _ in found.cases))
    cases = len(found.cases)
    return (
        f"{table(header, rows)}\n\n{cases} case{'s' * (cases > 1)}: "
        f"{problems} problem{'s' * (problems > 1)}, targets of {found.metric}.\n"
        f"Cost: {found.cost}{per}, from which a run stays at or below the target until its end."
    )
