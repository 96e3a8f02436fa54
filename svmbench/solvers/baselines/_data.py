"""The unchanged training examples of a run, for baselines, which read and count in their own way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from svmbench.counters import FIELDS
from svmbench.sparse import issparse

if TYPE_CHECKING:
    from svmbench.run_config import KernelDocument

#: `BaselineData.compact` converts arrays with a smaller fraction of non-zeros to CSR.
CSR_BELOW = 0.5


class Tally:
    """A ledger of iterations only; the evaluations of another program are unknown."""

    def __init__(self) -> None:
        self.iterations = 0

    def as_dict(self) -> dict[str, int | None]:
        """Return all counters by name; only iterations are not None."""
        return dict.fromkeys(FIELDS) | {"iterations": self.iterations}


class BaselineData:
    """The data for a solver with ``access = "data"``.

    Parameters
    ----------
    X : ndarray or scipy.sparse matrix, shape (n, d)
        Training examples.
    kernel : dict
        ``name`` and parameters, as in the resolved configuration.
    cache_bytes : int, default 0
        Size of the program's cache of kernel rows.
    threads : int, default 1
        Number of threads that the program may use.

    Attributes
    ----------
    n, d : int
        Numbers of examples and features.
    ledger : Tally
        Counts iterations.
    """

    def __init__(self, X: Any, kernel: KernelDocument, cache_bytes: int = 0, threads: int = 1) -> None:
        self.X = X
        self.kernel = kernel.copy()
        self.cache_bytes = cache_bytes
        self.threads = threads
        self.n, self.d = X.shape
        self.ledger = Tally()

    def dense(self, dtype: type) -> np.ndarray:
        """Return the examples as a C-contiguous array of this type, without a copy if possible."""
        X = self.X.toarray() if issparse(self.X) else self.X
        return np.ascontiguousarray(X, dtype=dtype)

    def csr(self, dtype: type) -> scipy.sparse.csr_array:
        """Return the examples as a CSR matrix of this type."""
        return scipy.sparse.csr_array(self.X, dtype=dtype)

    def compact(self, dtype: type) -> np.ndarray | scipy.sparse.csr_array:
        """Return the examples as CSR if they are sparse or mostly zeros, else as an array."""
        sparse = issparse(self.X) or np.count_nonzero(self.X) < CSR_BELOW * self.X.size
        return self.csr(dtype) if sparse else self.dense(dtype)
