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
        self._scores = np.zeros(X.shape[0])

    def price(self, model: KernelExpansion) -> int:
        """Return the number of kernel evaluations needed for the scores of a model."""
        return len(self._missing(model)[0]) * len(self._scores)

    def __call__(self, model: KernelExpansion) -> Floats:
        """Return the scores of a model, shape (m,); counted as prediction."""
        at, weights, kept = self._missing(model)
        scores = self._oracle.decision_function(at, weights, 0.0, self._X)
        self._scores = self._scores + scores if kept else np.asarray(scores)
        self._coefficients = _spread(model, self._oracle.n)
        return self._scores + model.bias

    def _missing(self, model: KernelExpansion) -> tuple[NDArray[np.int64], Floats, bool]:
        """Return the terms to evaluate, and whether to add them to the previous scores."""
        new = _spread(model, self._oracle.n)
        change = new - self._coefficients
        fresh = 2 * np.count_nonzero(change) >= np.count_nonzero(new)
        if fresh or np.count_nonzero(new) * len(self._scores) <= _FEW:
            return model.indices, model.coefficients, False
        at = np.flatnonzero(change)
        return at, change[at], True

    def state(self) -> dict[str, Floats]:
        """Return the state, from which the next scores are computed."""
        return {"coefficients": self._coefficients, "scores": self._scores}

    def restore(self, state: Mapping[str, Floats]) -> None:
        """Restore a state."""
        self._coefficients, self._scores = state["coefficients"], state["scores"]


def _spread(model: KernelExpansion, n: int) -> Floats:
    """Return the coefficients of all n training examples."""
    spread = np.zeros(n)
    np.add.at(spread, model.indices, model.coefficients)
    return spread
