r"""Nyström features: the projection of Φ(x) onto the span of a random sample of the training examples.

C. Williams and M. Seeger, Using the Nyström Method to Speed Up Kernel Machines, NIPS 2000; as in S. Lee and
S. J. Wright, ASSET: Approximate Stochastic Subgradient Estimation Training for Support Vector Machines,
ICPRAM 2012, section 2.2.

With a sample S of s examples drawn without replacement and :math:`K_{SS} = Q D Q'`, eigenvalues in descending
order, the first :math:`\bar d` of them at least eps_d times the largest:

.. math:: z(x) = D_{\bar d}^{-1/2} Q_{\bar d}' K(S, x)

If x and x' are both in S, <z(x), z(x')> equals K(x, x') up to the omitted eigenvalues. For any g, the
predictor <g, z(x)> is the kernel expansion with the coefficients :math:`Q_{\bar d} D_{\bar d}^{-1/2} g` on S,
and has the same norm. So a solver on these features minimises the kernel problem over a subspace.

The factor :math:`D^{-1/2}` of a small eigenvalue amplifies any error of K(S, x). So kernel values,
eigenvalues and the product are in double precision, and only the features are rounded to float32. Eigenvalues
below s units of rounding of the largest, which cannot be distinguished from rounding errors, are omitted
whatever eps_d. Scores of training rows and of other rows are computed in the same way, through their
features.

Cost: K(S, x) of every training example takes s n kernel evaluations, which are charged to every convention
before the first iteration. Scores of other rows are charged s evaluations each at every checkpoint, also
where the values of held-out rows are kept, up to a limit, and not computed again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from svmbench.errors import UserError
from svmbench.features._mapped import MappedData
from svmbench.features.base import BLOCK, FeatureMap
from svmbench.kernels._oracle import Oracle
from svmbench.option import option

if TYPE_CHECKING:
    from svmbench.kernels._linear_data import LinearData
    from svmbench.kernels.functions.registry import AnyKernel
    from svmbench.rng import Generator


#: Most bytes of kernel values that are kept for rows whose scores are asked for again.
_KEPT = 1 << 27

_NOT_FINITE = (
    "kernel values of features=nystrom are not finite, or too large for features in single precision: scale "
    "the data, or choose a kernel with smaller values"
)


@dataclass(frozen=True)
class Params:
    """Parameters of the Nyström features."""

    s: int = option(
        512,
        "Size of the sample, from 1 to the number of training examples. 512 and 1024 in Table 2 of ASSET.",
        min=1,
    )
    eps_d: float = option(
        1e-12,
        "Eigenvalues of the sample's kernel matrix below this fraction of the largest are left out. ASSET "
        "has 1e-16, which is below double precision: at least s times 2.2e-16 is used.",
        above=0,
        max=1,
    )
    rank: int | None = option(
        None, "Most features: those of the largest eigenvalues. null: all that eps_d leaves.", min=1
    )


class Nystrom(FeatureMap):
    """Nyström features; see the module and `FeatureMap`.

    Attributes
    ----------
    sample : ndarray of int64, shape (s,)
        The sample S, ascending.
    coefficients : ndarray of float64, shape (s, D)
        The matrix Q D^(-1/2), by which kernel values with S are multiplied.

    Raises
    ------
    UserError
        If the sample is larger than the training set, or its kernel values are all 0 or too large.
    """

    name = "nystrom"
    version = 2  # 2: features and scores from kernel values in double precision
    Params = Params

    def __init__(self, X: Any, kernel: AnyKernel, params: Any, rng: Generator, threads: int = 1) -> None:
        n = X.shape[0]
        if params.s > n:
            raise UserError(
                f"features.s={params.s} is not allowed: give at most {n}, the number of training examples"
            )
        self.rows = X
        self.sample = np.sort(rng.permutation(n)[: params.s])
        self._oracle = Oracle(X[self.sample], kernel, threads=threads, like=X)
        self._K_ss = self._oracle.exact_values(X[self.sample])
        self._kept: list[tuple[Any, NDArray[np.float64]]] = []
        self.coefficients = _root(self._K_ss, params)

    @classmethod
    def bytes_needed(cls, params: Any, n: int, d: int) -> int:
        """Return an upper bound on the bytes that the features of n training examples take."""
        s = min(params.s, n)  # the map itself refuses a larger sample
        return 4 * n * min(s, params.rank or s) + 8 * 4 * s**2

    def examples(self) -> LinearData:
        """Return the features of the training examples; kernel values within the sample are computed once."""
        n, s = self.rows.shape[0], self.sample.size
        Z = np.empty((n, self.coefficients.shape[1]), dtype=np.float32)
        Z[self.sample] = self._rounded(self._K_ss)
        others = np.delete(np.arange(n), self.sample)
        for begin in range(0, others.size, BLOCK):
            block = others[begin : begin + BLOCK]
            Z[block] = self.transform(self.rows[block])
        self._oracle.ledger.setup(n * s)
        return MappedData(Z, self, self._oracle.ledger)

    def transform(self, X: Any) -> NDArray[np.float32]:
        """Return z(x) for each row x of X, float32, shape (m, D); s evaluations each, counted as computed."""
        return self._rounded(self._oracle.exact_values(X))

    def expansion(self, weights: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the sample and the coefficients on it that give the same scores as the weights."""
        return self.sample, self.coefficients @ weights

    def scores(self, weights: NDArray[np.float64], bias: float, X: Any) -> tuple[NDArray[np.float64], int]:
        """Return <z(x), w> + bias for each row x of X in double precision; counted as prediction."""
        coefficients = self.coefficients @ weights
        K = next((values for rows, values in self._kept if rows is X), None)
        if K is None:
            room = _KEPT - sum(values.nbytes for _, values in self._kept)
            if 8 * X.shape[0] * self.sample.size > room:
                at = np.arange(self.sample.size)
                return self._oracle.decision_function(at, coefficients, bias, X, exact=True), 0
            K = self._oracle.exact_values(X, predicted=True)
            self._kept.append((X, K))
        else:
            # As if computed again: a continued run does that, and must have the counts of one in one piece.
            self._oracle.ledger.kev_prediction += K.size
        return K @ coefficients + bias, 0

    def errors(self, weights: NDArray[np.float64], X: Any) -> NDArray[np.float64]:
        """Return bounds for features that are rounded once. |z(x)|² is at most K(x, x)."""
        return np.asarray(2.0**-23 * float(np.linalg.norm(weights)) * self._oracle.kernel.lengths(X))

    def exact_scores(self, weights: NDArray[np.float64], X: Any) -> NDArray[np.float64]:
        """Return <z(x), w> for each row x of X, shape (m,), by the expansion over the sample."""
        return self._oracle.exact_again(np.arange(self.sample.size), self.coefficients @ weights, X=X)

    def _rounded(self, values: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return the features of rows from their kernel values with the sample, shape (m, s)."""
        with np.errstate(over="ignore", invalid="ignore"):
            Z = np.asarray(values @ self.coefficients).astype(np.float32)
        if not np.isfinite(Z).all():
            raise UserError(_NOT_FINITE)
        return Z


def _root(K: NDArray[np.float64], params: Any) -> NDArray[np.float64]:
    """Return Q D^(-1/2), shape (s, D), for the eigenvalues that are large enough."""
    if not np.isfinite(K).all():
        raise UserError(_NOT_FINITE)
    values, vectors = np.linalg.eigh(0.5 * (K + K.T))
    values, vectors = values[::-1], vectors[:, ::-1]
    if values[0] <= 0.0:
        raise UserError(
            "the kernel is 0 on all examples of the sample of features=nystrom: give a larger features.s, "
            "another seed or another kernel"
        )
    least = max(params.eps_d, len(K) * np.finfo(np.float64).eps)
    kept = int(np.count_nonzero(values >= least * values[0]))
    kept = min(kept, params.rank or kept)
    return np.ascontiguousarray(vectors[:, :kept] / np.sqrt(values[:kept]))
