r"""CPSP: a cutting-plane SVM whose few basis points need not be training examples.

T. Joachims and C.-N. J. Yu, Sparse Kernel SVMs via Cutting-Plane Training, Machine Learning 76, 2009.

Problem, the regularised form without bias in its one-slack form:
:math:`\min \frac12 |w|^2 + C n \xi`, :math:`\xi \ge \frac1n \sum_{i \in V} (1 - c_i)` for all sets V, with w
in the span of the images of at most k points of the input space. Gaussian kernel.

Method, from w = 0, ξ = 0 and no points, in orthonormal coordinates z of their span::

    V = {i : y_i <w, z_i> < 1},  g = Σ_V y_i Φ(x_i) / n,  δ = |V| / n
    if δ - <w, g> - ξ > eps: add the cut (g, δ)
    else: consider the g of the existing cuts, in turn
    if there are fewer than k points: b = pre-image of g minus its projection on the span; if its gain is
        large enough, b becomes a point
    w, ξ = solution of the problem with the cuts so far, projected on the span
    drop cuts that were inactive in the last 5 solutions

until no cut needs to be added, and there are k points or no cut yields one. The paper lets every cut have a
point before it solves again.

The gain of a point is large enough if it reduces |g|² by more than ``gain`` times the running mean of the
gains of the points found so far, and the point does not depend on them. If one class is rare, the first gains
are by far the largest, and with the published ``gain`` of 1/200 the method ends there after one or two
points; hence the smaller default. The pre-image is found by a fixed-point iteration over V and the points
(`svmbench.solvers.cutting_plane.pre_image`). A cut stores its set V, and so gets its coordinate for each new
point: projections are always up to date, while the paper lets them lag to save time.

Counting: each evaluation of the search, |V| + m per step with m points so far, and n + m for a point that is
tried, the same under every convention. An iteration adds n to ``kev_iter``. The `reason` of the run says
which part of the evaluations the search took.

Answer: the last w. The solution over the cuts bounds the optimum within the span, ``native_bound``, not that
of the whole problem. Memory: the features, nk float64; the examples in float64; n/8 bytes per cut.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svmbench.kernels._oracle import Oracle
from svmbench.kernels.reduced_set import ReducedSet
from svmbench.option import option
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.base import ReducedSetExpansion, Snapshot, Solver
from svmbench.solvers.cutting_plane.coordinates import Features
from svmbench.solvers.cutting_plane.feature_cuts import GrowingCuts, accuracy_field
from svmbench.solvers.cutting_plane.pre_image import pre_image
from svmbench.solvers.run import PlainRun

#: Consecutive solutions in which a cut is inactive before it is dropped.
IDLE = 5

#: Accuracy of a solution, relative to the violation of the best cut so far.
INEXACT = 0.25

#: Weight of the last gain in the running mean of gains.
RECENT = 0.1


@dataclass(frozen=True)
class Params:
    """Parameters of CPSP."""

    k: int = option(500, "Most basis points. The number of the paper's experiments.", min=1)
    eps: float = accuracy_field()
    gain: float = option(
        1e-6,
        "A point is added only if its gain exceeds this fraction of the running mean of gains. With the "
        "published 1/200, perhaps of another quantity, it ends after one point on Reuters.",
        min=0.0,
        max=0.5,
    )


class Run(PlainRun):
    """A started CPSP."""

    def __init__(self, problem: Problem, oracle: Oracle, rng: Generator, params: Params) -> None:
        super().__init__(problem, oracle)
        self.reason = ""
        self._problem = problem
        self._ledger = oracle.ledger
        self._rng = rng
        self._eps = params.eps
        self._most = params.k
        self._examples = oracle.reduced_set()
        self._points = np.empty((self._most, oracle.d))
        self._features = Features(problem.n, self._most)
        self._cuts = GrowingCuts(problem.y, problem.C * problem.n, INEXACT)
        self._enough = params.gain
        self._usual = 0.0
        self._next = self._in_vain = 0
        self._searched = self._evaluated = 0

    def iterate(self) -> bool:
        """Add a cut, and search for a point for it or for another cut; return whether neither is needed."""
        cut = self._cuts.at(self._features.values)
        near, free = cut.missing <= self._eps, self._features.count < self._most
        if not near:
            self._cuts.add(cut)
            self._next = len(self._cuts.sets) - 1
        elif not free or self._in_vain == len(self._cuts.sets):
            self._ledger.charge(iterations=1, n=self._problem.n)
            part = self._searched / max(self._evaluated, 1)
            self.reason = f"cuts and points suffice, with {part:.1%} of the evaluations for finding points,"
            return True
        before = self._evaluated
        found = free and self._extend(self._next % len(self._cuts.sets))
        self._next += 1
        self._ledger.charge(iterations=1, evaluations=self._evaluated - before, n=self._problem.n)
        if near and not found:
            self._in_vain += 1
        else:
            self._in_vain = 0
            self._cuts.solve(IDLE)
            if not free and self._cuts.stands(cut.missing):
                self.stall()
        return False

    def _extend(self, k: int) -> bool:
        """Add the point that best reduces the part of cut k outside the span; return False if none gains."""
        at = self._cuts.sets.members(k)
        clouds, weights = [self._examples.select(at)], [self._problem.y[at] / self._problem.n]
        m = self._features.count
        basis = ReducedSet(self._points[:m], self._examples.gamma, self._ledger)
        if m:
            clouds.append(basis)
            weights.append(-self._features.coefficients(self._cuts.gradient(k)))
        point, gain, evaluations = pre_image(clouds, weights, self._rng)
        self._searched += evaluations
        self._evaluated += evaluations
        self._usual += (gain - self._usual) * (RECENT if self._usual else 1.0)
        if not gain > self._enough * self._usual:
            return False
        row, own = self._examples.values(point), basis.values(point)
        self._evaluated += row.size + m
        if not self._features.extend(row, 1.0, self._features.coordinates(own)):
            return False
        self._points[m] = point
        self._cuts.extend(self._features.values[-1])
        return True

    def snapshot(self) -> Snapshot:
        """Return the last w as coefficients of the points."""
        problem, m = self._problem, self._features.count
        w = self._cuts.padded(m)
        responses = problem.y * (w @ self._features.values)
        model = ReducedSetExpansion(
            self._points[:m].copy(), self._features.coefficients(w), self._examples.gamma
        )
        return Snapshot(model, responses=responses, native=self._cuts.native(problem.lam, w, responses))


class CPSP(Solver):
    """Cutting planes in the span of constructed points; see the module."""

    name = "cpsp"
    title = "CPSP"
    version = 2
    kernels = ("gaussian",)
    counting = (
        "n + m per point tried and |V| + m per step of the search for it, with m points so far, under every "
        "convention; an iteration is n more under C"
    )
    Params = Params
    Run = Run
