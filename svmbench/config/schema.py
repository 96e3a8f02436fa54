"""The schema of a run: one dataclass per section, each field with its type and what is allowed.

Solver and data set parameters have their schema where they are used: ``Solver.Params`` and
`svmbench.data.schema`. The meaning, unit and reason of every default are the comments in ``conf/``. A field's
``metadata`` may hold ``min`` (smallest allowed), ``above`` (must be larger), ``max`` and ``choices`` (allowed
words).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from svmbench.counters import COUNTERS
from svmbench.problem import BIASES


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
    """The kernel itself, or for a linear solver the data."""


KERNELS: dict[str, type] = {"gaussian": Gaussian, "linear": Linear, "polynomial": Polynomial}


@dataclass(frozen=True)
class Suggested:
    """A data set's own values of ``kernel.gamma`` and ``problem.C``; None where no paper gives one."""

    gamma: float | None = _above_zero()
    C: float | None = _above_zero()


@dataclass(frozen=True)
class Problem:
    """What is minimised; both of lam and C None: C is the data set's default."""

    lam: float | None = _above_zero()
    C: float | None = _above_zero()
    bias: str = field(default="none", metadata={"choices": BIASES})


@dataclass(frozen=True)
class Budget:
    """When a run ends; None: no such limit, and for the counter the one of the solver's cost.

    ``kev=auto`` is no limit for a solver that converges to the optimum (``Solver.exact``), 1e8 for others.
    """

    name: str = "quick"
    counter: str | None = field(default=None, metadata={"choices": COUNTERS})
    kev: float | str | None = field(default=None, metadata={"above": 0, "choices": ("auto",)})
    iterations: int | None = field(default=None, metadata={"min": 1})
    seconds: float | None = _above_zero()
    memory: float | None = _above_zero()
    gap: float | None = _above_zero()
    test_error: float | None = field(default=None, metadata={"min": 0, "max": 1})


@dataclass(frozen=True)
class Observe:
    """How often a run is looked at, and whether on its training examples, too."""

    points: int = field(default=10, metadata={"min": 1, "max": 1000})
    train: bool = True


@dataclass(frozen=True)
class Validate:
    """k-fold cross-validation over the training examples; folds None: none."""

    folds: int | None = field(default=None, metadata={"min": 2})
    seed: int = field(default=0, metadata={"min": 0})


@dataclass(frozen=True)
class Data:
    """Where the data come from and lie."""

    mirror: str | None = None
    dir: str | None = None


@dataclass(frozen=True)
class Top:
    """The keys outside any section."""

    seed: int = field(default=0, metadata={"min": 0})
    threads: int = field(default=1, metadata={"min": 1})
    prefetch: bool = True
    precision: str = field(default="auto", metadata={"choices": ("auto", "single", "double")})
    results: str = "results"
    force: bool = False


@dataclass(frozen=True)
class Sweep:
    """The keys of a sweep, which are part of no run."""

    jobs: int = field(default=1, metadata={"min": 1})
    retry: str = field(default="failed", metadata={"choices": ("failed", "none")})
    skip: str = field(default="none", metadata={"choices": ("none", "impossible")})
    fail_fast: bool = False
    oversubscribe: bool = False


@dataclass(frozen=True)
class Local:
    """Worker processes of this machine."""


@dataclass(frozen=True)
class Slurm:
    """Jobs of a SLURM cluster; None: the cluster's default."""

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
    """Tasks of a Ray cluster; None: no limit, and nothing asked for."""

    address: str = "auto"
    minutes: float | None = _above_zero()
    memory: float | None = _above_zero()
    retries: int = field(default=0, metadata={"min": 0, "max": 100})


LAUNCHERS: dict[str, type] = {"local": Local, "slurm": Slurm, "ray": Ray}

SECTIONS: dict[str, type] = {
    "problem": Problem,
    "budget": Budget,
    "observe": Observe,
    "validate": Validate,
    "data": Data,
}
