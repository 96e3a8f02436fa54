r"""Random Fourier features of the Gaussian kernel.

A. Rahimi and B. Recht, Random Features for Large-Scale Kernel Machines, NIPS 2007. With frequencies
:math:`v_l \sim N(0, 2 \gamma I)`, l = 1..k:

======  ====================================================================================================
phase   :math:`z(x) = \sqrt{2/k} [\cos(\langle v_l, x \rangle + \beta_l)]`, :math:`\beta_l` uniform in
        :math:`[0, 2 \pi)`: k features (ASSET, S. Lee and S. J. Wright, ICPRAM 2012, section 2.3; eq. 17 with
        :math:`\sqrt{2/d}` for the misprinted :math:`\sqrt{1/d}`)
pairs   :math:`z(x) = k^{-1/2} [\cos \langle v_l, x \rangle, \sin \langle v_l, x \rangle]`: 2k features of
        norm 1 (A. Cotter, S. Shalev-Shwartz and N. Srebro, ICML 2012, section 6)
======  ====================================================================================================

In both cases, <z(x), z(x')> has the mean K(x, x') and a standard deviation of at most :math:`1/\sqrt{k}`.

Cost: k inner products per example, for training and other rows; no kernel is evaluated. The features of all
training examples are computed before the first iteration; or, if ``lazy``, some at a time when they are
needed. Then only the data and the frequencies take memory, but every visit of an example costs k inner
products again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from svmbench.errors import UserError
from svmbench.features._mapped import LazyMappedData, MappedData, Panels, products, waves
from svmbench.features.base import BLOCK, FeatureMap
from svmbench.kernels._ledger import Ledger
from svmbench.kernels.functions.registry import kernel_of
from svmbench.option import option
from svmbench.sparse import issparse

if TYPE_CHECKING:
    from svmbench.kernels._linear_data import LinearData
    from svmbench.kernels.functions.registry import AnyKernel
    from svmbench.rng import Generator

#: Rows with a smaller fraction of non-zeros are multiplied without their zeros, others as a dense matrix. At
#: this fraction, both take the same time. At a fifth (MNIST), leaving out zeros takes half of it; at a ninth
#: (Adult), a quarter.
SPARSE_BELOW = 0.4

#: For <v, x> above the first number, cosines are computed in double precision: in single precision their
#: error is half a per cent there, and the cosine of `mapped.h` soon leaves [-1, 1]. Above the second number,
#: even double precision has an error of 1e-7.
SINGLE, DOUBLE = 1e5, 1e9


@dataclass(frozen=True)
class Params:
    """Parameters of the random Fourier features."""

    frequencies: int = option(
        512,
        "Number of random frequencies; each costs an inner product for every example. The default is that of "
        "the sample of features=nystrom, so that the two can be compared.",
        min=1,
    )
    form: str = option(
        "phase",
        "One cosine with a random phase for each frequency (ASSET), or cosine and sine, which makes twice as "
        "many features (SBP, Figure 3).",
        choices=("phase", "pairs"),
    )
    lazy: bool = option(
        False,
        "Compute the features of an example whenever it is visited, instead of those of all examples "
        "beforehand. Then only the data and the frequencies are in memory. For a single pass (solver=asset "
        "solver.order=given) this takes no more time.",
    )


class Fourier(FeatureMap):
    """Random Fourier features; see the module and `FeatureMap`.

    Attributes
    ----------
    frequencies : ndarray of float32, shape (d, k)
        The frequencies v_l, as columns.
    panels : Panels or None
        The same columns in the layout for products without zeros; None if it is not used.
    phases : ndarray of float32, shape (D,)
        Numbers added to <v_l, x> before the cosine is taken: β, or 0 and -π/2 for pairs.
    scale : float
        Factor of the cosines.
    """

    name = "fourier"
    kernels = ("gaussian",)
    Params = Params

    def __init__(self, X: Any, kernel: AnyKernel, params: Any, rng: Generator, threads: int = 1) -> None:
        k, d = params.frequencies, X.shape[1]
        self.rows = X
        self._sparse = issparse(X) or _share_of_nonzeros(X) < SPARSE_BELOW
        self._lazy = params.lazy
        drawn = rng.normals(d * k).reshape(d, k)
        with np.errstate(over="ignore"):
            drawn *= math.sqrt(2.0 * kernel_of(kernel).document()["gamma"])
            self.frequencies = drawn.astype(np.float32)
        del drawn
        self._longest = math.sqrt(_squares(self.frequencies.T).max(initial=0.0))
        self._check()
        self.panels = Panels(self.frequencies) if self._sparse or self._lazy else None
        if params.form == "phase":
            self.phases = (2.0 * math.pi * rng.uniforms(k)).astype(np.float32)
            self.scale = math.sqrt(2.0 / k)
        else:
            self.phases = np.repeat([0.0, -0.5 * math.pi], k).astype(np.float32)
            self.scale = math.sqrt(1.0 / k)

    @classmethod
    def bytes_needed(cls, params: Any, n: int, d: int) -> int:
        """Return an upper bound on the bytes that frequencies and the features of n training examples take.

        Drawing takes three double-precision numbers per value of the frequencies (`svmbench.rng`). Later,
        each value takes two numbers in single precision, one of them in a panel, and one in double precision
        if a row is large.
        """
        width = params.frequencies * (2 if params.form == "pairs" else 1)
        numbers, made = d * params.frequencies, 0 if params.lazy else n * width
        return max(3 * 8 * numbers, (2 * 4 + 8) * numbers + 4 * made)

    def examples(self) -> LinearData:
        """Return the features of the training examples, computed now or, if lazy, on access."""
        if self._lazy:
            return LazyMappedData(self.rows, self)
        n, ledger = self.rows.shape[0], Ledger(kernels=False)
        Z = np.empty((n, self.phases.size), dtype=np.float32)
        for begin in range(0, n, BLOCK):
            self._map(self.rows[begin : begin + BLOCK], Z[begin : begin + BLOCK])
        ledger.inner_products += n * self.frequencies.shape[1]
        return MappedData(Z, self, ledger)

    def transform(self, X: Any) -> NDArray[np.float32]:
        """Return z(x) for each row x of X, float32, shape (m, D); inner products are not counted here."""
        return self._map(X, np.empty((X.shape[0], self.phases.size), dtype=np.float32))

    def _map(self, X: Any, out: NDArray[np.float32]) -> NDArray[np.float32]:
        """Write z(x) for each row x; each row is computed in single or double precision, as it needs."""
        far = self._far(X)
        if not far.any():
            return self._map_near(X, out)
        out[far] = self.scale * np.cos(self._phased(X[far]))
        if not far.all():
            near = np.flatnonzero(~far)
            out[near] = self._map_near(X[near], np.empty((near.size, self.phases.size), np.float32))
        return out

    def _map_near(self, X: Any, out: NDArray[np.float32]) -> NDArray[np.float32]:
        k = self.frequencies.shape[1]
        if self.panels is not None and self._sparse:
            products(X, self.panels, out)
        else:
            np.matmul(X, self.frequencies, out=out[:, :k])
        waves(out, self.phases, self.scale, k)
        return out

    def _check(self) -> None:
        """Refuse training rows whose features cannot be computed even in double precision."""
        n, wide = self.rows.shape[0], 8 * BLOCK
        if max(self._bound(self.rows[begin : begin + wide]) for begin in range(0, n, wide)) <= SINGLE:
            return
        largest = max(self._largest(self.rows[begin : begin + BLOCK]) for begin in range(0, n, BLOCK))
        if not largest <= DOUBLE:
            raise UserError(
                f"the frequencies of features=fourier times the data reach {largest:.1e}: above {DOUBLE:.0e} "
                "their cosines are noise; give a smaller kernel.gamma or scale the data"
            )
        if self._lazy and largest > SINGLE:
            raise UserError(
                f"the frequencies of features=fourier times the data reach {largest:.1e}: above {SINGLE:.0e} "
                "their cosines need double precision, which features.lazy=true does not use; give a smaller "
                "kernel.gamma, scale the data, or give features.lazy=false"
            )

    def _far(self, X: Any) -> NDArray[np.bool_]:
        """Return for each row whether any |<v_l, x>| is too large for single precision."""
        far = self._longest * np.sqrt(_squares(X)) > SINGLE
        if far.any():
            with np.errstate(invalid="ignore"):
                far[far] = ~(np.abs(self._exactly(X[far])).max(axis=1) <= SINGLE)
        return far

    def _bound(self, X: Any) -> float:
        """Return an upper bound on |<v_l, x>|; it only takes reading the rows once."""
        return float(self._longest * math.sqrt(_squares(X).max(initial=0.0)))

    def _largest(self, X: Any) -> float:
        """Return the largest |<v_l, x>| over some rows; infinite if a frequency is."""
        with np.errstate(invalid="ignore"):
            largest = float(np.abs(self._exactly(X)).max(initial=0.0))
        return math.inf if math.isnan(largest) else largest

    def _exactly(self, X: Any) -> NDArray[np.float64]:
        """Return <v_l, x> for each row x of X, float64, shape (m, k)."""
        return np.asarray(X.astype(np.float64) @ self.frequencies.astype(np.float64))

    def scores(self, weights: NDArray[np.float64], bias: float, X: Any) -> tuple[NDArray[np.float64], int]:
        """Return <z(x), w> + bias for each row x of X, and the number of inner products, k + 1 per row."""
        m = X.shape[0]
        scores = np.empty(m)
        for begin in range(0, m, BLOCK):
            mapped = MappedData(self.transform(X[begin : begin + BLOCK]), self, Ledger(kernels=False))
            scores[begin : begin + BLOCK] = mapped.products(weights)
        settled = self.settled(scores + bias, weights, bias, X)
        return settled, m * (self.frequencies.shape[1] + 1)

    def errors(self, weights: NDArray[np.float64], X: Any) -> NDArray[np.float64]:
        """Return bounds by those of <v_l, x>, a sum of d products, and of the cosine (``mapped.h``)."""
        t = self._longest * np.sqrt(_squares(X))
        relative = 1.01 * (self.frequencies.shape[0] + 2) * 2.0**-24
        each = 1.1e-7 + relative * t + 2.0**-24 * (t + 2.0 * math.pi)
        return np.asarray(self.scale * float(np.abs(weights).sum()) * each)

    def exact_scores(self, weights: NDArray[np.float64], X: Any) -> NDArray[np.float64]:
        """Return <z(x), w> for each row x of X, shape (m,), from cosines in double precision."""
        return np.asarray(self.scale * (np.cos(self._phased(X)) @ weights))

    def _phased(self, X: Any) -> NDArray[np.float64]:
        """Return the arguments of the cosines for each row x of X, float64, shape (m, D)."""
        return np.tile(self._exactly(X), self.phases.size // self.frequencies.shape[1]) + self.phases


def _squares(X: Any) -> NDArray[np.float64]:
    """Return |x|² of each row, shape (m,), in float64, in which squares of float32 values do not overflow."""
    if issparse(X):
        X = X.astype(np.float64)
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)


def _share_of_nonzeros(X: NDArray[np.float32]) -> float:
    """Return the fraction of non-zero values, estimated from about a thousand rows."""
    rows = X[:: max(1, len(X) // 1000)]
    return np.count_nonzero(rows) / max(rows.size, 1)
