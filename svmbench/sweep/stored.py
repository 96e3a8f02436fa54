"""Which runs of a plan are stored, by the store's index and the checksums of the data; reads no arrays."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from svmbench import data, features
from svmbench.data.subset import sampled_checksum
from svmbench.errors import UserError
from svmbench.files import digest
from svmbench.run_config import Document, RunConfig, relevant
from svmbench.runner.outcome import Outcome
from svmbench.runner.starting import named
from svmbench.solvers import registry
from svmbench.store import Store, StoredRun
from svmbench.store.identity import DERIVED, Identity, derived_from, identity, rounded, run_id
from svmbench.sweep.planning import Job, Plan

#: Numbers of a run in the table of a sweep, besides the counter of its budget.
NUMBERS = ("test_error", "validation_error", "primal_objective", "relative_gap", "iterations", "wall_seconds")


class JobDocument(TypedDict):
    """A job for a worker; ``log`` is the file to which it writes its progress."""

    number: int
    config: Document
    log: str


class JobEnd(TypedDict):
    """How a job ended, as workers report it and ``events.jsonl`` keeps it."""

    number: NotRequired[int]
    state: str
    reason: str
    run: str | None
    seconds: float
    numbers: dict[str, int | float | None]


def without_run(state: str, reason: str, seconds: float = 0.0) -> JobEnd:
    """Return the end of a job that has no stored run."""
    return {"state": state, "reason": reason, "run": None, "seconds": seconds, "numbers": {}}


def stored(plan: Plan, store: Store) -> tuple[dict[int, StoredRun], list[Job]]:
    """Find the stored run of each job that has one.

    Returns
    -------
    (dict of int to StoredRun, list of Job)
        Stored runs with exactly the identity of a job, by its number; they may have ended in any way. And the
        jobs whose identity is unknown before they run: because their data are not prepared yet, because a
        parameter ``auto`` depends on an optimum that is not stored, or because they start from a run that may
        have been repeated.
    """
    runs = store.runs()
    exact = {run.key: run for run in runs}
    derived: dict[str, list[StoredRun]] = {}
    started: dict[str, list[StoredRun]] = {}
    for run in runs:
        if run.facts["underived"] is not None:
            derived.setdefault(run.facts["underived"], []).append(run)
        if run.config.start is not None:
            started.setdefault(_without_start(run), []).append(run)
    checksums: dict[str, str | None] = {}
    found, unknown = {}, []
    for job in plan.jobs:
        name = _name(job.config, checksums, store)
        if name is None:
            unknown.append(job)
        elif job.config.start is not None or _derives(job.config):
            known, holds = (derived, _current) if job.config.start is None else (started, _since_its_start)
            same = [run for run in known.get(name, ()) if holds(run, store)]
            if same:
                found[job.number] = same[0]
            else:
                unknown.append(job)
        elif name in exact:
            found[job.number] = exact[name]
    return found, unknown


def likely(jobs: list[Job], store: Store) -> dict[int, StoredRun]:
    """Return, for a forecast, a stored run with the same configuration for each job of unknown identity."""
    found: dict[str, StoredRun] = {}
    for run in store.runs() if jobs else ():  # oldest first
        key = digest(relevant(run.document))
        if key not in found or run.complete or not found[key].complete:
            found[key] = run
    keys = {job.number: digest(job.config.identity()) for job in jobs}
    return {number: found[key] for number, key in keys.items() if key in found}


def end_of(config: RunConfig, outcome: Outcome, seconds: float = 0.0) -> JobEnd:
    """Return the end of a job with this outcome, as a worker reports it."""
    run = outcome.run
    summary = {} if run is None else run.summary()
    return {
        "state": outcome.state,
        "reason": outcome.reason,
        "run": None if run is None else run.id,
        "seconds": seconds,
        "numbers": {key: summary.get(key) for key in (*NUMBERS, config.budget.counter)},
    }


def _name(config: RunConfig, checksums: dict[str, str | None], store: Store) -> str | None:
    """Return the name of a run, ignoring derived parameters and its start; None if it is not known yet."""
    where, dataset = config.data.dir, config.dataset.document()
    key = digest([dataset, where])
    if key not in checksums:
        try:
            checksums[key] = data.known_checksum(dataset, directory=where)
        except UserError:  # the run will report it
            checksums[key] = None
    checksum = checksums[key]
    if checksum is None:
        return None
    if config.subset is not None:
        checksum = sampled_checksum(checksum, config.subset, config.seed)
    try:
        config = named(config, store)
    except UserError:  # the run will report it
        return None
    version = None if config.features is None else features.get(config.features.name).version
    return run_id(identity(config, checksum, registry.get(config.solver.name).release(), version))


def _without_start(run: StoredRun) -> str:
    """Return the name that a run would have without the fingerprint of its start."""
    identity: Identity = run.manifest["identity"].copy()
    identity.pop("start", None)
    return run_id(identity)


def _since_its_start(run: StoredRun, store: Store) -> bool:
    """Return whether the run from which it started has not been repeated since, so its start is the same."""
    ended = store.find(str(run.config.start)).ended
    return ended is not None and ended <= run.started


def _derives(config: RunConfig) -> bool:
    """Return whether a run derives a parameter from the optimum of its problem."""
    form = registry.get(config.solver.name).form
    return form in DERIVED and config.solver.parameters.get(DERIVED[form][1]) in (None, "auto")


def _current(run: StoredRun, store: Store) -> bool:
    """Return whether a run would derive the same parameters from the optimum as it is stored now."""
    optimum = store.optimum(str(run.manifest.get("optimum")))
    if optimum is None:
        return False
    used: dict[str, float] = run.manifest["identity"]["derived"]
    now = {key: derived_from(optimum, key) for key in used}
    return {key: None if value is None else rounded(value) for key, value in now.items()} == used
