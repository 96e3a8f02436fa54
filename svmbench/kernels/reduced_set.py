"""Gaussian kernel values of arbitrary points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy
from numpy.typing import NDArray

from svmbench.errors import UserError
from svmbench.kernels.double_values import squared_norms
from svmbench.kernels.functions.base import Kernel, ScalarKernel
from svmbench.sparse import issparse

if TYPE_CHECKING:
    from svmbench.kernels._ledger import Ledger

Floats = NDArray[np.float64]

#: Examples with a smaller fraction of non-zeros are stored as CSR.
_CSR_BELOW = 0.5

#: Rows at which an expansion is evaluated at a time.
_PART = 4096

#: Rounding error of γ|x - b|², from inner products, that is accepted.
_ROUNDING = 1e-12

#: γ|x - b|² beyond which the kernel value is negligible.
_FAR = 60.0

#: Largest number of differences held at a time.
_DIFFERENCES = 1 << 20


def gamma_of(kernel: Kernel) -> float:
    """Return gamma of a Gaussian kernel.

    Raises
    ------
    UserError
        If the kernel is not Gaussian.
    """
    if not isinstance(kernel, ScalarKernel) or not kernel.radial:
        raise UserError(
            f"points that are not training examples need kernel=gaussian, not kernel={kernel.name}: give that"
        )
    return kernel.gamma


def gaussian(X: Any, squared: Floats, points: Floats, gamma: float) -> Floats:
    """Return exp(-gamma |x - b|²) for each row x of X and each of the points, shape (m, k).

    Distances are computed from inner products; or from differences where rounding matters, because both
    points are far from the origin and close to each other.

    Parameters
    ----------
    X : ndarray of float64 or scipy.sparse matrix, shape (m, d)
        Rows.
    squared : ndarray of float64, shape (m,)
        Their squared norms.
    points : ndarray of float64, shape (k, d)
        Points.
    gamma : float
        γ of the kernel.
    """
    distance = X @ points.T
    distance *= -2.0
    distance += squared[:, None]
    norms = squared_norms(points)
    distance += norms
    # Rounding may make the distance of a point to itself negative.
    np.maximum(distance, 0.0, out=distance)
    _by_differences(distance, X, squared, points, norms, gamma)
    distance *= -gamma
    return np.asarray(np.exp(distance, out=distance))


def _by_differences(
    distance: Floats, X: Any, squared: Floats, points: Floats, norms: Floats, gamma: float
) -> None:
    """Recompute squared distances, shape (m, k), if their rounding would change kernel values."""
    ulp = np.finfo(np.float64).eps
    most = squared.max(initial=0.0) + norms.max(initial=0.0)
    if gamma * ulp * most <= _ROUNDING:
        return
    rounding = ulp * (squared[:, None] + norms)
    rows, columns = np.nonzero((gamma * rounding > _ROUNDING) & (gamma * (distance - 4.0 * rounding) < _FAR))
    step = max(1, _DIFFERENCES // points.shape[1])
    for begin in range(0, rows.size, step):
        i, j = rows[begin : begin + step], columns[begin : begin + step]
        x = X[i].toarray() if issparse(X) else X[i]
        distance[i, j] = np.square(x - points[j]).sum(axis=1)


def expansion(points: Floats, coefficients: Floats, gamma: float, X: Any) -> Floats:
    """Return Σ_k coefficients[k] K(b_k, x) for each row x of X, shape (m,).

    Parameters
    ----------
    points : ndarray of float64, shape (k, d)
        The b_k.
    coefficients : ndarray of float64, shape (k,)
        One per point.
    gamma : float
        γ of the kernel.
    X : ndarray or scipy.sparse matrix, shape (m, d)
        Rows.
    """
    if issparse(X):
        X = scipy.sparse.csr_array(X)
    scores = np.empty(X.shape[0])
    for begin in range(0, X.shape[0], _PART):
        part = X[begin : begin + _PART].astype(np.float64)
        scores[begin : begin + _PART] = gaussian(part, squared_norms(part), points, gamma) @ coefficients
    return scores


class ReducedSet:
    """Rows, and Gaussian kernel values between them and any point, which count as computed.

    Parameters
    ----------
    X : ndarray or scipy.sparse matrix, shape (n, d)
        The rows, stored in float64, as CSR if most values are zero.
    gamma : float
        γ of the kernel.
    ledger : Ledger
        Counts evaluations, one inner product each.

    Attributes
    ----------
    n, d : int
        Numbers of rows and features.
    """

    def __init__(self, X: Any, gamma: float, ledger: Ledger) -> None:
        self.n, self.d = X.shape
        self.gamma = gamma
        if issparse(X) or np.count_nonzero(X) < _CSR_BELOW * X.size:
            self._X = scipy.sparse.csr_array(X).astype(np.float64)
        else:
            self._X = np.ascontiguousarray(X, dtype=np.float64)
        self._squared = squared_norms(self._X)
        self._ledger = ledger

    def select(self, indices: NDArray[np.int64]) -> ReducedSet:
        """Return some of the rows, with the same ledger."""
        part = ReducedSet.__new__(ReducedSet)
        part.n, part.d, part.gamma = len(indices), self.d, self.gamma
        part._X, part._squared, part._ledger = self._X[indices], self._squared[indices], self._ledger
        return part

    def values(self, point: Floats) -> Floats:
        """Return K(x, b) for each row x, shape (n,), and a point b, shape (d,)."""
        self._ledger.kev_computed += self.n
        self._ledger.inner_products += self.n
        return gaussian(self._X, self._squared, point[None, :], self.gamma)[:, 0]

    def combination(self, coefficients: Floats) -> Floats:
        """Return Σ_i coefficients[i] x_i, shape (d,)."""
        return np.asarray(self._X.T @ coefficients)

    def sparse(self) -> Any:
        """Return a copy of the rows as csr_array of float64, shape (n, d)."""
        return scipy.sparse.csr_array(self._X, copy=True)

    def point(self, i: int) -> Floats:
        """Return a copy of row i, shape (d,)."""
        row = self._X[[i]]
        return np.array(row.toarray()[0] if issparse(row) else row[0])
