"""Rank tests with ties and infinite costs, exact for up to a hundred seeds, and Holm's correction.

Under the null hypothesis, every assignment of signs (paired) or groups (unpaired) is equally likely. For up
to `EXACT` seeds, the distribution of the rank sum over all assignments is computed exactly. Time and memory
for this grow with the third power of the number of seeds. Beyond, the distribution is approximated as normal,
with the variance corrected for ties and with a continuity correction. In 300 random samples of 101 to 159
values, a third of them with ties, the p-value differed from the exact one by at most 0.003.

`scipy.stats` is not used, since its exact distributions assume that there are no ties. Runs that never reach
the target are tied.

F. Wilcoxon: Individual comparisons by ranking methods, 1945; H. B. Mann, D. R. Whitney, 1947;
S. Holm: A simple sequentially rejective multiple test procedure, 1979.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, erfc, sqrt

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Most pairs, or seeds of both groups together, for exact distributions.
EXACT = 100


def signed_rank(differences: Floats) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test; zeros are dropped, as in the original.

    Parameters
    ----------
    differences : ndarray of float64, shape (n,)
        Values that may be infinite, but not NaN.
    """
    known = differences[differences != 0.0]
    ranks = twice_ranks(np.abs(known))
    if ranks.size > EXACT:
        # A sum of independent terms, each 0 or its rank.
        seen = float(ranks[known > 0.0].sum())
        return _normal(seen - 0.5 * ranks.sum(), 0.25 * float((ranks.astype(np.float64) ** 2).sum()))
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
        Values that may be infinite, but not NaN.
    """
    ranks = twice_ranks(np.concatenate([first, second]))
    if ranks.size > EXACT:
        # A sum of ranks drawn without replacement.
        mean = ranks.mean()
        variance = first.size * second.size / (ranks.size - 1) * float(((ranks - mean) ** 2).mean())
        return _normal(float(ranks[: first.size].sum()) - first.size * mean, variance)
    ways = np.zeros((first.size + 1, int(ranks.sum()) + 1))
    ways[0, 0] = 1.0
    for rank in ranks:
        ways[1:, rank:] += ways[:-1, : ways.shape[1] - rank].copy()
    return _two_sided(ways[-1] / comb(ranks.size, first.size), int(ranks[: first.size].sum()))


def least_p(paired: int, first: int, second: int) -> float:
    """Return the least possible p-value for this many pairs or, without pairs, two groups of these sizes."""
    if paired:
        return 2.0 ** (1 - paired)
    return min(1.0, 2 / comb(first + second, first))


def holm(values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number; controls the family-wise error rate even if dependent."""
    order = np.argsort(values, kind="stable")
    corrected, last = [0.0] * len(values), 0.0
    for place, index in enumerate(order):
        last = max(last, min(1.0, (len(values) - place) * values[index]))
        corrected[index] = last
    return corrected


def twice_ranks(values: Floats) -> NDArray[np.int64]:
    """Return twice the mid-ranks; unlike mid-ranks, these are integers."""
    ordered = np.sort(values)
    below = np.searchsorted(ordered, values, side="left")
    upto = np.searchsorted(ordered, values, side="right")
    return np.asarray(below + upto + 1, dtype=np.int64)


def _normal(above: float, variance: float) -> float:
    """Return the two-sided p-value of a deviation of twice the rank sum from its mean."""
    if variance == 0.0:
        return 1.0
    return float(min(1.0, erfc(max(0.0, abs(above) - 1.0) / sqrt(2.0 * variance))))


def _two_sided(share: Floats, seen: int) -> float:
    tails = (share[: seen + 1].sum(), share[seen:].sum())
    return float(min(1.0, 2.0 * min(tails)))
