r"""Responses in double precision with bounds of their rounding errors.

The rounding error of a response :math:`\sum_j \alpha_j y_j k_{ij}` is a small part of the sum of its terms
without their signs, :math:`S_i = \sum_j \alpha_j k_{ij}`. For a narrow kernel, where an example is similar to
few others, :math:`S_i` is much smaller than :math:`A = \sum_j \alpha_j`, which
`svmbench.problem.objectives_rounding` uses by default. So the terms of each class are summed up separately:
:math:`S_i` is the sum of both sums, the response their difference.

Values. With u = 2^-53, a value k of the Gaussian kernel has an error of at most
:math:`g(k) = k (r \ln(1/k) + s)`: :math:`r = 1.01 (d + 6) u` for the distance, a sum of d squared
differences, and :math:`s = 1.01 \cdot 5 u` for the exponential, which is accurate to 2 units in the last
place, and the product with :math:`\alpha_j`. As g is concave, Jensen's inequality gives

.. math:: \sum_j \alpha_j g(k_{ij}) \le A\, g(S_i / A).

g increases up to its maximum; beyond, the maximum is taken.

Sums. A sum of m non-negative terms has a relative error of at most :math:`(m - 1) u / (1 - m u)` in any order
(N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 2002, section 4.2). Parts of about
:math:`\sqrt m` terms are summed up first, then their sums: no term takes part in more than
:math:`2 \sqrt m + 2` additions.

:math:`S_i` itself is computed with these errors. Its bound is larger by a thousandth and by
:math:`10^{-12} A`, which exceeds them.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from svmbench.certify.certificate import certify, diagonal
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem

Floats = NDArray[np.float64]

#: Unit roundoff of float64, and the factor for higher orders.
_U, _HIGHER = 2.0**-53, 1.01


def sharpened(
    problem: Problem, alpha: Floats, found: dict[str, float], responses: Floats, oracle: Oracle, goal: float
) -> dict[str, float]:
    """Return the bounds of `certify` with a sharper bound of rounding, if only that makes the gap too large.

    Parameters
    ----------
    problem : Problem
        With or without bias.
    alpha, responses : ndarray of float64, shape (n,)
        As for `svmbench.certify.certificate.certify`.
    found : dict
        What it returned.
    oracle : Oracle
        Over the training examples.
    goal : float
        The relative gap to reach.
    """
    own = diagonal(oracle)
    if found["relative_gap"] <= goal or certify(problem, alpha, responses, own)["relative_gap"] > goal:
        return found
    sums = class_sums(oracle, alpha, problem.y)
    if sums is None:
        return found
    sharper = certify(problem, alpha, sums[0], own, rounded=True, errors=sums[1])
    return min(found, sharper, key=lambda one: one["relative_gap"])


def class_sums(oracle: Oracle, alpha: Floats, y: Floats) -> tuple[Floats, Floats] | None:
    """Return the responses y_i f(x_i) of a dual point without bias, and bounds of their errors.

    Counted as observation.

    Parameters
    ----------
    oracle : Oracle
        Over the training examples.
    alpha, y : ndarray of float64, shape (n,)
        Coefficients, not negative, and labels.

    Returns
    -------
    tuple of ndarray of float64, shape (n,), or None
        With other kernels than the Gaussian, from sums in extended precision. None if these would take long,
        or if distances are no sums of squares, as those of sparse rows.
    """
    at = np.flatnonzero(alpha)
    if (longer := oracle.long_responses(at, (alpha * y)[at])) is not None:
        return y * longer[0], longer[1]
    dense = isinstance(oracle.exact_rows(np.arange(1)), np.ndarray)
    if oracle.value_error is None or not dense or not alpha.any():
        return None
    sums, most = [], 0
    for label in (1.0, -1.0):
        support = np.flatnonzero((alpha > 0.0) & (y == label))
        parts = np.array_split(support, math.isqrt(support.size) + 1)
        most = max(most, len(parts) + max(part.size for part in parts))
        total = np.zeros(y.size)
        for part in parts:
            total += oracle.exact_responses(part, alpha[part], observed=True)
        sums.append(total)
    plus, minus = sums
    everything = float(alpha.sum())
    sizes = np.minimum((1.0 + 1e-3) * (plus + minus) + 1e-12 * everything, everything)
    r, s = _HIGHER * (oracle.d + 6) * _U, _HIGHER * 5.0 * _U
    share = np.minimum(sizes / everything, min(1.0, math.exp(s / r - 1.0)))
    errors = everything * share * (s - r * np.log(share)) + _HIGHER * most * _U * sizes
    return y * (plus - minus), errors
