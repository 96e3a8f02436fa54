"""Classification into more than two classes by several binary problems.

``one_vs_one`` has a problem for each pair of classes, and most votes win. Pairs, signs and order are those of
LIBSVM (C.-C. Chang and C.-J. Lin, LIBSVM, ACM Trans. Intell. Syst. Technol. 2, 2011, section 7): pair (i, j),
i < j, has the score f_ij, positive for class i, and pairs are in lexicographic order. ``one_vs_rest`` has a
problem for each class, and the largest score wins. In a tie, the first class does.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: A binary problem: its positive class, and its negative one; None: all others.
Sides = tuple[int, int | None]


def pairs(classes: int) -> list[tuple[int, int]]:
    """Return the pairs (i, j), i < j, of this many classes, in the order of the scores."""
    return list(combinations(range(classes), 2))


def membership(classes: int) -> NDArray[np.float64]:
    """Return which class is the first of a pair, and which the second, 0 or 1, (2, k (k - 1) / 2, k)."""
    both = np.array(pairs(classes), dtype=np.int64).reshape(-1, 2).T
    return (both[:, :, np.newaxis] == np.arange(classes)).astype(np.float64)


def problems(kind: str, classes: int) -> list[Sides]:
    """Return the binary problems of ``one_vs_one`` or ``one_vs_rest``, in the order of the scores."""
    return [*pairs(classes)] if kind == "one_vs_one" else [(k, None) for k in range(classes)]


def name(sides: Sides, labels: tuple[str, ...]) -> str:
    """Return a problem in words, by the labels of the classes."""
    positive, negative = sides
    return f"{labels[positive]} against {'the rest' if negative is None else labels[negative]}"


def binary(y: NDArray[np.float64], sides: Sides) -> tuple[NDArray[np.int64] | slice, NDArray[np.float64]]:
    """Return the examples of a problem, and their labels in {-1, +1}.

    Parameters
    ----------
    y : ndarray of float64, shape (n,)
        Numbers of the classes of all examples.
    sides : (int, int or None)
        The problem.
    """
    positive, negative = sides
    rows = slice(None) if negative is None else np.flatnonzero((y == positive) | (y == negative))
    return rows, np.where(y[rows] == positive, 1.0, -1.0)


def votes(values: NDArray[Any], classes: int) -> NDArray[np.int64]:
    """Return for each row the class with the most votes, the first in case of a tie.

    Parameters
    ----------
    values : ndarray of float64 or bool, shape (m, k (k - 1) / 2)
        Scores of the pairs; above 0 is a vote for the first class of the pair.
    classes : int
        k.

    Returns
    -------
    ndarray of int64, shape (m,)
    """
    first = values > 0
    return np.asarray(counted(first, ~first, classes).argmax(axis=1))


def counted(first: NDArray[np.bool_], second: NDArray[np.bool_], classes: int) -> NDArray[np.int64]:
    """Return the votes for each class, (m, k), by whether each pair votes for its first class, its second."""
    firsts, seconds = membership(classes)
    return (first @ firsts + second @ seconds).astype(np.int64)


def answers(kind: str, scores: NDArray[np.float64]) -> NDArray[Any]:
    """Return what `predicted` reads of the scores of one problem: the votes of a pair, else the scores."""
    return scores > 0.0 if kind == "one_vs_one" else scores


def predicted(kind: str, values: NDArray[Any], classes: int) -> NDArray[np.int64]:
    """Return the class of each row, shape (m,), from scores or answers of all problems, a column each."""
    return votes(values, classes) if kind == "one_vs_one" else np.asarray(values.argmax(axis=1))
