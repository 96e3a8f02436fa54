r"""Examples about an origin of their own, where single precision cannot tell them apart about zero.

Features of 1e6 ± 5 have inner products of 1e12, whose rounding to single precision, 6e4, is far above what
tells the examples apart. A problem with an unregularised bias asks for balanced coefficients,
:math:`\sum_i \alpha_i y_i = 0`; under the linear kernel neither it nor its optimum then changes when all
examples move by the same vector c:

.. math:: \langle w, x \rangle + b = \langle w, x - c \rangle + b', \qquad b = b' - \langle w, c \rangle.

A feature moves only where the subtraction is exact in single precision, so that the problem solved is that of
the examples as loaded. The Gaussian kernel depends on differences alone, which are exact for features in
single precision. Features in double precision (the user's own) are rounded to make rows; before that, far
ones move towards 0, where rounding is finer (`svmbench.kernels.given`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.data import Dataset, Part
from svmbench.data.dataset import rounded
from svmbench.kernels.given import origin_of
from svmbench.store.model import StoredModel

Floats = NDArray[np.float64]

#: Examples move where they lie farther from zero than so many times their diameter: rounding is then 0.4 % of
#: what tells them apart, or more. All nearer ones stay what they are, and with them every iterate and count.
_FAR = 256.0

#: A feature moves where its values lie farther from zero than so many times their range; within half of it
#: and twice of it floating-point subtraction is exact (P. H. Sterbenz, Floating-Point Computation, 1974).
_EXACT = 16.0


@dataclass(frozen=True)
class Posed:
    """A data set as a solver sees it.

    Attributes
    ----------
    data : Dataset
        All parts moved by the origin.
    origin : ndarray of float64, shape (d,), or None
        c; None where nothing moves.
    """

    data: Dataset
    origin: Floats | None = None

    def rows(self, X: Any) -> Any:
        """Return rows, shape (m, d), about the origin."""
        return X if self.origin is None else _moved(X, self.origin)

    def stored(self, model: StoredModel) -> StoredModel:
        """Return an expansion over the examples about the origin as one over those that were loaded."""
        if self.origin is None:
            return model
        if model.kernel["name"] == "gaussian":  # of differences alone
            return model if model.points is None else replace(model, points=model.points + self.origin)
        assert model.indices is not None and model.coefficients is not None
        w = self.data.train.X[model.indices].T.astype(np.float64) @ model.coefficients
        # The coefficients balance up to rounding, and that by the squared norm of c matters.
        rest = math.fsum(model.coefficients) * float(self.origin @ self.origin)
        return replace(model, bias=model.bias - float(w @ self.origin) - rest)


def posed(data: Dataset, config: dict[str, Any], access: str) -> Posed:
    """Return a data set as it is to be solved over.

    Parameters
    ----------
    data : Dataset
        As loaded.
    config : dict
        Resolved; kernel and bias matter.
    access : str
        Of the solver.
    """
    if "features" in config:
        return Posed(rounded(data))
    X, kernel = data.train.X, config["kernel"]["name"]
    if access != "kernel" or not isinstance(X, np.ndarray):
        return Posed(data)
    origin = None
    if kernel == "linear" and config["problem"]["bias"] == "unregularised":
        origin = _origin(X)
    elif kernel == "gaussian" and X.dtype == np.float64:
        origin = origin_of(X)
    if origin is None:
        return Posed(data)
    parts: dict[str, Any] = {
        name: Part(_moved(part.X, origin), part.y)
        for name in ("train", "validation", "test")
        if (part := getattr(data, name)) is not None
    }
    return Posed(replace(data, **parts), origin)


def _origin(X: NDArray[Any]) -> Floats | None:
    """Return where rows X, shape (n, d), lie, 0 in features that stay; None if single precision suffices."""
    if X.size == 0:
        return None
    low, high = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
    spread, middle = high - low, (0.5 * (low + high)).astype(np.float32).astype(np.float64)
    if not np.linalg.norm(middle) > _FAR * np.linalg.norm(spread) > 0.0:
        return None
    return np.where(np.abs(middle) >= _EXACT * spread, middle, 0.0)


def _moved(X: NDArray[Any], origin: Floats) -> NDArray[Any]:
    """Return rows less the origin; exact for the training examples."""
    return np.ascontiguousarray((X.astype(np.float64) - origin).astype(X.dtype))
