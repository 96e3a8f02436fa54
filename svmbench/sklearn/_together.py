"""Small problems of pairs of classes, solved on the kernel rows of examples sorted by class.

A problem of a thousand rows costs little, but there may be many: 325 for 26 classes. Data are selected once
for each class. Kernel values within a class are used by all its problems; rows are computed when the solver
first reads them. The solver is `svmbench.solvers.dual.two_groups.TwoGroups`; gaps are certified in one pass
(`svmbench.certify.few_gaps`) or, for other kernels and many examples, as for all other problems.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.certify.certificate import certify, diagonal
from svmbench.certify.few_gaps import FewGaps
from svmbench.certify.gap_bounds import GapBounds, Point
from svmbench.kernels._ledger import Ledger
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem, moved
from svmbench.sklearn._training import Solution, Trainer, share_in
from svmbench.solvers.dual.two_groups import TwoGroups
from svmbench.solvers.run import checked_diagonal

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

#: For a pair of classes: its rows, their labels, and the solution for each C.
Solved = tuple[Indices, Floats, list[Solution | None]]

#: Largest number of rows of a problem that is solved in this way.
_MOST_ROWS = 6000

#: And if it is the only one, for a single C: of more rows, `decomposition` updates the values of most
#: examples less often.
_MOST_ALONE = 3000

#: Most steps of a problem, times its rows: a fraction of a second. If it takes longer, `decomposition` is
#: faster, because it changes more than two coefficients at a time.
_WORK = 2e8

#: Violation of the optimality conditions below which no step is made.
_EPS = 1e-10

#: A certificate is computed when the solver's own estimate of the gap is this fraction of the tolerance; if
#: the certified gap is too large, the next fraction is tried.
_GOALS = (0.7, 0.2, 0.05)


class PairProblems:
    """The problems of all pairs of classes over the rows of an oracle, as those of `Trainer.solve`.

    Those of a pair are solved for each C of a list, finite and ascending, from the solution for the one
    before. As many pairs are solved at the same time as there are `threads`.
    """

    def __init__(
        self,
        oracle: Oracle,
        codes: Indices,
        weights: Floats | None,
        C: list[float],
        bias: str,
        tol: float,
        threads: int = 1,
    ) -> None:
        self._oracle, self._weights = oracle, weights
        self._C, self._bias, self._tol = C, bias, tol
        checked_diagonal(oracle)  # as all solvers do: with infinite values, the gap would seem to be 0
        # Those of each class.
        ends = np.cumsum(np.bincount(codes))
        self._rows: list[Indices] = np.split(np.argsort(codes, kind="stable"), ends[:-1])
        groups = [oracle.subset(rows, cached=False, ledger=Ledger()) for rows in self._rows]
        self._solvers: SimpleQueue[tuple[TwoGroups, FewGaps | None]] = SimpleQueue()
        self._threads = min(threads, max(1, len(groups) * (len(groups) - 1) // 2))
        for _ in range(self._threads):
            self._solvers.put((TwoGroups(groups), FewGaps(oracle) if FewGaps.possible(oracle) else None))

    @staticmethod
    def possible(
        oracle: Oracle, codes: Indices, trainer: Trainer, C: list[float], room: int, threads: int
    ) -> bool:
        """Return whether the problems are small, and of a supported kind; a single one must be smaller.

        `trainer` solves them otherwise, and `room` is the number of bytes that kernel values may take.
        """
        plain = trainer.solver == "decomposition" and trainer.most < 0 and np.isfinite(C).all()
        several = codes.max() > 1 or len(C) > 1
        if not (plain and (several or codes.size <= _MOST_ALONE) and TwoGroups.possible(oracle)):
            return False
        sizes = np.sort(np.bincount(codes))
        pair = int(sizes[-2:].sum())
        # The matrix of the pair, that of its packed variables, and what is kept of every group.
        values = 3 * pair**2 // 2 + int(np.square(sizes).sum())
        return pair <= _MOST_ROWS and 4 * values * threads <= room

    def solved(self, pairs: Iterable[tuple[int, int]]) -> list[Solved]:
        """Solve the problems of some pairs; None if the gap was not reached: `Trainer` must solve these."""
        if self._threads == 1:
            return [self._one(pair) for pair in pairs]
        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(self._one, pairs))

    def _one(self, pair: tuple[int, int]) -> Solved:
        i, j = pair
        first, second = self._rows[i], self._rows[j]
        rows = np.concatenate([first, second])
        y = np.ones(rows.size)
        y[: first.size] = -1.0
        weights = None if self._weights is None else self._weights[rows]
        solver, few = self._solvers.get()
        solutions: list[Solution | None] = []
        near: Solution | None = None
        try:
            for C in self._C:
                problem = Problem.build(y, C=C, bias=self._bias, weights=weights)
                bounds = problem.bounds
                alpha = None if near is None else moved(near.alpha, near.bounds, problem)
                solver.start(i, j, bounds, self._bias != "none", _EPS, alpha)
                solutions.append(self._solved(solver, few, rows, problem, bounds))
                near = solutions[-1] or near
        finally:
            self._solvers.put((solver, few))
        return rows, y, solutions

    def _solved(
        self, solver: TwoGroups, few: FewGaps | None, rows: Indices, problem: Problem, bounds: Floats
    ) -> Solution | None:
        y, balanced, most = problem.y, self._bias != "none", int(_WORK / rows.size)
        known: Floats | None = None
        for goal in _GOALS:
            reached = solver.advance(goal * self._tol, most - solver.steps)
            if not reached and (known is not None or solver.steps >= most):
                break
            alpha, responses = solver.point()
            if few is not None:
                bias, gap, share = few.certified(rows, y, alpha, responses, bounds, balanced, known)
            else:
                part = _Part(self._oracle, rows)
                part.ledger.kev_iter = int(np.count_nonzero(alpha)) * rows.size
                bias, gap = part.certified(problem, alpha, responses)
                share = share_in(problem, responses, bias, float(alpha @ responses))
            if gap <= self._tol * share:
                return Solution(alpha, bias, gap, bounds, solver.steps, solver.evaluations, False)
            # The rounding of the rows is too large for the goal, or the goal for the tolerance.
            support = np.flatnonzero(alpha)
            solver.refine(y * _Part(self._oracle, rows).exact_responses(support, (alpha * y)[support]))
            known = alpha
        return None


class _Part:
    """The methods of an oracle that a certificate needs, restricted to some rows, without a copy."""

    def __init__(self, oracle: Oracle, rows: Indices) -> None:
        self._oracle, self._rows = oracle, rows
        self.ledger = Ledger()
        self.value_error, self.feature_error = oracle.value_error, oracle.feature_error
        self.exact_price = oracle.exact_price

    def exact_responses(
        self, indices: Indices, coefficients: Floats, *, cols: Indices | None = None, observed: bool = True
    ) -> Floats:
        """Return the same as `Oracle.exact_responses`; counted as observation."""
        at = self._rows if cols is None else self._rows[cols]
        found = self._oracle.exact_responses(self._rows[indices], coefficients, cols=at, observed=observed)
        return np.asarray(found)

    def row_errors(self, indices: Indices, coefficients: Floats, cols: Indices) -> Any:
        """Return the same as `Oracle.row_errors`."""
        return self._oracle.row_errors(self._rows[indices], coefficients, self._rows[cols])

    def certified(self, problem: Problem, alpha: Floats, responses: Floats) -> tuple[float, float]:
        """Return the bias and the proven relative gap of a dual point; infinite if α is not dual feasible."""
        if GapBounds.possible(self._oracle):
            bounds = GapBounds(problem, self)
            if not bounds.feasible(alpha):
                return 0.0, np.inf
            bound = bounds.confirmed(Point(alpha, responses, np.zeros(alpha.size)))
            return bound.bias, float(bound.relative_gap)
        support = np.flatnonzero(alpha)
        beta = (alpha * problem.y)[support]
        exact = problem.y * self.exact_responses(support, beta)
        own, errors = diagonal(self._oracle), self._oracle.double_errors(self._rows[support], beta)
        errors = None if errors is None else errors[self._rows]
        try:
            found = certify(
                problem, alpha, exact, lambda i: own(int(self._rows[i])), rounded=True, errors=errors
            )
        except ArithmeticError:
            return 0.0, np.inf
        return float(found["bias"]), float(found["relative_gap"])
