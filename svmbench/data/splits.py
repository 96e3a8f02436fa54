"""Random splits and scalings."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

from svmbench.data.dataset import Matrix, Part
from svmbench.errors import UserError
from svmbench.sparse import issparse


def random_split(n: int, sizes: dict[str, int], seed: int) -> dict[str, NDArray[np.int64]]:
    """Cut a random permutation of n examples into consecutive pieces.

    Parameters
    ----------
    n : int
        Number of examples.
    sizes : dict of str to int
        Sizes of the parts by name; their sum is at most n.
    seed : int
        Entropy of the `numpy.random.SeedSequence` of the permutation.

    Returns
    -------
    dict of str to ndarray of int64
        The examples of each part, in random order.
    """
    order = np.random.default_rng(np.random.SeedSequence(seed)).permutation(n)
    ends = np.cumsum(list(sizes.values()))
    return {key: order[end - size : end] for (key, size), end in zip(sizes.items(), ends)}


def random_parts(X: Matrix, y: NDArray[np.float64], sizes: dict[str, int], seed: int) -> dict[str, Part]:
    """Return the parts of a `random_split` of all examples."""
    return {key: take(X, y, rows) for key, rows in random_split(y.size, sizes, seed).items()}


def folds(y: NDArray[np.float64], count: int, seed: int) -> list[NDArray[np.int64]]:
    """Assign the examples to stratified folds: each class at random and as evenly as possible.

    Parameters
    ----------
    y : ndarray of float64, shape (n,)
        Labels in {-1, +1}, or numbers of the classes.
    count : int
        Number of folds.
    seed : int
        Determines the random assignment.

    Returns
    -------
    list of ndarray of int64
        The examples of each fold, ascending.

    Raises
    ------
    UserError
        If a class has fewer examples than there are folds.
    """
    classes, sizes = np.unique(y, return_counts=True)
    smaller = int(sizes.min())
    if smaller < count:
        more = "data with at least 2 of each class, or with a validation set"
        raise UserError(
            f"validate.folds={count} is more than the {smaller} training example{'s' * (smaller > 1)} of the "
            f"smallest class: give {f'at most {smaller}' if smaller > 1 else more}"
        )
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    fold, begin = np.empty(y.size, np.int64), 0
    for label in classes:
        members = rng.permutation(np.flatnonzero(y == label))
        # Start where the previous class ended, so that the sizes of folds differ by at most one.
        fold[members] = (begin + np.arange(members.size)) % count
        begin += members.size
    return [np.flatnonzero(fold == number) for number in range(count)]


def nine_to_one(n: int) -> dict[str, int]:
    """Return the sizes of a training and a test part; for covertype 522,911 / 58,101 (Pegasos, Table 1)."""
    return {"train": n - n // 10, "test": n // 10}


def eight_to_one_to_one(n: int) -> dict[str, int]:
    """Return the sizes of three parts, rounded as in ASSET; for covertype 464,809 / 58,102 / 58,101."""
    rest = n - n * 8 // 10
    return {"train": n - rest, "validation": rest - rest // 2, "test": rest // 2}


def three_to_one_to_one(n: int) -> dict[str, int]:
    """Return the sizes of three parts, for sets of some ten thousand rows: MAGIC's 11,412 / 3,804 / 3,804."""
    fifth = n // 5
    return {"train": n - 2 * fifth, "validation": fifth, "test": fifth}


def take(X: Matrix, y: NDArray[np.float64], rows: NDArray[np.int64] | slice) -> Part:
    """Return the given examples as a part."""
    return Part(X[rows], y[rows])


def scale(X: NDArray[np.float64], train: NDArray[np.int64] | slice, scaling: str, columns: int) -> None:
    """Scale the first columns of a dense matrix in place, according to the training rows.

    Parameters
    ----------
    X : ndarray of float64, shape (n, d)
        All examples.
    train : index of rows
        The training examples. They alone determine the scaling, so no information about the test set leaks.
    scaling : str
        ``minmax``: to [0, 1]; ``standard``: to mean 0 and standard deviation 1; ``none``.
    columns : int
        Number of columns to scale, from the first. A constant column becomes 0.

    Raises
    ------
    UserError
        If the range of a column overflows.
    """
    if scaling not in ("minmax", "standard"):
        return
    for number, column in enumerate(X.T[:columns], start=1):
        shift, width = shift_and_width(column[train], scaling)
        if not np.isfinite([shift, width]).all():
            raise UserError(f"the values of column {number} are too far apart to be scaled: rescale them")
        column -= shift
        column /= width


def shift_and_width(column: NDArray[np.float64], scaling: str) -> tuple[float, float]:
    """Return what `scale` subtracts from a column with these training values, and what it then divides by."""
    with np.errstate(over="ignore", invalid="ignore"):
        if scaling == "minmax":
            shift, width = column.min(), np.ptp(column)
        else:
            shift, width = column.mean(), column.std()
    return float(shift), float(width) or 1.0


def scale_sparse(X: Matrix, train: NDArray[np.int64] | slice) -> Matrix:
    """Return a CSR matrix with each column divided by its largest absolute value in the training rows.

    Zeros stay zeros. A column that is empty in the training rows is unchanged.
    """
    widths = largest(X[train])
    return scipy.sparse.csr_array((X.data / widths[X.indices], X.indices, X.indptr), shape=X.shape)


def largest(X: Matrix) -> NDArray[np.float64]:
    """Return the largest absolute value of each column of a CSR matrix, shape (d,); 1 for an empty one."""
    top = abs(X).max(axis=0).toarray().ravel()
    return np.where(top > 0.0, top, 1.0)


def unit_rows(X: Matrix) -> Matrix:
    """Return the rows divided by their Euclidean norms; rows of zeros are unchanged.

    Each row is first divided by its largest absolute value, so that no square overflows or underflows.

    Parameters
    ----------
    X : ndarray of float64 or csr_array of float64, shape (n, d)
        The examples; not changed.

    Returns
    -------
    ndarray or csr_array of float64, shape (n, d)
    """
    scaled = _divided(X, abs(X).max(axis=1))
    squares = scaled.power(2) if issparse(scaled) else np.square(scaled)
    return _divided(scaled, np.sqrt(squares.sum(axis=1)))


def _divided(X: Matrix, divisors: Matrix) -> Matrix:
    """Return each row divided by its divisor, or unchanged if that is 0."""
    wide = np.asarray(divisors.toarray() if issparse(divisors) else divisors, np.float64).ravel()
    wide = np.where(wide == 0.0, 1.0, wide)
    if not issparse(X):
        return X / wide[:, np.newaxis]
    return scipy.sparse.csr_array(
        (X.data / np.repeat(wide, np.diff(X.indptr)), X.indices, X.indptr), shape=X.shape
    )
