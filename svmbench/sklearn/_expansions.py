"""Decision values of all pairs of classes from kernel values that they share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._oracle import Oracle
from svmbench.kernels.double_values import DoubleValues
from svmbench.sklearn import _one_vs_one

Floats = NDArray[np.float64]

#: Kernel values that are held at a time, and rows that are scored together at most.
_VALUES, _ROWS = 1 << 22, 1024


def built_in_values(
    points: Any, kernel: dict[str, Any], origin: Floats | None, double: bool, threads: int
) -> Callable[[Any], Any]:
    """Return the function from rows X to their kernel values with support vectors, shape (m, s).

    Parameters
    ----------
    points : array or CSR matrix, shape (s, d)
        Support vectors.
    kernel : dict
        Name and parameters, as of `Oracle`.
    origin : ndarray of float64, shape (d,), or None
        Where single precision holds the rows best; see `svmbench.kernels.given`.
    double : bool
        Whether values are made in double precision.
    threads : int
        Of a block of values in single precision.
    """
    if double:
        return DoubleValues(points.astype(np.float64), kernel)

    def moved(X: Any) -> Any:
        return X if origin is None else X.astype(np.float64) - origin

    oracle = Oracle(moved(points), kernel, threads=threads)
    return lambda X: oracle.values(moved(X))


def decisions(
    values: Callable[[Any], Any],
    X: Any,
    coefficients: Floats,
    intercepts: Floats,
    counts: NDArray[np.int32],
) -> Floats:
    """Return the decision values of all pairs, positive for the first class, shape (m, k (k - 1) / 2).

    Parameters
    ----------
    values : callable
        From rows to their kernel values with the support vectors, shape (rows, s).
    X : array or CSR matrix, shape (m, d)
        Rows.
    coefficients : ndarray of float64, shape (k - 1, s)
        As of `svmbench.sklearn._one_vs_one.dual_coefficients`.
    intercepts : ndarray of float64, shape (k (k - 1) / 2,)
        b of each pair.
    counts : ndarray of int, shape (k,)
        Support vectors of each class.
    """
    ends = np.cumsum(counts)
    result = np.empty((X.shape[0], intercepts.size))
    step = max(1, min(_ROWS, _VALUES // max(1, int(ends[-1]))))
    for begin in range(0, X.shape[0], step):
        block = np.asarray(values(X[begin : begin + step]), dtype=np.float64)
        products = [
            block[:, end - count : end] @ coefficients[:, end - count : end].T
            for end, count in zip(ends, counts, strict=True)
        ]
        result[begin : begin + step] = _one_vs_one.decisions(products, intercepts)
    return result
