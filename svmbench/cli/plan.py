"""``svmbench plan``: preview of a sweep."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from svmbench.cli._parser import Parser
from svmbench.config import folder


def main(arguments: Sequence[str]) -> int:
    """Print how many runs are stored and missing, and the estimated cost of the missing ones."""
    given = _parser().parse_intermixed_args(arguments)

    from svmbench.store import Store
    from svmbench.sweep import forecast, launch, planning

    plan = planning.make(given.overrides, folder.user_folders(given.config_dir))
    store = Store(plan.jobs[0].config.results)
    expected = forecast.forecast(plan, store)
    if given.calibrate:
        from svmbench.sweep.calibrate import calibrate

        calibrate(plan, expected, lambda line: print(line, file=sys.stderr))
    if given.json:
        print(json.dumps(_document(plan, expected), indent=2))
        return 0
    from svmbench.cli._sweep import tell_left_out
    from svmbench.figures.tables import table
    from svmbench.runner.progress import duration

    tell_left_out(plan)
    rows = []
    for job in plan.jobs:
        state = expected.states[job.number]
        seconds, memory = expected.seconds.get(job.number), expected.memory.get(job.number)
        time = "" if state == "stored" else "unknown" if seconds is None else duration(seconds)
        rows.append((job.number + 1, job.label, state, time, None if memory is None else f"{memory:.0f} MiB"))
    print(table(("job", "overrides", "state", "expected time", "memory"), rows))
    print(expected.sentence(plan.options["jobs"]))
    for warning in launch.mixed(plan.options["launcher"]):
        print(warning, file=sys.stderr)
    missing = [number for number, state in expected.states.items() if state != "stored"]
    if not given.calibrate and any(number not in expected.seconds for number in missing):
        print("--calibrate tries them for two seconds each")
    return 0


def _parser() -> Parser:
    parser = Parser(
        "plan",
        "Preview svmbench run -m with the same arguments: stored and missing runs, and estimates of time and "
        "memory from stored runs of the same solver and data.",
    )
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="as for svmbench run -m")
    parser.add_argument("--config-dir", metavar="DIR", help="folder with options of your own")
    parser.add_argument(
        "--calibrate",
        action="store_true",
        help="train 2 s of each combination of solver and data set without a stored run",
    )
    parser.add_json()
    return parser


def _document(plan: Any, expected: Any) -> dict[str, object]:
    """Return the plan as one object, for programs."""
    jobs = [
        {
            "job": job.number + 1,
            "overrides": job.label,
            "state": expected.states[job.number],
            "seconds": expected.seconds.get(job.number),
            "memory": expected.memory.get(job.number),
        }
        for job in plan.jobs
    ]
    return {"jobs": jobs, "duplicates": plan.duplicates, "impossible": plan.impossible}
