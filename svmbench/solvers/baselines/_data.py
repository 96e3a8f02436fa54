"""The training examples of one run as they are, for programs of others that read and count by themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

from svmbench.counters import FIELDS
from svmbench.sparse import issparse

#: Arrays with a smaller share of non-zeros are handed over as CSR by `BaselineData.compact`.
CSR_BELOW = 0.5


class Tally:
    """A ledger that knows iterations only: what another program evaluates cannot be observed."""

    def __init__(self) -> None:
        self.iterations = 0

    def as_dict(self) -> dict[str, int | None]:
        """Return every counter by name; None but for the iterations."""
        return dict.fromkeys(FIELDS) | {"iterations": self.iterations}


class BaselineData:
    """What a solver with ``access = "data"`` is given.

    Parameters
    ----------
    X : ndarray or scipy.sparse matrix, shape (n, d)
        Training examples.
    kernel : dict
        ``name`` and parameters, as in the resolved configuration.
    cache_bytes : int, default 0
        What a cache of kernel rows may take.
    threads : int, default 1
        Threads that the program may use.

    Attributes
    ----------
    n, d : int
        Examples and features.
    ledger : Tally
        Iterations.
    """

    def __init__(self, X: Any, kernel: dict[str, Any], cache_bytes: int = 0, threads: int = 1) -> None:
        self.X = X
        self.kernel = dict(kernel)
        self.cache_bytes = cache_bytes
        self.threads = threads
        self.n, self.d = X.shape
        self.ledger = Tally()

    def dense(self, dtype: type) -> np.ndarray:
        """Return the examples as a C-contiguous array of a type; not copied if they are one."""
        X = self.X.toarray() if issparse(self.X) else self.X
        return np.ascontiguousarray(X, dtype=dtype)

    def csr(self, dtype: type) -> scipy.sparse.csr_array:
        """Return the examples as a CSR matrix of a type."""
        return scipy.sparse.csr_array(self.X, dtype=dtype)

    def compact(self, dtype: type) -> np.ndarray | scipy.sparse.csr_array:
        """Return them as CSR where it holds fewer numbers, else as an array."""
        sparse = issparse(self.X) or np.count_nonzero(self.X) < CSR_BELOW * self.X.size
        return self.csr(dtype) if sparse else self.dense(dtype)
