"""Schemas of launchers and sweeps.

Sections with fixed keys are in `svmbench.run_config`, which also documents the ``metadata`` of fields.
Solvers, kernels, data sets and feature maps define their own schemas: ``Solver.Params``,
`svmbench.data.schema`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from svmbench.errors import UserError
from svmbench.option import option


@dataclass(frozen=True)
class NoFeatures:
    """The kernel itself, or the data for a linear solver."""


@dataclass(frozen=True)
class Suggested:
    """Suggested ``kernel.gamma`` and ``problem.C`` of a data set; None if no paper gives a value."""

    gamma: float | None = field(default=None, metadata={"above": 0})
    C: float | None = field(default=None, metadata={"above": 0})


@dataclass(frozen=True)
class Sweep:
    """Options of a sweep, which are not part of a run."""

    jobs: int = option(
        1,
        "Number of simultaneous runs, each in its own process; jobs times threads is at most the number of "
        "cores.",
        min=1,
    )
    retry: str = option(
        "failed",
        "Which stored runs are repeated. failed: those that failed, were interrupted or were killed. none: "
        "none of them. A run that ended regularly is never repeated without force=true.",
        choices=("failed", "none"),
    )
    skip: str = option(
        "none",
        "What to do about impossible combinations, such as a linear solver with a Gaussian kernel. none: "
        "refuse the sweep. impossible: leave them out.",
        choices=("none", "impossible"),
    )
    fail_fast: bool = option(
        False, "End the sweep at the first run that fails. Off, so that one bad setting costs one run."
    )
    oversubscribe: bool = option(
        False,
        "Allow jobs times threads above the number of cores. Off, because runs that wait for each other are"
        " slow and their times are wrong.",
    )


@dataclass(frozen=True)
class Local:
    """Worker processes on this machine."""


#: Options of ``sbatch`` that are not free, and what sets them.
_SET = {
    **{name: f"launcher.{name}" for name in ("partition", "account", "qos", "reservation", "constraint")},
    **{name: f"launcher.{name}" for name in ("nodelist", "exclude", "gres", "exclusive")},
    "time": "launcher.minutes",
    "mem": "launcher.memory",
    "cpus-per-task": "threads",
    "array": "launcher.bundle",
    "wrap": "launcher.setup",
    **dict.fromkeys(("job-name", "output", "error", "open-mode", "chdir", "parsable", "signal"), "svmbench"),
}


@dataclass(frozen=True)
class Slurm:
    """Jobs of a SLURM cluster; None stands for the cluster's default.

    ``options`` are further options of ``sbatch``: a value, true for an option without one. ``solvers`` maps
    names of solvers to keys of this section whose values differ for their runs.
    """

    partition: str | None = option(None, "Partition; null: the cluster's default.")
    account: str | None = option(None, "Account that the time is charged to; null: the user's default.")
    qos: str | None = option(None, "Quality of service; null: the cluster's default.")
    reservation: str | None = option(None, "Reservation whose nodes are used; null: none.")
    constraint: str | None = option(
        None,
        "Features that a node must have, such as avx512. Results are identical only on equal instruction "
        "sets; null: any node.",
    )
    nodelist: str | None = option(None, "Nodes that may be used; null: all of the partition.")
    exclude: str | None = option(None, "Nodes that are not used; null: none.")
    gres: str | None = option(None, "Generic resources, such as gpu:1; null: none.")
    exclusive: bool = option(False, "Whether a job has its node to itself, as timings need.")
    minutes: float | str = option(
        "auto",
        "Limit on the wall time of a job in minutes, including data and observation. Near the limit a run "
        "stores its state. auto: three times the forecast by stored runs, 60 without one, at most what the "
        "partition allows.",
        above=0,
        choices=("auto",),
    )
    memory: float | None = option(
        None,
        "Memory of a job in MiB; more than budget.memory and the data take. null: the partition's default.",
        above=0,
    )
    bundle: int | str = option(
        "auto",
        "Runs that a job makes one after the other. auto: as many as take a quarter of its time by the "
        "forecast, 1 without one.",
        min=1,
        choices=("auto",),
    )
    setup: list[str] = option([], "Shell commands before each job, such as [module load python].")
    options: dict[str, Any] | None = option(
        None, "Further options of sbatch, such as {nice: 100, contiguous: true}; null: none."
    )
    solvers: dict[str, Any] | None = option(
        None,
        "Keys of this group that differ for the runs of some solvers, such as {sklearn_svc: {memory: 8000}}; "
        "null: none.",
    )

    def __post_init__(self) -> None:
        for name, value in (self.options or {}).items():
            given = f"launcher.options={{{name}: {value}}} is not allowed: "
            if name in _SET:
                raise UserError(given + f"it is set by {_SET[name]}")
            if not re.fullmatch("[a-z][a-z0-9-]+", str(name)):
                raise UserError(given + "give long options of sbatch, without the dashes")
            if not isinstance(value, str | int | float):
                raise UserError(given + "give text, a number, or true for an option without a value")


@dataclass(frozen=True)
class Ray:
    """Tasks of a Ray cluster; None stands for no limit, or no request."""

    address: str = option(
        "auto",
        "HOST:PORT of the head node. auto: the cluster that this machine belongs to. local: a cluster of "
        "this machine alone, started for the sweep.",
    )
    minutes: float | None = option(
        None,
        "Limit on the wall time of a task in minutes; null: no limit. Near the limit a run stores its state.",
        above=0,
    )
    memory: float | None = option(
        None, "Memory in MiB that a node must have free for a task; null: not asked for.", above=0
    )
    bundle: int | str = option(
        "auto",
        "Runs that a task makes one after the other. auto: as many as take a minute by the forecast, 1 "
        "without one.",
        min=1,
        choices=("auto",),
    )


LAUNCHERS: dict[str, type] = {"local": Local, "slurm": Slurm, "ray": Ray}
