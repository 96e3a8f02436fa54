"""Very wide sparse data: keep the columns that occur."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

from svmbench.data.dataset import Matrix

#: Up to so many columns nothing is left out; the vectors of this length that solvers keep are small.
ALWAYS = 1 << 16


def occurring(matrices: list[Matrix]) -> list[Matrix]:
    """Return CSR matrices without the columns that are empty in all of them, if they are very wide.

    An empty column changes no inner product and no distance, but a vector of the width of the data, as
    kernels and linear solvers keep, would take memory for it. The columns of the first matrix come first,
    then those that only a later one has, in ascending order each: no later matrix changes their numbers.

    Parameters
    ----------
    matrices : list of csr_array, shape (n_i, d)
        The parts of one data set.

    Returns
    -------
    list of csr_array, shape (n_i, k)
        The same objects where d is at most `ALWAYS`, or twice the number of values.
    """
    kept = kept_columns(matrices)
    return matrices if kept is None else [renumbered(X, kept) for X in matrices]


def kept_columns(matrices: list[Matrix]) -> NDArray[np.int32] | None:
    """Return the columns that `occurring` keeps, in its order, or None where it keeps all."""
    width = matrices[0].shape[1]
    if width <= max(ALWAYS, 2 * sum(X.nnz for X in matrices)):
        return None
    kept = np.empty(0, np.int32)
    for X in matrices:
        kept = np.concatenate([kept, np.setdiff1d(X.indices, kept)])
    return kept


def renumbered(X: Matrix, kept: NDArray[np.int32]) -> Matrix:
    """Return a CSR matrix with the columns that are kept, and behind them the others that have values."""
    every = np.concatenate([kept, np.setdiff1d(X.indices, kept)])
    order = np.argsort(every)
    columns = order[np.searchsorted(every, X.indices, sorter=order)].astype(np.int32)
    # Where none is kept there is one column all the same, which is empty.
    columns += 0 if kept.size else 1
    width = max(1, kept.size) + every.size - kept.size
    return scipy.sparse.csr_array((X.data, columns, X.indptr), shape=(X.shape[0], width))
