"""The interface of feature maps.

A map computes an explicit vector z(x) for each example, such that <z(x), z(x')> approximates K(x, x') and a
kernel problem becomes a linear one. It is fitted to the training rows before the first iteration, as part of
training.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from svmbench.kernels._linear_data import LinearData
    from svmbench.kernels.functions.registry import AnyKernel
    from svmbench.rng import Generator

#: Examples mapped at a time, so that their kernel values or products stay in the second-level cache.
BLOCK = 512


class FeatureMap(ABC):
    """Base class of maps: subclasses set the class attributes, define ``Params`` and implement the methods.

    Parameters
    ----------
    X : ndarray or scipy.sparse matrix, shape (n, d)
        Training examples.
    kernel : dict
        The kernel to approximate; name and parameters as in the resolved configuration.
    params : Params
        Parameters of the map.
    rng : Generator
        Source of all random choices.
    threads : int
        Threads for kernel evaluations.

    Attributes
    ----------
    rows : ndarray or scipy.sparse matrix, shape (n, d)
        The training examples.
    compared : bool
        Whether scores are compared with those of other models, not only with 0: then all are in double
        precision.
    name : str
        Name on the command line, ``features=NAME``.
    kernels : tuple of str or None
        Kernels that it can approximate; None means any.
    version : int
        Increased whenever results change; part of a run's identity.
    """

    rows: Any
    compared: bool = False
    name: ClassVar[str]
    kernels: ClassVar[tuple[str, ...] | None] = None
    version: ClassVar[int] = 1
    Params: ClassVar[type]

    @abstractmethod
    def __init__(self, X: Any, kernel: AnyKernel, params: Any, rng: Generator, threads: int = 1) -> None:
        """Fit the map to the training rows."""

    @classmethod
    @abstractmethod
    def bytes_needed(cls, params: Any, n: int, d: int) -> int:
        """Return an upper bound on the bytes that the features of n training examples of width d take."""

    @abstractmethod
    def examples(self) -> LinearData:
        """Return the features of the training examples, with the cost of computing them."""

    @abstractmethod
    def transform(self, X: Any) -> NDArray[np.float32]:
        """Return z(x) for each row x of X, float32, shape (m, D)."""

    def expansion(self, weights: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
        """Return the training examples and coefficients of the kernel expansion that weights correspond to.

        The result is None for maps whose weights correspond to no kernel expansion.
        """
        return None

    @abstractmethod
    def scores(self, weights: NDArray[np.float64], bias: float, X: Any) -> tuple[NDArray[np.float64], int]:
        """Return <z(x), w> + bias for each row x of X, float64 (m,), and the number of inner products.

        Signs are those in double precision.
        Kernel evaluations are counted in the ledger as prediction instead.
        """

    @abstractmethod
    def errors(self, weights: NDArray[np.float64], X: Any) -> NDArray[np.float64]:
        """Return bounds of the errors of <z(x), w> by features in single precision, shape (m,)."""

    @abstractmethod
    def exact_scores(self, weights: NDArray[np.float64], X: Any) -> NDArray[np.float64]:
        """Return <z(x), w> for each row x of X in double precision, shape (m,); counted in no column."""

    def settled(
        self, scores: NDArray[np.float64], weights: NDArray[np.float64], bias: float, X: Any
    ) -> NDArray[np.float64]:
        """Return scores of rows, shape (m,), those of uncertain sign computed again in double precision."""
        sure = (np.abs(scores) > self.errors(weights, X)) & (not self.compared)
        scores, unsure = scores.copy(), np.flatnonzero(~sure)
        for begin in range(0, unsure.size, BLOCK):
            at = unsure[begin : begin + BLOCK]
            scores[at] = self.exact_scores(weights, X[at]) + bias
        return scores
