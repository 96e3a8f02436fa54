r"""Solution of a regression problem to a certified gap.

Few rows, whose kernel matrix fits the cache, are both groups of `svmbench.solvers.dual.two_groups`: the first
lowers predictions, the second raises them. With more rows, or if that fails, rounds of
`svmbench.solvers.dual.insensitive` change the coefficients by kernel rows in single precision. Now and then,
and before the gap is certified, the scores are computed again in double precision from the coefficients, and
the rounds continue from there (iterative refinement, as in `svmbench.solvers.dual.refinement`). Few rows that
need many rounds are solved by an interior-point method: the dual is that of a classification with each row on
both sides, :math:`\beta = \alpha^+ - \alpha^-`, but for the linear term :math:`\pm y_i - \varepsilon`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._oracle import Oracle
from svmbench.kernels.double_values import DoubleValues
from svmbench.problem import Problem
from svmbench.regression import Certificate, Regression, balanced
from svmbench.sklearn._interior_point import near_points, rounds_before
from svmbench.sklearn._training import Solution, rounds_between, working_set
from svmbench.solvers.dual.insensitive import InsensitiveDual
from svmbench.solvers.dual.two_groups import TwoGroups
from svmbench.solvers.run import checked_diagonal

Floats = NDArray[np.float64]

#: Violation of the optimality conditions at which nothing is left to gain, relative to the targets.
_EPS = 1e-12

#: Part of the requested gap that the maintained residuals show before the gap is certified.
_GOAL = 0.9

#: Error of a kernel value in single precision: four standard deviations.
_ROW_ERROR = 4.0 * 2.0**-24

#: Changes of each coefficient within which the violation should halve, and least number of rounds for it.
_CHANGES, _FEWEST_ROUNDS = 100, 64

#: Most rows that are two groups, most steps times rows, and most steps for each row. The gap is certified
#: when the solver estimates one of these parts of it.
_FEW, _WORK, _STEPS, _GOALS = 3000, 6e8, 1000, (0.7, 0.7, 0.2, 0.05)

#: Part of the smallest gap so far that another one must be below to be progress, and how many in a row
#: without progress end the search.
_LESS, _PATIENCE = 0.9, 8


def solve(oracle: Oracle, problem: Regression, tol: float, most: int) -> Solution:
    """Solve a regression problem to a relative duality gap of `tol`, in `most` rounds at most; -1: unlimited.

    The signed coefficients β are `alpha` of the solution.
    """
    few = oracle.n <= min(_FEW, oracle.cache_rows) and TwoGroups.possible(oracle)
    if few and most < 0 and (solution := _of_two_groups(oracle, problem, tol)) is not None:
        return solution
    search = _Search(oracle, problem)
    dual, step, direct = search.dual, 1, rounds_before(2 * oracle.n)
    while True:
        for _ in range(step):
            if search.settled() or dual.rounds == most:
                break
            dual.round()
        ended = search.settled() or dual.rounds == most
        if ended or search.promises(tol) or search.lags():
            search.refine()
            over = search.settled() or dual.rounds == most or search.failures >= _PATIENCE
            if over or search.gap <= tol * search.share:
                break
        if dual.rounds >= direct:
            direct = math.inf
            if search.solve_directly(tol):
                break
            search.refine()
        step = rounds_between(oracle.n, dual.rounds)
        if direct == math.inf and few:  # the other method has failed: little is left to gain
            step = min(step, _FEWEST_ROUNDS)
    if search.gap > tol * search.share and direct < math.inf and dual.rounds != most:
        search.solve_directly(tol)
    return Solution(
        alpha=search.beta,
        bias=search.bias,
        gap=search.gap,
        iterations=int(dual.rounds),
        evaluations=int(oracle.ledger.kev_computed),
        ended_early=dual.rounds == most,
    )


def _of_two_groups(oracle: Oracle, problem: Regression, tol: float) -> Solution | None:
    """Solve a problem of few rows by steps of two coefficients; None if the gap is not reached."""
    n, epsilon, with_bias = oracle.n, problem.epsilon, problem.box.bias != "none"
    targets = problem.y - _origin(problem)
    checked_diagonal(oracle)
    solver = TwoGroups([oracle.stored()] * 2, np.tile(oracle.diagonal(), 2))
    most = int(min(_WORK / n, _STEPS * n))
    gains, bounds = np.concatenate([-targets, targets]) - epsilon, np.tile(problem.box.bounds, 2)
    solver.start(0, 1, bounds, with_bias, _EPS * float(np.abs(targets).max()), None, gains)
    for attempt, goal in enumerate(_GOALS):
        computed = solver.evaluations
        reached = solver.advance(goal * tol, most - solver.steps)
        oracle.ledger.kev_computed += solver.evaluations - computed
        if not reached and (attempt or solver.steps >= most):
            break
        alpha, _ = solver.point()
        beta = alpha[n:] - alpha[:n]
        beta = balanced(beta) if with_bias else beta
        at = np.flatnonzero(beta)
        scores = oracle.exact_responses(at, beta[at], observed=True)
        errors: Floats | float | None = oracle.double_errors(at, beta[at])
        if errors is None:
            errors = float(np.finfo(np.float64).eps * np.abs(beta).sum())
        found = problem.certificate(beta, scores, errors)
        if found.relative_gap <= tol * found.share:
            gap, evaluations = found.relative_gap, int(oracle.ledger.kev_computed)
            return Solution(beta, found.bias, gap, solver.steps, evaluations, False)
        solver.refine(np.concatenate([-scores, scores]))
    return None


def _origin(problem: Regression) -> float:
    """Return a constant to subtract from the targets.

    With a bias, it has no effect on the coefficients, only on rounding.
    """
    return 0.5 * float(problem.y.min()) + 0.5 * float(problem.y.max()) if problem.box.bias != "none" else 0.0


class _Search:
    """The dual, the scores of its coefficients in double precision, and the best point so far.

    Attributes
    ----------
    dual : InsensitiveDual
        The dual.
    beta : ndarray of float64, shape (n,)
        The point with the smallest gap that was certified.
    gap, bias : float
        Its relative gap and its b.
    share : float
        By which factor outliers reduce the relative gap to reach.
    failures : int
        Certificates since the last progress.
    """

    def __init__(self, oracle: Oracle, problem: Regression) -> None:
        self._oracle, self._problem = oracle, problem
        targets = problem.y - _origin(problem)
        self._eps = _EPS * float(np.abs(targets).max())
        size = working_set(oracle)
        self.dual = InsensitiveDual(oracle, problem.box, targets, problem.epsilon, size)
        self._targets, self._diagonal = targets, oracle.diagonal()
        self._known, self._scores = np.zeros((2, targets.size))
        self._errors: Floats | float = 0.0
        self._window = max(_FEWEST_ROUNDS, _CHANGES * targets.size // size)
        self._spacing = max(1, targets.size // size)
        self._refined, self._improved, self._halved, self._least = 0, 0, math.inf, math.inf
        self.beta, self.gap, self.bias, self.failures = np.zeros(targets.size), math.inf, 0.0, 0
        self.share = 1.0

    def settled(self) -> bool:
        """Return whether the optimality conditions hold by the maintained residuals."""
        return self.dual.violation <= self._eps

    def promises(self, tol: float) -> bool:
        """Return whether the maintained residuals show the gap."""
        scores = self._targets - self.dual.residuals()
        return self._certified(self.dual.coefficients(), scores).relative_gap <= _GOAL * tol * self.share

    def lags(self) -> bool:
        """Return whether the violation drowns in the error of the residuals, or has not halved for long."""
        if self.dual.violation < 0.5 * self._halved:
            self._halved, self._improved = self.dual.violation, self.dual.rounds
        # After a certificate without progress, the next one is sooner.
        if self.dual.rounds - self._improved > self._window >> (2 * self.failures):
            return True
        moved = self.dual.coefficients() - self._known
        noise = _ROW_ERROR * math.sqrt(float(self._diagonal.max()) * float(self._diagonal @ np.square(moved)))
        return self.dual.rounds - self._refined >= self._spacing and self.dual.violation < noise

    def refine(self) -> None:
        """Compute the scores again in double precision, certify the gap, and continue from there."""
        beta = self.dual.coefficients()
        if self._problem.box.bias != "none":
            beta = balanced(beta)
        self._follow(beta)
        gap = self._keep(beta)
        self.failures = 0 if gap < _LESS * self._least else self.failures + 1
        self._least = min(self._least, gap)
        self.dual.renew(self._targets - self._scores)
        self._refined = self._improved = self.dual.rounds

    def _keep(self, beta: Floats) -> float:
        """Certify the coefficients that the scores are of, and keep them if they are best; return the gap."""
        found = self._certified(beta, self._scores, self._errors)
        if found.relative_gap < self.gap:
            self.beta, self.gap, self.bias = beta, found.relative_gap, found.bias
            self.share = found.share
        return found.relative_gap

    def solve_directly(self, tol: float) -> bool:
        """Look for better coefficients by an interior-point method.

        Return whether they reach the gap, but for the bound of rounding, which other coefficients share.
        """
        oracle, box, epsilon, n = self._oracle, self._problem.box, self._problem.epsilon, self._targets.size
        points = oracle.given_rows(np.arange(n))
        K = np.tile(DoubleValues(points, oracle.kernel)(points), (2, 2))
        weights = None if box.weights is None else np.tile(box.weights, 2)
        both = Problem.build(np.repeat([1.0, -1.0], n), C=box.C, bias=box.bias, weights=weights)
        reached = False
        gain = np.concatenate([self._targets, -self._targets]) - epsilon
        for alpha in near_points(K, both, float(np.abs(self.beta).max()), gain):
            beta = alpha[:n] - alpha[n:]
            self._follow(balanced(beta) if box.bias != "none" else beta)
            self._keep(self._known)
            reached = reached or self._certified(self._known, self._scores).relative_gap <= tol * self.share
            if self.gap <= tol * self.share:
                break
        return reached

    def _certified(self, beta: Floats, scores: Floats, errors: Floats | float | None = None) -> Certificate:
        found = self._problem.certificate(beta, scores, errors)
        if not math.isfinite(found.primal + found.gap):
            raise FloatingPointError("the coefficients are no longer finite: scale the features and targets")
        return found

    def _follow(self, beta: Floats) -> None:
        """Update the scores to coefficients, from those that have changed, or from all if these are fewer."""
        if np.count_nonzero(beta) <= np.count_nonzero(beta - self._known):
            self._known, self._scores = np.zeros((2, beta.size))
            self._errors = 0.0
        changed = np.flatnonzero(beta - self._known)
        moved = (beta - self._known)[changed]
        self._scores = self._scores + self._oracle.exact_responses(changed, moved)
        self._known = beta
        errors = self._oracle.double_errors(changed, moved)
        if errors is None:
            self._errors = float(np.finfo(np.float64).eps * np.abs(beta).sum())
        else:
            self._errors = self._errors + errors + np.finfo(np.float64).eps * np.abs(self._scores)
