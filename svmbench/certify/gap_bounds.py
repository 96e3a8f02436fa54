r"""Bounds of the duality gap that evaluate few examples in double precision.

With :math:`z_i = y_i (f(x_i) + b)` and :math:`a_i = \alpha_i / C`, the gap between a dual point α and its
:math:`w = \sum_i \alpha_i y_i \Phi(x_i)` with any bias b is a sum over the examples (λ-form, λn = 1/C):

.. math:: n (P(w, b) - D(\alpha)) = \sum_i t_i - b \sum_i a_i y_i, \qquad
          t_i = \max\{(1 - a_i)(1 - z_i),\; -a_i (1 - z_i)\} \ge 0,

because :math:`\lambda n |w|^2 = \sum_i a_i y_i f(x_i)`. If losses have weights :math:`s_i`,
:math:`a_i = \alpha_i / C s_i`, and the terms of both sums are multiplied by them. A term is 0 if
:math:`a_i = 0, z_i \ge 1` or :math:`a_i = 1, z_i \le 1`: such an example contributes nothing, whatever its
exact response, if its side of the margin is certain. So only the responses of the *near* examples are needed
in double precision: those with :math:`0 < a_i < 1`, and those so near the margin that rounding may have moved
them to the other side.

Rounding. A solver maintains :math:`q_i = y_i f(x_i)` by rows in single precision. Each kernel value is
rounded once, always in the same way, so the error depends only on the distance of the coefficients from
:math:`\alpha^0`, where responses were last computed in double precision, not on the path. If a value k of a
row has an error :math:`e \le g(k) = k (r \ln(1/k) + s)`
(`svmbench.kernels.layouts._layout.Layout.value_error`), then with :math:`c_j = |\alpha_j - \alpha^0_j|`,

.. math:: y_i f(x_i) - q_i = y_i \sum_j (\alpha_j - \alpha^0_j) y_j e_{ij}, \qquad
          |y_i f(x_i) - q_i| \le R = \max g \sum_j c_j,

apart from accumulation. (If the examples were rounded to be stored, the possible change of a value,
`Oracle.feature_error`, is added to g.) If few examples are near by that bound, it is used (kind
``rounding``). Otherwise, since rounding errors mostly cancel, the sum of each such example is estimated from
m of its terms, drawn in proportion to :math:`c_j`, the same for all (kind ``confidence``). By the empirical
Bernstein inequality (A. Maurer and M. Pontil, Empirical Bernstein Bounds and Sample Variance Penalization,
COLT 2009, theorem 4), the mean of numbers in an interval of length 2R, of which a sample has variance V,
differs from the sample mean by more than :math:`\sqrt{2 V L / m} + 14 R L / 3 (m - 1)` with probability at
most :math:`4 e^{-L}`, for both sides. :math:`L = \ln(4 n / \delta)` covers all examples, and the k-th
certificate of a run has :math:`\delta = 10^{-9} / 2 k (k+1)` for this and the same for the objectives, in
total 1e-9.

Accumulation is in float64: at most N additions to a response, with partial sums of at most
:math:`1 + \sum_i C_i`, give an error of at most :math:`N (1 + \sum_i C_i) 2^{-53}`.

The responses of far examples are the solver's. A random sample of them is recomputed in double precision: if
one exceeds the bound of its error, all responses are recomputed, and the gap is exact.

The objectives also need the responses of the far examples at C. Their error is estimated from the same
sample and bounded by the same inequality.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from svmbench.certify import _terms
from svmbench.kernels._ledger import Ledger
from svmbench.kernels._oracle import Oracle
from svmbench.kernels.decisions import largest_error
from svmbench.problem import Problem, balanced, best_bias, objectives_rounding, primal_objective

Floats = NDArray[np.float64]

#: Probability that any certificate of kind ``confidence`` of a run fails.
FAILURE = 1e-9

#: Fraction of near examples above which all examples are evaluated in double precision.
_MOST_NEAR = 0.5

#: Least and largest number of terms in the sample for errors, and its largest cost relative to evaluating all
#: examples that are near at worst.
_FEWEST_TERMS, _TERMS = 1024, 8192
_EFFORT = 0.25

#: Far examples that are checked: fraction of the near ones, least and largest number.
_CHECKED = 0.25
_FEWEST, _MOST_CHECKED = 64, 4096

#: Least number of examples over which a row is added: the smallest working set of `decomposition`.
_SET = 8192

#: Change of the bias by new near responses that the choice of near examples allows for.
_SHIFT = 1e-4


@dataclass(frozen=True)
class GapBound:
    """What is proven about a dual point and its predictor.

    Attributes
    ----------
    gap, relative_gap : float
        Upper bounds of the duality gap, λ-form, and of its ratio to the primal objective.
    gap_at_best : float
        The gap if all responses were exact.
    primal, dual : float
        The objectives without `error`; primal - dual is the gap.
    error : float
        Bound of the rounding error of either objective.
    norm2, mean_hinge : float
        |w|² and the mean hinge loss. λ/2 |w|² is known to within `error`, the loss to within twice that.
    responses : ndarray of float64, shape (n,)
        y_i f(x_i), in double precision at the near examples.
    bias : float
        b.
    kind : str
        ``rounding`` or ``confidence``; ``float64`` if all responses are in double precision.
    """

    gap: float
    gap_at_best: float
    relative_gap: float
    primal: float
    dual: float
    error: float
    norm2: float
    mean_hinge: float
    responses: Floats
    bias: float
    kind: str

    @property
    def least(self) -> float:
        """The relative gap if rounding changed nothing."""
        return self.gap_at_best / self.primal if self.primal > 0.0 else 0.0


@dataclass(frozen=True)
class Doubt:
    """Errors of responses that are not in double precision.

    Attributes
    ----------
    farthest : float
        Largest error of any of them.
    shift, width : float
        Mean error over all n of those at C times their weights, and the error of this estimate.
    """

    farthest: float = 0.0
    shift: float = 0.0
    width: float = 0.0


@dataclass(frozen=True)
class Point:
    """A dual point with the responses that a solver maintains.

    Attributes
    ----------
    alpha : ndarray of float64, shape (n,)
        α.
    responses : ndarray of float64, shape (n,)
        y_i f(x_i), updated by rows in single precision since they were exact.
    exact_at : ndarray of float64, shape (n,)
        α when responses were last computed in double precision; 0 if never.
    """

    alpha: Floats
    responses: Floats
    exact_at: Floats


class ExactValues(Protocol):
    """The part of Oracle that GapBounds uses; see `svmbench.kernels._oracle.Oracle`."""

    @property
    def ledger(self) -> Ledger:
        """Its counts: ``kev_iter`` bounds how often responses were added to."""

    @property
    def value_error(self) -> tuple[float, float] | None:
        """Rounding of a value of a row."""

    @property
    def feature_error(self) -> float:
        """Rounding of the features."""

    @property
    def exact_price(self) -> float:
        """Time of a value in double precision."""

    def exact_responses(
        self, indices: Any, coefficients: Any, *, cols: Any = None, observed: bool = False
    ) -> Floats:
        """Return responses in double precision."""

    def row_errors(self, indices: Any, coefficients: Any, cols: Any) -> Any:
        """Return error bounds of the values in kernel rows."""


class GapBounds:
    """Bounds of the duality gaps of one run.

    Parameters
    ----------
    problem : Problem
        With the hinge loss.
    oracle : Oracle or other
        Over the training examples, with a kernel whose `value_error` is known.
    """

    def __init__(self, problem: Problem, oracle: ExactValues) -> None:
        self._problem = problem
        self._oracle = oracle
        self._bounds = problem.bounds
        self._weights = np.ones(problem.n) if problem.weights is None else problem.weights
        #: Certificates of kind ``confidence`` so far.
        self.made = 0

    @staticmethod
    def possible(oracle: Any) -> bool:
        """Return whether the rounding errors of the oracle's rows are bounded."""
        return isinstance(oracle, Oracle) and oracle.value_error is not None

    def feasible(self, alpha: Floats) -> bool:
        """Return whether α, shape (n,), is a dual point up to rounding."""
        problem = self._problem
        if not problem.within_box(alpha):
            return False
        if problem.bias == "none":
            return True
        total, heaviest = _terms.excess(alpha, problem.y)
        level = total == 0.0 or alpha[heaviest] >= abs(total)
        return bool(level and balanced(alpha, problem.y))

    def quick(self, point: Point, bias: float | None = None) -> GapBound:
        """Return the bound without kernel evaluations, with the worst rounding error of near examples.

        Parameters
        ----------
        point : Point
            A feasible point.
        bias : float, optional
            b. Default: the best one for the responses.
        """
        b = self._bias(point.responses, bias)
        most = self.farthest(point)
        off = np.full(self._problem.n, most)
        near = self._near(point, b, off)
        width = most * float((self._weights * np.where(near, 3.0, point.alpha > 0.0)).mean())
        doubt = Doubt(most, width=width)
        return self._bound(point.alpha, point.responses, b, np.where(near, off, 0.0), doubt, "rounding")

    def confirmed(self, point: Point, bias: float | None = None) -> GapBound:
        """Return the bound with near examples evaluated in double precision; their number decides the kind.

        Parameters
        ----------
        point : Point
            A feasible point.
        bias : float, optional
            b. Default: the best one for the responses.
        """
        self.made += 1
        failure = FAILURE / (2.0 * self.made * (self.made + 1))
        b = self._bias(point.responses, bias)
        shift = _SHIFT if bias is None else 0.0
        off = np.full(self._problem.n, self.farthest(point))
        near = self._near(point, b, off + shift)
        kind = "rounding"
        if self._estimate(point, b, near, off, failure):
            kind, near = "confidence", near & self._near(point, b, off + shift)
        if np.count_nonzero(near) > _MOST_NEAR * self._problem.n:
            return self.exact(point.alpha, bias)
        at, at_0, at_C = np.flatnonzero(near), *self._far(point, near)
        fresh = self._fresh(point.alpha, np.concatenate([at, at_0, at_C]))
        responses = point.responses.copy()
        responses[at] = fresh[: at.size]
        far = np.concatenate([at_0, at_C])
        wrong = fresh[at.size :] - responses[far]
        if np.any(np.abs(wrong) > off[far]):
            return self.exact(point.alpha, bias)
        better = self._bias(responses, bias)
        b = better if abs(better - b) <= _SHIFT else b
        rest = ~near & (point.alpha > 0.0)
        largest = (self._weights * off)[rest]
        share, most = float(rest.mean()), float(largest.max(initial=0.0))
        mean, width = _mean(self._weights[at_C] * wrong[at_0.size :], most, failure)
        doubt = Doubt(float(off.max()), share * mean, share * width)
        if (total := float(largest.sum()) / self._problem.n) < doubt.width:  # as with very unequal weights
            doubt = Doubt(doubt.farthest, 0.0, total)
        return self._bound(point.alpha, responses, b, np.zeros(off.size), doubt, kind)

    def exact(self, alpha: Floats, bias: float | None = None) -> GapBound:
        """Return the bound with all responses in double precision."""
        responses = self._fresh(alpha, np.arange(self._problem.n))
        b = self._bias(responses, bias)
        return self._bound(alpha, responses, b, np.zeros(alpha.size), Doubt(), "float64")

    def _bias(self, responses: Floats, bias: float | None) -> float:
        if self._problem.bias == "none":
            return 0.0
        return best_bias(self._problem.y, responses, self._problem.weights) if bias is None else bias

    def _fresh(self, alpha: Floats, at: NDArray[np.int64]) -> Floats:
        """Return y_i f(x_i) in double precision for the i in `at`, shape (len(at),)."""
        support = np.flatnonzero(alpha)
        weights = (alpha * self._problem.y)[support]
        scores = self._oracle.exact_responses(support, weights, cols=at, observed=True)
        return np.asarray(self._problem.y[at] * scores)

    def _accumulation(self, point: Point) -> float:
        """Return a bound of the rounding error of accumulating a response in float64."""
        n = self._problem.n
        additions = 2.0 + self._oracle.ledger.kev_iter / min(n, _SET)
        return float(additions * (1.0 + self._bounds.sum()) * 2.0**-53 + point.alpha.sum() * 2.0**-46)

    def farthest(self, point: Point) -> float:
        """Return a bound of the error of any response, from the largest error of a kernel value."""
        total = float(np.abs(point.alpha - point.exact_at).sum())
        most = largest_error(self._oracle.value_error) + self._oracle.feature_error
        return total * most + self._accumulation(point)

    def _estimate(self, point: Point, b: float, near: NDArray[np.bool_], off: Floats, failure: float) -> bool:
        """Reduce the largest errors `off` of near examples by sampling terms; return whether it succeeded."""
        oracle, moved = self._oracle, point.alpha - point.exact_at
        at, support = np.flatnonzero(near), np.flatnonzero(moved)
        price, total = oracle.exact_price, float(np.abs(moved).sum())
        size, cost = np.count_nonzero(point.alpha), at.size * (1.0 + price) + 1.0
        if not support.size or _EFFORT * at.size * size * price / cost < _FEWEST_TERMS:
            return False
        saved = at.size - np.count_nonzero(self._near(point, b, np.zeros(off.size)))
        terms = _EFFORT * saved * size * price / cost
        if terms < _FEWEST_TERMS:
            return False
        m = int(min(_TERMS, terms))
        draw = np.random.default_rng(self.made)
        drawn = draw.choice(support, m, p=np.abs(moved[support]) / total)
        errors = oracle.row_errors(drawn, np.sign(moved[drawn]) * self._problem.y[drawn], at)
        if errors is None:
            return False
        mean, squares = errors[0] / m, errors[1]
        variance = np.maximum(0.0, squares - m * mean**2) / (m - 1)
        L = math.log(4.0 * self._problem.n / failure)
        most = largest_error(oracle.value_error) + oracle.feature_error
        width = np.sqrt(2.0 * variance * L / m) + 14.0 * most * L / (3.0 * (m - 1))
        off[at] = np.minimum(off[at], total * (np.abs(mean) + width) + self._accumulation(point))
        return True

    def _near(self, point: Point, b: float, off: Floats) -> NDArray[np.bool_]:
        """Return which examples are not certain to have a term of 0."""
        return _terms.near(point.alpha, self._bounds, point.responses, self._problem.y, b, off)

    def _far(self, point: Point, near: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return a random sample of far examples: those at 0, and with replacement those at C."""
        count = int(np.clip(_CHECKED * np.count_nonzero(near), _FEWEST, _MOST_CHECKED))
        draw, moved = np.random.default_rng(self.made), point.alpha > 0.0
        at_0, at_C = np.flatnonzero(~near & ~moved), np.flatnonzero(~near & moved)
        some = draw.choice(at_0, min(count // 4, at_0.size), replace=False)
        return some, draw.choice(at_C, count if at_C.size else 0)

    def _bound(
        self, alpha: Floats, responses: Floats, b: float, off: Floats, doubt: Doubt, kind: str
    ) -> GapBound:
        """Return the bound from responses with errors of at most `off`, shape (n,), where they matter."""
        problem, n = self._problem, self._problem.n
        terms, doubted, slope, loss, norm2 = _terms.sums(
            alpha, self._bounds, self._weights, responses, problem.y, b, off
        )
        rest = self._levelling(alpha, responses, doubt.farthest) - b * slope / n
        # For a coefficient at C, a larger response lowers the loss and raises λ/2 |w|² by half as much.
        norm2 = max(0.0, norm2 + doubt.shift / problem.lam)
        loss = max(0.0, loss / n - doubt.shift)
        primal = primal_objective(problem.lam, norm2, loss)
        rest += objectives_rounding(problem, alpha, primal)
        gap = (terms + doubted) / n + rest
        error = 0.5 * doubt.width
        least = primal - error
        return GapBound(
            gap=gap,
            gap_at_best=terms / n + rest,
            relative_gap=gap / least if least > 0.0 else math.inf if gap > 0.0 else 0.0,
            primal=primal,
            dual=primal - gap,
            error=error,
            norm2=norm2,
            mean_hinge=loss,
            responses=responses,
            bias=b,
            kind=kind,
        )

    def _levelling(self, alpha: Floats, responses: Floats, farthest: float) -> float:
        """Return the loss of dual objective by balancing α, see `problem.dual_bound`."""
        problem = self._problem
        total, i = _terms.excess(alpha, problem.y) if problem.bias != "none" else (0.0, -1)
        if total == 0.0:
            return 0.0
        t = abs(total)
        return problem.lam * (t * (1.0 - float(responses[i]) + farthest) + 0.5 * t * t)


def _mean(errors: Floats, most: float, failure: float) -> tuple[float, float]:
    """Return the mean of a population from a sample with replacement, and a bound of its error.

    By the empirical Bernstein inequality, two-sided, for numbers within ± `most`.
    """
    m = errors.size
    if m < 2:
        return 0.0, most
    L = math.log(4.0 / failure)
    width = math.sqrt(2.0 * float(errors.var(ddof=1)) * L / m) + 14.0 * most * L / (3.0 * (m - 1))
    return (float(errors.mean()), width) if width < most else (0.0, most)
