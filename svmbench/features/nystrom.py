r"""Nyström features: the projection of Φ(x) onto the span of a random sample of the training examples.

C. Williams and M. Seeger, Using the Nyström Method to Speed Up Kernel Machines, NIPS 2000; as in S. Lee and
S. J. Wright, ASSET: Approximate Stochastic Subgradient Estimation Training for Support Vector Machines,
ICPRAM 2012, section 2.2.

With s examples S drawn without repetition and :math:`K_{SS} = Q D Q'`, eigenvalues in descending order, the
first :math:`\bar d` of them at least eps_d times the largest:

.. math:: z(x) = D_{\bar d}^{-1/2} Q_{\bar d}' K(S, x)

Then <z(x), z(x')> is K(x, x') where both are in S (but for the eigenvalues left out), and for any g the
predictor <g, z(x)> is the kernel expansion with the coefficients :math:`Q_{\bar d} D_{\bar d}^{-1/2} g` on S,
of the same norm. So a solver on these features minimises the kernel problem over a subspace.

Cost: K(S, x) of every training example, s n kernel evaluations, charged to every convention before the first
iteration. Scores of other rows take s evaluations each, by the expansion.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from svmbench.errors import UserError
from svmbench.features._mapped import MappedExamples
from svmbench.features.base import BLOCK, FeatureMap
from svmbench.kernels._oracle import Oracle

if TYPE_CHECKING:
    from svmbench.kernels._examples import Examples
    from svmbench.solvers.parts.random import Generator


@dataclass(frozen=True)
class Params:
    """Parameters of the Nyström features."""

    s: int = field(default=512, metadata={"help": "examples of the sample", "min": 1})
    eps_d: float = field(
        default=1e-12,
        metadata={"help": "least eigenvalue, as a part of the largest", "above": 0, "max": 1},
    )
    rank: int | None = field(default=None, metadata={"help": "most features; null: no limit", "min": 1})


class Nystrom(FeatureMap):
    """Nyström features; see the module and `FeatureMap`.

    Attributes
    ----------
    sample : ndarray of int64, shape (s,)
        S, ascending.
    coefficients : ndarray of float64, shape (s, D)
        Q D^(-1/2): features are kernel values with S times this.

    Raises
    ------
    UserError
        If the sample is larger than the training set, or its kernel values span nothing or are not finite.
    """

    name = "nystrom"
    Params = Params

    def __init__(self, X: Any, kernel: dict[str, Any], params: Any, rng: Generator, threads: int = 1) -> None:
        n = X.shape[0]
        if params.s > n:
            raise UserError(
                f"features.s={params.s} is not allowed: give at most {n}, the number of training examples"
            )
        self._X = X
        self.sample = np.sort(rng.permutation(n)[: params.s])
        self._oracle = Oracle(X[self.sample], kernel, threads=threads, like=X)
        self._K_ss = self._oracle.values(X[self.sample])
        self.coefficients = _root(self._K_ss, params)
        self._factor = self.coefficients.astype(np.float32)

    @classmethod
    def bytes_needed(cls, params: Any, n: int) -> int:
        """Return the memory that the features of n training examples take at most."""
        s = min(params.s, n)  # more are refused by the map itself
        return 4 * n * min(s, params.rank or s) + 8 * 4 * s**2

    def examples(self) -> Examples:
        """Return the training examples in their features; kernel values within the sample are made once."""
        n, s = self._X.shape[0], self.sample.size
        Z = np.empty((n, self._factor.shape[1]), dtype=np.float32)
        Z[self.sample] = self._K_ss @ self._factor
        others = np.delete(np.arange(n), self.sample)
        for begin in range(0, others.size, BLOCK):
            block = others[begin : begin + BLOCK]
            Z[block] = self.transform(self._X[block])
        self._oracle.ledger.setup(n * s)
        return MappedExamples(Z, self, self._oracle.ledger)

    def transform(self, X: Any) -> NDArray[np.float32]:
        """Return z(x) for each row x of X, float32, shape (m, D); s evaluations each, counted as computed."""
        return np.asarray(self._oracle.values(X) @ self._factor)

    def scores(self, weights: NDArray[np.float64], bias: float, X: Any) -> tuple[NDArray[np.float64], int]:
        """Return <z(x), w> + bias for each row x of X by the kernel expansion; counted as prediction."""
        signed = self.coefficients @ weights
        return self._oracle.decision_function(np.arange(signed.size), signed, bias, X), 0


def _root(K: NDArray[np.float32], params: Any) -> NDArray[np.float64]:
    """Return Q D^(-1/2) of the eigenvalues that are large enough, shape (s, D)."""
    exact = K.astype(np.float64)
    if not np.isfinite(exact).all():
        raise UserError(
            "kernel values of the sample of features=nystrom are not finite: scale the data, or choose a "
            "kernel with smaller values"
        )
    values, vectors = np.linalg.eigh(0.5 * (exact + exact.T))
    values, vectors = values[::-1], vectors[:, ::-1]
    if values[0] <= 0.0:
        raise UserError(
            "the kernel is 0 on all examples of the sample of features=nystrom: give a larger features.s, "
            "another seed or another kernel"
        )
    kept = int(np.count_nonzero(values >= params.eps_d * values[0]))
    kept = min(kept, params.rank or kept)
    return np.ascontiguousarray(vectors[:, :kept] / np.sqrt(values[:kept]))
