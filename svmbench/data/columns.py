"""Removal of empty columns from very wide sparse data."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

from svmbench.data.dataset import Matrix

#: Data with at most this many columns keep all of them, since vectors of this length take little memory.
ALWAYS = 1 << 16


def occurring(matrices: list[Matrix]) -> list[Matrix]:
    """Return CSR matrices without the columns that are empty in all of them, if they are very wide.

    An empty column changes neither inner products nor distances, but takes memory in the vectors that kernels
    and linear solvers have of the data's width. The columns of the first matrix come first, followed by those
    that occur only in later ones, in ascending order each. So later matrices do not change the numbers of the
    columns of earlier ones.

    Parameters
    ----------
    matrices : list of csr_array, shape (n_i, d)
        The parts of one data set.

    Returns
    -------
    list of csr_array, shape (n_i, k)
        The given matrices if d is at most `ALWAYS`, or at most twice the number of values.
    """
    kept = kept_columns(matrices)
    return matrices if kept is None else [renumbered(X, kept) for X in matrices]


def kept_columns(matrices: list[Matrix]) -> NDArray[np.int32] | None:
    """Return the columns that `occurring` keeps, in its order, or None if it keeps all."""
    width = matrices[0].shape[1]
    if width <= max(ALWAYS, 2 * sum(X.nnz for X in matrices)):
        return None
    kept = np.empty(0, np.int32)
    for X in matrices:
        kept = np.concatenate([kept, np.setdiff1d(X.indices, kept)])
    return kept


def renumbered(X: Matrix, kept: NDArray[np.int32]) -> Matrix:
    """Return a CSR matrix with the kept columns, followed by other columns that have values."""
    every = np.concatenate([kept, np.setdiff1d(X.indices, kept)])
    order = np.argsort(every)
    columns = order[np.searchsorted(every, X.indices, sorter=order)].astype(np.int32)
    # If no column is kept, the matrix still has an empty first column.
    columns += 0 if kept.size else 1
    width = max(1, kept.size) + every.size - kept.size
    return scipy.sparse.csr_array((X.data, columns, X.indptr), shape=(X.shape[0], width))
