"""Kernel k-means on a sample, and the clusters of other points.

The two-step form of C.-J. Hsieh, S. Si and I. S. Dhillon, A Divide-and-Conquer Solver for Kernel Support
Vector Machines, ICML 2014, after R. Chitta, R. Jin, T. C. Havens and A. K. Jain, Approximate Kernel k-means,
KDD 2011: the centres are means of sample points in the feature space, and all other points go to the nearest
of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from svmbench.rng import Generator

#: Most passes over the sample.
PASSES = 100

#: Squared distances that differ by less, relative to the largest squared norm of a centre, are equal, so that
#: rounding does not choose between centres.
EQUAL = 1e-6


def cluster(K: NDArray[np.float64], k: int, rng: Generator) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Cluster a sample by Lloyd's algorithm in the feature space.

    It begins with k random points of the sample as centres, and ends when no point changes its cluster or
    after `PASSES` passes.

    Parameters
    ----------
    K : ndarray of float64, shape (m, m)
        Kernel matrix of the sample.
    k : int
        Clusters at most, at least 1. Empty ones are left out.
    rng : Generator
        Source of the first centres.

    Returns
    -------
    labels : ndarray of int64, shape (m,)
        Cluster of each sample point, from 0 without gaps.
    norms : ndarray of float64, shape (number of clusters,)
        Squared norm of each centre. A point x is nearest to the centre c with the smallest
        norms[c] - 2 · (mean of K(x, ·) over c).
    """
    first = rng.permutation(len(K))[:k]
    labels = _nearest(K.diagonal()[first], K[:, first])
    for _ in range(PASSES):
        norms, products = _centres(K, labels)
        after = _nearest(norms, products)
        if np.array_equal(after, labels):
            break
        labels = after
    return labels, _centres(K, labels)[0]


def _nearest(norms: NDArray[np.float64], products: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the nearest centre of each point, the first of several; centres without points are left out."""
    distances = norms - 2.0 * products
    near = distances <= distances.min(axis=1, keepdims=True) + EQUAL * norms.max()
    return np.unique(np.argmax(near, axis=1), return_inverse=True)[1]


def _centres(
    K: NDArray[np.float64], labels: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the squared norms of the centres, shape (k,), and their products with the points, (m, k)."""
    share = np.zeros((len(K), int(labels.max()) + 1))
    share[np.arange(len(K)), labels] = 1.0
    share /= share.sum(axis=0)
    products = K @ share
    return np.einsum("ij,ij->j", share, products), products
