"""k-means on a sample, and the clusters of other points: the division of DC-SVM.

C.-J. Hsieh, S. Si and I. S. Dhillon, A Divide-and-Conquer Solver for Kernel Support Vector Machines, ICML
2014, cluster a sample by kernel k-means, and assign the other points to the nearest of its centres. Their
program does so in the input space, for kernels of the distance: nearer points have larger kernel values, and
the clusters do not depend on the width of the kernel. In the feature space of a narrow Gaussian kernel all
centres of a sample are far from most other points, which then go to the same one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from svmbench.rng import Generator

#: Most passes over the sample.
PASSES = 100

#: Squared distances that differ by less, relative to the largest squared norm of a centre, are equal, so that
#: rounding does not choose between centres.
EQUAL = 1e-6

#: Rows that are compared with the centres at a time.
_ROWS = 8192


def cluster(products: NDArray[np.float64], k: int, rng: Generator) -> NDArray[np.int64]:
    """Cluster a sample by Lloyd's algorithm.

    It begins with k random points of the sample as centres, and ends when no point changes its cluster or
    after `PASSES` passes.

    Parameters
    ----------
    products : ndarray of float64, shape (m, m)
        Inner products of the sample's points.
    k : int
        Clusters at most, at least 1. Empty ones are left out.
    rng : Generator
        Source of the first centres.

    Returns
    -------
    ndarray of int64, shape (m,)
        Cluster of each point, from 0 without gaps.
    """
    K = products - products.mean(axis=0)
    K -= K.mean(axis=1, keepdims=True)  # of the points relative to their mean
    first = rng.permutation(len(K))[:k]
    labels = _numbered(_nearest(K.diagonal()[first], K[:, first]))
    for _ in range(PASSES):
        share = _shares(labels)
        inner = K @ share.T
        after = _numbered(_nearest(np.einsum("ji,ij->j", share, inner), inner))
        if np.array_equal(after, labels):
            break
        labels = after
    return labels


@dataclass(frozen=True)
class Centres:
    """Centres of clusters, relative to the mean of the clustered points.

    Attributes
    ----------
    points : ndarray of float64, shape (k, d)
        The centres.
    middle : ndarray of float64, shape (d,)
        The mean of the clustered points.
    """

    points: NDArray[np.float64]
    middle: NDArray[np.float64]

    @classmethod
    def of(cls, rows: Any, clusters: NDArray[np.int64]) -> Centres:
        """Return the centres of points.

        Parameters
        ----------
        rows : ndarray or csr_array of float64, shape (m, d)
            The points.
        clusters : ndarray of int64, shape (m,)
            Their clusters, from 0 without gaps.
        """
        middle = np.full(len(clusters), 1.0 / len(clusters)) @ rows
        return cls(_shares(clusters) @ rows - middle, middle)

    @property
    def norms(self) -> NDArray[np.float64]:
        """Squared norms of the centres, shape (k,)."""
        return np.einsum("ij,ij->i", self.points, self.points)

    def choose(self, products: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the nearest centre of each row x from its products with `points`, shape (m, k)."""
        return _nearest(self.norms, products - self.points @ self.middle)

    def nearest(self, rows: Any) -> NDArray[np.int64]:
        """Return the nearest centre of each row, shape (m, d)."""
        parts = (rows[begin : begin + _ROWS] for begin in range(0, max(rows.shape[0], 1), _ROWS))
        return np.concatenate([self.choose(part @ self.points.T) for part in parts])


def _nearest(norms: NDArray[np.float64], products: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the nearest centre of each point, the first of equally near ones."""
    distances = norms - 2.0 * products
    near = distances <= distances.min(axis=1, keepdims=True) + EQUAL * norms.max()
    return np.argmax(near, axis=1)


def _numbered(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the labels without gaps."""
    return np.unique(labels, return_inverse=True)[1]


def _shares(labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the part of each point in the mean of each cluster, shape (k, m)."""
    share = (labels == np.arange(labels.max() + 1)[:, None]).astype(np.float64)
    return np.asarray(share / share.sum(axis=1, keepdims=True))
