r"""The optimisation problems, their objectives, and all conversions between their parameters.

No other module converts between λ, C and ν or evaluates an objective, except that of regression
(`svmbench.regression`). With examples :math:`(x_i, y_i)`, :math:`i = 1..n`, labels :math:`y_i \in \{-1,
+1\}`, feature map :math:`\Phi`, hinge loss :math:`h(z) = \max(0, 1 - z)` and responses :math:`c_i = y_i
\langle w, \Phi(x_i) \rangle`:

====================  ==========================================================================
regularised           :math:`P_\lambda(w) = \frac{\lambda}{2} |w|^2 + \frac{1}{n} \sum_i h(c_i)`
                      (Pegasos eq. 1; SBP eq. 2.2); in C-form multiplied by :math:`1/\lambda = Cn`
its dual              :math:`D_\lambda(\alpha) = \lambda (\sum_i \alpha_i - \frac12 |w|^2)`,
                      :math:`w = \sum_i \alpha_i y_i \Phi(x_i)`, :math:`0 \le \alpha_i \le C` (SBP eq. 4.1)
with squared hinge    :math:`\frac{\lambda}{2} |w|^2 + \frac{1}{n} \sum_i h(c_i)^2`; dual
                      :math:`\lambda (\sum_i \alpha_i - \frac12 |w|^2 - \frac{1}{4C} \sum_i \alpha_i^2)`,
                      :math:`\alpha_i \ge 0` (Hsieh et al. 2008, eq. 3)
slack-constrained     :math:`\max_{|w| \le 1} f(w)`, :math:`f(w) = \max_{\xi \ge 0, \sum \xi_i \le n\nu}
                      \min_i (c_i + \xi_i)` (SBP eq. 2.3)
norm-bounded          :math:`\min_{|w| \le R} \frac{1}{n} \sum_i h(c_i)`; R = |w*| of the regularised form
                      gives the same solution
====================  ==========================================================================

An unregularised bias b adds :math:`y_i b` to each :math:`c_i`. The regularised form is minimised and f
maximised over b, and the dual gets the constraint :math:`\sum_i \alpha_i y_i = 0`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svmbench.errors import UserError
from svmbench.run_config import BIASES

#: Rounding errors matter if they exceed this fraction of the primal objective.
ROUNDING_MATTERS = 1e-9

#: A loss counts up to this multiple of the median loss where an objective is compared with a gap, and the
#: objective up to this multiple of what then remains of it.
OUTLYING, MOSTLY = 20.0, 3.0

#: Relative difference below which sums of weights are considered equal.
_SAME_WEIGHT = 1e-14


def lam_from_C(C: float, n: int) -> float:
    """Return λ = 1/(C n), the regularisation of the λ-form with the same minimiser as the C-form."""
    return 1.0 / (C * n)


def C_from_lam(lam: float, n: int) -> float:
    """Return C = 1/(λ n)."""
    return 1.0 / (lam * n)


def nu_from_optimum(mean_hinge: float, norm: float) -> float:
    """Return ν = L(w*)/|w*|, for which the slack-constrained form has the solution w*/|w*| (SBP Lemma 2.1).

    Parameters
    ----------
    mean_hinge : float
        Mean hinge loss at the optimum of the regularised form.
    norm : float
        Norm |w*|, positive.
    """
    if not norm > 0.0:
        raise UserError(f"nu cannot be derived from an optimum of norm {norm}: the solution must not be zero")
    return mean_hinge / norm


def class_weights(y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights n / (2 m) for the examples of a class with m of n: both classes have the same sum.

    Parameters
    ----------
    y : ndarray of float64, shape (n,)
        Labels in {-1, +1}, both of which occur.
    """
    positive = y > 0.0
    m = int(np.count_nonzero(positive))
    return np.where(positive, y.size / (2.0 * m), y.size / (2.0 * (y.size - m)))


def mean_hinge(
    responses: NDArray[np.float64],
    margin_shift: NDArray[np.float64] | float = 0.0,
    weights: NDArray[np.float64] | None = None,
) -> float:
    """Return the mean hinge loss of the responses, shape (n,), each multiplied by its weight.

    ``margin_shift`` is y_i b if there is a bias. The mean is over n even with weights.
    """
    losses = np.maximum(0.0, 1.0 - (responses + margin_shift))
    return float(losses.mean() if weights is None else (weights * losses).mean())


def mean_squared_hinge(responses: NDArray[np.float64]) -> float:
    """Return the mean squared hinge loss of the responses, shape (n,)."""
    return float(np.square(np.maximum(0.0, 1.0 - responses)).mean())


def best_bias(
    y: NDArray[np.float64], responses: NDArray[np.float64], weights: NDArray[np.float64] | None = None
) -> float:
    """Return the bias with the least mean hinge loss for given responses; the midpoint of an interval.

    The hinge loss of example i has its kink at b = y_i - f(x_i) = y_i (1 - c_i). Each kink raises the slope
    of the sum by one (or its weight), from minus the number of positives at the left. So the sum is least
    between the kinks where the number of kinks to the left equals the number of positives.

    Parameters
    ----------
    y, responses : ndarray of float64, shape (n,)
        Labels, and c_i without bias.
    weights : ndarray of float64, shape (n,), optional
        Positive weights of the losses. Default: all 1.
    """
    return lowest_between(y * (1.0 - responses), y > 0.0, weights)


def lowest_between(
    bends: NDArray[np.float64], positive: NDArray[np.bool_], weights: NDArray[np.float64] | None = None
) -> float:
    """Return where a sum of hinges is least, given their kinks; the midpoint of an interval.

    Parameters
    ----------
    bends : ndarray of float64, shape (n,)
        The kinks.
    positive : ndarray of bool, shape (n,)
        Whether a hinge falls, with slope -1, up to its kink; the others rise from it, with slope 1.
    weights : ndarray of float64, shape (n,), optional
        Positive factors of the hinges. Default: all 1.
    """
    if weights is not None:
        return _weighted_lowest(bends, positive, weights)
    bends = np.sort(bends)
    positives = int(np.count_nonzero(positive))
    return float(bends[max(positives - 1, 0) : positives + 1].mean())


def _weighted_lowest(
    bends: NDArray[np.float64], positive: NDArray[np.bool_], weights: NDArray[np.float64]
) -> float:
    order = np.argsort(bends, kind="stable")
    before = np.cumsum(weights[order])
    positives = float(weights[positive].sum())
    rounding = _SAME_WEIGHT * float(before[-1])
    # Between two kinks with slope 0, the sum is constant.
    ends = np.searchsorted(before, [positives - rounding, positives + rounding])
    return float(bends[order[np.minimum(ends, bends.size - 1)]].mean())


def primal_objective(lam: float, squared_norm: float, loss: float) -> float:
    """Return (λ/2)|w|² + mean loss: P_λ for the mean hinge loss."""
    return 0.5 * lam * squared_norm + loss


def share_of_most(losses: NDArray[np.float64], regularisation: float) -> float:
    r"""Return by which factor, at most 1, a few large losses make an objective useless to compare a gap with.

    A gap of 1e-4 of the objective says nothing about most examples if nearly all of the objective is the loss
    of a few outliers, or of a few examples with large weights, which no predictor can lower. So losses above
    20 times the median of the positive ones are cut to that. If the objective falls below a third, its
    relative gap should be smaller by three times the factor by which it falls.

    Parameters
    ----------
    losses : ndarray of float64, shape (n,)
        Losses with their weights, at least 0.
    regularisation : float
        The rest of the objective.
    """
    positive = losses[losses > 0.0]
    whole = regularisation + float(positive.sum())
    if not (positive.size and whole < np.inf):
        return 1.0
    if 2 * np.count_nonzero(OUTLYING * positive >= positive.max()) > positive.size:
        return 1.0  # the median is so large that none is cut
    kept = regularisation + float(np.minimum(positive, OUTLYING * np.median(positive)).sum())
    return min(1.0, MOSTLY * kept / whole)


def dual_objective(lam: float, alpha: NDArray[np.float64], squared_norm: float) -> float:
    """Return D_λ(α) = λ (Σα_i - |w|²/2) for a feasible α of shape (n,), a lower bound of the optimum."""
    return lam * (float(alpha.sum()) - 0.5 * squared_norm)


def squared_hinge_dual_objective(lam: float, alpha: NDArray[np.float64], squared_norm: float) -> float:
    """Return λ (Σα_i - |w|²/2 - Σα_i²/(4C)) for α >= 0 of shape (n,), C = 1/(λn)."""
    return dual_objective(lam, alpha, squared_norm) - 0.25 * lam * lam * alpha.size * float(alpha @ alpha)


def dual_bound(
    problem: Problem,
    alpha: NDArray[np.float64],
    responses: NDArray[np.float64],
    diagonal: Callable[[int], float],
) -> float | None:
    r"""Return a lower bound of the optimum of the regularised form from α; None if α is not dual feasible.

    Without a bias it is D_λ(α). With a bias, α is balanced only up to rounding, and the bound is the dual
    objective of a balanced point nearby: decreasing the largest α_i of the heavier class by the difference t
    adds :math:`-\lambda (t (1 - c_i) + t^2 K_{ii} / 2)`.

    Parameters
    ----------
    problem : Problem
        With or without bias.
    alpha : ndarray of float64, shape (n,)
        Coefficients, feasible if within [0, C_i].
    responses : ndarray of float64, shape (n,)
        c_i = y_i <w, Φ(x_i)> of w(α), without bias.
    diagonal : callable
        The function i -> K(x_i, x_i).
    """
    if not problem.within_box(alpha):
        return None
    bound = dual_objective(problem.lam, alpha, max(0.0, float(alpha @ responses)))
    if problem.bias == "none":
        return bound
    if not balanced(alpha, problem.y):
        return None
    excess = math.fsum(alpha * problem.y)
    if excess == 0.0:
        return bound
    heavier = np.flatnonzero(problem.y * excess > 0.0)
    i, t = int(heavier[np.argmax(alpha[heavier])]), abs(excess)
    return bound - problem.lam * (t * (1.0 - float(responses[i])) + 0.5 * t * t * diagonal(i))


def balanced(alpha: NDArray[np.float64], y: NDArray[np.float64]) -> bool:
    """Return whether Σα_i y_i = 0 up to rounding; then a dual point with a bias is near α."""
    return abs(float(alpha @ y)) <= 1e-9 * float(alpha.sum())


@dataclass(frozen=True)
class Problem:
    """One training problem in all its forms; a solver uses the form it declares.

    Attributes
    ----------
    y : ndarray of float64, shape (n,)
        Labels in {-1, +1}.
    lam, C : float
        The same regularisation in both forms, C = 1/(λ n).
    bias : str
        ``none`` or ``unregularised``.
    nu : float or None
        Slack budget per example of the slack-constrained form; None unless the solver needs it.
    radius : float or None
        R of the norm-bounded form; None unless the solver needs it.
    weights : ndarray of float64, shape (n,), or None
        Positive weights s_i of the losses. C_i = C s_i replaces C in the box of example i, and s_i h(c_i)
        replaces h(c_i) in the mean over n. None: all 1.
    """

    y: NDArray[np.float64]
    lam: float
    C: float
    bias: str = "none"
    nu: float | None = None
    radius: float | None = None
    weights: NDArray[np.float64] | None = None

    @property
    def bounds(self) -> NDArray[np.float64]:
        """Upper bounds C_i of the dual coefficients, shape (n,)."""
        return np.full(self.n, self.C, dtype=np.float64) if self.weights is None else self.C * self.weights

    def within_box(self, alpha: NDArray[np.float64]) -> bool:
        """Return whether dual coefficients, shape (n,), are within [0, C_i]."""
        # C = 1/(λn) may exceed the product of the other two by an ulp or two.
        most = self.C * (1.0 + 1e-15)
        within = alpha <= most if self.weights is None else alpha <= most * self.weights
        return bool(alpha.size and alpha.min() >= 0.0 and within.all())

    def mean_loss(self, responses: NDArray[np.float64], bias: float = 0.0) -> float:
        """Return the weighted mean hinge loss of responses without bias, shape (n,), and of a bias."""
        return mean_hinge(responses, self.y * bias, self.weights)

    @property
    def n(self) -> int:
        """Number of training examples."""
        return int(self.y.shape[0])

    @classmethod
    def build(
        cls,
        y: NDArray[np.float64],
        *,
        lam: float | None = None,
        C: float | None = None,
        bias: str = "none",
        nu: float | None = None,
        radius: float | None = None,
        weights: NDArray[np.float64] | None = None,
    ) -> Problem:
        """Return the problem given λ or C, exactly one of them."""
        if (lam is None) == (C is None):
            raise UserError("give problem.lam or problem.C, exactly one of them")
        n = int(y.shape[0])
        given = lam if lam is not None else C
        if given is None or not given > 0.0 or not np.isfinite(given):
            which = "problem.lam" if lam is not None else "problem.C"
            raise UserError(f"{which}={given} is not allowed: give a positive number")
        if nu is not None and (not np.isfinite(nu) or nu < 0.0):
            raise UserError(f"solver.nu={nu} is not allowed: give a number of at least 0, or auto")
        if radius is not None and not (np.isfinite(radius) and radius > 0.0):
            raise UserError(f"solver.R={radius} is not allowed: give a number above 0, or auto")
        if weights is not None and not (
            weights.shape == y.shape and np.all((weights > 0.0) & (weights < np.inf))
        ):
            raise UserError("weights of examples must be positive finite numbers, one for each example")
        if bias not in BIASES:
            raise UserError(f"problem.bias={bias} is not allowed: give one of {', '.join(BIASES)}")
        lam_value = lam if lam is not None else lam_from_C(float(given), n)
        C_value = C if C is not None else C_from_lam(float(given), n)
        return cls(y=y, lam=lam_value, C=C_value, bias=bias, nu=nu, radius=radius, weights=weights)


def objectives_rounding(
    problem: Problem, alpha: NDArray[np.float64], primal: float, errors: NDArray[np.float64] | None = None
) -> float:
    r"""Return a bound of the error of a gap in double precision.

    Each value of a Gaussian kernel is at most 1 and rounded, values near 1 all in the same direction. With
    :math:`S = \sum_i \alpha_i`, and :math:`\bar{s}` the mean weight of a loss, the errors are at most

    .. math:: \epsilon S \text{ (a response)}, \qquad
              \epsilon S \bar{s} \text{ (the mean hinge loss)}, \qquad
              \tfrac{\lambda}{2} \epsilon S^2 \text{ (} \tfrac{\lambda}{2} |w|^2 \text{)}.

    For a large C their sum can exceed the gap.

    Parameters
    ----------
    problem : Problem
        With the hinge loss.
    alpha : ndarray of float64, shape (n,)
        A dual point.
    primal : float
        The primal objective at w(α).
    errors : ndarray of float64, shape (n,), optional
        Bounds of the errors of the responses, where :math:`\epsilon S` is too coarse or does not apply, as
        with kernels other than the Gaussian.

    Returns
    -------
    float
        The bound; 0 if it is less than 1e-9 of the primal objective.
    """
    total = float(np.abs(alpha).sum())
    weight = 1.0 if problem.weights is None else float(problem.weights.mean())
    if errors is None:
        error = float(np.finfo(np.float64).eps) * total * (weight + problem.lam * total)
    else:
        weights = 1.0 if problem.weights is None else problem.weights
        error = float((weights * errors).mean()) + problem.lam * float(np.abs(alpha) @ errors)
    return error if error > ROUNDING_MATTERS * primal else 0.0


def moved(
    alpha: NDArray[np.float64], before: NDArray[np.float64], problem: Problem, loss: str = "hinge"
) -> NDArray[np.float64]:
    """Return a point of a similar problem as a feasible one, float64 (n,).

    A coefficient that was at its bound is set to the new bound, because most of these stay at their bound
    along a path over C; the others are clipped to the new bounds. With an unregularised bias, the
    coefficients of the class with the larger sum are scaled down, so that both classes have the same sum.

    Parameters
    ----------
    alpha, before : ndarray of float64, shape (n,)
        The point, and the bounds of its coefficients in its own problem.
    problem : Problem
        The new problem.
    loss : str
        ``hinge``, or ``squared_hinge``, which has no bounds.
    """
    bounds = most_coefficients(problem, loss)
    found = np.where((alpha >= before) & (bounds < np.inf), bounds, np.clip(alpha, 0.0, bounds))
    if problem.bias == "unregularised":
        positive, negative = (float(found[problem.y == label].sum()) for label in (1.0, -1.0))
        if positive == 0.0 or negative == 0.0:
            return np.zeros(problem.n)
        common = min(positive, negative)
        for label, total in ((1.0, positive), (-1.0, negative)):
            found[problem.y == label] *= common / total
    return np.asarray(found)


def most_coefficients(problem: Problem, loss: str = "hinge") -> NDArray[np.float64]:
    """Return the upper bounds of the dual coefficients, shape (n,); infinite for ``squared_hinge``."""
    return problem.bounds if loss == "hinge" else np.full(problem.n, np.inf)
