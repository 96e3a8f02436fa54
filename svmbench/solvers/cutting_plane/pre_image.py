r"""The point whose image in the feature space of the Gaussian kernel best fits a combination of images.

For :math:`\rho = \sum_j q_j \Phi(z_j)`, the gain of a point b is :math:`\langle \rho, \Phi(b) \rangle^2`, the
decrease of :math:`|\rho|^2` when its part along the unit vector :math:`\Phi(b)` is subtracted. Where its
gradient is 0, b is the mean of the z_j weighted by :math:`q_j K(b, z_j)`; repeating this is the fixed-point
iteration of S. Mika et al., Kernel PCA and De-Noising in Feature Spaces, NIPS 1998, as used by T. Joachims
and C.-N. J. Yu, Sparse Kernel SVMs via Cutting-Plane Training, Machine Learning 76, 2009.

The step to that mean is an ascent direction, but may be far too long if the weights have both signs and
nearly cancel. Then it is halved until it gains, which the papers do not mention.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels.reduced_set import ReducedSet
from svmbench.rng import Generator

Floats = NDArray[np.float64]

#: Most evaluations of a gain, distance below which a step is the last, and most starts.
STEPS = 1000
CHANGE = 1e-6
STARTS = 4

#: If a sum of weights is below this fraction of the sum of their absolute values, there is no mean.
VANISHING = 1e-12


def pre_image(
    clouds: Sequence[ReducedSet], weights: Sequence[Floats], rng: Generator
) -> tuple[Floats, float, int]:
    """Search for the point with the largest gain, starting at a random z_j.

    Parameters
    ----------
    clouds : sequence of ReducedSet
        The z_j, in parts.
    weights : sequence of ndarray of float64
        The q_j of each part, not all 0.
    rng : Generator
        Chooses the z_j of a start, with probability proportional to |q_j|.

    Returns
    -------
    point : ndarray of float64, shape (d,)
        b.
    gain : float
        Its gain.
    evaluations : int
        Number of kernel evaluations.
    """
    chances = np.cumsum(np.abs(np.concatenate(weights)))
    size = sum(cloud.n for cloud in clouds)
    evaluations = 0

    def shares_at(point: Floats) -> tuple[list[Floats], float]:
        nonlocal evaluations
        evaluations += size
        shares = [q * cloud.values(point) for q, cloud in zip(weights, clouds, strict=True)]
        return shares, float(sum(share.sum() for share in shares))

    for _ in range(STARTS):
        drawn = int(np.searchsorted(chances, rng.random() * chances[-1], side="right"))
        point = _row(clouds, min(drawn, size - 1))
        shares, total = shares_at(point)
        if abs(total) > VANISHING * sum(float(np.abs(share).sum()) for share in shares):
            break
    else:
        return point, total * total, evaluations
    step = _to_mean(clouds, shares, total, point)
    for _ in range(STEPS):
        if float(np.linalg.norm(step)) < CHANGE:
            break
        ahead = point + step
        shares, new = shares_at(ahead)
        if abs(new) > abs(total):
            point, total = ahead, new
            step = _to_mean(clouds, shares, total, point)
        else:
            step = 0.5 * step
    return point, total * total, evaluations


def _to_mean(clouds: Sequence[ReducedSet], shares: Sequence[Floats], total: float, point: Floats) -> Floats:
    """Return the step from a point to the weighted mean of the rows."""
    mean = sum(
        (cloud.combination(share) for share, cloud in zip(shares, clouds, strict=True)), np.zeros_like(point)
    )
    return np.asarray(mean / total - point)


def _row(clouds: Sequence[ReducedSet], i: int) -> Floats:
    """Return row i of the concatenated parts."""
    for cloud in clouds:
        if i < cloud.n:
            return cloud.point(i)
        i -= cloud.n
    raise IndexError(i)
