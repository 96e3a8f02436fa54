r"""The problem of ε-insensitive regression, its objectives and its duality gap.

With examples :math:`(x_i, y_i)`, targets :math:`y_i` of any size, and weights :math:`s_i` of the losses,
:math:`C_i = C s_i`:

====================  ==========================================================================
primal                :math:`\min_{w, b} \frac12 |w|^2 + \sum_i C_i \max(0, |y_i - f(x_i) - b| -
                      \varepsilon)`, :math:`f(x) = \langle w, \Phi(x) \rangle`; b = 0 without bias
dual                  :math:`\max_\beta \sum_i y_i \beta_i - \varepsilon \sum_i |\beta_i| - \frac12 |w|^2`,
                      :math:`w = \sum_i \beta_i \Phi(x_i)`, :math:`|\beta_i| \le C_i`; with a bias
                      :math:`\sum_i \beta_i = 0`
====================  ==========================================================================

With :math:`r_i = y_i - f(x_i) - b`, the gap between β and its w is a sum over the examples,

.. math:: \sum_i C_i \max(0, |r_i| - \varepsilon) + \varepsilon |\beta_i| - \beta_i r_i,

without negative terms, so that little is lost by rounding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from svmbench.problem import ROUNDING_MATTERS, Problem, lowest_between, share_of_most

Floats = NDArray[np.float64]

#: Relative error of a number in double precision, and of a value of the Gaussian kernel.
_ROUNDED = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Certificate:
    """What a dual point proves.

    Attributes
    ----------
    primal, gap : float
        The primal objective at w(β), and how far it is from the optimum at most.
    bias : float
        The best b for w(β).
    losses : ndarray of float64, shape (n,)
        The losses in the primal objective, with their weights.
    """

    primal: float
    gap: float
    bias: float
    losses: Floats = field(compare=False, repr=False)

    @property
    def share(self) -> float:
        """By which factor the relative gap should be smaller because of outliers; see `share_of_most`."""
        return share_of_most(self.losses, self.primal - float(self.losses.sum()))

    @property
    def relative_gap(self) -> float:
        """The gap divided by the primal objective."""
        return self.gap / self.primal if self.primal > 0.0 else 0.0


@dataclass(frozen=True)
class Regression:
    """One problem.

    Attributes
    ----------
    y : ndarray of float64, shape (n,)
        Targets.
    epsilon : float
        ε, at least 0.
    box : Problem
        C, weights and bias; its labels have no meaning.
    """

    y: Floats
    epsilon: float
    box: Problem

    @classmethod
    def build(cls, y: Floats, epsilon: float, *, C: float, bias: str, weights: Floats | None) -> Regression:
        """Return the problem; equal weights become a factor of C."""
        if weights is not None and np.all(weights == weights[0]):
            C, weights = C * float(weights[0]), None
        return cls(y, epsilon, Problem.build(np.ones(y.size), C=C, bias=bias, weights=weights))

    def certificate(self, beta: Floats, scores: Floats, errors: Floats | float | None = None) -> Certificate:
        """Return what a dual point proves.

        Parameters
        ----------
        beta : ndarray of float64, shape (n,)
            Coefficients, within their bounds and balanced if there is a bias.
        scores : ndarray of float64, shape (n,)
            f(x_i) of w(β).
        errors : ndarray of float64, shape (n,), or float, optional
            Bounds of the rounding errors of the scores, which raise the gap if they matter.
        """
        bounds, epsilon = self.box.bounds, self.epsilon
        residuals = self.y - scores
        bias = 0.0
        if self.box.bias != "none":
            bends = np.concatenate([residuals - epsilon, residuals + epsilon])
            positive = np.repeat([True, False], self.y.size)
            weights = None if self.box.weights is None else np.tile(self.box.weights, 2)
            bias = lowest_between(bends, positive, weights)
        residuals = residuals - bias
        losses = bounds * np.maximum(0.0, np.abs(residuals) - epsilon)
        norm2 = float(beta @ scores)
        primal = 0.5 * max(0.0, norm2) + float(losses.sum())
        gap = max(0.0, float((losses + epsilon * np.abs(beta) - beta * residuals).sum()))
        gap += max(0.0, -norm2)  # of a matrix that is no kernel: its stationary points are no optima
        if errors is not None:
            error = float(((bounds + np.abs(beta)) * errors).sum())
            gap += error if error > ROUNDING_MATTERS * primal else 0.0
        # Losses that are 0 but for the rounding of targets leave no objective to compare with.
        if not beta.any() and primal <= 4.0 * _ROUNDED * float(bounds @ (np.abs(self.y) + epsilon)):
            gap = 0.0
        return Certificate(primal, gap, bias, losses)


def balanced(beta: Floats) -> Floats:
    """Return coefficients, shape (n,), without the rounding error of their sum.

    It is taken from the largest coefficient of its sign, so that all remain within their bounds.
    """
    beta = beta.copy()
    excess = math.fsum(beta)
    beta[np.argmax(beta * np.sign(excess))] -= excess
    return beta
