r"""How far rounding may take a score from that of the stored model.

A linear or polynomial value of examples far from zero is large, and so is what coefficients of both signs
leave of their sum uncertain: two right programs differ by this. With K_j = K(p_j, p_j) no term is larger
than :math:`|\beta_j| \sqrt{K_j K(x, x)}`, by Cauchy and Schwarz. Sums of k terms in double precision are off
by about :math:`\sqrt k` units of rounding of the sum of these sizes (Higham and Mary, 2019), values in single
precision each by 1e-6 of its own, independently of the others. Gaussian values are at most 1: there only
large coefficients count, and values near 1 are all rounded the same way, each by a unit at most.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from svmbench.store.model import StoredModel

Floats = NDArray[np.float64]

#: A unit of rounding, and one of kernel values that were made in single precision.
_DOUBLE, _SINGLE = 2.0**-53, 1e-6


class Rounding:
    """Doubt about the scores of one model.

    Parameters
    ----------
    model : StoredModel
        The model.
    train : ndarray or csr_array, shape (n, d)
        Training examples that it was made from.
    """

    def __init__(self, model: StoredModel, train: Any) -> None:
        self._kernel = model.kernel
        self._double = self._single = 0.0
        if model.features is not None:
            return
        if model.weights is None and self._kernel["name"] == "gaussian":
            assert model.coefficients is not None
            self._single = _SINGLE * float(np.linalg.norm(model.coefficients))
            self._double = 2.0 * _DOUBLE * float(np.abs(model.coefficients).sum())
            return
        terms = train.shape[1]
        if model.weights is not None:
            self._kernel = {"name": "linear"}
            size = float(np.linalg.norm(model.weights))
        else:
            assert model.indices is not None and model.coefficients is not None
            terms += len(model.indices)
            sizes = np.abs(model.coefficients) * self._lengths(train[model.indices])
            size = float(sizes.sum())
            self._single = _SINGLE * float(np.linalg.norm(sizes))
        self._double = _DOUBLE * (8.0 + math.sqrt(terms)) * size * self._kernel.get("degree", 1)

    def double(self, X: Any) -> Floats:
        """Return how far a score in double precision may be off, for each row of X, shape (m,)."""
        return self._double * self._lengths(X) if self._double else np.zeros(X.shape[0])

    def single(self, X: Any) -> Floats:
        """Return the same of a score from kernel values in single precision."""
        return self.double(X) + (self._single * self._lengths(X) if self._single else 0.0)

    def _lengths(self, X: Any) -> Floats:
        """Return sqrt(K(x, x)) of each row, no less than by the sizes of its terms."""
        if self._kernel["name"] == "gaussian":
            return np.ones(X.shape[0])
        if sp.issparse(X):
            squares = np.asarray(X.astype(np.float64).power(2).sum(axis=1)).ravel()
        else:
            squares = np.einsum("ij,ij->i", X, X, dtype=np.float64)
        if self._kernel["name"] == "polynomial":
            squares = (self._kernel["gamma"] * squares + abs(self._kernel["coef0"])) ** self._kernel["degree"]
        return np.sqrt(squares)
