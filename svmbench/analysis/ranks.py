"""Exact rank tests for few seeds, with ties and infinite costs, and Holm's correction.

Under the hypothesis that nothing differs every assignment of signs (paired) or of groups (unpaired) is
equally likely; the distribution of the rank sum over all of them is counted, not approximated.

F. Wilcoxon: Individual comparisons by ranking methods, 1945; H. B. Mann, D. R. Whitney, 1947;
S. Holm: A simple sequentially rejective multiple test procedure, 1979.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def signed_rank(differences: Floats) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test; zeros are left out, as he did.

    Parameters
    ----------
    differences : ndarray of float64, shape (n,)
        May be infinite, not NaN.
    """
    known = differences[differences != 0.0]
    if known.size == 0:
        return 1.0
    ranks = _twice_ranks(np.abs(known))
    ways = np.zeros(int(ranks.sum()) + 1)
    ways[0] = 1.0
    for rank in ranks:
        shifted = np.zeros_like(ways)
        shifted[rank:] = ways[: ways.size - rank]
        ways = 0.5 * (ways + shifted)
    return _two_sided(ways, int(ranks[known > 0.0].sum()))


def rank_sum(first: Floats, second: Floats) -> float:
    """Return the two-sided p-value of the Wilcoxon-Mann-Whitney test.

    Parameters
    ----------
    first, second : ndarray of float64, shape (n,) and (m,)
        May be infinite, not NaN.
    """
    ranks = _twice_ranks(np.concatenate([first, second]))
    ways = np.zeros((first.size + 1, int(ranks.sum()) + 1))
    ways[0, 0] = 1.0
    for rank in ranks:
        ways[1:, rank:] += ways[:-1, : ways.shape[1] - rank].copy()
    return _two_sided(ways[-1] / comb(ranks.size, first.size), int(ranks[: first.size].sum()))


def least_p(paired: int, first: int, second: int) -> float:
    """Return the least p-value that so many pairs, or two groups of so many, could give at all."""
    return 2.0 / 2.0**paired if paired else min(1.0, 2.0 / comb(first + second, first))


def holm(values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number: a family-wise error rate, whatever their dependence."""
    order = np.argsort(values, kind="stable")
    corrected, last = [0.0] * len(values), 0.0
    for place, index in enumerate(order):
        last = max(last, min(1.0, (len(values) - place) * values[index]))
        corrected[index] = last
    return corrected


def _twice_ranks(values: Floats) -> NDArray[np.int64]:
    """Return twice the mid-ranks, which are whole numbers."""
    ordered = np.sort(values)
    below = np.searchsorted(ordered, values, side="left")
    upto = np.searchsorted(ordered, values, side="right")
    return np.asarray(below + upto + 1, dtype=np.int64)


def _two_sided(share: Floats, seen: int) -> float:
    tails = (share[: seen + 1].sum(), share[seen:].sum())
    return float(min(1.0, 2.0 * min(tails)))
