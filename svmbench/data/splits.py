"""Random splits and scalings."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from svmbench.data.dataset import Matrix, Part


def random_split(n: int, sizes: dict[str, int], seed: int) -> dict[str, NDArray[np.int64]]:
    """Cut a random permutation of n examples into consecutive pieces.

    Parameters
    ----------
    n : int
        Number of examples.
    sizes : dict of str to int
        Sizes of the parts by name; together at most n.
    seed : int
        Entropy of the `numpy.random.SeedSequence` behind the permutation.

    Returns
    -------
    dict of str to ndarray of int64
        The examples of each part, in random order.
    """
    order = np.random.default_rng(np.random.SeedSequence(seed)).permutation(n)
    ends = np.cumsum(list(sizes.values()))
    return {key: order[end - size : end] for (key, size), end in zip(sizes.items(), ends)}


def nine_to_one(n: int) -> dict[str, int]:
    """Return the sizes of a training and a test part: covertype's 522,911 / 58,101 (Pegasos, Table 1)."""
    return {"train": n - n // 10, "test": n // 10}


def eight_to_one_to_one(n: int) -> dict[str, int]:
    """Return the sizes of three parts, as ASSET rounds them: covertype's 464,809 / 58,102 / 58,101."""
    rest = n - n * 8 // 10
    return {"train": n - rest, "validation": rest - rest // 2, "test": rest // 2}


def take(X: Matrix, y: NDArray[np.float64], rows: NDArray[np.int64] | slice) -> Part:
    """Return the given examples as a part."""
    return Part(X[rows], y[rows])


def scale(X: NDArray[np.float64], train: NDArray[np.int64] | slice, scaling: str, columns: int) -> None:
    """Scale the first columns of a matrix in place, by what the training rows say.

    Parameters
    ----------
    X : ndarray of float64, shape (n, d)
        All examples.
    train : index of rows
        The training examples; only they determine the scaling, so nothing of the test set leaks.
    scaling : str
        ``minmax``: to [0, 1]; ``standard``: to mean 0 and standard deviation 1; ``none``.
    columns : int
        How many columns, from the first, are scaled. A constant one becomes 0.
    """
    for column in X.T[:columns]:
        known = column[train]
        if scaling == "minmax":
            shift, width = known.min(), np.ptp(known)
        elif scaling == "standard":
            shift, width = known.mean(), known.std()
        else:
            return
        column -= shift
        if width > 0.0:
            column /= width
