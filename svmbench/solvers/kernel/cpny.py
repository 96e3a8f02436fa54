r"""CPNY: a cutting-plane SVM on the features of a subset of the training examples.

T. Joachims, Training Linear SVMs in Linear Time, KDD 2006, on the features of a Nyström approximation, as in
the comparison of S. Lee and S. J. Wright, ASSET: Approximate Stochastic Subgradient Estimation Training for
Support Vector Machines, 2012. The greedy basis: S. Fine and K. Scheinberg, Efficient SVM Training Using
Low-Rank Kernel Representations, JMLR 2, 2001.

Problem, the regularised form with w in the span of k of the :math:`\Phi(x_i)`, without bias, in its one-slack
form: :math:`\min \frac12 |w|^2 + C n \xi`, :math:`\xi \ge \frac1n \sum_{i \in V} (1 - c_i)` for all sets V.

Method: first the basis, one example per iteration, at equal strides through the data, or (``greedy``) the one
farthest from the span of those before it. Linearly dependent examples are dropped. Then, in orthonormal
coordinates z of the span, from w = 0 and ξ = 0::

    V = {i : y_i <w, z_i> < 1},  g = Σ_V y_i z_i / n,  δ = |V| / n
    end if δ - <w, g> - ξ <= eps
    add the cut (g, δ);  w, ξ = solution of the problem with the cuts so far
    drop cuts that were inactive in the last 50 solutions

The method has stalled if in 20 consecutive iterations the bound has risen by less than 1e-9 of the violation.

The coordinates of a point nearly dependent on the others amplify errors of kernel values by up to 1000, and
so do coefficients, which reach 1e5 C. So the rows of the basis are computed in double precision, and the
solution and its objective are those of the coefficients.

Counting: each example tried for the basis costs a row, n under every convention. A cut costs nothing, and n
as an iteration.

Answer: the last w. The solution over the cuts bounds the optimum within the span, ``native_bound``, not that
of the whole problem. Memory: the features, nk float64.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svmbench.kernels._oracle import Oracle
from svmbench.option import option
from svmbench.problem import Problem
from svmbench.solvers.base import KernelExpansion, Snapshot, Solver
from svmbench.solvers.cutting_plane.coordinates import DEPENDENT, Features
from svmbench.solvers.cutting_plane.feature_cuts import Cuts, accuracy_field
from svmbench.solvers.run import PlainRun, checked_diagonal

#: Consecutive solutions in which a cut is inactive before it is dropped.
IDLE = 50


@dataclass(frozen=True)
class Params:
    """Parameters of CPNY."""

    k: int = option(
        500,
        "Most basis points; at most the number of training examples is used. The comparison in ASSET has 512 "
        "or 1024.",
        min=1,
    )
    basis: str = option(
        "strides",
        "Choice of the basis points. strides: training examples at equal strides. greedy: each the farthest "
        "from the span of those before it (incomplete Cholesky).",
        choices=("strides", "greedy"),
    )
    eps: float = accuracy_field()


class Run(PlainRun):
    """A started CPNY."""

    def __init__(self, problem: Problem, oracle: Oracle, params: Params) -> None:
        super().__init__(problem, oracle)
        self._problem = problem
        self._oracle = oracle
        self._eps = params.eps
        self._diagonal = checked_diagonal(oracle)
        self._most = min(params.k, problem.n)
        self._outside = self._diagonal.copy() if params.basis == "greedy" else None
        self._tried = 0
        self._basis: list[int] = []
        self._features = Features(problem.n, self._most)
        self._cuts = Cuts(problem.y, problem.C * problem.n)

    def iterate(self) -> bool:
        """Try one example for the basis, or add one cut; return whether the cuts suffice."""
        example = self._candidate()
        if example is not None:
            self._try(example)
            self._oracle.ledger.charge(iterations=1, maintained_changes=1, n=self._problem.n)
            return False
        cut = self._cuts.at(self._features.values)
        if cut.missing > self._eps:
            self._cuts.add(cut)
            self._cuts.solve(IDLE)
            if self._cuts.stands(cut.missing):
                self.stall()
        self._oracle.ledger.charge(iterations=1, n=self._problem.n)
        return cut.missing <= self._eps

    def _candidate(self) -> int | None:
        """Return the next example for the basis, None if it is complete."""
        if self._tried == self._most:
            return None
        if self._outside is None:
            return self._tried * self._problem.n // self._most
        farthest = int(np.argmax(self._outside))
        return farthest if self._outside[farthest] > DEPENDENT * self._diagonal[farthest] else None

    def _try(self, example: int) -> None:
        row = self._oracle.exact_responses([example], [1.0])
        self._tried += 1
        z = self._features.values[:, example].copy()
        added = self._features.extend(row, float(row[example]), z)
        if added:
            self._basis.append(example)
        if self._outside is not None:
            if added:
                self._outside -= np.square(self._features.values[-1])
            self._outside[example] = 0.0

    def snapshot(self) -> Snapshot:
        """Return the last w as signed coefficients of the basis examples."""
        problem, w = self._problem, self._cuts.padded(self._features.count)
        responses = problem.y * (w @ self._features.values)
        basis, coefficients = np.array(self._basis, dtype=np.int64), self._features.coefficients(w)
        order = np.argsort(basis)
        order = order[coefficients[order] != 0.0]  # empty before the first solution
        model = KernelExpansion(basis[order], coefficients[order])
        return Snapshot(model, responses=responses, native=self._cuts.native(problem.lam, w, responses))


class CPNY(Solver):
    """Cutting planes on Nyström features; see the module."""

    name = "cpny"
    title = "CPNY"
    counting = "n per example tried for the basis under every convention; a cut is an iteration of n"
    stochastic = False
    version = 2
    Params = Params
    Run = Run
