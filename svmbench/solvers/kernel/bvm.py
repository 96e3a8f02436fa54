r"""BVM, the ball vector machine: a ball of fixed radius moved until it encloses all points.

I. W. Tsang, A. Kocsor and J. T. Kwok, Simpler Core Vector Machines with Enclosing Balls, ICML 2007; details
from the authors' program LibCVM.

Problem: a ball of squared radius κ around points :math:`\tilde\varphi_i` of squared norm κ, in place of the
smallest ball, which is the regularised form with squared hinge loss, without bias
(`svmbench.solvers.enclosing_ball`). This differs from the problem with the hinge loss; the native objective
is that of the squared hinge. Gaussian kernel.

The space gets one more dimension, in which the centre is (c, δ) and all points are at 0. With c in the convex
hull of the points, the centre c* of the smallest ball is the one that allows the largest δ,
:math:`\delta^2 = |c^*|^2`. Every enclosing ball is a solution, and
:math:`|c - c^*|^2 \le |c^*|^2 - \delta^2`. So no quadratic program is solved, and the objective need not
approach its optimum as ε becomes smaller.

Method, with ε = 0.1 at first::

    c = a random point, δ² = κ
    repeat: draw 59 examples; z is the farthest from (c, δ), at the distance d
        if d > (1 + ε) √κ: (c, δ) = z + (√κ / d) ((c, δ) - z), which has the distance √κ from z
        if no z was outside in 10 samples: stop if ε = eps; ε is halved

With sample=0, all examples are examined in every iteration.

Counting: an examined example costs one evaluation per positive weight under A. Moving the centre scales all
weights and changes one, n under B. An iteration costs n under C.

Answer: the dual point of the squared hinge on the ray of c.
"""

from __future__ import annotations

import math

from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.base import Solver
from svmbench.solvers.enclosing_ball import BallRun, Params, Point


class Run(BallRun):
    """A started BVM."""

    tries = 10

    def __init__(self, problem: Problem, oracle: Oracle, rng: Generator, params: Params) -> None:
        super().__init__(problem, oracle, rng, params)
        self._height2 = self._kappa  # δ²

    def begin(self) -> None:
        """Begin at a random point."""
        self._beta[self._rng.integers(self._problem.n)] = 1.0
        self._oracle.ledger.charge(changes=1, n=self._problem.n)

    def outside(self, product: float) -> bool:
        """Return whether such a point lies outside the ball."""
        return self._distance2(product) > (1.0 + self._tolerance) ** 2 * self._kappa

    def _distance2(self, product: float) -> float:
        return self._norm2 + self._height2 + self._kappa - 2.0 * product

    def move(self, point: Point) -> None:
        """Move the centre towards a point until the ball touches it."""
        kept = math.sqrt(self._kappa / self._distance2(point.product))
        new = 1.0 - kept
        self._beta *= kept
        self._beta[point.example] += new
        self._norm2 = kept * (kept * self._norm2 + 2.0 * new * point.product) + new * new * self._kappa
        self._height2 *= kept * kept
        self._oracle.ledger.charge(changes=1, n=self._problem.n)


class BVM(Solver):
    """Ball vector machine; see the module."""

    name = "bvm"
    title = "BVM"
    kernels = ("gaussian",)
    counting = "s per examined example under A; n per move of the centre under B; n under C"
    Params = Params
    Run = Run
