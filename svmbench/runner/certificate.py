"""What makes a gap a bound: training scores in double precision, and primal and dual objectives from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._linear_data import LinearData
from svmbench.kernels._oracle import Oracle
from svmbench.problem import (
    Problem,
    balanced,
    best_bias,
    dual_bound,
    mean_hinge,
    objectives_rounding,
    primal_objective,
)
from svmbench.solvers.base import KernelExpansion, Model

Floats = NDArray[np.float64]

#: Evaluations that a run may spend on its observation whatever it trains; they take seconds.
_FREE = 2_000_000_000

#: The same for a method whose gap is bounded otherwise (`svmbench.runner.margin`), and the part of its
#: training that evaluations in double precision may take beside, at their price. That is a quarter of its
#: time at most: rows of covertype, many of whose values are 0, are five times faster than the price says.
_FREE_BOUNDED, _SHARE = 200_000_000, 20

#: Of objectives that are sums in float64, relative.
_ROUNDING = 1e-12

#: Digits of ν and R at most, those of an identity.
_MOST_DIGITS = 6

#: Part of the objective that responses in single precision may be off by, judged by a sample of the examples.
ROUGH = 1e-4

#: Examples of that sample.
_SAMPLE = 256

#: How far a coefficient may be from a common multiple of what it was, relative to itself.
_SAME = 1e-15


#: How much smaller than it once was a score may be, or 1, before its rounding counts.
_SHRUNK = 1e4


class TrainingScores:
    """Scores of the models of one run on its training examples, in double precision.

    A model differs from the one before it by a common factor and some coefficients, and only these are
    evaluated, unless evaluating all of them is about as quick. The scores are those of the coefficients
    alone, never of what a solver maintains. Scores that are far smaller than they once were keep the rounding
    of that time, so all of their terms are evaluated again. Evaluations in double precision may take no
    longer than the training that was charged so far (`kev_iter`), beside a fixed share; scores beyond that
    are unknown. Where the gap ends the run, or what is evaluated is not counted, there is no such limit.
    At the end of a method earlier looks are not reckoned, so that its last row has a gap wherever one look
    may be made.
    Scores are made all the same where responses in single precision cannot stand for them (`support`).
    What was charged, unlike what was computed, depends on no cache, and is the same in a run that was
    interrupted and went on.

    Parameters
    ----------
    reader : Oracle or LinearData
        The training examples.
    limited : bool, default True
        Whether evaluations are limited so; if not, scores are always known.
    bounded : bool, default False
        Whether there is another bound of the gap: then they are limited to a quarter of the training.
    """

    def __init__(self, reader: Oracle | LinearData, limited: bool = True, bounded: bool = False) -> None:
        self._reader = reader
        self._limited = limited or bounded
        self._bounded = bounded
        self._coefficients = np.zeros(reader.n)
        self._scores = np.zeros(reader.n)
        self._sizes = np.zeros(reader.n)  # the largest that they have been, times the factors since
        self._spent = 0

    def __call__(self, model: Model, *, last: bool = False, anyway: bool = False) -> Floats | None:
        """Return <w, Φ(x_i)> for every training example, without bias, shape (n,); None if too dear.

        With `last` what was spent before does not count; with `anyway` nothing is too dear.
        """
        if last:
            self._spent = 0
        if not isinstance(model, KernelExpansion) or not isinstance(self._reader, Oracle):
            return model.training_scores(self._reader)  # in double precision as it is
        new = np.zeros(self._reader.n)
        np.add.at(new, model.indices, model.coefficients)
        factor = _common_factor(self._coefficients, new)
        change = new - factor * self._coefficients
        change[np.abs(change) <= _SAME * np.abs(new)] = 0.0
        fresh = 2 * np.count_nonzero(change) >= np.count_nonzero(new)
        at = np.flatnonzero(new if fresh else change)
        if not self._affordable(at.size * self._reader.n) and not anyway:
            return None
        if not fresh:
            self._coefficients = factor * self._coefficients + change
            self._scores = factor * self._scores + self._exact(at, change)
            self._sizes = np.maximum(abs(factor) * self._sizes, np.abs(self._scores))
            if np.all(self._sizes <= _SHRUNK * np.maximum(np.abs(self._scores), 1.0)):
                return self._scores.copy()
            at = np.flatnonzero(new)
            if last:
                self._spent = 0
            if not self._affordable(at.size * self._reader.n) and not anyway:
                return None
        self._coefficients, self._scores = new, self._exact(at, new)
        self._sizes = np.abs(self._scores)
        return self._scores.copy()

    def _exact(self, at: NDArray[np.int64], coefficients: Floats) -> Floats:
        """Return the scores of these coefficients, shape (n,), that are not 0 at some examples."""
        assert isinstance(self._reader, Oracle)
        return np.asarray(self._reader.exact_responses(at, coefficients[at], observed=True))

    def state(self) -> dict[str, Floats]:
        """Return what the next scores are made from: the last bits of a look depend on the looks before."""
        spent = np.array(self._spent, dtype=np.float64)
        return {
            "coefficients": self._coefficients,
            "scores": self._scores,
            "sizes": self._sizes,
            "spent": spent,
        }

    def restore(self, state: Mapping[str, Floats]) -> None:
        """Stand where these scores stood."""
        self._coefficients, self._scores = state["coefficients"], state["scores"]
        self._sizes = state.get("sizes", np.abs(self._scores))
        self._spent = int(state["spent"])

    def support(self, model: Model, lam: float, y: Floats, responses: Floats) -> bool:
        """Return whether responses in single precision can stand for the model's in its objective.

        What they change of the mean hinge loss is estimated, and what of (λ/2)|w|² bounded by means of the
        same errors, from examples spread evenly over the training set.

        Parameters
        ----------
        model : Model
            The model; whatever is no expansion over examples is in double precision as it is.
        lam : float
            λ.
        y, responses : ndarray of float64, shape (n,)
            Labels, and y_i <w, Φ(x_i)> as the solver has them.
        """
        reader = self._reader
        if not isinstance(model, KernelExpansion) or not isinstance(reader, Oracle):
            return True
        at = np.unique(np.linspace(0, reader.n - 1, _SAMPLE).astype(np.int64))
        exact = y[at] * reader.exact_responses(model.indices, model.coefficients, cols=at, observed=True)
        off = float(np.abs(responses[at] - exact).mean())
        size = float(np.abs(model.coefficients).sum())
        margins = responses + y * model.bias
        norm2 = model.squared_norm(reader, y, responses)
        return off * (1.0 + 0.5 * lam * size) <= ROUGH * primal_objective(lam, norm2, mean_hinge(margins))

    def _affordable(self, evaluations: int) -> bool:
        oracle = self._reader
        assert isinstance(oracle, Oracle)
        price = (self._spent + evaluations) * oracle.exact_price
        trained = oracle.ledger.kev_iter
        most = _FREE_BOUNDED + trained // _SHARE if self._bounded else _FREE + trained
        if self._limited and price > most:
            return False
        self._spent += evaluations
        return True


def _common_factor(old: Floats, new: Floats) -> float:
    """Return the median of new / old, shapes (n,), over the common support; 1 where that is empty."""
    both = (old != 0.0) & (new != 0.0)
    return float(np.median(new[both] / old[both])) if both.any() else 1.0


def diagonal(reader: Oracle | LinearData) -> Callable[[int], float]:
    """Return the function from i to K(x_i, x_i), in double precision; counted as observation."""

    def value(i: int) -> float:
        if isinstance(reader, Oracle):
            return float(reader.exact_responses([i], [1.0], cols=[i], observed=True)[0])
        row = reader.combination(np.array([i]), np.ones(1))
        return float(row @ row)

    return value


def gaussian(reader: Oracle | LinearData) -> bool:
    """Return whether what is read are values of a Gaussian kernel."""
    return isinstance(reader, Oracle) and reader.kernel["name"] == "gaussian"


def certify(
    problem: Problem,
    alpha: Floats,
    responses: Floats,
    diagonal: Callable[[int], float] = lambda i: 1.0,
    *,
    rounded: bool = False,
) -> dict[str, float]:
    """Return primal, dual, gap, relative_gap, norm, mean_hinge and bias at a dual point.

    The primal objective is that of its w, with the best bias for it where the problem has one. Both are
    bounds of the optimum as far as the responses are those of α.

    Parameters
    ----------
    problem : Problem
        With or without bias.
    alpha : ndarray of float64, shape (n,)
        Coefficients.
    responses : ndarray of float64, shape (n,)
        y_i <w, Φ(x_i)> of their w, without bias, maintained or recomputed.
    diagonal : callable, optional
        From i to K(x_i, x_i); 1, that of the Gaussian kernel, by default.
    rounded : bool, default False
        Whether the dual objective is lowered by what rounding may be, which is known of the Gaussian kernel.

    Raises
    ------
    ArithmeticError
        If α is not within [0, C], or not balanced where there is a bias: its dual objective would be no
        bound.
    """
    bias = 0.0
    if problem.bias == "unregularised":
        bias = best_bias(problem.y, responses, problem.weights)
    dual = dual_bound(problem, alpha, responses, diagonal)
    if dual is None:
        raise ArithmeticError(_why_not(problem, alpha))
    norm2 = max(0.0, float(alpha @ responses))
    loss = problem.mean_loss(responses, bias)
    primal = primal_objective(problem.lam, norm2, loss)
    dual -= objectives_rounding(problem.lam, alpha, primal) if rounded else 0.0
    gap = primal - dual
    return {
        "primal": primal,
        "dual": dual,
        "gap": gap,
        "relative_gap": gap / primal if primal > 0.0 else 0.0,
        "norm": math.sqrt(norm2),
        "mean_hinge": loss,
        "bias": bias,
    }


def nu_interval(lam: float, primal: float, dual: float, norm: float) -> tuple[float, float | None]:
    r"""Return bounds of ν* = L(w*) / |w*| from the bounds of the optimum at a dual point α and its w.

    Let P(w) = λ/2 |w|² + L(w), the bias chosen best, and D(α) the dual objective. P is strongly convex in w,
    so P(w) - P* ≥ λ/2 |w - w*|². D is its optimum D* less a linear term that is not negative over the
    feasible set and less λ/2 |w - w*|², so D* - D(α) ≥ λ/2 |w - w*|². With P* = D* the sum is

    .. math:: \lambda |w - w^*|^2 \le P(w) - D(\alpha), \qquad
              \big| |w^*| - |w| \big| \le r = \sqrt{(P(w) - D(\alpha)) / \lambda}.

    L(w*) = P* - λ/2 |w*|² makes ν* = P* / t - λ t / 2 with t = |w*|, which grows with P* and falls with t:
    its bounds are at P* = D(α), t = |w| + r, and at P* = P(w), t = |w| - r, both moved apart by what
    their sums may have been rounded.

    Parameters
    ----------
    lam : float
        λ.
    primal, dual : float
        P(w) and D(α).
    norm : float
        |w|.

    Returns
    -------
    tuple of float and (float or None)
        Lower and upper bound; None where w* = 0 is not ruled out, and with it no ν*.
    """
    primal, dual = (1.0 + _ROUNDING) * primal, (1.0 - _ROUNDING) * dual
    r = _distance(lam, primal, dual)
    low = max(0.0, dual / (norm + r) - 0.5 * lam * (norm + r)) if norm + r > 0.0 else 0.0
    high = primal / (norm - r) - 0.5 * lam * (norm - r) if norm > r else None
    return low, high


def norm_interval(lam: float, primal: float, dual: float, norm: float) -> tuple[float, float]:
    """Return bounds of |w*|, as in `nu_interval`."""
    r = _distance(lam, (1.0 + _ROUNDING) * primal, (1.0 - _ROUNDING) * dual)
    return max(0.0, norm - r), norm + r


def _distance(lam: float, primal: float, dual: float) -> float:
    """Return how far w is from w* at most."""
    return math.sqrt(max(0.0, primal - dual) / lam)


def proved(value: float, low: float, high: float) -> float:
    """Return a value in the fewest digits, at most six, that stay within what is proved of it.

    Digits beyond these are those of one computation, not of the problem: they change with the rounding of
    kernel values. Rounding alone cannot make two computations agree, whatever the number of digits, where
    the true value is near the middle between two roundings. They agree because the value and its bounds are
    a function of the problem (`svmbench.runner.certifier.Search`); few digits make them agree, nearly
    always, between instruction sets too.
    """
    for digits in range(1, _MOST_DIGITS):
        short = float(f"{value:.{digits}g}")
        if low <= short <= high:
            return short
    return float(f"{value:.{_MOST_DIGITS}g}")


def _why_not(problem: Problem, alpha: Floats) -> str:
    """Return why α, shape (n,), is no dual point."""
    if balanced(alpha, problem.y) or problem.bias == "none":
        return f"coefficients from {alpha.min()} to {alpha.max()} are not within [0, {problem.C}]"
    return f"the signed coefficients sum to {float(alpha @ problem.y)}, not to 0"
