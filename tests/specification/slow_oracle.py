"""Kernel values one at a time, by the plain formula, each noted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tests.kernels.reference import kernel_matrix


class SlowOracle:
    """An oracle over X, shape (n, d), that notes every pair asked for; values rounded to single precision.

    They follow from the plain formula, unless a method needs those of the compiled oracle to the last bit.
    """

    def __init__(self, X: NDArray, kernel: dict, values: NDArray | None = None) -> None:
        self._values = kernel_matrix(X, X, kernel)
        self._diagonal = self._values.diagonal().copy()
        if values is not None:
            self._values = values.astype(float)
        self._unit_diagonal = kernel["name"] == "gaussian"
        self.n = len(X)
        self.pairs: list[tuple[int, int]] = []
        self.rows: list[int] = []
        self.setup = 0

    def value(self, i: int, j: int) -> float:
        self.pairs.append((i, j))
        return float(np.float32(self._values[i, j]))

    def row(self, i: int) -> NDArray[np.float64]:
        self.rows.append(i)
        return np.array([self.value(i, j) for j in range(self.n)])

    def again(self, i: int) -> NDArray[np.float64]:
        """A row that has been charged and is taken up once more: only a cache can save making it anew."""
        self.rows.append(i)
        return np.array([float(np.float32(value)) for value in self._values[i]])

    def diagonal(self) -> NDArray[np.float64]:
        """The n values K(x_i, x_i); known without evaluation for the Gaussian kernel."""
        if not self._unit_diagonal:
            self.pairs.extend((i, i) for i in range(self.n))
            self.setup += self.n
        return self._diagonal.copy()

    def misses(self, slots: int) -> int:
        """How many of the rows a least-recently-used cache of that many rows would have to compute."""
        kept: list[int] = []
        missed = 0
        for i in self.rows:
            if i in kept:
                kept.remove(i)
            else:
                missed += 1
            kept = [*kept, i][-slots:]
        return missed
