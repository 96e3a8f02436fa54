"""Kernel expansions evaluated at all training examples; the oracle counts them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels.reduced_set import expansion, gamma_of

Floats = NDArray[np.float64]

#: Examples that an expansion is evaluated at together.
PART = 4096


def at_examples(layout: Any, indices: NDArray[np.int64], coefficients: Floats) -> Floats:
    """Return Σ_k coefficients[k] K(x_indices[k], x_j) for every example of a layout, float64, shape (n,)."""
    scores = np.empty(layout.n)
    chosen = layout.select(indices)
    for part in _parts(layout.n):
        scores[part] = chosen.scores_at(layout, part, coefficients)
    return scores


def of_points(layout: Any, points: Floats, coefficients: Floats) -> Floats:
    """Return Σ_k coefficients[k] K(points[k], x_j) for every example of a layout, float64, shape (n,).

    Raises
    ------
    UserError
        If the kernel is not Gaussian.
    """
    scores = np.empty(layout.n)
    for part in _parts(layout.n):
        scores[part] = expansion(points, coefficients, gamma_of(layout.kernel), layout.gather(part))
    return scores


def _parts(n: int) -> list[NDArray[np.int64]]:
    return [np.arange(begin, min(begin + PART, n)) for begin in range(0, n, PART)]
