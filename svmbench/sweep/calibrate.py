"""Short trial runs, where no stored run tells how fast a solver is on some data."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable
from dataclasses import replace

from svmbench.errors import UserError
from svmbench.run_config import RunConfig
from svmbench.runner.environment import reset_peak_memory
from svmbench.runner.execute import execute
from svmbench.runner.progress import PlainLines
from svmbench.store import StoredRun
from svmbench.sweep.forecast import Forecast
from svmbench.sweep.pace import seconds
from svmbench.sweep.planning import Plan
from svmbench.sweep.worker import LastDataset

#: Seconds of training in one trial.
SECONDS = 2.0


def calibrate(plan: Plan, expected: Forecast, say: Callable[[str], None]) -> None:
    """Complete a forecast by one trial run per combination of solver, data set, kernel and features.

    Only combinations of unknown time are tried. The trial is the job itself, limited to `SECONDS`, and is not
    stored. If the budget limits a counter, the time is extrapolated in proportion to it. If a run only ends
    by convergence, and does not converge in the trial, its time remains unknown.

    Parameters
    ----------
    plan : Plan
        The plan of the jobs.
    expected : Forecast
        The forecast, which is completed in place.
    say : callable
        Receives a message per trial.
    """
    tried: dict[str, StoredRun | None] = {}
    load = LastDataset()
    for job in plan.jobs:
        if expected.states[job.number] == "stored" or job.number in expected.seconds:
            continue
        config = job.config
        kind = str([config.solver, config.dataset, config.kernel, config.features, config.precision])
        if kind not in tried:
            say(f"trying {job.label} for {SECONDS:g} s")
            tried[kind] = _trial(config, load, say)
        run = tried[kind]
        time = None if run is None else seconds(run, config.budget)
        if time is not None:
            expected.seconds[job.number] = time
        if run is not None and run.peak_memory is not None:
            expected.memory[job.number] = run.peak_memory


def _trial(config: RunConfig, load: LastDataset, say: Callable[[str], None]) -> StoredRun | None:
    """Make a run with a short limit and return it; None if it failed."""
    with tempfile.TemporaryDirectory(prefix="svmbench-") as folder:
        budget = replace(config.budget, seconds=SECONDS)
        short = replace(config, validate=None, budget=budget, results=folder)
        reset_peak_memory()
        try:
            run = execute(short, progress=PlainLines(io.StringIO()), load=load).run
        except UserError as error:
            say(f"no trial: {error}")
            return None
        return run if run is not None and run.complete else None
