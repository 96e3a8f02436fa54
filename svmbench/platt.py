r"""Probabilities from decision values: Platt's sigmoid for each pair of classes, and pairwise coupling.

J. Platt, Probabilistic Outputs for Support Vector Machines, in Advances in Large Margin Classifiers, 1999:
with f the decision value of a pair of classes, positive for the first of them,

.. math:: P(\text{first} \mid x) = 1 / (1 + \exp(A f(x) + B)),

with A and B of maximum likelihood on held-out values, and his targets: :math:`(n_+ + 1) / (n_+ + 2)` for the
:math:`n_+` rows of the first class and :math:`1 / (n_- + 2)` for those of the second one. With more than two
classes, the pairs are coupled by the second method of T.-F. Wu, C.-J. Lin and R. C. Weng, Probability
Estimates for Multi-class Classification by Pairwise Coupling, JMLR 5, 2004. The probabilities of each class
against the rest are divided by their sum.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from svmbench import multiclass

Floats = NDArray[np.float64]

#: Distance of the probabilities of a pair from 0 and 1, as in LIBSVM.
_LEAST = 1e-7


def sigmoid(values: Floats, first: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the maximum-likelihood estimates of A and B from decision values of held-out rows."""
    count = np.count_nonzero(first)
    targets = np.where(first, (count + 1.0) / (count + 2.0), 1.0 / (first.size - count + 2.0))
    # Scaled so that values are about 1, whatever C is.
    unit = max(float(np.abs(values).max()), np.finfo(float).tiny)
    scaled = values / unit

    def loss(parameters: Floats) -> tuple[float, Floats]:
        exponents = parameters[0] * scaled + parameters[1]
        total = np.logaddexp(0.0, exponents) - (1.0 - targets) * exponents
        slopes = targets - expit(-exponents)
        return float(total.sum()), np.array([slopes @ scaled, slopes.sum()])

    start = np.array([0.0, np.log((first.size - count + 1.0) / (count + 1.0))])
    found = minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-8}).x
    return float(found[0] / unit), float(found[1])


def probabilities(values: Floats, A: Floats, B: Floats, classes: int, kind: str = "one_vs_one") -> Floats:
    """Return the probability of each class, shape (m, k), from decision values, A and B of the problems."""
    first = np.clip(expit(-(A * values + B)), _LEAST, 1.0 - _LEAST)
    if kind == "one_vs_rest":
        return np.asarray(first / first.sum(axis=1, keepdims=True))
    if classes == 2:
        return np.hstack([first, 1.0 - first])
    r = np.zeros((len(values), classes, classes))
    for p, (i, j) in enumerate(multiclass.pairs(classes)):
        r[:, i, j], r[:, j, i] = first[:, p], 1.0 - first[:, p]
    return coupled(r)


def coupled(r: Floats) -> Floats:
    r"""Minimise :math:`\sum_i \sum_{j \ne i} (r_{ji} p_i - r_{ij} p_j)^2` over p with :math:`\sum_i p_i = 1`.

    r, shape (m, k, k), has the probabilities of i given i or j, within (0, 1), and 0 on the diagonal. The
    result, shape (m, k), is positive by theorem 2 of the paper.
    """
    m, k, _ = r.shape
    system = np.ones((m, k + 1, k + 1))
    system[:, :k, :k] = -np.swapaxes(r, 1, 2) * r
    at = np.arange(k)
    system[:, at, at] = np.square(r).sum(axis=1)
    system[:, k, k] = 0.0
    right = np.zeros((m, k + 1, 1))
    right[:, k] = 1.0
    p = np.linalg.solve(system, right)[:, :k, 0].clip(0.0)
    return np.asarray(p / p.sum(axis=1, keepdims=True))
