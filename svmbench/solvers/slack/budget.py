"""The slack budget ν as a parameter of a solver."""

from __future__ import annotations

import math
from dataclasses import field
from typing import Any

from svmbench.errors import UserError
from svmbench.problem import Problem


def nu_field() -> Any:
    """Return the field ``nu`` of a solver's parameters: a number, or ``auto``."""
    help = (
        "Slack budget per example, in units of the data. auto: derived from the optimum of the regularised "
        "problem, which is computed once and stored, so that all solvers solve the same problem."
    )
    return field(default="auto", metadata={"min": 0.0, "choices": ("auto",), "help": help})


def given_nu(problem: Problem, nu: float | str) -> float:
    """Return ν: the parameter, or for ``auto`` that of the problem.

    Raises
    ------
    UserError
        If it is not known, negative or not finite.
    """
    value = problem.nu if isinstance(nu, str) else nu
    if value is None:
        raise UserError("solver.nu=auto needs a problem whose nu is known: give solver.nu=NUMBER")
    if not (value >= 0.0 and math.isfinite(value * problem.n)):
        raise UserError(f"solver.nu={value} is not allowed: give a number of at least 0, or auto")
    return value
