"""Small problems of pairs of classes, solved on the kernel rows of examples sorted by class.

A problem of a thousand rows costs little, but there may be many: 325 for 26 classes. Data are selected once
for each class. Kernel values within a class are used by all its problems; rows are computed when the solver
first reads them. The solver is `svmbench.solvers.dual.two_groups.TwoGroups`; gaps are certified in one pass
(`svmbench.certify.few_gaps`) or, for other kernels and many examples, as for all other problems. One compiled
pass goes through all pairs (`svmbench.certify.few_pairs`).
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.certify.certificate import certify, diagonal
from svmbench.certify.few_gaps import FewGaps
from svmbench.certify.few_pairs import solve_pairs
from svmbench.certify.gap_bounds import GapBounds, Point
from svmbench.kernels._ledger import Ledger
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.sklearn._one_vs_one import PairSolutions
from svmbench.sklearn._training import Trainer, share_in
from svmbench.solvers.dual.two_groups import TwoGroups
from svmbench.solvers.run import checked_diagonal

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

#: Largest number of rows of a problem that is solved in this way.
_MOST_ROWS = 6000

#: And if it is the only one, for a single C: of more rows, `decomposition` updates the values of most
#: examples less often, and computes rows in larger blocks, which matters if examples have more than a few
#: features. With few features and other kernels than normalised ones, steps of two coefficients are too many.
_MOST_ALONE, _MOST_OF_FEW, _FEW_FEATURES = 3000, 5000, 32

#: Most steps of a problem, times its rows: a fraction of a second. If it takes longer, `decomposition` is
#: faster, because it changes more than two coefficients at a time; and the factor for normalised kernels.
_WORK, _MORE = 2e8, 6.0


class PairProblems:
    """The problems of all pairs of classes over the rows of an oracle, as those of `Trainer.solve`.

    Those of a pair are solved for each C of a list, finite and ascending, from the solution for the one
    before. As many pairs are solved at the same time as there are `threads`.
    """

    def __init__(
        self,
        oracle: Oracle,
        found: PairSolutions,
        weights: Floats | None,
        C: list[float],
        bias: str,
        tol: float,
        threads: int = 1,
    ) -> None:
        # As all solvers do: with infinite values, the gap would seem to be 0.
        self._diagonal = checked_diagonal(oracle)[np.concatenate(found.groups)]
        self._oracle, self._found, self._C, self.bias, self.tol = oracle, found, C, bias, tol
        self._weights = None if weights is None else weights[found.rows]
        #: Upper bounds of the coefficients in `found`, for each C.
        self.bounds = np.multiply.outer(C, np.ones(found.y.size) if self._weights is None else self._weights)
        self._groups = [oracle.stored(rows) for rows in found.groups]
        self._threads = min(threads, found.first.size)

    @staticmethod
    def possible(
        oracle: Oracle, codes: Indices, trainer: Trainer, C: list[float], room: int, threads: int
    ) -> bool:
        """Return whether the problems are small, and of a supported kind; a single one must be smaller.

        `trainer` solves them otherwise, and `room` is the number of bytes that kernel values may take.
        """
        plain = trainer.solver == "decomposition" and trainer.most < 0 and np.isfinite(C).all()
        several = codes.max() > 1 or len(C) > 1
        normalised = oracle.kernel.normalised and oracle.d <= _FEW_FEATURES
        alone = _MOST_OF_FEW if normalised else _MOST_ALONE
        if not (plain and (several or codes.size <= alone) and TwoGroups.possible(oracle)):
            return False
        sizes = np.sort(np.bincount(codes))
        pair = int(sizes[-2:].sum())
        # The matrix of the pair, that of its packed variables, and what is kept of every group.
        values = 3 * pair**2 // 2 + int(np.square(sizes).sum())
        return pair <= _MOST_ROWS and 4 * values * threads <= room

    def solve(self) -> None:
        """Solve the problems as far as the gap is reached: `Trainer` must solve the others."""
        numbers = iter(range(self._found.first.size))
        if self._threads == 1:
            self._solve(numbers)
        else:
            with ThreadPoolExecutor(self._threads) as pool:
                list(pool.map(self._solve, [numbers] * self._threads))

    def _solve(self, numbers: Iterator[int]) -> None:
        few = FewGaps(self._oracle) if FewGaps.possible(self._oracle) else None
        work = _WORK * (_MORE if self._oracle.kernel.normalised else 1.0)
        solve_pairs(TwoGroups(self._groups, self._diagonal), few, self, self._found, numbers, work)

    def problem(self, c: int, pair: slice) -> Problem:
        """Return the problem of a pair for C number c."""
        weights = None if self._weights is None else self._weights[pair]
        return Problem.build(self._found.y[pair], C=self._C[c], bias=self.bias, weights=weights)

    def responses(self, c: int, pair: slice) -> Floats:
        """Return y_i f(x_i) of the coefficients of a pair in `found`, in double precision, f without bias."""
        alpha, y, part = self._found.alpha[c, pair], self._found.y[pair], self._part(pair)
        support = np.flatnonzero(alpha)
        return np.asarray(y * part.exact_responses(support, (alpha * y)[support]))

    def certified(self, c: int, pair: slice, responses: Floats) -> tuple[float, float, float]:
        """Return what `FewGaps.certified` does, for any kernel."""
        problem, alpha, part = self.problem(c, pair), self._found.alpha[c, pair], self._part(pair)
        part.ledger.kev_iter = int(np.count_nonzero(alpha)) * alpha.size
        bias, gap = part.certified(problem, alpha, responses)
        return bias, gap, share_in(problem, responses, bias, float(alpha @ responses))

    def _part(self, pair: slice) -> _Part:
        return _Part(self._oracle, self._found.rows[pair])


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
