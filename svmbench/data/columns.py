"""Removal of empty columns from very wide sparse data."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

from svmbench.data.dataset import Matrix

#: Up to this many columns, none is removed; vectors of this length in solvers are small.
ALWAYS = 1 << 16


def occurring(matrices: list[Matrix]) -> list[Matrix]:
    """Return CSR matrices without the columns that are empty in all of them, if they are very wide.

    An empty column does not change inner products or distances, but the vectors of the data's width in
    kernels and linear solvers would take memory for it. The columns of the first matrix come first, then
    those that occur only in later ones, each in ascending order, so that later matrices do not change their
    numbers.

    Parameters
    ----------
    matrices : list of csr_array, shape (n_i, d)
        The parts of one data set.

    Returns
    -------
    list of csr_array, shape (n_i, k)
        The same objects if d is at most `ALWAYS`, or twice the number of values.
    """
    kept = kept_columns(matrices)
    return matrices if kept is None else [renumbered(X, kept) for X in matrices]


def kept_columns(matrices: list[Matrix]) -> NDArray[np.int32] | None:
    """Return the columns kept by `occurring`, in its order, or None if it keeps all."""
    width = matrices[0].shape[1]
    if width <= max(ALWAYS, 2 * sum(X.nnz for X in matrices)):
        return None
    kept = np.empty(0, np.int32)
    for X in matrices:
        kept = np.concatenate([kept, np.setdiff1d(X.indices, kept)])
    return kept


def renumbered(X: Matrix, kept: NDArray[np.int32]) -> Matrix:
    """Return a CSR matrix with the kept columns, followed by others that have values."""
    every = np.concatenate([kept, np.setdiff1d(X.indices, kept)])
    order = np.argsort(every)
    columns = order[np.searchsorted(every, X.indices, sorter=order)].astype(np.int32)
    # If no column is kept, there is still one, which is empty.
    columns += 0 if kept.size else 1
    width = max(1, kept.size) + every.size - kept.size
    return scipy.sparse.csr_array((X.data, columns, X.indptr), shape=(X.shape[0], width))
