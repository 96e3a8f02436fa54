"""Kernels given by their matrix, for `svmbench.sklearn`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._oracle import Oracle
from svmbench.kernels.layouts._gram import GramLayout

if TYPE_CHECKING:
    from svmbench.run_config import KernelDocument

Floats = NDArray[np.float64]

#: Rows of the matrix added at a time.
_PART = 256


class GramOracle(Oracle):
    """An oracle whose kernel values are the elements of a matrix.

    Parameters
    ----------
    matrix : ndarray of float64, shape (n, n), C-contiguous
        Symmetric kernel matrix. Duality gaps are bounds if it is positive semidefinite.
    cache_bytes : int, default 0
        Size of the row cache.
    """

    def __init__(self, matrix: Floats, cache_bytes: int = 0) -> None:
        stored: KernelDocument = {"name": "linear"}
        super().__init__(GramLayout(matrix, stored), stored, cache_bytes)
        self._matrix = matrix
        self._members = np.arange(len(matrix))

    def subset(self, indices: Any, *, cached: bool = True, ledger: Any = None) -> GramOracle:
        """Like `Oracle.subset`."""
        part: GramOracle = super().subset(indices, cached=cached, ledger=ledger)
        part._matrix, part._members = self._matrix, self._members[indices]
        return part

    @property
    def kernel(self) -> KernelDocument:
        """The name of the kernel, ``precomputed``."""
        return {"name": "precomputed"}

    def matrix(self) -> Floats:
        """Return a copy of the matrix, float64, shape (n, n)."""
        return self._matrix[np.ix_(self._members, self._members)]

    def exact_responses(
        self, indices: Any, coefficients: Any, *, cols: Any = None, observed: bool = False, given: Any = None
    ) -> Floats:
        """Like `Oracle.exact_responses`; no evaluation is counted."""
        at = self._members if cols is None else self._members[cols]
        points, scores = self._members[indices], np.zeros(len(at))
        for begin in range(0, len(points), _PART):
            part = slice(begin, begin + _PART)
            scores += np.asarray(coefficients)[part] @ self._matrix[points[part]][:, at]
        return scores

    def long_responses(self, indices: Any, coefficients: Any) -> None:
        """Like `Oracle.long_responses`, which a matrix has none of."""

    def double_errors(self, indices: Any, coefficients: Any) -> Floats:
        """Like `Oracle.double_errors`, for a matrix that is positive semidefinite."""
        lengths = np.sqrt(np.maximum(0.0, self._matrix[self._members, self._members]))
        size = float(np.abs(coefficients) @ lengths[indices])
        return np.asarray(2.0**-53 * (len(lengths[indices]) + 4.0) * size * lengths)
