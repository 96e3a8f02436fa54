"""One-vs-one classification in the layout of `sklearn.svm.SVC`: scores of classes and dual coefficients.

Pairs, signs and order are those of `svmbench.multiclass`. Support vectors are sorted by class.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from svmbench.multiclass import counted, membership, pairs
from svmbench.sklearn._training import Solution

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


class PairSolutions:
    """Solutions of the problems of all pairs of classes, for each C of a list.

    Problems are stored one after the other: the rows of the first class, then those of the second.

    Parameters
    ----------
    codes : ndarray of int64, shape (n,)
        Class of each row.
    several : int
        Number of values of C.

    Attributes
    ----------
    groups : list of ndarray of int64
        Rows of each class.
    first, second : ndarray of int64, shape (p,)
        Classes of each pair.
    ends : ndarray of int64, shape (p + 1,)
        Where each problem begins, and the last one ends.
    rows, y : ndarray of int64 and float64, shape (t,)
        Rows of all problems, and their labels: -1 for the first class, 1 for the second.
    alpha : ndarray of float64, shape (c, t)
        Coefficients.
    bias, gap : ndarray of float64, shape (c, p)
        b, and the certified relative duality gap.
    iterations, evaluations : ndarray of int64, shape (c, p)
        Iterations of the solver, and kernel values computed.
    solved, ended_early : ndarray of bool, shape (c, p)
        Whether there is a solution, and whether the iteration limit ended it.
    """

    def __init__(self, codes: NDArray[np.int64], several: int) -> None:
        sizes = np.bincount(codes)
        parts = np.cumsum(sizes)
        order = np.argsort(codes, kind="stable")
        self.groups = [order[end - size : end] for end, size in zip(parts, sizes, strict=True)]
        both = np.array(pairs(sizes.size), dtype=np.int64)
        self.first, self.second = np.ascontiguousarray(both.T)
        self.ends = np.concatenate([[0], np.cumsum(sizes[both].sum(axis=1))])
        self.rows = np.concatenate([self.groups[one] for one in both.ravel()])
        self.y = np.repeat([-1.0, 1.0] * len(both), sizes[both].ravel())
        self.alpha = np.zeros((several, self.rows.size))
        self.bias, self.gap = np.zeros((2, several, len(both)))
        self.iterations, self.evaluations = np.zeros((2, several, len(both)), dtype=np.int64)
        self.solved, self.ended_early = np.zeros((2, several, len(both)), dtype=np.bool_)

    @property
    def widest(self) -> int:
        """Most rows of a problem."""
        return int(np.diff(self.ends).max())

    def of(self, pair: int) -> slice:
        """Return where the problem of a pair stands."""
        return slice(int(self.ends[pair]), int(self.ends[pair + 1]))

    def keep(
        self, c: int, pair: int, solution: Solution, order: NDArray[np.int64] | slice = slice(None)
    ) -> None:
        """Keep the solution of a pair for C number c; of the rows of the pair in this order."""
        self.alpha[c, self.of(pair)][order] = solution.alpha
        self.bias[c, pair], self.gap[c, pair] = solution.bias, solution.gap
        self.iterations[c, pair], self.evaluations[c, pair] = solution.iterations, solution.evaluations
        self.solved[c, pair], self.ended_early[c, pair] = True, solution.ended_early

    def coefficients(self, c: int) -> tuple[NDArray[np.int64], Floats, NDArray[np.int64]]:
        """Return the rows with a non-zero coefficient, these, positive for the first class, and their pairs.

        A row stands there once for each pair in which it has one.
        """
        at = self.alpha[c].nonzero()[0]
        each = np.diff(np.searchsorted(at, self.ends))
        return self.rows[at], -self.alpha[c, at] * self.y[at], np.repeat(np.arange(each.size), each)


def dual_coefficients(
    codes: NDArray[np.int64],
    rows: NDArray[np.int64],
    values: Floats,
    pair: NDArray[np.int64],
    classes: int,
) -> tuple[NDArray[np.int64], Floats]:
    """Collect the coefficients of all pairs in the layout of `SVC`.

    `rows`, `values` and `pair` are as of `PairSolutions.coefficients`, for training rows of the classes
    `codes`.

    Returns
    -------
    support : ndarray of int64, shape (s,)
        Training rows with a non-zero coefficient in any pair, sorted by class, then by index.
    coefficients : ndarray of float64, shape (k - 1, s)
        Coefficients of a row of class c against each of the other classes, in order.
    """
    place = np.zeros(len(codes), dtype=np.int64)
    place[rows] = 1
    used = np.flatnonzero(place)
    support = used[np.argsort(codes[used], kind="stable")]
    place[support] = np.arange(support.size)
    first, second = np.array(pairs(classes))[pair].T
    coefficients = np.zeros((classes - 1, support.size))
    coefficients[np.where(codes[rows] == first, second - 1, first), place[rows]] = values
    return support, coefficients
