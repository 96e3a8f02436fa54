"""Solution of the binary problems of a classifier to a certified gap."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._ledger import Ledger
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem, best_bias, dual_objective, primal_objective
from svmbench.rng import Generator
from svmbench.runner.certificate import certify, diagonal, gaussian
from svmbench.runner.margin import GapBounds, Point
from svmbench.solvers import registry
from svmbench.solvers.base import KernelExpansion, Run

Floats = NDArray[np.float64]

#: Tolerance of the solver itself, small enough that the gap decides.
_EPS = 1e-10

#: Rows up to which `decomposition` uses small working sets, most of which change: with few features, where
#: the responses of other rows are updated only now and then, and with many.
_FEW, _FEW_OF_MANY_FEATURES, _MANY_FEATURES = 4096, 16384, 128
_SMALL_SET, _LARGE_SET = 256, 1024

#: Part of the rounds left, by forecast, until the next look; and looks while the rounds double, at least.
_FORECAST, _FEWEST_LOOKS = 0.5, 4

#: Values of C used for an infinite C: the first in units of 1 / max K(x, x), their ratio, and the last. The
#: first one that leaves no coefficient at C suffices.
_FIRST_C, _FACTOR, _LAST_C = 1e4, 100.0, 1e12

#: Gaps of consecutive problems with such a C, relative to the requested gap.
_CLOSER = (1e-1, 1e-3, 1e-5)


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
        Iterations of the solver, and kernel values computed.
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

    def solve(self, oracle: Oracle, y: Floats, C: float, bias: str, weights: Floats | None) -> Solution:
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
        """
        if np.isinf(C):
            return self._solve_hard(oracle, y, bias)
        if weights is not None and np.all(weights == weights[0]):
            C, weights = C * float(weights[0]), None
        return self._solve(oracle, Problem.build(y, C=C, bias=bias, weights=weights), self.tol)

    def _solve(self, oracle: Oracle, problem: Problem, tol: float) -> Solution:
        solver = registry.get(self.solver)
        sets = {"working_set": working_set(oracle)} if self.solver == "decomposition" else {}
        params = solver.Params(eps=_EPS, **sets)
        run = solver(params).start(problem, oracle, Generator(0))
        # The ledger counts all runs on this oracle.
        begun = oracle.ledger.iterations
        alpha, bias, gap = _advanced(run, problem, oracle, tol, begun, self.most)
        return Solution(
            alpha=alpha,
            bias=bias,
            gap=gap,
            iterations=int(run.iterations),
            evaluations=int(oracle.ledger.kev_computed),
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
        last, closer, iterations = C * _LAST_C / _FIRST_C, 0, 0
        while True:
            problem = Problem.build(y, C=C, bias=bias)
            found = self._solve(oracle, problem, self.tol * _CLOSER[closer])
            iterations += found.iterations
            gap, b = _hard_gap(oracle, y, found, bias) if found.alpha.max() < C else (np.inf, found.bias)
            answer = Solution(found.alpha, b, gap, iterations, found.evaluations, found.ended_early)
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
    most = _FEW if oracle.d <= _MANY_FEATURES else _FEW_OF_MANY_FEATURES
    return _SMALL_SET if oracle.n <= most else _LARGE_SET


def rounds_between(n: int, rounds: int) -> int:
    """Return the rounds between two looks at the gap of n rows after so many rounds."""
    # On few rows, an iteration costs no more than a check of the gap.
    return max(1, rounds // (4 if n <= _FEW else 50))


class Looks:
    """When to look at the gap: often near the end, and seldom while it is far from what is asked.

    A look may cost as much as a round. The gap of the n rows falls about geometrically, so the number of
    rounds that are left until it is `tol` is forecast from the last two looks.
    """

    def __init__(self, n: int, tol: float) -> None:
        self._n, self._tol = n, tol
        self._rounds, self._gap = 0, math.inf

    def after(self, rounds: int, gap: float) -> int:
        """Return the rounds to the next look, after so many rounds and a look that showed this gap."""
        least = rounds_between(self._n, rounds)
        most, before = max(least, rounds // _FEWEST_LOOKS), (self._rounds, self._gap)
        self._rounds, self._gap = rounds, gap
        if not (self._tol < gap < before[1] < math.inf):
            return least
        left = math.log(gap / self._tol) / math.log(before[1] / gap) * (rounds - before[0])
        return int(min(most, max(least, _FORECAST * left)))


def _hard_gap(oracle: Oracle, y: Floats, found: Solution, bias: str) -> tuple[float, float]:
    """Return the relative gap of a dual point of the hard-margin problem, and the bias midway."""
    at = np.flatnonzero(found.alpha)
    scores = oracle.exact_responses(at, (found.alpha * y)[at])
    low, high = scores[y > 0.0].min(), scores[y < 0.0].max()
    b = -0.5 * float(low + high) if bias != "none" else 0.0
    least = float((y * (scores + b)).min())
    norm2 = max(0.0, float((found.alpha * y) @ scores))
    if not least > 0.0:
        return np.inf, found.bias
    primal = 0.5 * norm2 / least**2
    gap = (primal - float(found.alpha.sum()) + 0.5 * norm2) / primal
    return max(0.0, gap), b


def _advanced(
    run: Run, problem: Problem, oracle: Oracle, tol: float, begun: int, most: int
) -> tuple[Floats, float, float]:
    """Advance until a gap of at most `tol` is certified, progress ends, or `most` iterations are made.

    Return the coefficients, b and the certified relative gap.
    """
    step, bounds, own = 1, None, diagonal(oracle)
    looks = Looks(problem.n, tol)
    if GapBounds.possible(oracle):
        bounds = GapBounds(problem, oracle)
    while True:
        until = run.iterations + step
        run.advance("iterations", begun + (until if most < 0 else min(until, most)))
        snapshot = run.snapshot()
        ended = run.converged or getattr(run, "stalled", False) or run.iterations == most
        if snapshot.alpha is None:
            raise TypeError("the solver gives no dual point")
        if snapshot.earlier and not ended:
            continue
        maintained = snapshot.responses
        if maintained is not None and not ended:
            gap = _gap(problem, snapshot.alpha, maintained)
            if gap > tol:
                step = looks.after(run.iterations, gap)
                continue
        if not np.isfinite(snapshot.alpha).all():
            raise FloatingPointError("the coefficients are no longer finite: scale the features")
        if (
            bounds is not None
            and maintained is not None
            and snapshot.exact_at is not None
            and bounds.feasible(snapshot.alpha)
        ):
            point = Point(snapshot.alpha, maintained, snapshot.exact_at)
            bound = bounds.quick(point)
            if ended or bound.least <= tol < bound.relative_gap:
                bound = bounds.confirmed(point)
            if ended or bound.relative_gap <= tol:
                return snapshot.alpha, bound.bias, float(bound.relative_gap)
            step = rounds_between(problem.n, run.iterations)
            continue
        model = KernelExpansion.from_alpha(snapshot.alpha, problem.y)
        fresh = problem.y * oracle.exact_responses(model.indices, model.coefficients)
        certificate = certify(problem, snapshot.alpha, fresh, own, rounded=gaussian(oracle))
        if ended or certificate["relative_gap"] <= tol:
            return snapshot.alpha, float(certificate["bias"]), float(certificate["relative_gap"])
        step = max(step, int(run.iterations // 4))


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
