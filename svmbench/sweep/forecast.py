"""Forecast of the missing runs of a plan from stored runs of the same solver and data."""

from __future__ import annotations

from dataclasses import dataclass

from svmbench.run_config import BudgetConfig
from svmbench.runner.progress import duration
from svmbench.store import Store, StoredRun
from svmbench.sweep.pace import expected
from svmbench.sweep.planning import Plan
from svmbench.sweep.stored import likely, stored


@dataclass(frozen=True)
class Forecast:
    """What is known about the jobs of a plan, by their numbers.

    Attributes
    ----------
    states : dict of int to str
        ``stored``, ``missing``, or how the stored run ended without a result.
    seconds : dict of int to float
        Expected wall time of missing runs, including loading of data and observations; no entry if unknown.
    memory : dict of int to float
        Expected peak memory of missing runs in MiB; no entry if unknown.
    """

    states: dict[int, str]
    seconds: dict[int, float]
    memory: dict[int, float]

    def sentence(self, jobs: int) -> str:
        """Return the forecast in one sentence, for ``jobs`` simultaneous runs."""
        missing = [number for number, state in self.states.items() if state != "stored"]
        total = len(self.states)
        text = f"{total} run{'s' * (total > 1)}: {total - len(missing)} stored, {len(missing)} to be made"
        known = [self.seconds[number] for number in missing if number in self.seconds]
        if known:
            text += f"; about {duration(sum(known) / min(jobs, len(known)))} for {len(known)} of them"
            text += f" with jobs={jobs}"
        if len(known) < len(missing):
            text += f"; unknown for {len(missing) - len(known)}: no comparable run is stored"
        largest = sorted(self.memory.values(), reverse=True)[:jobs]
        return text + (f"; at most {sum(largest):.0f} MiB at a time" if largest else "")


def forecast(plan: Plan, store: Store) -> Forecast:
    """Return the forecast of a plan from stored runs.

    The time of a run is the median of those that stored runs of the same solver and data set would take.
    """
    found, unknown = stored(plan, store)
    found |= likely(unknown, store)
    result = Forecast({}, {}, {})
    alike: dict[tuple[str, str], list[StoredRun]] = {}
    for other in store.runs():
        if other.complete and other.ended is not None:
            alike.setdefault((other.solver, other.dataset), []).append(other)
    known: dict[tuple[str, str, BudgetConfig], tuple[float | None, float | None]] = {}
    for job in plan.jobs:
        run = found.get(job.number)
        done = run is not None and run.complete and not job.config.force
        state = "missing" if run is None or run.complete else run.status
        result.states[job.number] = "stored" if done else state
        if done:
            continue
        solver, dataset, budget = job.config.solver.name, job.config.dataset.name, job.config.budget
        if (solver, dataset, budget) not in known:
            known[solver, dataset, budget] = expected(alike.get((solver, dataset), []), budget)
        seconds, memory = known[solver, dataset, budget]
        if seconds is not None:
            result.seconds[job.number] = seconds
        if memory is not None:
            result.memory[job.number] = memory
    return result
