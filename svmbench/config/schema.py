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


def _above_zero(default: Any = None) -> Any:
    return field(default=default, metadata={"above": 0})


@dataclass(frozen=True)
class NoFeatures:
    """The kernel itself, or the data for a linear solver."""


@dataclass(frozen=True)
class Suggested:
    """Suggested ``kernel.gamma`` and ``problem.C`` of a data set; None if no paper gives a value."""

    gamma: float | None = _above_zero()
    C: float | None = _above_zero()


@dataclass(frozen=True)
class Sweep:
    """Options of a sweep, which are not part of a run."""

    jobs: int = field(default=1, metadata={"min": 1})
    retry: str = field(default="failed", metadata={"choices": ("failed", "none")})
    skip: str = field(default="none", metadata={"choices": ("none", "impossible")})
    fail_fast: bool = False
    oversubscribe: bool = False


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

    partition: str | None = None
    account: str | None = None
    qos: str | None = None
    reservation: str | None = None
    constraint: str | None = None
    nodelist: str | None = None
    exclude: str | None = None
    gres: str | None = None
    exclusive: bool = False
    minutes: float | str = field(default="auto", metadata={"above": 0, "choices": ("auto",)})
    memory: float | None = _above_zero()
    bundle: int | str = field(default="auto", metadata={"min": 1, "choices": ("auto",)})
    setup: list[str] = field(default_factory=list)
    options: dict[str, Any] | None = None
    solvers: dict[str, Any] | None = None

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

    address: str = "auto"
    minutes: float | None = _above_zero()
    memory: float | None = _above_zero()
    bundle: int | str = field(default="auto", metadata={"min": 1, "choices": ("auto",)})


LAUNCHERS: dict[str, type] = {"local": Local, "slurm": Slurm, "ray": Ray}
