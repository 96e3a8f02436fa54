"""``svmbench run -m``: all jobs composed and checked first, then each in a process of its own, then a table.

Hydra starts the jobs, through `job`, so that any of its launchers can: what a job did is told by a file in
the sweep's folder and not by a return value, and a job that dies takes nobody with it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from svmbench.commands._hydra import start
from svmbench.errors import UserError
from svmbench.run.spawn import run_in_process

#: What the table calls a job's end.
_TABLE = {"done": "done", "found": "skipped"}


def sweep(overrides: Sequence[str], folders: Sequence[Path]) -> int:
    """Run every combination; return 0, 1 if any job failed, or 130 if interrupted."""
    from svmbench.config.compose import jobs
    from svmbench.run.signals import handling

    planned = jobs(overrides, folders)
    record = _begin(planned)
    print(f"{len(planned)} jobs, all valid; record in {record}", file=sys.stderr)
    interrupted = False
    with handling():
        try:
            start(job, ["--multirun", *overrides, f"hydra.sweep.dir='{record}'"], folders)
        except KeyboardInterrupt:
            interrupted = True
    return _summarise(record, interrupted)


def job(composed: Any) -> None:
    """Run one job of a sweep in a worker process and leave ``job.json``; called by a launcher of Hydra's."""
    from hydra.core.hydra_config import HydraConfig

    from svmbench.config.compose import plain

    folder = Path(HydraConfig.get().runtime.output_dir)
    number = int(HydraConfig.get().job.num)
    plan = json.loads((folder.parent / "plan.json").read_text(encoding="utf-8"))
    started = time.monotonic()
    ended, interrupted = run_in_process(plain(composed), folder / "log.txt")
    _put(folder / "job.json", ended)
    seconds = f"{time.monotonic() - started:.1f} s"
    state = _TABLE.get(ended["state"], ended["state"])
    print(f"[{number + 1}/{len(plan)}] {plan[number]}: {state}, {ended['reason']} ({seconds})", flush=True)
    if interrupted:
        raise KeyboardInterrupt


def _begin(planned: Sequence[tuple[list[str], dict[str, Any]]]) -> Path:
    """Make the sweep's folder with the plan: what tells each job from the others."""
    results = Path(planned[0][1]["results"])
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    record = results.absolute() / "sweeps" / name
    try:
        record.mkdir(parents=True)
    except OSError as error:
        raise UserError(
            f"results={results} cannot be used: {error.strerror}; give another results=DIR"
        ) from error
    common = set.intersection(*(set(overrides) for overrides, _ in planned))
    labels = [" ".join(text for text in overrides if text not in common) for overrides, _ in planned]
    _put(record / "plan.json", [label or "the only job" for label in labels])
    return record


def _summarise(record: Path, interrupted: bool) -> int:
    """Print the table of all jobs and return the exit code."""
    from svmbench.report.tables import table

    plan = json.loads((record / "plan.json").read_text(encoding="utf-8"))
    rows, states = [], Counter[str]()
    for number, label in enumerate(plan):
        try:
            ended = json.loads((record / str(number) / "job.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            ended = {
                "state": "not run" if interrupted else "failed",
                "reason": "it left no record",
                "run": None,
            }
        state = _TABLE.get(ended["state"], ended["state"])
        states[state] += 1
        rows.append((number + 1, label, state, ended["run"], ended["reason"]))
    print(table(("job", "overrides", "end", "run", "reason"), rows))
    print(", ".join(f"{count} {state}" for state, count in states.items()))
    if interrupted:
        return 130
    return 0 if set(states) <= {"done", "skipped"} else 1


def _put(path: Path, content: Any) -> None:
    """Write a JSON file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".part")
    draft.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    draft.replace(path)
