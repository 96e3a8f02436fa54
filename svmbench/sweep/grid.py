"""The values of C and gamma that `svmbench tune` tries: a coarse grid, and finer ones around the best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from svmbench.errors import UserError

#: Where nothing is given: 2^-5 to 2^11 and 2^-15 to 2^1 by factors of 16. LIBSVM's guide goes to C = 2^15,
#: where fits take hours and hardly ever win; whoever needs it gives it.
COARSE: dict[str, tuple[float, ...]] = {
    "problem.C": tuple(float(f"{2.0**k:g}") for k in range(-5, 12, 4)),
    "kernel.gamma": tuple(float(f"{2.0**k:g}") for k in range(-15, 2, 4)),
}

#: Errors by the values of the axes, in their order.
Errors = Mapping[tuple[float, ...], float]


def best(errors: Errors) -> tuple[float, ...]:
    """Return the values with the least error; among equals those with the smallest C, then gamma.

    So a tie falls to the smoother predictor and never to chance.
    """
    return min(errors, key=lambda values: (errors[values], values))


def refined(errors: Errors) -> list[list[float]]:
    """Return the values of a finer grid for each axis: the best one, and half way to those beside it.

    Half way is the geometric mean, to six digits, so that a grid of factors of 16 becomes one of 4, then
    of 2. An axis of one value stays as it is, and at the end of the grid there is one value less.
    """
    axes = []
    for axis, middle in enumerate(best(errors)):
        known = sorted({values[axis] for values in errors})
        place = known.index(middle)
        beside = [*known[max(0, place - 1) : place], *known[place + 1 : place + 2]]
        axes.append(sorted({middle, *(float(f"{math.sqrt(middle * other):g}") for other in beside)}))
    return axes


def written(value: float) -> str:
    """Return a value as it is written in a command, no longer than it has to be."""
    return text if float(text := f"{value:g}") == value else repr(value)


def at_edge(errors: Errors, coarse: Mapping[str, Sequence[float]]) -> list[str]:
    """Return the keys whose best value is the first or last of its coarse grid."""
    values = dict(zip(coarse, best(errors), strict=True))
    return [key for key, grid in coarse.items() if len(grid) > 1 and values[key] in (min(grid), max(grid))]


def numbers(key: str, texts: Sequence[str]) -> list[float]:
    """Return the values that were given for an axis, ascending.

    Raises
    ------
    UserError
        If one is no number above 0.
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
