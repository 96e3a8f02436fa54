"""Plan of a sweep: its runs, composed and validated in advance, without duplicates and impossible runs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from svmbench.config import compose
from svmbench.config.validation import of_the_sweep
from svmbench.errors import UserError
from svmbench.files import digest
from svmbench.run_config import RunConfig
from svmbench.runner import prepare
from svmbench.runner.environment import available_bytes
from svmbench.runner.spawn import check_threads, cores
from svmbench.solvers import registry

_MIB = 1024 * 1024


@dataclass(frozen=True)
class Job:
    """One run of a sweep.

    Attributes
    ----------
    number : int
        Number from 0, in the order of the sweep.
    label : str
        The overrides that distinguish the job from the others.
    overrides : list of str
        All overrides of the run, with one value each.
    config : RunConfig
        The resolved configuration.
    """

    number: int
    label: str
    overrides: list[str]
    config: RunConfig


@dataclass(frozen=True)
class Plan:
    """Plan of a sweep.

    Attributes
    ----------
    jobs : list of Job
        The jobs, without duplicates.
    options : dict
        Options of the sweep: the keys of `svmbench.config.schema.Sweep`, and the launcher.
    duplicates : list of (str, str)
        Combinations that give the same run as an earlier one: their label, and that of the earlier one.
    impossible : list of (str, str)
        Combinations left out as impossible: their label, and the reason.
    folders : list of str
        The user's configuration folders, which the overrides may need.
    started : str
        The folder in which it was made, where relative paths of data begin.
    """

    jobs: list[Job]
    options: dict[str, Any]
    duplicates: list[tuple[str, str]] = field(default_factory=list)
    impossible: list[tuple[str, str]] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    started: str = ""


def make(
    overrides: Sequence[str], folders: Sequence[Path] = (), settings: Sequence[Sequence[str]] = ((),)
) -> Plan:
    """Return the plan of a sweep; for the parameters see `compose.jobs`.

    Raises
    ------
    UserError
        For an invalid combination, an impossible one unless ``skip=impossible``, or if the plan needs more
        processes, threads or memory than the machine has.
    """
    composed, options = compose.jobs(overrides, folders, settings)
    given = [of_the_run(job.overrides) for job in composed]
    labels = _labels(given)
    plan = Plan([], options, folders=list(map(str, folders)), started=os.getcwd())
    firsts: dict[tuple[str, int | None], str] = {}
    judged: dict[tuple[int, ...], tuple[str | None, str, bool]] = {}  # jobs that differ in the seed share all
    for label, overrides, job in zip(labels, given, composed, strict=True):
        same = tuple(id(value) for name, value in vars(job.config).items() if name != "seed")
        if same not in judged:
            judged[same] = impossible(job.config), *_key(job.config)
        reason, text, drawn = judged[same]
        if reason is not None:
            plan.impossible.append((label, reason))
            continue
        key = text, job.config.seed if drawn else None
        if key in firsts:
            plan.duplicates.append((label, firsts[key]))
        else:
            firsts[key] = label
            plan.jobs.append(Job(len(plan.jobs), label, overrides, job.config))
    if plan.impossible and options["skip"] != "impossible":
        label, reason = plan.impossible[0]
        raise UserError(
            f"{len(plan.impossible)} of {len(composed)} combinations are impossible, the first is {label}: "
            f"{reason}; or leave them out by skip=impossible"
        )
    if not plan.jobs:
        raise UserError("no combination is possible; svmbench solvers says what each solver needs")
    check_machine(plan)
    return plan


def check_machine(plan: Plan) -> None:
    """Raise a `UserError` if the plan requests more than the machine has."""
    if plan.options["launcher"]["name"] != "local":
        return  # the cluster checks its own machines
    threads = max(job.config.threads for job in plan.jobs)
    check_threads(threads)
    jobs = plan.options["jobs"]
    if jobs * threads > cores() and not plan.options["oversubscribe"]:
        raise UserError(
            f"jobs={jobs} times threads={threads} is more than the {cores()} cores of this machine: give "
            "fewer, or oversubscribe=true where timings do not matter"
        )
    memory = [job.config.budget.memory for job in plan.jobs]
    wanted = jobs * max((limit for limit in memory if limit is not None), default=0.0)
    if jobs > 1 and wanted * _MIB > available_bytes():
        raise UserError(
            f"jobs={jobs} times budget.memory={wanted / jobs:g} MiB is more than the "
            f"{available_bytes() // _MIB} MiB available: give fewer jobs, or budget.memory=NUMBER"
        )


def of_the_run(overrides: Sequence[str]) -> list[str]:
    """Return the overrides that do not belong to the sweep."""
    return [text for text in overrides if not of_the_sweep(text.partition("=")[0].lstrip("+"))]


def _labels(overrides: Sequence[Sequence[str]]) -> list[str]:
    """Return the label of each job: its overrides that not all jobs have."""
    common = set.intersection(*map(set, overrides))
    return [" ".join(text for text in job if text not in common) or "the only job" for job in overrides]


def _key(config: RunConfig) -> tuple[str, bool]:
    """Return a digest of the identity without the seed, and whether a run draws anything by its seed."""
    relevant = config.identity()
    relevant.pop("seed")
    drawn = config.features is not None or config.subset is not None
    return digest(relevant), drawn or registry.get(config.solver.name).stochastic


def impossible(config: RunConfig) -> str | None:
    """Return why a run is impossible (its solver is missing, or cannot solve the problem), or None."""
    solver = registry.get(config.solver.name)
    try:
        solver.release()
    except UserError as error:  # a package is not installed
        return str(error)
    return prepare.refusal(solver, config)
