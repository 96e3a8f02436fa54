"""Tests of sparse matrices without importing `scipy.sparse`, which takes a tenth of a second."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np


def issparse(X: Any) -> bool:
    """Return whether X is a sparse array or matrix of scipy.

    If `scipy.sparse` has not been imported, no such object exists. Modules that make sparse arrays use
    ``import scipy`` and ``scipy.sparse.csr_array``, which imports the submodule on first use.
    """
    module = sys.modules.get("scipy.sparse")
    return module is not None and bool(module.issparse(X))


def is_exact(X: Any) -> bool:
    """Return whether float32 represents all numbers of a dense or CSR matrix exactly."""
    values = X.data if issparse(X) else X
    if values.dtype == np.float32:
        return True
    with np.errstate(over="ignore"):
        return bool(np.array_equal(values, values.astype(np.float32)))


def canonical(X: Any) -> Any:
    """Return a matrix as CSR with strictly ascending columns in each row, repeated entries added up.

    The loops over sparse rows require that. X is not changed; it is returned if it is such a matrix.
    """
    import scipy

    rows = X.tocsr() if issparse(X) else scipy.sparse.csr_array(X)
    # A new matrix does not have the cached flags, which are wrong if the user has changed the arrays since.
    if not scipy.sparse.csr_array(rows).has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows
