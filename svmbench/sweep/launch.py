"""Launchers of a sweep's jobs: worker processes on this machine, or the engine of a cluster."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import math
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from svmbench.errors import UserError
from svmbench.store import Store
from svmbench.sweep.cluster import Bundle, Cluster
from svmbench.sweep.forecast import forecast
from svmbench.sweep.planning import Job, Plan
from svmbench.sweep.pool import Pool
from svmbench.sweep.stored import JobEnd

#: By ``auto``, a job may take so many times its longest run, so many minutes at least, or these if unknown.
_FACTOR, _LEAST, _UNKNOWN = 3.0, 5.0, 60.0

#: By ``auto``, the runs of a bundle take this share of its time by forecast, or so many seconds without a
#: limit. There are so many bundles for each simultaneous job, or fewer of so many seconds.
_SHARE, _SECONDS, _EACH, _SHORTEST = 0.25, 60.0, 4, 30.0


def check(options: Mapping[str, Any]) -> None:
    """Raise a `UserError` unless the engine of ``options["launcher"]`` is usable on this machine."""
    name = options["launcher"]["name"]
    if name == "ray" and importlib.util.find_spec("ray") is None:
        raise UserError("launcher=ray needs ray: pip install ray")
    if name == "slurm" and shutil.which("sbatch") is None:
        raise UserError("there is no sbatch on this machine: start the sweep on one that has it")
    if name == "slurm":
        for own in ({}, *(options["launcher"]["solvers"] or {}).values()):
            _check_minutes({**options["launcher"], **own})


def _check_minutes(chosen: Mapping[str, Any]) -> None:
    """Raise a `UserError` if jobs of SLURM ask for more time than their partition allows."""
    from svmbench.sweep.slurm import longest

    limit = longest(chosen["partition"])
    if chosen["minutes"] != "auto" and chosen["minutes"] > limit:
        where = f"partition {chosen['partition']}" if chosen["partition"] else "the default partition"
        raise UserError(
            f"launcher.minutes={chosen['minutes']:g} is more than the {limit:g} minutes that {where} allows: "
            f"give launcher.minutes={limit:g} or less, or launcher.minutes=auto"
        )


def launcher(plan: Plan, folder: Path) -> Pool | Cluster:
    """Return the launcher of a plan; the engine of a cluster is imported only if needed.

    Parameters
    ----------
    plan : Plan
        The plan; its options choose the launcher.
    folder : Path
        Folder of the sweep, as an absolute path, since other machines use it.

    Raises
    ------
    UserError
        If the cluster cannot be reached.
    """
    options = plan.options
    chosen, size = options["launcher"], options["jobs"]
    threads = max(job.config.threads for job in plan.jobs)
    if chosen["name"] == "local":
        return Pool(folder, size, threads, pin=not options["oversubscribe"])
    if chosen["name"] == "slurm":
        from svmbench.sweep.slurm import Slurm, longest

        return Cluster(folder, Slurm(folder, size), Bundler(plan, longest))
    from svmbench.sweep.on_ray import Ray

    return Cluster(folder, Ray(chosen, size, threads), Bundler(plan, lambda partition: math.inf))


def mixed(launcher: Mapping[str, Any]) -> Iterator[str]:
    """Yield a warning if the runs of a sweep may get nodes of several kinds, as far as SLURM tells."""
    if launcher["name"] != "slurm" or launcher["constraint"] or shutil.which("sinfo") is None:
        return
    from svmbench.sweep.slurm import kinds_of_nodes

    kinds = kinds_of_nodes(launcher)
    if len(kinds) > 1:
        each = "; ".join(
            f"{', '.join(nodes[:3])}{', ...' * (len(nodes) > 3)}: {kind}" for kind, nodes in kinds.items()
        )
        yield (
            f"the nodes differ ({each}): with another instruction set the last digits of results differ, and "
            "seconds cannot be compared; give launcher.constraint=FEATURE"
        )


@contextlib.contextmanager
def others(
    chosen: Mapping[str, Any], folder: Path
) -> Iterator[tuple[Callable[[], list[str]], Callable[[], None]]]:
    """Yield functions that start `svmbench.sweep.probe` elsewhere, returning names, and look after it."""
    program = [sys.executable, "-P", "-m", "svmbench.sweep.probe", str(folder)]
    if chosen["name"] == "slurm":
        from svmbench.sweep.slurm import Probe

        probe = Probe(folder, program, chosen)
        try:
            yield probe.start, probe.look
        finally:
            probe.close()
    elif chosen["name"] == "ray":
        from svmbench.sweep.on_ray import Ray

        engine = Ray(chosen, 2, 1)
        try:
            yield lambda: engine.probe(folder), lambda: None
        finally:
            engine.close()
    else:

        def start() -> list[str]:
            subprocess.run([*program, "here"], check=True)
            return ["here"]

        yield start, lambda: None


class Bundler:
    """Divides runs into bundles, by what their jobs ask for and by forecast times.

    The times are those of comparable stored runs, or else of runs of the sweep on the same data by the same
    solver. While both are unknown, there are only as many bundles as jobs run at a time.

    Parameters
    ----------
    plan : Plan
        The plan.
    longest : callable
        Returns the most minutes of a job in a partition.
    """

    def __init__(self, plan: Plan, longest: Callable[[str | None], float]) -> None:
        self._launcher = plan.options["launcher"]
        self._size = plan.options["jobs"]
        self._longest = functools.cache(longest)
        self._forecast = forecast(plan, Store(plan.jobs[0].config.results)).seconds
        self._made: dict[str, list[float]] = {}

    def learn(self, job: Job, end: JobEnd) -> None:
        """Receive the end of a run, whose time is that of others alike."""
        if end["state"] == "done":
            self._made.setdefault(_alike(job), []).append(end["seconds"])

    def divided(self, jobs: Sequence[Job]) -> list[Bundle]:
        """Return bundles of runs that ask for the same; in each, those on one data set are together."""
        groups: dict[str, tuple[dict[str, Any], list[Job]]] = {}
        for job in jobs:
            own = (self._launcher.get("solvers") or {}).get(job.config.solver.name, {})
            options = {**self._launcher, **own, "solvers": None, "threads": job.config.threads}
            groups.setdefault(repr(options), (options, []))[1].append(job)
        return [bundle for options, some in groups.values() for bundle in self._of_a_group(options, some)]

    def _of_a_group(self, options: dict[str, Any], jobs: Sequence[Job]) -> list[Bundle]:
        means = {key: sum(made) / len(made) for key, made in self._made.items()}
        seconds = {job.number: self._forecast.get(job.number, means.get(_alike(job))) for job in jobs}
        expected = [one for one in seconds.values() if one is not None]
        unknown = len(expected) < len(jobs)
        if options["minutes"] == "auto":
            minutes = _UNKNOWN if unknown else max(_LEAST, _FACTOR * max(expected) / 60.0)
            options = {**options, "minutes": min(math.ceil(minutes), self._longest(options["partition"]))}
        limit = None if options["minutes"] is None else 60.0 * options["minutes"]
        total = sum(expected) / self._size
        most = _SECONDS if limit is None else _SHARE * limit
        most = min(most, max(total / _EACH, min(total, _SHORTEST)))
        bundles: list[Bundle] = []
        spent = math.inf
        for job in sorted(jobs, key=lambda job: repr(job.config.dataset)):
            longer = math.inf if (known := seconds[job.number]) is None else known
            if options["bundle"] == "auto":
                full = spent + longer > most
            else:
                full = not bundles or len(bundles[-1].jobs) == options["bundle"]
            if full:
                bundles.append(Bundle([], options, limit))
                spent = 0.0
            bundles[-1].jobs.append(job)
            spent += longer
        return bundles[: self._size] if unknown and options["bundle"] == "auto" else bundles


def _alike(job: Job) -> str:
    """Return a name for runs that are expected to take equally long."""
    return f"{job.config.solver.name} {job.config.dataset} {job.config.budget}"
