r"""Translation of examples that single precision cannot distinguish because they are far from zero.

Features of 1e6 ± 5 have inner products of 1e12, whose rounding error in single precision, 6e4, is far larger
than the differences between examples. A problem with an unregularised bias has balanced coefficients,
:math:`\sum_i \alpha_i y_i = 0`. With the linear kernel, its solution then does not change if all examples
move by the same vector c:

.. math:: \langle w, x \rangle + b = \langle w, x - c \rangle + b', \qquad b = b' - \langle w, c \rangle.

A feature moves only if the subtraction is exact in single precision, so the problem is still that of the
examples as loaded. The Gaussian kernel depends on differences only, which are exact for features in single
precision. Features in double precision (the user's own data) are rounded to make rows; with either kernel,
large ones first move towards 0, where rounding is finer (`svmbench.kernels.unrounded`).

Coefficients of 1e5 balance only to about 1e-7, which changes a score at 1e7 by 1. So a dual point is balanced
exactly before it is observed. What is observed and stored is :math:`\langle w, x \rangle + b` itself, with w
summed in double precision about c: a sum over examples far from zero would lose the accuracy gained here, and
sums of kernel values round otherwise than sums of examples.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.data import Dataset, Part
from svmbench.data.dataset import rounded
from svmbench.kernels.functions.registry import kernel_of
from svmbench.kernels.unrounded import origin_of
from svmbench.problem import Problem, best_bias
from svmbench.run_config import RunConfig
from svmbench.solvers.base import KernelExpansion, LinearModel, Snapshot
from svmbench.store.model import StoredModel

Floats = NDArray[np.float64]

#: Examples move if they are farther from zero than this multiple of their diameter: then rounding is 0.4 % of
#: their differences, or more. Nearer examples do not move, and iterates and counts on them do not change.
_FAR = 256.0

#: A feature moves if its values are farther from zero than this multiple of their range. Floating-point
#: subtraction is exact within a factor of two (P. H. Sterbenz, Floating-Point Computation, 1974).
_EXACT = 16.0

#: Most corrections of unbalanced coefficients; two nearly always suffice.
_CORRECTIONS = 8


@dataclass(frozen=True)
class Posed:
    """A data set as a solver sees it.

    Attributes
    ----------
    data : Dataset
        All parts, translated.
    origin : ndarray of float64, shape (d,), or None
        c; None if nothing moves.
    linear : bool
        Whether the kernel is linear, so that the model depends on c unless the coefficients balance.
    """

    data: Dataset
    origin: Floats | None = None
    linear: bool = False

    def rows(self, X: Any) -> Any:
        """Return rows, shape (m, d), translated."""
        return X if self.origin is None else _moved(X, self.origin)

    def answer(self, snapshot: Snapshot, problem: Problem) -> Snapshot:
        """Return the snapshot that is observed and stored: weights for translated examples, else the same.

        A dual point is first changed by the rounding error of its sum, so that its coefficients sum to zero,
        and gets the best bias for them; its maintained responses are dropped.
        """
        model, alpha, y = snapshot.model, snapshot.alpha, problem.y
        if not self.linear or not isinstance(model, KernelExpansion):
            return snapshot
        at, beta, bias = model.indices, model.coefficients, model.bias
        X = self.data.train.X.astype(np.float64)
        if alpha is not None and np.array_equal(KernelExpansion.from_alpha(alpha, y).coefficients, beta):
            balanced = _balanced(beta, problem.bounds[at])
            if math.fsum(balanced) == 0.0:
                beta, alpha = balanced, np.zeros_like(alpha)
                alpha[at] = np.abs(beta)
                bias = best_bias(y, y * (X @ (X[at].T @ beta)), problem.weights)
                snapshot = replace(snapshot, alpha=alpha, responses=None, exact_at=None)
        weights = X[at].T @ beta
        bias = self._biases(weights, bias)[1]  # what is observed is stored, in a number far larger
        return replace(snapshot, model=LinearModel(weights, bias, model.support_vectors))

    def _biases(self, weights: Floats, bias: float) -> tuple[float, float]:
        """Return the bias for the examples as loaded, and the one so rounded for the translated ones."""
        if self.origin is None or not np.isfinite([bias, *weights]).all():
            return bias, bias
        shift = sum((Fraction(w) * Fraction(c) for w, c in zip(weights, self.origin) if c), Fraction())
        far = float(Fraction(bias) - shift)
        return far, float(Fraction(far) + shift)

    def stored(self, model: StoredModel) -> StoredModel:
        """Return the model in terms of the examples as loaded."""
        if self.origin is None:
            return model
        if not self.linear:  # Gaussian values depend on differences only
            return model if model.points is None else replace(model, points=model.points + self.origin)
        assert model.weights is not None
        return replace(model, bias=self._biases(model.weights, model.bias)[0])


def _balanced(beta: Floats, bounds: Floats) -> Floats:
    """Return signed coefficients, shape (s,), exactly balanced if possible.

    The smallest coefficient of at least twice the sum is changed by the sum: it keeps its sign, and its last
    bits can hold the change.
    """
    beta = beta.copy()
    for _ in range(_CORRECTIONS):
        excess = math.fsum(beta)
        able = np.flatnonzero((np.abs(beta) >= 2.0 * abs(excess)) & (np.abs(beta - excess) <= bounds))
        if excess == 0.0 or able.size == 0:
            break
        beta[able[np.argmin(np.abs(beta[able]))]] -= excess
    return beta


def posed(data: Dataset, config: RunConfig, access: str) -> Posed:
    """Return a data set as the solver sees it.

    Parameters
    ----------
    data : Dataset
        As loaded.
    config : RunConfig
        Provides the kernel and the bias.
    access : str
        Access of the solver.
    """
    if config.features is not None:
        return Posed(rounded(data))
    X, kernel = data.train.X, kernel_of(config.kernel_document())
    if access != "kernel" or not isinstance(X, np.ndarray):
        return Posed(data)
    origin, linear = None, kernel.linear and config.problem.bias == "unregularised"
    if (linear or kernel.radial) and X.dtype == np.float64:
        origin = origin_of(X)
    elif linear:
        origin = _origin(X)
    if origin is None:
        return Posed(data)
    parts: dict[str, Any] = {name: Part(_moved(part.X, origin), part.y) for name, part in data.parts.items()}
    return Posed(replace(data, **parts), origin, kernel.linear)


def _origin(X: NDArray[Any]) -> Floats | None:
    """Return the origin of rows X, shape (n, d), 0 in features that stay; None if nothing moves."""
    if X.size == 0:
        return None
    low, high = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
    spread, middle = high - low, (0.5 * (low + high)).astype(np.float32).astype(np.float64)
    if not np.linalg.norm(middle) > _FAR * np.linalg.norm(spread) > 0.0:
        return None
    return np.where(np.abs(middle) >= _EXACT * spread, middle, 0.0)


def _moved(X: NDArray[Any], origin: Floats) -> NDArray[Any]:
    """Return the rows minus the origin; exact for the training examples."""
    return np.ascontiguousarray((X.astype(np.float64) - origin).astype(X.dtype))
