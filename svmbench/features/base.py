"""What a feature map is: the contract between a map, the training rows it is fitted on and the run.

A map makes an explicit vector z(x) of each example, so that a kernel problem becomes a linear one for which
<z(x), z(x')> is about K(x, x'). It is fitted before the first iteration, as part of training.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from svmbench.kernels._linear_data import LinearData
    from svmbench.rng import Generator

#: Examples that are mapped at a time: their kernel values or products stay in the second-level cache.
BLOCK = 512


class FeatureMap(ABC):
    """Base of the maps: subclasses set the class attributes, define ``Params`` and implement the rest.

    Parameters
    ----------
    X : ndarray or scipy.sparse matrix, shape (n, d)
        Training examples.
    kernel : dict
        What is approximated; name and parameters as in the resolved configuration.
    params : Params
        Of the map.
    rng : Generator
        The source of every random choice.
    threads : int
        Of kernel evaluations.

    Attributes
    ----------
    name : str
        The word after ``features=``.
    kernels : tuple of str or None
        Kernels that it can approximate; None means any.
    version : int
        Raised whenever results change; part of a run's identity.
    """

    name: ClassVar[str]
    kernels: ClassVar[tuple[str, ...] | None] = None
    version: ClassVar[int] = 1
    Params: ClassVar[type]

    @abstractmethod
    def __init__(self, X: Any, kernel: dict[str, Any], params: Any, rng: Generator, threads: int = 1) -> None:
        """Fit the map on the training rows."""

    @classmethod
    @abstractmethod
    def bytes_needed(cls, params: Any, n: int, d: int) -> int:
        """Return the memory that the features of n training examples of width d take at most."""

    @abstractmethod
    def examples(self) -> LinearData:
        """Return the training examples in their features, with the counts of making them."""

    @abstractmethod
    def transform(self, X: Any) -> NDArray[np.float32]:
        """Return z(x) for each row x of X, float32, shape (m, D)."""

    def expansion(self, weights: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
        """Return the training examples and coefficients of the kernel expansion that weights stand for.

        None where they stand for none.
        """
        return None

    @abstractmethod
    def scores(self, weights: NDArray[np.float64], bias: float, X: Any) -> tuple[NDArray[np.float64], int]:
        """Return <z(x), w> + bias for each row x of X, float64 (m,), and the inner products that it took.

        Kernel evaluations stand in the ledger as prediction instead.
        """
