"""The slack budget ν as a parameter of a solver."""

from __future__ import annotations

import math

from svmbench.errors import UserError
from svmbench.option import option
from svmbench.problem import Problem


def nu_field() -> float | str:
    """Return the field ``nu`` of a solver's parameters: a number, or ``auto``."""
    return option(
        "auto",
        "Slack budget per example, in units of the data. auto: derived from the optimum of the regularised "
        "problem, which is computed once and stored, so that all solvers solve the same problem.",
        min=0.0,
        choices=("auto",),
    )


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
