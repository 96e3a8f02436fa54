"""Orthonormal coordinates of Φ(x) in the span of a growing set of basis points."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: A point is dependent if less than this fraction of K(b, b) lies outside the span of the others.
DEPENDENT = 1e-6


class Features:
    r"""Coordinates :math:`z(x) = L^{-1} [K(b_1, x), ..., K(b_m, x)]^\top` of the training examples.

    L is the Cholesky factor of the Gram matrix of the basis points, so that <z(x), z(x')> is the inner
    product of the projections of Φ(x) and Φ(x') onto their span. A new point adds a coordinate and changes no
    other.

    Parameters
    ----------
    n, most : int
        Numbers of training examples and, at most, of basis points; n times most float64 are held.

    Attributes
    ----------
    count : int
        Number of basis points.
    """

    def __init__(self, n: int, most: int) -> None:
        self.count = 0
        self._columns = np.empty((most, n))
        self._factor = np.zeros((most, most))

    @property
    def values(self) -> Floats:
        """The coordinates of the examples, shape (count, n)."""
        return self._columns[: self.count]

    def extend(self, row: Floats, own: float, coordinates: Floats) -> bool:
        """Add a basis point unless it is dependent; return whether it was added.

        Parameters
        ----------
        row : ndarray of float64, shape (n,)
            K(b, x_i).
        own : float
            K(b, b).
        coordinates : ndarray of float64, shape (count,)
            z(b) in the basis so far.
        """
        m = self.count
        outside = own - float(coordinates @ coordinates)
        if not outside > DEPENDENT * own:
            return False
        pivot = np.sqrt(outside)
        self._columns[m] = (row - coordinates @ self.values) / pivot
        self._factor[m, :m] = coordinates
        self._factor[m, m] = pivot
        self.count += 1
        return True

    def coordinates(self, row: Floats) -> Floats:
        """Return z(x), shape (count,), from the K(b_k, x) of the basis points, same shape."""
        return self._solved(row, 0)

    def coefficients(self, w: Floats) -> Floats:
        """Return β with <w, z(x)> = Σ_k β_k K(b_k, x), both of shape (count,)."""
        return self._solved(w, 1)

    def _solved(self, right: Floats, transposed: int) -> Floats:
        m = self.count
        if m == 0:  # SciPy before 1.14 refuses it
            return np.zeros(0)
        factor = self._factor[:m, :m]
        return np.asarray(
            scipy.linalg.solve_triangular(factor, right, lower=True, trans=transposed, check_finite=False)
        )
