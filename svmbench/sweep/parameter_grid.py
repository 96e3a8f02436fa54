"""Grids of C and gamma for `svmbench tune`: a coarse one, and finer ones around the best values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from svmbench.errors import UserError

#: The default grid: C from 2^-5 to 2^11 and gamma from 2^-15 to 2^1, in factors of 16. LIBSVM's guide goes up
#: to C = 2^15, where fits take hours and hardly ever win; such values can be given explicitly.
COARSE: dict[str, tuple[float, ...]] = {
    "problem.C": tuple(float(f"{2.0**k:g}") for k in range(-5, 12, 4)),
    "kernel.gamma": tuple(float(f"{2.0**k:g}") for k in range(-15, 2, 4)),
}

#: Error by setting; a setting has one value per axis, in the order of the axes.
Errors = Mapping[tuple[float, ...], float]


def best(errors: Errors) -> tuple[float, ...]:
    """Return the values with the least error; in case of ties, those with the smallest C, then gamma.

    Ties are never broken at random, and the smoother predictor wins them.
    """
    return min(errors, key=lambda values: (errors[values], values))


def refined(errors: Errors) -> list[list[float]]:
    """Return the values of a finer grid for each axis: the best one, and the midpoints to its neighbours.

    Midpoints are geometric means, rounded to six digits, so that factors of 16 become factors of 4, then of
    2. If the best value is at the end of an axis, there is only one midpoint. An axis with one value is
    unchanged.
    """
    axes = []
    for axis, middle in enumerate(best(errors)):
        known = sorted({values[axis] for values in errors})
        place = known.index(middle)
        beside = [*known[max(0, place - 1) : place], *known[place + 1 : place + 2]]
        axes.append(sorted({middle, *(float(f"{math.sqrt(middle * other):g}") for other in beside)}))
    return axes


def drawn(axes: Sequence[Sequence[float]], count: int, seed: int) -> list[tuple[float, ...]]:
    """Return random settings: each value is log-uniform between the ends of its axis, rounded to four digits.

    Parameters
    ----------
    axes : sequence of sequence of float
        Values of each axis, ascending. If an axis has one value, every setting has it.
    count : int
        Number of settings. A larger number keeps the same first settings.
    seed : int
        Seed of the draws.
    """
    import numpy as np

    ends = np.log([[axis[0], axis[-1]] for axis in axes])
    parts = np.random.default_rng(np.random.SeedSequence(seed)).random((count, len(axes)))
    values = np.exp(ends[:, 0] + parts * (ends[:, 1] - ends[:, 0]))
    return [
        tuple(axis[0] if len(axis) == 1 else float(f"{value:.4g}") for axis, value in zip(axes, row))
        for row in values.tolist()
    ]


def halvings(count: int) -> list[tuple[int, int]]:
    """Return the rounds of successive halving: the number of settings, and the divisor of the full budget.

    Each round keeps the best third of the settings, rounded up, and gives them three times the budget.
    Source: Jamieson, Talwalkar. Non-stochastic best arm identification and hyperparameter optimization.
    AISTATS 2016, Algorithm 1, which has a factor of 2.
    """
    return [(count, 9), (-(-count // 3), 3), (-(-count // 9), 1)]


def written(value: float) -> str:
    """Return a value as text for a command, as short as possible."""
    return text if float(text := f"{value:g}") == value else repr(value)


def at_edge(errors: Errors, coarse: Mapping[str, Sequence[float]]) -> list[str]:
    """Return the keys whose best value is at an end of the coarse grid."""
    values = dict(zip(coarse, best(errors), strict=True))
    return [key for key, grid in coarse.items() if len(grid) > 1 and values[key] in (min(grid), max(grid))]


def numbers(key: str, texts: Sequence[str]) -> list[float]:
    """Return the values given for an axis, ascending.

    Raises
    ------
    UserError
        If one of them is not a positive number.
    """
    found = set()
    for text in texts:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not 0.0 < value < math.inf:
            raise UserError(f"{key}={text} cannot be tuned: give numbers above 0, as in {key}=0.1,1,10")
        found.add(value)
    return sorted(found)
