r"""Examples that single precision rounds: rows are made of the rounded ones, certificates of those given.

Rows of kernel values are float32, and so are the stored features. Examples that are not exact in float32 are
kept beside them as they were given, in float64. All that is made in double precision is then made of these:
the certificate of an answer, and the scores by which a solver refines it. A solver that refines so solves the
problem of the examples as given, although its steps follow rounded rows.

The Gaussian kernel depends on differences alone. Where features lie far from 0, compared to their spread,
all examples are moved towards 0 before they are rounded, because float32 holds numbers near 0 more finely:
features of 1e7 ± 1 are rounded to whole numbers, those of ± 1 to 1e-7.

What rounding by :math:`\delta` of both examples changes of a value :math:`\exp(-\gamma r^2)`, r their
distance, is at most :math:`2 \delta \sqrt{2 \gamma / e}`, the largest slope of that function of r.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._oracle import Oracle
from svmbench.kernels.double_values import DoubleValues
from svmbench.sparse import issparse

Floats = NDArray[np.float64]

#: A feature is moved where its values lie farther from 0 than so many times their range.
_FAR = 4.0

#: Of the largest feature: stored examples so near to those given are the same, but for the last bits.
_SAME = 1e-15

#: Change of a kernel value, due to rounding of the features, above which the user is warned.
COARSE = 1e-3

#: Rows that are compared, or scored, together.
_PART = 1024


def is_exact(X: Any) -> bool:
    """Return whether float32 holds every number of a matrix, dense or CSR."""
    values = X.data if issparse(X) else X
    if values.dtype == np.float32:
        return True
    with np.errstate(over="ignore"):
        return bool(np.array_equal(values, values.astype(np.float32)))


class GivenOracle(Oracle):
    """An oracle over examples in float64 that float32 rounds.

    Parameters
    ----------
    X : ndarray or CSR matrix of float64, shape (n, d)
        Examples.
    kernel, cache_bytes, threads
        As of `Oracle`.

    Attributes
    ----------
    origin : ndarray of float64, shape (d,), or None
        What was subtracted from all examples; None where nothing was.
    feature_error : float
        What rounding of the features changes of a kernel value at most, for the Gaussian kernel.
    """

    def __init__(self, X: Any, kernel: dict[str, Any], *args: Any, **options: Any) -> None:
        X = X.astype(np.float64)
        self.origin = _origin(X) if kernel["name"] == "gaussian" else None
        moved = X if self.origin is None else X - self.origin
        super().__init__(moved.astype(np.float32), kernel, *args, **options)
        off, same = self._rounding(moved)
        self._given = None if same else moved
        gaussian = kernel["name"] == "gaussian"
        self.feature_error = 2.0 * off * math.sqrt(2.0 * kernel["gamma"] / math.e) if gaussian else 0.0

    def _rounding(self, X: Any) -> tuple[float, bool]:
        """Return how far a stored example is from the one given at most, and whether all are the same."""
        farthest, largest = 0.0, 0.0
        most = float(np.abs(X.data if issparse(X) else X).max(initial=0.0))
        for begin in range(0, self.n, _PART):
            part = X[begin : begin + _PART]
            off = part - self.exact_rows(np.arange(begin, begin + part.shape[0]))
            off = off.toarray() if issparse(off) else off
            largest = max(largest, float(np.abs(off).max(initial=0.0)))
            farthest = max(farthest, math.sqrt(np.einsum("ij,ij->i", off, off).max(initial=0.0)))
        return farthest, largest <= _SAME * most

    def moved(self, X: Any) -> Any:
        """Return rows of float64 about the origin of the examples, shape (m, d)."""
        return X if self.origin is None else np.asarray(X, dtype=np.float64) - self.origin

    def exact_responses(
        self, indices: Any, coefficients: Any, *, cols: Any = None, observed: bool = False, given: Any = None
    ) -> Floats:
        """Return the same as `Oracle.exact_responses`, of the examples as they were given."""
        given = self._given if given is None else given
        made = super().exact_responses(indices, coefficients, cols=cols, observed=observed, given=given)
        return np.asarray(made)

    def row_errors(self, indices: Any, coefficients: Any, cols: Any, *, given: Any = None) -> Any:
        """Return the same as `Oracle.row_errors`, of the examples as they were given."""
        given = self._given if given is None else given
        return super().row_errors(indices, coefficients, cols, given=given)


def exact_scores(points: Any, coefficients: Floats, bias: float, X: Any, kernel: dict[str, Any]) -> Floats:
    """Return Σ_k coefficients[k] K(points[k], x) + bias for each row x of X, all in float64, shape (m,).

    Parameters
    ----------
    points, X : ndarray or CSR matrix, shapes (s, d) and (m, d)
        Points of the expansion, and rows.
    coefficients : ndarray of float64, shape (s,)
        Weights.
    bias : float
        b.
    kernel : dict
        Name and parameters.
    """
    values = DoubleValues(points.astype(np.float64), kernel)
    scores = np.empty(X.shape[0])
    for begin in range(0, X.shape[0], _PART):
        scores[begin : begin + _PART] = values(X[begin : begin + _PART]) @ coefficients
    return scores + bias


def _origin(X: Any) -> Floats | None:
    """Return where dense rows X lie, 0 in features that stay; None if all stay."""
    if issparse(X) or X.size == 0:
        return None
    low, high = X.min(axis=0), X.max(axis=0)
    middle = 0.5 * low + 0.5 * high
    far = np.abs(middle) > _FAR * (high - low)
    return np.where(far, middle, 0.0) if far.any() else None
