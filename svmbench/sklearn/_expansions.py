"""Decision values of all pairs of classes from shared kernel values."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._oracle import Oracle
from svmbench.kernels.double_values import DoubleValues
from svmbench.kernels.given import exact_scores
from svmbench.multiclass import pairs

if TYPE_CHECKING:
    from svmbench.run_config import KernelDocument

Floats = NDArray[np.float64]

#: Most kernel values held at a time, and most rows scored together.
_VALUES, _ROWS = 1 << 22, 1024


class SupportValues:
    """Kernel values between rows and support vectors, which are converted when they are first needed.

    `origin` is the point at which single precision is accurate (`svmbench.kernels.given`), or None, and
    `double` says whether values are computed in double precision.
    """

    def __init__(
        self, points: Any, kernel: KernelDocument, origin: Floats | None, double: bool, threads: int
    ) -> None:
        self._points, self._kernel, self._origin, self._threads = points, kernel, origin, threads
        self._in_double = double

    @cached_property
    def _double(self) -> DoubleValues:
        return DoubleValues(self._points.astype(np.float64), self._kernel)

    @cached_property
    def _single(self) -> Oracle:
        return Oracle(self._moved(self._points), self._kernel, threads=self._threads)

    def _moved(self, X: Any) -> Any:
        return X if self._origin is None else X.astype(np.float64) - self._origin

    def __call__(self, X: Any) -> Any:
        """Return the values for rows X, shape (m, s)."""
        if self._in_double:
            return self._double(X)
        return self._single.values(self._moved(X))

    def scores(self, X: Any, coefficients: Floats, intercept: float) -> Floats:
        """Return the products of the values and coefficients, shape (s,), plus an intercept, shape (m,)."""
        if self._in_double:
            return exact_scores(self._points, coefficients, intercept, X, self._kernel, self._threads)
        every = np.arange(coefficients.size)
        return self._single.decision_function(every, coefficients, intercept, self._moved(X))


def decisions(
    values: Callable[[Any], Any],
    X: Any,
    coefficients: Floats,
    intercepts: Floats,
    counts: NDArray[np.int32],
) -> Floats:
    """Return the decision values of all pairs, positive for the first class, shape (m, k (k - 1) / 2).

    `values` maps rows to their kernel values with the support vectors, shape (rows, s), of which there are
    `counts` in each class. The coefficients, shape (k - 1, s), are those of
    `svmbench.sklearn._one_vs_one.dual_coefficients`, and there is an intercept for each pair.
    """
    if counts.size == 2 and isinstance(values, SupportValues):
        return values.scores(X, coefficients[0], float(intercepts[0]))[:, np.newaxis]
    ends = np.cumsum(counts)
    result = np.empty((X.shape[0], intercepts.size))
    step = max(1, min(_ROWS, _VALUES // max(1, int(ends[-1]))))
    for begin in range(0, X.shape[0], step):
        block = np.asarray(values(X[begin : begin + step]), dtype=np.float64)
        # Column r is the contribution of a class to its problem against the r-th of the other classes.
        products = [
            block[:, end - count : end] @ coefficients[:, end - count : end].T
            for end, count in zip(ends, counts, strict=True)
        ]
        for p, (i, j) in enumerate(pairs(counts.size)):
            result[begin : begin + step, p] = products[i][:, j - 1] + products[j][:, i] + intercepts[p]
    return result
