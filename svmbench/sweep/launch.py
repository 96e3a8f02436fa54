"""Launchers of a sweep's jobs: worker processes on this machine, or the engine of a cluster."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from svmbench.errors import UserError
from svmbench.sweep.cluster import Cluster
from svmbench.sweep.planning import Plan
from svmbench.sweep.pool import Pool

#: What an engine requires: a package, whose module has the same name, and a program.
_NEEDS = {"slurm": ("submitit", "sbatch"), "ray": ("ray", None)}


def check(options: Mapping[str, Any]) -> None:
    """Raise a `UserError` unless the engine of ``options["launcher"]`` is usable on this machine."""
    chosen = options["launcher"]
    if chosen["name"] == "local":
        return
    package, program = _NEEDS[chosen["name"]]
    if importlib.util.find_spec(package) is None:
        raise UserError(
            f"launcher={chosen['name']} needs {package}: pip install 'svmbench[{chosen['name']}]'"
        )
    if program is not None and chosen["cluster"] != "local" and shutil.which(program) is None:
        raise UserError(
            f"there is no {program} on this machine: start the sweep on one that has it, or try it by "
            "launcher.cluster=local"
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
    options, threads = plan.options, max(job.config.threads for job in plan.jobs)
    chosen = options["launcher"]
    if chosen["name"] == "local":
        return Pool(folder, options["jobs"], threads, pin=not options["oversubscribe"])
    if chosen["name"] == "slurm":
        from svmbench.sweep.slurm import Slurm

        return Cluster(folder, Slurm(folder / "submitit", chosen, options["jobs"], threads))
    from svmbench.sweep.on_ray import Ray

    return Cluster(folder, Ray(chosen, options["jobs"], threads))
