"""Decision values of all pairs of classes from shared kernel values."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._oracle import Oracle
from svmbench.kernels.double_values import DoubleValues
from svmbench.kernels.unrounded import oracle_for, oracle_over
from svmbench.multiclass import pairs

if TYPE_CHECKING:
    from svmbench.kernels.functions.base import Kernel

Floats = NDArray[np.float64]

#: Most kernel values held at a time, and most rows scored together.
_VALUES, _ROWS = 1 << 22, 1024


class SupportValues:
    """Kernel values between rows and support vectors, which are converted when they are first needed.

    `double` says whether values are computed in double precision, and `multiples` whether they may be those
    of multiples of a unit that support vectors are near, as in training.
    """

    def __init__(self, points: Any, kernel: Kernel, double: bool, threads: int, multiples: bool) -> None:
        self._points, self._kernel, self._threads = points, kernel, threads
        self.in_double, self._multiples = double, multiples

    @cached_property
    def double(self) -> DoubleValues:
        """The values in double precision."""
        return DoubleValues(self._points.astype(np.float64), self._kernel)

    @cached_property
    def _oracle(self) -> Oracle:
        if self._multiples:
            return oracle_over(self._points, self._kernel, threads=self._threads)
        return oracle_for(self._points, self._kernel, 0.0, threads=self._threads)

    def __call__(self, X: Any) -> Any:
        """Return the values for rows X, shape (m, s)."""
        return self.double(X) if self.in_double else self._oracle.values(X)

    def scores(self, X: Any, coefficients: Floats, intercept: float) -> Floats:
        """Return the products of the values and coefficients, shape (s,), plus an intercept, shape (m,)."""
        every = np.arange(coefficients.size)
        return self._oracle.decision_function(every, coefficients, intercept, X, exact=self.in_double)

    def errors(self, X: Any, coefficients: Floats, counts: NDArray[np.int32]) -> Floats:
        """Return bounds of the errors of `decisions` for rows X, shape (m, k (k - 1) / 2)."""
        columns, found = np.split(np.arange(coefficients.shape[1]), np.cumsum(counts)[:-1]), []
        for i, j in pairs(counts.size):
            own = np.concatenate([coefficients[j - 1, columns[i]], coefficients[i, columns[j]]])
            found.append(self._oracle.score_errors(np.concatenate([columns[i], columns[j]]), own, X))
        return np.stack(found, axis=1)


def decisions(
    values: Callable[[Any], Any],
    X: Any,
    coefficients: Floats,
    intercepts: Floats,
    counts: NDArray[np.int32],
) -> Floats:
    """Return the decision values of all pairs, positive for the first class, shape (m, k (k - 1) / 2).

    Their signs are those in double precision. `values` maps rows to their kernel values with the support
    vectors, shape (rows, s), of which there are `counts` in each class. The coefficients, shape (k - 1, s),
    are those of `svmbench.sklearn._one_vs_one.dual_coefficients`, and there is an intercept for each pair.
    """
    if counts.size == 2 and isinstance(values, SupportValues):
        return values.scores(X, coefficients[0], float(intercepts[0]))[:, np.newaxis]
    result = np.empty((X.shape[0], intercepts.size))
    step = max(1, min(_ROWS, _VALUES // max(1, int(counts.sum()))))
    for begin in range(0, X.shape[0], step):
        rows = X[begin : begin + step]
        found = _products(values(rows), coefficients, intercepts, counts)
        if isinstance(values, SupportValues) and not values.in_double:
            unsure = (~(np.abs(found) > values.errors(rows, coefficients, counts))).any(axis=1)
            if unsure.any():
                found[unsure] = _products(values.double(rows[unsure]), coefficients, intercepts, counts)
        result[begin : begin + step] = found
    return result


def _products(block: Any, coefficients: Floats, intercepts: Floats, counts: NDArray[np.int32]) -> Floats:
    """Return the decision values of rows from their kernel values, shape (rows, s)."""
    block, ends = np.asarray(block, dtype=np.float64), np.cumsum(counts)
    # Column r is the contribution of a class to its problem against the r-th of the other classes.
    products = [
        block[:, end - count : end] @ coefficients[:, end - count : end].T
        for end, count in zip(ends, counts, strict=True)
    ]
    first, second = np.array(pairs(counts.size)).T
    every = np.stack(products, axis=1)
    return np.asarray(every[:, first, second - 1] + every[:, second, first] + intercepts)
