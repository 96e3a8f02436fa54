r"""Rounding errors of the scores of a stored model.

Linear or polynomial kernel values of examples far from zero are large. So is the uncertainty of their sum
with coefficients of both signs, by which two correct programs may differ. With K_j = K(p_j, p_j), each term
is at most :math:`|\beta_j| \sqrt{K_j K(x, x)}`, by the Cauchy-Schwarz inequality. In double precision, the
error of a sum of k terms is about :math:`\sqrt k` units of rounding, relative to the sum of these bounds
(Higham and Mary, 2019). Gaussian values are at most 1, so only large coefficients matter. Values near 1 are
all rounded in the same direction, by at most one unit each.

Signs need more than an estimate: four times the estimate, or for a Gaussian value the error that
`svmbench.recompute.scores` accepts in its exponent. If the magnitude of a score is within that, double
precision leaves its sign open.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from svmbench.kernels.functions.registry import kernel_of
from svmbench.store.model import StoredModel

Floats = NDArray[np.float64]

#: Unit of rounding; error of a Gaussian value, or of a random Fourier feature, as part of its amplitude; and
#: factor from estimates to bounds.
_DOUBLE, _VALUE, _SAFE = 2.0**-53, 2e-11, 4.0


class Rounding:
    """Uncertainty of the scores of one model.

    Parameters
    ----------
    model : StoredModel
        The model.
    train : ndarray or csr_array, shape (n, d)
        Training examples of the model.
    """

    def __init__(self, model: StoredModel, train: Any) -> None:
        self._kernel = model.kernel
        self._double = 0.0
        if self._kernel["name"] == "gaussian":
            amplitudes = model.weights if model.coefficients is None else model.coefficients
            assert amplitudes is not None
            size = float(np.abs(amplitudes).sum())
            self._sign = _VALUE * size
            self._double = 2.0 * _DOUBLE * size if model.features is None else 0.0
            return
        terms = train.shape[1]
        if model.weights is not None:
            self._kernel = {"name": "linear"}
            size = float(np.linalg.norm(model.weights))
        else:
            assert model.indices is not None and model.coefficients is not None
            terms += len(model.indices)
            size = float(np.abs(model.coefficients) @ self._lengths(train[model.indices]))
        error = _DOUBLE * (8.0 + math.sqrt(terms)) * size * self._kernel.get("degree", 1)
        self._double, self._sign = 0.0 if model.features is not None else error, _SAFE * error

    def double(self, X: Any) -> Floats:
        """Return the error of scores in double precision for each row of X, shape (m,)."""
        return self._double * self._lengths(X) if self._double else np.zeros(X.shape[0])

    def sign(self, X: Any) -> Floats:
        """Return the magnitudes up to which double precision leaves the signs of scores open, shape (m,)."""
        return self._sign * self._lengths(X)

    def _lengths(self, X: Any) -> Floats:
        """Return an upper bound on sqrt(K(x, x)) for each row, from the magnitudes of its terms."""
        if self._kernel["name"] == "gaussian":
            return np.ones(X.shape[0])
        if self._kernel["name"] not in ("linear", "polynomial"):
            return kernel_of(self._kernel).lengths(X)
        if sp.issparse(X):
            squares = np.asarray(X.astype(np.float64).power(2).sum(axis=1)).ravel()
        else:
            squares = np.einsum("ij,ij->i", X, X, dtype=np.float64)
        if self._kernel["name"] == "polynomial":
            squares = (self._kernel["gamma"] * squares + abs(self._kernel["coef0"])) ** self._kernel["degree"]
        return np.sqrt(squares)
