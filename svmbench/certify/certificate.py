"""Duality gaps that are bounds: training scores in double precision, and objectives computed from them."""

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
    objectives_rounding,
    primal_objective,
)
from svmbench.solvers.base import KernelExpansion, LinearModel, Model

Floats = NDArray[np.float64]

#: Kernel evaluations that observation may always spend; they take seconds. The same if the gap has another
#: bound (`svmbench.certify.gap_bounds`), but a method does not say when its responses were exact, so that
#: this bound is much larger.
_FREE, _FREE_COARSE = 2_000_000_000, 200_000_000

#: The same if the other bound is as good: a fraction of a second, even with hundreds of features.
#: Beyond it, observation may spend the evaluations of training divided by `_SHARE`. At the price of double
#: precision, that is a quarter of the training time at most: rows of covertype, with many values of 0, are
#: five times cheaper than the price.
_FREE_BOUNDED, _SHARE = 2_000_000, 20

#: Relative rounding error of objectives that are sums in float64.
_ROUNDING = 1e-12

#: Most digits of ν and R, as in an identity.
_MOST_DIGITS = 6

#: Largest relative error of the objective for which responses in single precision are accepted, by sampling.
ROUGH = 1e-4

#: Examples in that sample.
_SAMPLE = 256

#: Largest relative deviation of a coefficient from a multiple of its previous value.
_SAME = 1e-15


#: Unit of rounding, and its highest orders.
_UNIT = 1.01 * 2.0**-53

#: Scores that have shrunk by more than this factor relative to 1 are recomputed because of their rounding.
_SHRUNK = 1e4


class TrainingScores:
    """Scores of the models of one run on its training examples, in double precision.

    Consecutive models differ by a common factor and some coefficients. Only the latter are evaluated, unless
    it is about as fast to evaluate all. The scores depend on the coefficients alone, never on what a solver
    maintains. Scores that have become much smaller keep the rounding errors of their earlier size, so they
    are then recomputed from all terms.

    Evaluations in double precision may take as long as the training charged so far (`kev_iter`), or a quarter
    of it if the gap has another bound, plus a fixed amount; beyond that, scores are unknown. Without another
    bound, there is no limit if the gap ends the run or if the evaluations of the solver are not counted.
    At the end of a method, only the final evaluation counts against the limit, so that the last row has a gap
    whenever one evaluation is affordable. Scores are always computed if responses in single precision are too
    inaccurate (`support`). The limit is set by charged evaluations, not by computed ones, so it does not
    depend on the cache or on interruptions.

    Parameters
    ----------
    reader : Oracle or LinearData
        The training examples.
    limited : bool, default True
        Whether evaluations are limited; otherwise scores are always known.
    bounded : bool, default False
        Whether the gap has another bound. If so, scores may take a quarter of the training time.
    """

    def __init__(self, reader: Oracle | LinearData, limited: bool = True, bounded: bool = False) -> None:
        self._reader = reader
        self._limited = limited or bounded
        self._bounded = bounded
        self._coefficients = np.zeros(reader.n)
        self._scores = np.zeros(reader.n)
        self._sizes = np.zeros(reader.n)  # largest magnitudes so far, rescaled by the factors
        bounds = isinstance(reader, Oracle) and not reader.kernel.normalised
        self._errors = np.zeros(reader.n) if bounds else None  # bounds of the errors of the scores
        self._lengths: Floats | None = None
        self._spent = 0

    def __call__(
        self, model: Model, *, last: bool = False, anyway: bool = False, coarse: bool = False
    ) -> Floats | None:
        """Return <w, Φ(x_i)> for all training examples, without bias, shape (n,); None if too expensive.

        `last` disregards earlier evaluations, `anyway` the limit; `coarse` says that the other bound of the
        gap, if any, is large.
        """
        if last:
            self._spent = 0
        if not isinstance(model, KernelExpansion) or not isinstance(self._reader, Oracle):
            return model.training_scores(self._reader)  # already in double precision
        new = np.zeros(self._reader.n)
        np.add.at(new, model.indices, model.coefficients)
        factor = _common_factor(self._coefficients, new)
        change = new - factor * self._coefficients
        change[np.abs(change) <= _SAME * np.abs(new)] = 0.0
        fresh = 2 * np.count_nonzero(change) >= np.count_nonzero(new)
        at = np.flatnonzero(new if fresh else change)
        if not self._affordable(at.size * self._reader.n, coarse) and not anyway:
            return None
        if not fresh:
            self._coefficients = factor * self._coefficients + change
            self._scores = factor * self._scores + self._exact(at, change)
            self._sizes = np.maximum(abs(factor) * self._sizes, np.abs(self._scores))
            self._add_errors(change, new, factor)
            if np.all(self._sizes <= _SHRUNK * np.maximum(np.abs(self._scores), 1.0)):
                return self._scores.copy()
            at = np.flatnonzero(new)
            if last:
                self._spent = 0
            if not self._affordable(at.size * self._reader.n, coarse) and not anyway:
                return None
        self._coefficients, self._scores = new, self._exact(at, new)
        self._sizes = np.abs(self._scores)
        self._add_errors(np.zeros(self._reader.n), new, 0.0)
        return self._scores.copy()

    def _add_errors(self, change: Floats, new: Floats, factor: float) -> None:
        """Bound the errors of the scores after a change to new coefficients, each off by a few roundings."""
        if self._errors is None:
            return
        assert isinstance(self._reader, Oracle)
        size = np.abs(change) + np.abs(new)
        at = np.flatnonzero(size)
        errors = self._reader.double_errors(at, size[at])
        assert errors is not None
        self._errors = errors + abs(factor) * self._errors + 2.0 * _UNIT * self._sizes

    def errors(self, model: Model, alpha: Floats | None, y: Floats) -> Floats | None:
        """Return bounds of the errors of the last scores, shape (n,), and of those of w(α).

        None if `svmbench.problem.objectives_rounding` knows a bound, or if the model has points of its own.

        Parameters
        ----------
        model : Model
            The last model.
        alpha : ndarray of float64, shape (n,), or None
            Its dual point.
        y : ndarray of float64, shape (n,)
            Labels.
        """
        if isinstance(self._reader, Oracle) or not isinstance(model, LinearModel):
            return self._errors if isinstance(model, KernelExpansion) else None
        if self._lengths is None:
            self._lengths = self._reader.lengths()
        at = np.flatnonzero(np.zeros(0) if alpha is None else alpha)
        coefficients = np.zeros(0) if alpha is None else (alpha * y)[at]
        return linear_errors(self._reader, self._lengths, model.weights, at, coefficients)

    def _exact(self, at: NDArray[np.int64], coefficients: Floats) -> Floats:
        """Return the scores of the coefficients, shape (n,), at these examples."""
        assert isinstance(self._reader, Oracle)
        return np.asarray(self._reader.exact_responses(at, coefficients[at], observed=True))

    def state(self) -> dict[str, Floats]:
        """Return the state; the last bits of scores depend on the earlier ones."""
        state = {
            "coefficients": self._coefficients,
            "scores": self._scores,
            "sizes": self._sizes,
            "spent": np.array(self._spent, dtype=np.float64),
        }
        return state if self._errors is None else state | {"errors": self._errors}

    def restore(self, state: Mapping[str, Floats]) -> None:
        """Restore a state."""
        self._coefficients, self._scores = state["coefficients"], state["scores"]
        self._sizes = state.get("sizes", np.abs(self._scores))
        self._spent = int(state["spent"])
        if self._errors is not None:
            self._errors = np.zeros(self._reader.n)
            self._add_errors(self._coefficients, self._coefficients, 0.0)
            self._errors = state.get("errors", self._errors)

    def support(self, model: Model, problem: Problem, responses: Floats) -> bool:
        """Return whether responses in single precision are accurate enough for the objective of the model.

        On examples spread evenly over the training set, their errors are measured. These give an estimate of
        the error of the mean hinge loss and a bound of that of (λ/2)|w|².

        Parameters
        ----------
        model : Model
            The model. Only expansions over examples have responses in single precision.
        problem : Problem
            The problem.
        responses : ndarray of float64, shape (n,)
            y_i <w, Φ(x_i)> as maintained by the solver.
        """
        reader = self._reader
        if not isinstance(model, KernelExpansion) or not isinstance(reader, Oracle):
            return True
        at = np.unique(np.linspace(0, reader.n - 1, _SAMPLE).astype(np.int64))
        exact = problem.y[at] * reader.exact_responses(
            model.indices, model.coefficients, cols=at, observed=True
        )
        errors = np.abs(responses[at] - exact)
        off = float((errors if problem.weights is None else problem.weights[at] * errors).mean())
        size = float(np.abs(model.coefficients).sum())
        norm2 = model.squared_norm(reader, problem.y, responses)
        primal = primal_objective(problem.lam, norm2, problem.mean_loss(responses, model.bias))
        return off * (1.0 + 0.5 * problem.lam * size) <= ROUGH * primal

    def _affordable(self, evaluations: int, coarse: bool) -> bool:
        if not self._within(self._spent + evaluations, coarse):
            return False
        self._spent += evaluations
        return True

    def again(self, evaluations: int) -> bool:
        """Return whether it is affordable to compute some scores again, apart from all other evaluations."""
        return self._within(evaluations, False)

    def _within(self, evaluations: int, coarse: bool) -> bool:
        oracle = self._reader
        assert isinstance(oracle, Oracle)
        trained = oracle.ledger.kev_iter
        most = _FREE + trained
        if self._bounded:
            most = (_FREE_COARSE if coarse else _FREE_BOUNDED) + trained // _SHARE
        return not (self._limited and evaluations * oracle.exact_price > most)


def _common_factor(old: Floats, new: Floats) -> float:
    """Return the median of new / old, shapes (n,), over the common support; 1 if it is empty."""
    both = (old != 0.0) & (new != 0.0)
    return float(np.median(new[both] / old[both])) if both.any() else 1.0


def diagonal(reader: Oracle | LinearData) -> Callable[[int], float]:
    """Return the function i -> K(x_i, x_i) in double precision; counted as observation."""

    def value(i: int) -> float:
        if isinstance(reader, Oracle):
            return float(reader.exact_responses([i], [1.0], cols=[i], observed=True)[0])
        row = reader.combination(np.array([i]), np.ones(1))
        return float(row @ row)

    return value


def linear_errors(
    reader: LinearData, lengths: Floats, weights: Floats, at: NDArray[np.int64], coefficients: Floats
) -> Floats:
    """Return bounds of the errors of inner products of weights and examples in double precision, shape (n,).

    With u = 2^-53, an inner product of d terms is off by at most (d + 2) u times the product of both norms,
    and the weights, a sum of s examples, by (s + 2) u times the sum of their norms
    (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 2002, section 3.1).

    Parameters
    ----------
    reader : LinearData
        The examples.
    lengths : ndarray of float64, shape (n,)
        Their norms.
    weights : ndarray of float64, shape (d,)
        w.
    at, coefficients : ndarray of int64 and of float64, shape (s,)
        The examples and coefficients of the sum.
    """
    size = float(np.abs(coefficients) @ lengths[at])
    off = (reader.terms + 4.0) * float(np.linalg.norm(weights)) + (at.size + 4.0) * size
    return np.asarray(1.01 * 2.0**-53 * off * lengths)


def certify(
    problem: Problem,
    alpha: Floats,
    responses: Floats,
    diagonal: Callable[[int], float] = lambda i: 1.0,
    *,
    rounded: bool = False,
    errors: Floats | None = None,
) -> dict[str, float]:
    """Return primal, dual, gap, relative_gap, norm, mean_hinge and bias at a dual point.

    The primal objective is that of w(α), with the best bias if the problem has one. Both objectives are
    bounds of the optimum as far as the responses are accurate.

    Parameters
    ----------
    problem : Problem
        With or without bias.
    alpha : ndarray of float64, shape (n,)
        Coefficients.
    responses : ndarray of float64, shape (n,)
        y_i <w, Φ(x_i)> of w(α), without bias, maintained or recomputed.
    diagonal : callable, optional
        The function i -> K(x_i, x_i). Default: 1, as for the Gaussian kernel.
    rounded : bool, default False
        Whether to lower the dual objective by the rounding error of the gap.
    errors : ndarray of float64, shape (n,), optional
        Bounds of the errors of the responses, for that error. Default: that of a Gaussian kernel.

    Raises
    ------
    ArithmeticError
        If α is not within [0, C], or the problem has a bias and α is not balanced.
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
    dual -= objectives_rounding(problem, alpha, primal, errors) if rounded else 0.0
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
    r"""Return bounds of ν* = L(w*) / |w*| from the objectives at a dual point α and its w.

    Let P(w) = λ/2 |w|² + L(w), minimised over the bias, and D(α) the dual objective. P is strongly convex, so
    P(w) - P* ≥ λ/2 |w - w*|². D equals its optimum D* minus a linear term, not negative on the feasible set,
    minus λ/2 |w - w*|², so D* - D(α) ≥ λ/2 |w - w*|². With P* = D*, the sum is

    .. math:: \lambda |w - w^*|^2 \le P(w) - D(\alpha), \qquad
              \big| |w^*| - |w| \big| \le r = \sqrt{(P(w) - D(\alpha)) / \lambda}.

    With t = |w*| and L(w*) = P* - λ/2 t², ν* = P* / t - λ t / 2 increases with P* and decreases with t. Its
    bounds are at P* = D(α), t = |w| + r, and at P* = P(w), t = |w| - r, both widened by the rounding of the
    sums.

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
        Lower and upper bound. The upper bound is None if w* = 0, for which ν* is undefined, is possible.
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
    """Return an upper bound of |w - w*|."""
    return math.sqrt(max(0.0, primal - dual) / lam)


def proved(value: float, low: float, high: float) -> float:
    """Return a value rounded to the fewest digits that keep it within its proven bounds, or to six.

    Further digits depend on the rounding of kernel values, not on the problem. Rounding alone cannot make
    two computations agree if the true value is near the midpoint of two rounded values. They agree because
    the value and its bounds are a function of the problem (`svmbench.runner.certifier.Search`); few digits
    make them agree between instruction sets too, nearly always.
    """
    for digits in range(1, _MOST_DIGITS):
        short = float(f"{value:.{digits}g}")
        if low <= short <= high:
            return short
    return float(f"{value:.{_MOST_DIGITS}g}")


def _why_not(problem: Problem, alpha: Floats) -> str:
    """Return why α, shape (n,), is not a dual point."""
    if balanced(alpha, problem.y) or problem.bias == "none":
        return f"coefficients from {alpha.min()} to {alpha.max()} are not within [0, {problem.C}]"
    return f"the signed coefficients sum to {float(alpha @ problem.y)}, not to 0"
