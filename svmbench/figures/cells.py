"""Cells of a heat map along an axis: of equal size, or to scale where values are spaced logarithmically."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: An axis is logarithmic if, between the logarithms of its values, the largest step is at most this many
#: times the smallest. This admits decades with some half decades between them.
_EVEN = 2.1


@dataclass(frozen=True)
class Cells:
    """The values of a key along an axis.

    Attributes
    ----------
    values : sequence
        The values in order.
    edges : ndarray of float64, shape (K + 1,)
        The edges of their cells, in the units of the axis.
    log : bool
        Whether the axis is logarithmic; otherwise value k is at k.
    """

    values: Sequence[Any]
    edges: NDArray[np.float64]
    log: bool

    @classmethod
    def of(cls, values: Sequence[Any]) -> Cells:
        """Return one cell per value, with edges midway between neighbouring values."""
        log = _logarithmic(values)
        at = np.log10(values) if log else np.arange(float(len(values)))
        half = 0.5 * (np.diff(at) if at.size > 1 else np.ones(1))
        edges = np.concatenate([[at[0] - half[0]], at[:-1] + half[: at.size - 1], [at[-1] + half[-1]]])
        return cls(values, 10.0**edges if log else edges, log)

    @property
    def places(self) -> list[float]:
        """Positions of the values, in the units of the axis."""
        return [float(value) if self.log else float(place) for place, value in enumerate(self.values)]

    @property
    def room(self) -> float:
        """Length of the axis, in widths of its narrowest cell."""
        edges = np.log(self.edges) if self.log else self.edges
        return float((edges[-1] - edges[0]) / np.diff(edges).min())

    def within(self, cell: int, part: float = 0.5) -> float:
        """Return the position at a fraction of a cell's width, in the units of the axis."""
        low, high = (float(edge) for edge in self.edges[cell : cell + 2])
        return low ** (1.0 - part) * high**part if self.log else (1.0 - part) * low + part * high


def _logarithmic(values: Sequence[Any]) -> bool:
    """Return whether the logarithms of the values are nearly evenly spaced, more evenly than the values."""
    if not all(type(value) in (int, float) and value > 0.0 for value in values) or len(values) < 2:
        return False
    if len(values) == 2:
        return bool(values[1] >= 10.0 * values[0])
    uneven, plain = (float(steps.max() / steps.min()) for steps in (np.diff(np.log(values)), np.diff(values)))
    return uneven <= _EVEN and uneven < plain
