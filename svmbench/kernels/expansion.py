"""Kernel expansions evaluated at training examples; the oracle counts the evaluations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels.reduced_set import expansion, gamma_of

Floats = NDArray[np.float64]

#: Examples at which an expansion is evaluated at a time.
PART = 4096


class Expansion:
    """Σ_k coefficients[k] K(x_indices[k], x) over the examples of a layout.

    Parameters
    ----------
    layout : Layout
        The examples.
    indices : array of int, shape (s,)
        Examples of the expansion.
    coefficients : array of float64, shape (s,)
        Their coefficients.
    """

    def __init__(self, layout: Any, indices: NDArray[np.int64], coefficients: Floats) -> None:
        self._layout = layout
        self._chosen = layout.select(indices)
        self._coefficients = coefficients
        #: Number of terms, s.
        self.size = len(indices)

    def at(self, examples: NDArray[np.int64]) -> Floats:
        """Return the sums at these examples, float64, shape (len(examples),)."""
        scores = np.empty(len(examples))
        for part in _parts(len(examples)):
            scores[part] = self._chosen.scores_at(self._layout, examples[part], self._coefficients)
        return scores


def at_examples(layout: Any, indices: NDArray[np.int64], coefficients: Floats) -> Floats:
    """Return Σ_k coefficients[k] K(x_indices[k], x_j) for all examples of a layout, float64, shape (n,)."""
    return Expansion(layout, indices, coefficients).at(np.arange(layout.n))


def of_points(layout: Any, points: Floats, coefficients: Floats, given: Any) -> Floats:
    """Return Σ_k coefficients[k] K(points[k], x_j) for all examples of a layout, float64, shape (n,).

    If the layout has rounded them, `given` are the examples in float64; else None.

    Raises
    ------
    UserError
        If the kernel is not Gaussian.
    """
    scores = np.empty(layout.n)
    for part in _parts(layout.n):
        rows = layout.gather(part) if given is None else given[part]
        scores[part] = expansion(points, coefficients, gamma_of(layout.kernel), rows)
    return scores


def _parts(n: int) -> list[NDArray[np.int64]]:
    return [np.arange(begin, min(begin + PART, n)) for begin in range(0, n, PART)]
