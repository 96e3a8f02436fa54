"""Examples as integer multiples of a unit, which is how the kernels treat pixels, counts and the like.

Dense training examples are replaced by :math:`x_{ij} = m_{ij} u` with integers m from 0 to 255 and u in
double precision, on two conditions (docs/store.md): each loaded value, in single precision, differs from its
multiple by at most 1e-7 of the largest value, and no kernel value changes by more than 8e-7. Pixels are then
exactly k/255. Other examples are used as loaded.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from svmbench.run_config import KernelDocument

Floats = NDArray[np.float64]

#: Largest difference of a value from its multiple, relative to the largest value.
_NEAR = 1e-7

#: Largest change of a kernel value, relative to |x| |x'| for the linear and the polynomial kernel.
_MOVED = 8e-7

#: The largest multiple, and the most features for which an inner product of multiples fits into 31 bits.
_MOST = 255
_FEATURES = (2**31 - 1) // _MOST**2

#: Rows converted to double precision at a time, and the number of rows tried first, on which most units fail.
_ROWS, _FEW = 4096, 64


def unit(X: Any, kernel: KernelDocument, precision: str = "auto") -> float | None:
    """Return the unit of which training examples are multiples, or None if they are used as loaded.

    Parameters
    ----------
    X : ndarray of float32 or csr_array, shape (n, d)
        Training examples.
    kernel : dict
        Name and parameters.
    precision : str
        Precision of the configuration: with ``double``, all values are used as loaded.
    """
    if kernel["name"] not in ("gaussian", "linear", "polynomial"):
        return None  # their values are those of the examples as loaded
    if sp.issparse(X) or X.size == 0 or X.shape[1] > _FEATURES or precision == "double":
        return None
    top, least = float(X.max()), float(X.min())
    if not (least >= 0.0 and 0.0 < top < math.inf):
        return None
    least = min(float(part.min(where=part > 0.0, initial=top)) for part in _parts(X))
    # The unit is at most the least positive value, so top is at least this many units.
    for steps in range(round(min(top / least, _MOST + 1.0)), _MOST + 1):
        found = top / steps
        if _fits(X[:_FEW], found, top) and all(_fits(part, found, top) for part in _parts(X)):
            return found if all(_unmoved(part, found, kernel) for part in _parts(X)) else None
    return None


def taken(X: Any, unit: float | None) -> Any:
    """Return rows in double precision as the kernel uses them: exact multiples, or as loaded.

    Parameters
    ----------
    X : ndarray or csr_array, shape (m, d)
        Training or other examples.
    unit : float or None
        Unit of the training examples.
    """
    exact = X.astype(np.float64)
    if unit is None or sp.issparse(X):
        return exact
    whole = np.rint(exact / unit)
    miss = np.abs(exact - whole * unit)
    fits = (whole >= 0.0) & (whole <= _MOST) & (miss <= _NEAR * _MOST * unit)
    return np.where(fits.all(axis=1, keepdims=True), whole * unit, exact)


def _parts(X: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
    return (X[begin : begin + _ROWS] for begin in range(0, X.shape[0], _ROWS))


def _fits(X: NDArray[np.float32], unit: float, top: float) -> bool:
    """Return whether all values are close to multiples of the unit."""
    exact = X.astype(np.float64)
    return bool((np.abs(exact - np.rint(exact / unit) * unit) <= _NEAR * top).all())


def _unmoved(X: NDArray[np.float32], unit: float, kernel: KernelDocument) -> bool:
    """Return whether kernel values change by at most the tolerance.

    The slope of exp(-γr²) is at most sqrt(2γ/e), and both arguments of a kernel may change.
    """
    exact = X.astype(np.float64)
    moved = np.linalg.norm(exact - np.rint(exact / unit) * unit, axis=1)
    if kernel["name"] == "gaussian":
        return bool((2.0 * math.sqrt(2.0 * kernel["gamma"] / math.e) * moved <= _MOVED).all())
    return bool((2.0 * kernel.get("degree", 1) * moved <= _MOVED * np.linalg.norm(exact, axis=1)).all())
