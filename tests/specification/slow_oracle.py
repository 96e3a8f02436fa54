"""Kernel values one at a time, by the plain formula, each noted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tests.kernels.reference import kernel_matrix


class SlowOracle:
    """An oracle over X, shape (n, d), that notes every pair asked for; values rounded to single precision."""

    def __init__(self, X: NDArray, kernel: dict) -> None:
        self._values = kernel_matrix(X, X, kernel)
        self._unit_diagonal = kernel["name"] == "gaussian"
        self.n = len(X)
        self.pairs: list[tuple[int, int]] = []
        self.rows: list[int] = []
        self.in_blocks = 0

    def value(self, i: int, j: int) -> float:
        self.pairs.append((i, j))
        return float(np.float32(self._values[i, j]))

    def row(self, i: int) -> NDArray[np.float64]:
        self.rows.append(i)
        return np.array([self.value(i, j) for j in range(self.n)])

    def block(self, rows: list[int], cols: list[int]) -> NDArray[np.float64]:
        """K(x_i, x_j) for i of the rows and j of the columns; counted apart, for no cache holds them."""
        self.in_blocks += len(rows) * len(cols)
        return np.array([[self.value(i, j) for j in cols] for i in rows]).reshape(len(rows), len(cols))

    def diagonal(self) -> NDArray[np.float64]:
        """The n values K(x_i, x_i); known without evaluation for the Gaussian kernel."""
        if not self._unit_diagonal:
            self.pairs.extend((i, i) for i in range(self.n))
        return self._values.diagonal().copy()

    def misses(self, slots: int) -> int:
        """How many of the rows a least-recently-used cache of that many rows would have to compute."""
        kept: list[int] = []
        missed = 0
        for i in self.rows:
            if i in kept:
                kept.remove(i)
            else:
                missed += 1
            kept = [*kept, i][-slots:] if slots else []
        return missed
