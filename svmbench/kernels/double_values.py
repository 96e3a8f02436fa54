"""Kernel values in double precision between rows and fixed points, as a matrix.

`svmbench.kernels.layouts._double_expansion` only computes sums of kernel values. This module returns the
values themselves, for few points, where they are multiplied by matrices with large entries.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels.functions.base import ScalarKernel
from svmbench.kernels.functions.registry import AnyKernel, kernel_of
from svmbench.sparse import canonical, issparse

Floats = NDArray[np.float64]

#: A squared distance below this fraction of the sum of both squared norms is computed from differences, since
#: otherwise it would lose more than four bits by cancellation.
_CANCELLED = 1.0 / 16.0

#: Largest number of differences between rows and points held at a time, and of values that stay in the cache.
_NUMBERS, _CACHED = 1 << 20, 1 << 15


class DoubleValues:
    """Fixed points, and the kernel between them and any rows, by the documented formula in float64.

    Squared distances are computed from norms and inner products relative to the middle of the points, or from
    differences if cancellation would be too large. The middle is a median, which ignores outliers:
    subtracting a mean far from the other points would round them.

    Parameters
    ----------
    points : ndarray or scipy.sparse matrix of float64, shape (s, d)
        The points.
    kernel : Kernel or mapping
        The kernel, or its name and parameters.
    """

    def __init__(self, points: Any, kernel: AnyKernel) -> None:
        self._kernel = kernel_of(kernel)
        self._sparse = bool(issparse(points))
        # Only distances are invariant under translation, and sparse rows would not stay sparse.
        self._center = np.zeros(points.shape[1])
        if not self._sparse and self._kernel.radial:
            self._center = np.quantile(points, 0.5, axis=0, method="lower") if len(points) else self._center
        self._points = canonical(points) if self._sparse else points - self._center
        self._squared = squared_norms(self._points)

    def __call__(self, X: Any) -> Floats:
        """Return K(x, x_k) for each row x of X and each point, float64, shape (m, s).

        Parameters
        ----------
        X : ndarray or scipy.sparse matrix, shape (m, d)
            Rows.
        """
        if not isinstance(self._kernel, ScalarKernel):
            return self._kernel.values(X, self._points)
        rows = canonical(X).astype(np.float64) if issparse(X) else self._moved(X)
        product = rows @ self._points.T
        values = np.asarray(product.toarray() if issparse(product) else product)
        if self._kernel.radial:
            self._distances(rows, values)
        return self._kernel.value(values)

    def _moved(self, X: Any) -> Floats:
        """Return dense rows in float64, translated to the origin of the points."""
        rows: Floats = np.asarray(X, dtype=np.float64)
        return rows - self._center if self._center.any() else rows

    def _distances(self, rows: Any, products: Floats) -> None:
        """Convert inner products, shape (m, s), to squared distances, in place."""
        squares, columns = squared_norms(rows), products.shape[1]
        near: list[NDArray[np.int64]] = []
        step = max(1, _CACHED // max(1, columns))
        for begin in range(0, len(products), step):
            part = products[begin : begin + step]
            norms = squares[begin : begin + step, None] + self._squared
            part *= -2.0
            part += norms
            norms *= _CANCELLED
            near.append(np.flatnonzero(part < norms) + begin * columns)
        i, j = np.divmod(np.concatenate(near) if near else np.empty(0, dtype=np.int64), max(1, columns))
        step = max(1, _NUMBERS // max(1, rows.shape[1]))
        for begin in range(0, i.size, step):
            pairs = i[begin : begin + step], j[begin : begin + step]
            products[pairs] = squared_norms(self._points[pairs[1]] - rows[pairs[0]])


def squared_norms(X: Any) -> Floats:
    """Return |x|² of each row, shape (m,)."""
    if issparse(X):
        return np.asarray(X.power(2).sum(axis=1), dtype=np.float64).ravel()
    return np.asarray(np.einsum("ij,ij->i", X, X))
