"""w = Σ a_i y_i Φ(x_i) in the two forms that the conventions charge."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tests.specification.slow_oracle import SlowOracle


class OnDemand:
    """Keeps coefficients only; a response costs one evaluation for each that is not zero."""

    def __init__(self, oracle: SlowOracle, y: NDArray) -> None:
        self.oracle = oracle
        self.y = y
        self.a = np.zeros(oracle.n)

    def response(self, i: int) -> float:
        nonzero = np.flatnonzero(self.a)
        return self.y[i] * sum(self.a[j] * self.y[j] * self.oracle.value(j, i) for j in nonzero)

    def put(self, i: int, value: float) -> None:
        self.a[i] = value


class Maintained:
    """Keeps all responses; a change of a coefficient costs a row."""

    def __init__(self, oracle: SlowOracle, y: NDArray) -> None:
        self.oracle = oracle
        self.y = y
        self.a = np.zeros(oracle.n)
        self.c = np.zeros(oracle.n)

    def response(self, i: int) -> float:
        return self.c[i]

    def put(self, i: int, value: float) -> None:
        change = value - self.a[i]
        self.a[i] = value
        self.c += change * self.y[i] * self.y * self.oracle.row(i)


def averaged(iterates: list[NDArray], suffix: bool) -> NDArray:
    """Return the mean of the iterates; of their suffix, those since the last but one power of two."""
    count = len(iterates)
    first = (1 << (count.bit_length() - 1)) // 2 if suffix else 0
    return np.mean(iterates[first:], axis=0)
