"""Scores of held-out examples, updated by the changes of the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from svmbench.solvers.base import KernelExpansion

if TYPE_CHECKING:
    from svmbench.kernels._oracle import Oracle

Floats = NDArray[np.float64]

#: Evaluations up to which all scores are recomputed; they take about 0.1 s.
_FEW = 1 << 28


class HeldOutScores:
    """Scores of one set of rows by the models of a run.

    Parameters
    ----------
    oracle : Oracle
        Over the training examples.
    X : ndarray or scipy.sparse matrix, shape (m, d)
        Rows.
    """

    def __init__(self, oracle: Oracle, X: Any) -> None:
        self._oracle = oracle
        self._X = X
        self._coefficients = np.zeros(oracle.n)
        self._sides, self._beyond = np.zeros((2, X.shape[0])), 0.0

    def price(self, model: KernelExpansion) -> int:
        """Return the number of kernel evaluations needed for the scores of a model."""
        return len(self._missing(model)[0]) * int(self._sides.shape[1])

    def __call__(self, model: KernelExpansion) -> Floats:
        """Return the scores of a model, shape (m,); counted as prediction."""
        at, weights, kept = self._missing(model)
        new, old = spread(model, self._oracle.n), self._coefficients
        positive = np.where(new[at] == 0.0, old[at], new[at]) > 0.0
        sides, beyond = self._oracle.sides(at, weights, self._X, positive)
        self._sides = self._sides + sides if kept else sides
        self._beyond = self._beyond + beyond if kept else beyond
        self._coefficients = new
        return self._oracle.settled(
            model.indices, model.coefficients, model.bias, self._X, self._sides, self._beyond
        )

    def _missing(self, model: KernelExpansion) -> tuple[NDArray[np.int64], Floats, bool]:
        """Return the terms to evaluate, and whether to add them to the previous scores."""
        new, old = spread(model, self._oracle.n), self._coefficients
        change = new - old
        fresh = 2 * np.count_nonzero(change) >= np.count_nonzero(new) or bool((new * old < 0.0).any())
        if fresh or np.count_nonzero(new) * self._X.shape[0] <= _FEW:
            return model.indices, model.coefficients, False
        at = np.flatnonzero(change)
        return at, change[at], True

    def state(self) -> dict[str, Floats]:
        """Return the state, from which the next scores are computed."""
        return {"coefficients": self._coefficients, "sides": self._sides, "beyond": np.array(self._beyond)}

    def restore(self, state: Mapping[str, Floats]) -> None:
        """Restore a state."""
        if "sides" in state:  # an older state has their difference only, so the next scores are all new
            self._coefficients, self._sides = state["coefficients"], state["sides"]
            self._beyond = float(state.get("beyond", 0.0))


def spread(model: KernelExpansion, n: int) -> Floats:
    """Return the coefficients of all n training examples."""
    spread = np.zeros(n)
    np.add.at(spread, model.indices, model.coefficients)
    return spread
