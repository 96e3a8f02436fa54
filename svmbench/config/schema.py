"""Schemas of kernels, launchers and sweeps.

Sections with fixed keys are in `svmbench.run_config`, which also documents the ``metadata`` of fields.
Solvers, data sets and feature maps define their own schemas: ``Solver.Params``, `svmbench.data.schema`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


def _above_zero(default: Any = None) -> Any:
    return field(default=default, metadata={"above": 0})


@dataclass(frozen=True)
class Gaussian:
    """exp(-gamma |x - z|²); gamma None: the data set's default."""

    gamma: float | None = _above_zero()


@dataclass(frozen=True)
class Linear:
    """<x, z>."""


@dataclass(frozen=True)
class Polynomial:
    """(gamma <x, z> + coef0)^degree; positive semi-definite for coef0 of at least 0."""

    degree: int = field(default=3, metadata={"min": 1, "max": 1000})
    gamma: float = _above_zero(1.0)
    coef0: float = field(default=1.0, metadata={"min": 0})


@dataclass(frozen=True)
class NoFeatures:
    """The kernel itself, or the data for a linear solver."""


KERNELS: dict[str, type] = {"gaussian": Gaussian, "linear": Linear, "polynomial": Polynomial}


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


@dataclass(frozen=True)
class Slurm:
    """Jobs of a SLURM cluster; None stands for the cluster's default."""

    cluster: str = field(default="slurm", metadata={"choices": ("slurm", "local")})
    partition: str | None = None
    account: str | None = None
    qos: str | None = None
    minutes: float = _above_zero(60.0)
    memory: float | None = _above_zero()
    requeue: bool = True
    setup: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Ray:
    """Tasks of a Ray cluster; None stands for no limit, or no request."""

    address: str = "auto"
    minutes: float | None = _above_zero()
    memory: float | None = _above_zero()
    retries: int = field(default=0, metadata={"min": 0, "max": 100})


LAUNCHERS: dict[str, type] = {"local": Local, "slurm": Slurm, "ray": Ray}
