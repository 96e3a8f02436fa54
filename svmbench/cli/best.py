"""``svmbench best``: the best setting of a sweep."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from svmbench.cli._parser import Parser
from svmbench.config import folder
from svmbench.errors import UserError, command
from svmbench.run_config import role

if TYPE_CHECKING:
    from svmbench.sweep.planning import Job
    from svmbench.sweep.stored import JobEnd

#: Criteria for settings, smaller is better.
_BY = ("validation_error", "test_error", "primal_objective", "relative_gap", "wall_seconds")


def main(arguments: Sequence[str]) -> int:
    """Print the settings of a sweep, best first, and the command for the best."""
    parser = Parser(
        "best",
        "Rank the settings of a sweep by the median over seeds, smallest first. Choose by validation_error: "
        "a test error should only be reported.",
    )
    parser.add_sweep()
    parser.add_argument("--by", choices=_BY, default=_BY[0], help=f"criterion, {_BY[0]} by default")
    given = parser.parse_with_results(arguments)

    from svmbench.cli._output import percent
    from svmbench.figures.tables import table
    from svmbench.sweep.record import FINISHED, Record

    record = Record.find(Path(given.results), given.sweep)
    plan, ends = record.plan(), record.ends()
    jobs = plan.jobs
    done = {n: end for n, end in ends.items() if n in range(len(jobs)) and end["state"] in FINISHED}
    if not done:
        raise UserError(
            f"no run of sweep {record.name} has a result yet: {record.command('status')} says why, and "
            "how to continue"
        )
    ranked = _ranked(jobs, done, given.by)
    if ranked and given.by == "primal_objective" and not _share_an_objective(jobs, done):
        raise UserError(
            f"the objectives of sweep {record.name} are those of different problems, which do not compare: "
            f"give --by {' or '.join(by for by in _BY if by != given.by)}"
        )
    if not ranked:
        more = ": repeat it with validate.folds=5, or with data that have a validation set"
        if _share_an_objective(jobs, done):
            more += f"; {record.command('best')} --by primal_objective ranks what it has"
        more = more if given.by == _BY[0] else ""
        raise UserError(f"no run of sweep {record.name} has a {given.by}{more}")
    own = folder.option(plan.folders)
    commands = {
        one["dataset"]: command(shlex.join(["run", *own, *one["overrides"]]), record.results)
        for one in reversed(ranked)
    }
    first = commands[ranked[0]["dataset"]]
    commands = {name: commands[name] for name in dict.fromkeys(one["dataset"] for one in ranked)}
    ended = dict.fromkeys(job.config.dataset.name for job in jobs if job.number in done)
    lacking = [name for name in ended if name not in commands]
    if given.json:
        about = {"sweep": record.name, "by": given.by, "command": first, "settings": ranked}
        print(json.dumps(about, indent=2))
        return 0
    number = percent if given.by.endswith("_error") else lambda value: value
    shown = [
        (one["setting"], number(one["median"]), one["runs"], number(one["low"]), number(one["high"]))
        for one in ranked
    ]
    if len(done) < len(jobs):
        missing = f"{len(jobs) - len(done)} of {len(jobs)} runs have no result yet"
        print(f"{missing}; see: {record.command('status')}", file=sys.stderr)
    for name in lacking:
        reason = ", which needs a validation set or validate.folds=5" if given.by == _BY[0] else ""
        print(f"no run on {name} has a {given.by}{reason}", file=sys.stderr)
    print(table(("setting", given.by, "runs", "least", "most"), shown))
    for name, words in commands.items():
        print(f"best{f' on {name}' if len(commands) > 1 else ''}     {words}")
    return 0


def _share_an_objective(jobs: Sequence[Job], done: Mapping[int, JobEnd]) -> bool:
    """Return whether runs have objectives, on each data set of one problem: others are not comparable."""
    posed: dict[str, Any] = {}
    for job in jobs:
        if job.number not in done or done[job.number]["numbers"].get("primal_objective") is None:
            continue
        known = {key: value for key, value in job.config.document().items() if role(key) == "problem"}
        drawn = job.config.features is not None or job.config.subset is not None
        problem = (known, job.config.seed if drawn else None)
        if posed.setdefault(job.config.dataset.name, problem) != problem:
            return False
    return bool(posed)


def _ranked(jobs: Sequence[Job], done: Mapping[int, JobEnd], by: str) -> list[dict[str, Any]]:
    """Return the settings, without seeds, ranked by the median of the criterion."""
    found: dict[str, list[float]] = {}
    sets: dict[str, str] = {}
    commands: dict[str, list[str]] = {}
    for job in jobs:
        value = done[job.number]["numbers"].get(by) if job.number in done else None
        if value is not None:
            setting = " ".join(text for text in job.label.split(" ") if not text.startswith("seed="))
            found.setdefault(setting, []).append(value)
            sets[setting] = job.config.dataset.name
            commands[setting] = [text for text in job.overrides if not text.startswith(("seed=", "results="))]
    settings = [
        {
            "setting": setting or "the only one",
            "dataset": sets[setting],
            "overrides": commands[setting],
            "median": median(values),
            "runs": len(values),
            "low": min(values),
            "high": max(values),
        }
        for setting, values in found.items()
    ]
    return sorted(settings, key=lambda one: one["median"])
