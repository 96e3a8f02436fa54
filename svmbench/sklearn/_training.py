"""Solution of the binary problems of a classifier to a certified gap."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from svmbench.certify.certificate import certify, diagonal
from svmbench.certify.class_sums import sharpened
from svmbench.certify.few_gaps import FewGaps
from svmbench.certify.gap_bounds import GapBounds, Point
from svmbench.kernels._ledger import Ledger
from svmbench.kernels._oracle import Oracle
from svmbench.kernels.double_values import DoubleValues
from svmbench.problem import (
    Problem,
    best_bias,
    dual_bound,
    dual_objective,
    moved,
    primal_objective,
    share_of_most,
)
from svmbench.rng import Generator
from svmbench.sklearn._interior_point import near_points, rounds_before
from svmbench.solvers import registry
from svmbench.solvers.base import Run, StartableRun

Floats = NDArray[np.float64]

#: Tolerance of the solver itself, small enough that the gap decides.
_EPS = 1e-10

#: Sizes of the working sets of `decomposition`: the least, and that for many rows. Up to the number below, an
#: eighth of the rows, so that the set around it holds them all and no row is computed in part first. With
#: many features, where it always does, small sets are best, most of which change.
_SMALL_SET, _LARGE_SET = 256, 1024
_MOST_IN_ONE, _MANY_FEATURES = 16384, 128

#: Rows up to which an iteration costs no more than a check of the gap.
_FEW = 4096

#: Part of the rounds left, by forecast, until the next look; and looks while the rounds double, at least.
_FORECAST, _FEWEST_LOOKS = 0.5, 4

#: Times that each row may be in a working set before a slow solver gives up.
_TIMES = 300

#: Iterations that take as long as a round of `decomposition`: of solvers with working sets, and of the others
#: for each member of its set.
_BY_ROUNDS, _STEPS = {"decomposition": 1, "gpdt": 1, "svm_light": 10}, 100

#: Multiple of the tolerance above which a gap is hopeless that has not halved while the rounds doubled.
_HOPELESS = 32.0

#: Values of C used for an infinite C: the first in units of 1 / max K(x, x), their ratio, and the last. The
#: first one that leaves no coefficient at C suffices.
_FIRST_C, _FACTOR, _LAST_C = 1e4, 100.0, 1e12

#: Gaps of consecutive problems with such a C, relative to the requested gap.
_CLOSER = (1e-1, 1e-3, 1e-5)

#: Part of the last gap below which it must be without rounding for a sharper bound of the rounding.
_ROUNDING = 0.1


@dataclass(frozen=True)
class Solution:
    """A dual point of a binary problem, with its certificate.

    Attributes
    ----------
    alpha : ndarray of float64, shape (n,)
        Coefficients.
    bias, gap : float
        b, and the certified relative duality gap.
    iterations, evaluations : int
        Iterations of the solver, and kernel values that it computed.
    ended_early : bool
        Whether the iteration limit ended it.
    """

    alpha: Floats
    bias: float
    gap: float
    iterations: int
    evaluations: int
    ended_early: bool


@dataclass(frozen=True)
class Trainer:
    """Solves binary problems by an exact solver of the dual, to a relative duality gap of `tol`.

    It makes at most `most` iterations; -1: unlimited.
    """

    solver: str
    tol: float
    most: int

    def solve(
        self,
        oracle: Oracle,
        y: Floats,
        C: float,
        bias: str,
        weights: Floats | None,
        near: tuple[Floats, Floats] | None = None,
    ) -> Solution:
        """Solve one problem.

        Parameters
        ----------
        oracle : Oracle
            Over the rows.
        y : ndarray of float64, shape (n,)
            Labels, -1 or +1.
        C : float
            Regularisation; infinite for a hard margin.
        bias : str
            ``none`` or ``unregularised``.
        weights : ndarray of float64, shape (n,), or None
            Positive weights of the losses; None: all 1.
        near : (ndarray, ndarray) or None
            Coefficients of the same problem with another C, where to begin, and their upper bounds; without
            effect if C is infinite.
        """
        if np.isinf(C):
            return self._solve_hard(oracle, y, bias)
        if weights is not None and np.all(weights == weights[0]):
            C, weights = C * float(weights[0]), None
        return self._solve(oracle, Problem.build(y, C=C, bias=bias, weights=weights), self.tol, near)

    def judged(
        self, oracle: Oracle, y: Floats, C: float, bias: str, weights: Floats | None, alpha: Floats
    ) -> Solution:
        """Return coefficients as a solution of a problem, as of `solve`, with the gap that they have."""
        problem = Problem.build(y, C=C, bias=bias, weights=weights)
        alpha, b, gap, _ = _certified(oracle, problem, alpha, self.tol, last=True)
        return Solution(alpha, b, gap, 0, 0, False)

    def _solve(
        self, oracle: Oracle, problem: Problem, tol: float, near: tuple[Floats, Floats] | None = None
    ) -> Solution:
        solver = registry.get(self.solver)
        sets = {"working_set": working_set(oracle)} if self.solver == "decomposition" else {}
        params = solver.Params(eps=_EPS, **sets)
        begun = int(oracle.ledger.kev_computed)  # the ledger counts all runs on this oracle
        run = solver(params).start(problem, oracle, Generator(0))
        if near is not None and solver.startable:
            cast(StartableRun, run).begin(moved(*near, problem))
        pace = _BY_ROUNDS.get(self.solver, _STEPS * min(working_set(oracle), oracle.n))
        alpha, bias, gap = _advanced(run, problem, oracle, tol, self.most, pace)
        return Solution(
            alpha=alpha,
            bias=bias,
            gap=gap,
            iterations=int(run.iterations),
            evaluations=int(oracle.ledger.kev_computed) - begun,
            ended_early=run.iterations == self.most and not run.converged,
        )

    def _solve_hard(self, oracle: Oracle, y: Floats, bias: str) -> Solution:
        r"""Solve :math:`\min \frac12 |w|^2` with :math:`y_i (f(x_i) + b) \ge 1` by a large enough C.

        A dual point with all coefficients below C is feasible for this problem. If the least margin m of a
        predictor is positive, w / m is feasible, and the gap is :math:`|w|^2 / 2 m^2 - \sum_i \alpha_i +
        |w|^2 / 2`. If a coefficient reaches even the last C, the solution for that C is returned; then the
        rows cannot be separated in double precision, and the gap is infinite.
        """
        C = _FIRST_C / max(float(oracle.diagonal().max()), np.finfo(float).tiny)
        last, closer, iterations, evaluations = C * _LAST_C / _FIRST_C, 0, 0, 0
        while True:
            problem = Problem.build(y, C=C, bias=bias)
            found = self._solve(oracle, problem, self.tol * _CLOSER[closer])
            iterations += found.iterations
            evaluations += found.evaluations
            alpha, b, gap = found.alpha, found.bias, np.inf
            if alpha.max() < C:
                alpha, b, gap = _multiple(oracle, problem, alpha)
            answer = Solution(alpha, b, gap, iterations, evaluations, found.ended_early)
            if gap <= self.tol or found.ended_early:
                return answer
            if np.isinf(gap):
                C *= _FACTOR
                if last < C:
                    return answer
            else:
                closer += 1
                if closer == len(_CLOSER):
                    return answer


def working_set(oracle: Oracle) -> int:
    """Return the size of the working sets of `decomposition`."""
    if oracle.n > _MOST_IN_ONE:
        return _LARGE_SET
    return _SMALL_SET if oracle.d > _MANY_FEATURES else max(_SMALL_SET, -(-oracle.n // 8))


def rounds_between(n: int, rounds: int) -> int:
    """Return the rounds between two looks at the gap of n rows after so many rounds."""
    return max(1, rounds // (4 if n <= _FEW else 50))


class Looks:
    """When to look at the gap: often near the end, and seldom while it is far from what is asked.

    A look may cost as much as a round. The gap of the n rows falls about geometrically, so the number of
    rounds that are left until it is `tol` is forecast from the last two looks. After `patience` rounds, the
    end is out of reach if the gap has not halved while the rounds have doubled.
    """

    def __init__(self, n: int, tol: float, patience: float = math.inf) -> None:
        self._n, self._tol, self._patience = n, tol, patience
        self._rounds, self._gap = 0, math.inf
        self._halved = (0, math.inf)
        #: Whether the end is out of reach.
        self.hopeless = False

    def after(self, rounds: int, gap: float) -> int:
        """Return the rounds to the next look, after so many rounds and a look that showed this gap."""
        least = rounds_between(self._n, rounds)
        most, before = max(least, rounds // _FEWEST_LOOKS), (self._rounds, self._gap)
        self._rounds, self._gap = rounds, gap
        if gap <= 0.5 * self._halved[1]:
            self._halved = (rounds, gap)
        late = rounds > max(self._patience, 2 * self._halved[0])
        self.hopeless = late and gap > _HOPELESS * self._tol
        if not (self._tol < gap < before[1] < math.inf):
            return least
        left = math.log(gap / self._tol) / math.log(before[1] / gap) * (rounds - before[0])
        return int(min(most, max(least, _FORECAST * left)))


def _multiple(oracle: Oracle, problem: Problem, alpha: Floats) -> tuple[Floats, float, float]:
    """Return a multiple of coefficients with margins of at least 1, b midway between classes, and its gap.

    With a large C, the losses of margins of 1 - 1e-9 far exceed the optimum, although w is near it. The
    multiple has margins of at least 1 for all examples below their bound, after all rounding of Gaussian
    values, so these have no loss. The gap bounds the distance from the optimum of w, too: its square is at
    most twice the difference of the dual objectives. Infinite if no multiple within the bounds has such
    margins.
    """
    y, bounds = problem.y, problem.bounds
    at, below = np.flatnonzero(alpha), alpha < bounds
    scores = oracle.exact_responses(at, (alpha * y)[at], observed=True)
    b = 0.0
    if problem.bias != "none":
        ends = scores[below & (y > 0.0)].min(initial=np.inf), scores[below & (y < 0.0)].max(initial=-np.inf)
        b = -0.5 * float(sum(ends)) if np.isfinite(ends).all() else np.nan
    errors = oracle.double_errors(at, (alpha * y)[at])
    off = float(np.finfo(np.float64).eps * alpha.sum()) if errors is None else errors
    margins = y * (scores + b) - off
    least = float(margins[below].min(initial=np.inf))
    if not 0.0 < least < np.inf:
        return alpha, 0.0, np.inf
    multiple = alpha / least
    dual = dual_bound(problem, multiple, y * scores / least, diagonal(oracle))
    if dual is None:
        return alpha, 0.0, np.inf
    norm2, noise = max(0.0, float((alpha * y) @ scores)), float((off * alpha).sum())
    loss = problem.mean_loss(margins / least)
    primal = primal_objective(problem.lam, (norm2 + noise) / least**2, loss)
    gap = max(0.0, (primal - dual + 0.5 * problem.lam * noise / least**2) / primal)
    return multiple, b / least, gap


def _advanced(
    run: Run, problem: Problem, oracle: Oracle, tol: float, most: int, pace: int
) -> tuple[Floats, float, float]:
    """Advance until a gap of at most `tol` is certified, progress ends, or `most` iterations are made.

    If a few examples make up most of the objective, the gap is smaller (`svmbench.problem.share_of_most`).
    A round takes as long as `pace` iterations. Return the coefficients, b and the certified relative gap.
    """
    n, step, goal = problem.n, 1, tol
    begun = oracle.ledger.iterations  # the ledger counts all runs on this oracle
    looks = Looks(n, tol, pace * _TIMES * max(1.0, n / working_set(oracle)))
    direct, aside = pace * rounds_before(n), (np.zeros(n), 0.0, math.inf)
    few = FewGaps(oracle) if FewGaps.possible(oracle) else None
    bounds = GapBounds(problem, oracle) if few is None and GapBounds.possible(oracle) else None
    while True:
        until = run.iterations + step
        run.advance("iterations", begun + (until if most < 0 else min(until, most)))
        snapshot = run.snapshot()
        alpha, maintained = snapshot.alpha, snapshot.responses
        if alpha is None:
            raise TypeError("the solver gives no dual point")
        ended = run.converged or getattr(run, "stalled", False) or run.iterations == most or looks.hopeless
        if snapshot.earlier and not ended:
            continue
        if run.iterations >= direct and not ended:
            direct = math.inf
            near, bias, gap, enough = _directly(oracle, problem, alpha, tol)
            aside = near, bias, gap
            if gap <= enough:
                return aside
        if maintained is not None and not ended:
            gap = _gap(problem, alpha, maintained)
            if gap > goal:
                step = looks.after(run.iterations, gap)
                continue
        if not np.isfinite(alpha).all():
            raise FloatingPointError("the coefficients are no longer finite: scale the features")
        exact_at = snapshot.exact_at
        if few is not None and maintained is not None and exact_at is not None:
            bias, gap, share = few.certified(
                np.arange(n), problem.y, alpha, maintained, problem.bounds, problem.bias != "none", exact_at
            )
            goal = tol * share
            step = rounds_between(n, run.iterations)
            if ended and gap > goal:
                alpha, bias, gap, goal = _certified(oracle, problem, alpha, tol, last=True)
        elif (
            bounds is not None and maintained is not None and exact_at is not None and bounds.feasible(alpha)
        ):
            point = Point(alpha, maintained, exact_at)
            bound = bounds.quick(point)
            if ended or bound.least <= goal < bound.relative_gap:
                bound = bounds.confirmed(point)
            bias, gap = bound.bias, float(bound.relative_gap)
            goal = tol * share_in(problem, bound.responses, bias, bound.norm2)
            step = rounds_between(n, run.iterations)
        else:
            alpha, bias, gap, goal = _certified(oracle, problem, alpha, tol, last=ended)
            step = max(step, looks.after(run.iterations, gap), int(run.iterations // 4))
        if ended and gap > tol and direct < math.inf and run.iterations != most:
            near, b, other, _ = _directly(oracle, problem, alpha, tol)
            return (near, b, other) if other < gap else (alpha, bias, gap)
        if ended or gap <= goal:
            return aside if ended and aside[2] < gap else (alpha, bias, gap)


def _directly(
    oracle: Oracle, problem: Problem, alpha: Floats, tol: float
) -> tuple[Floats, float, float, float]:
    """Solve the problem of few rows by an interior-point method, from coefficients of several sizes.

    Return the coefficients, and as `_certified`; an infinite gap if that fails.
    """
    best = (alpha, 0.0, math.inf, tol)
    points = oracle.given_rows(np.arange(oracle.n))
    K = DoubleValues(points, oracle.kernel)(points)
    for near in near_points(K, problem, float(alpha.max())):
        found = _certified(oracle, problem, near, tol, last=True)
        best = found if found[2] < best[2] else best
        if best[2] <= best[3]:
            break
    return best


def _certified(
    oracle: Oracle, problem: Problem, alpha: Floats, tol: float, last: bool
) -> tuple[Floats, float, float, float]:
    """Return coefficients, b, the relative gap and the gap to reach, by responses in double precision.

    If the last gap is too large, it may be that of a multiple, which is then returned.
    """
    at = np.flatnonzero(alpha)
    beta = (alpha * problem.y)[at]
    responses = problem.y * oracle.exact_responses(at, beta, observed=True)
    errors = oracle.double_errors(at, beta)
    found = certify(problem, alpha, responses, diagonal(oracle), rounded=True, errors=errors)
    goal = max(tol, _ROUNDING * float(found["relative_gap"])) if last else tol
    found = sharpened(problem, alpha, found, responses, oracle, goal)
    bias, gap = float(found["bias"]), float(found["relative_gap"])
    if last and gap > tol:
        other = _multiple(oracle, problem, alpha)
        alpha, bias, gap = other if other[2] < gap else (alpha, bias, gap)
    return alpha, bias, gap, tol * share_in(problem, responses, bias, found["norm"] ** 2)


def share_in(problem: Problem, responses: Floats, bias: float, norm2: float) -> float:
    """Return the factor of `share_of_most` for the responses, shape (n,), b and |w|² of a predictor."""
    losses = problem.bounds * np.maximum(0.0, 1.0 - responses - problem.y * bias)
    return share_of_most(losses, 0.5 * norm2)


def _gap(problem: Problem, alpha: Floats, responses: Floats) -> float:
    """Return a quick estimate of the relative gap from the maintained responses; not a bound."""
    bias = 0.0
    if problem.bias != "none":
        bias = best_bias(problem.y, responses, problem.weights)
    norm2 = float(alpha @ responses)
    primal = primal_objective(problem.lam, norm2, problem.mean_loss(responses, bias))
    return 1.0 - dual_objective(problem.lam, alpha, norm2) / primal if primal > 0.0 else 0.0


def cross_validated(
    trainer: Trainer,
    oracle: Oracle,
    y: Floats,
    C: float,
    bias: str,
    weights: Floats | None,
    folds: list[NDArray[np.int64]],
) -> Floats:
    """Return the score of each row by a predictor trained without its fold, shape (n,).

    If the other folds contain a single class, the score is that of a row on the margin of this class, as in
    LIBSVM; if they are empty, 0.
    """
    scores = np.zeros(y.size)
    for fold in folds:
        train = np.setdiff1d(np.arange(y.size), fold)
        present = np.unique(y[train])
        if present.size < 2:
            scores[fold] = present[0] if present.size else 0.0
            continue
        kept = None if weights is None else weights[train]
        part = oracle.subset(train, ledger=Ledger())
        found = trainer.solve(part, y[train], C, bias, kept)
        at = np.flatnonzero(found.alpha)
        beta = (found.alpha * y[train])[at]
        scores[fold] = oracle.exact_responses(train[at], beta, cols=fold, observed=True) + found.bias
    return scores
