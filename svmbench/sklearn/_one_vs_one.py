"""One-vs-one classification in the layout of `sklearn.svm.SVC`: scores of classes and dual coefficients.

Pairs, signs and order are those of `svmbench.multiclass`. Support vectors are sorted by class.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from svmbench.multiclass import counted, membership, pairs

Floats = NDArray[np.float64]


def one_vs_rest(values: Floats, classes: int) -> Floats:
    """Return a score for each class, (m, k): its votes plus the squashed sum of its decision values.

    The transform of `sklearn.svm.SVC` with ``decision_function_shape='ovr'``: s / (3 (|s| + 1)), less than
    1/3, of the sum s orders classes with equal votes and does not affect others. Unlike for
    `svmbench.multiclass.votes`, a value of 0 is a vote for the first class.
    """
    negative, (first, second) = values < 0.0, membership(classes)
    counts, sums = counted(~negative, negative, classes), values @ (first - second)
    return np.asarray(counts + sums / (3.0 * (np.abs(sums) + 1.0)))


def dual_coefficients(
    codes: NDArray[np.int64], signed: list[tuple[NDArray[np.int64], Floats]], classes: int
) -> tuple[NDArray[np.int64], Floats]:
    """Collect the coefficients of all pairs in the layout of `SVC`.

    `signed` has, for each pair, the training rows with a non-zero coefficient and these coefficients,
    positive for the first class of the pair.

    Returns
    -------
    support : ndarray of int64, shape (s,)
        Training rows with a non-zero coefficient in any pair, sorted by class, then by index.
    coefficients : ndarray of float64, shape (k - 1, s)
        Coefficients of a row of class c against each of the other classes, in order.
    """
    each = [rows.size for rows, _ in signed]
    rows, values = (np.concatenate(parts) for parts in zip(*signed, strict=True))
    place = np.zeros(len(codes), dtype=np.int64)
    place[rows] = 1
    used = np.flatnonzero(place)
    support = used[np.argsort(codes[used], kind="stable")]
    place[support] = np.arange(support.size)
    first, second = np.repeat(np.array(pairs(classes)).T, each, axis=1)
    coefficients = np.zeros((classes - 1, support.size))
    coefficients[np.where(codes[rows] == first, second - 1, first), place[rows]] = values
    return support, coefficients
