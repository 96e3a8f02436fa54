r"""CVM, the core vector machine: the smallest enclosing ball of a growing core set.

I. W. Tsang, J. T. Kwok and P.-M. Cheung, Core Vector Machines: Fast SVM Training on Very Large Data Sets,
JMLR 6, 2005, with the core-set algorithm of M. Bădoiu and K. L. Clarkson, Optimal Core-Sets for Balls, 2002.

Problem, the regularised form with squared hinge loss, without bias, as a smallest enclosing ball of points
:math:`\tilde\varphi_i` (`svmbench.solvers.enclosing_ball`). This differs from the problem with the hinge
loss; the native objective is its value. Gaussian kernel.

Method, with ε = 0.1 at first::

    S = CORE random examples, half of each class while there are so many
    c, R = centre and radius of the smallest ball around the points of S
    repeat: draw 59 of the examples outside S; z is the farthest from c
        if |c - z| > (1 + ε) R: S = S + z; c, R = the ball of the new S
        if no z was outside in 7 samples: stop if ε = eps; ε is halved

The ball around S is found to a tolerance of ε/2, which suffices (P. Kumar, J. S. B. Mitchell and E. A.
Yildirim, Approximate Minimum Enclosing Balls in High Dimensions Using Core-Sets, 2003), by SMO: the point
farthest from c gains weight from the point with which the norm of c falls most. With sample=0, all examples
are examined in every iteration, as in the paper's algorithm without its probabilistic speed-up.

Counting: an examined example costs one evaluation per positive weight under A. One that enters S also costs
those with the members of weight 0. Under B a changed weight costs n, and its row has all these values. An
iteration (a sample, or a continued solution for S) costs n under C.

Answer: the dual point of the squared hinge on the ray of c. Memory: |S|² float32 for the kernel matrix of S,
which no example leaves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.base import Solver
from svmbench.solvers.enclosing_ball import BallRun, Params, Point

#: Examples in the first core set, as in LibCVM.
CORE = 20

#: Most steps of SMO in an iteration; the next one continues.
STEPS = 5000

#: Bits of a product that rounding may change.
_LAST_BITS = 0xFFFFF


class Run(BallRun):
    """A started CVM."""

    tries = 7

    def __init__(self, problem: Problem, oracle: Oracle, rng: Generator, params: Params) -> None:
        super().__init__(problem, oracle, rng, params)
        self._core = CoreSet(problem, self._ridge)

    def begin(self) -> None:
        """Solve for a random core set."""
        y, core = self._problem.y, self._core
        order = self._rng.permutation(y.size)
        first = np.concatenate([order[y[order] == label][: CORE // 2] for label in (1.0, -1.0)])
        for example in first:
            self._join(int(example), self._values(int(example), core.members), 0.0)
        core.share_out()
        self._solve()

    def outside(self, product: float) -> bool:
        """Return whether such a point lies outside the ball around the core set."""
        return self._core.outside(product, self._tolerance)

    def iterate(self) -> bool:
        """Examine a sample, unless the ball around the core set is not yet known to the tolerance."""
        if not self._core.members.size or self._core.solved(0.5 * self._tolerance):
            return super().iterate()
        if not self._solve():
            self.stall()
        self._oracle.ledger.charge(iterations=1, n=self._problem.n)
        return False

    def move(self, point: Point) -> None:
        """Add an example to the core set and solve for its ball."""
        core = self._core
        values = np.zeros(core.members.size, dtype=np.float32)
        values[core.place[point.support]] = point.values
        idle = np.flatnonzero(core.weights == 0.0)
        values[idle] = self._values(point.example, core.members[idle])
        self._join(point.example, values, point.product)
        self._solve()

    def _values(self, example: int, members: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the kernel values of an example with members; charged on demand."""
        self._oracle.ledger.charge(lookups=members.size)
        return np.asarray(self._oracle.block([example], members)[0])

    def _join(self, example: int, values: NDArray[np.float32], product: float) -> None:
        self._core.add(example, values, product)
        self._candidates = self._candidates[self._candidates != example]

    def _solve(self) -> bool:
        """Find the ball around the core set; return False if rounding prevents any progress."""
        core, before = self._core, self._beta.copy()
        moved = core.solve(0.5 * self._tolerance)
        self._beta[core.members] = core.weights
        self._norm2 = core.norm2
        self._oracle.ledger.charge(changes=int(np.count_nonzero(self._beta != before)), n=self._problem.n)
        return moved


class CoreSet:
    """A core set, and the weights of the smallest ball around its points.

    Parameters
    ----------
    problem : Problem
        The training problem.
    ridge : float
        1/(2C), the part of each squared norm that is a point's own.

    Attributes
    ----------
    place : ndarray of int64, shape (n,)
        Position of each example in the core set, -1 outside.
    norm2 : float
        Squared norm of the centre.
    """

    def __init__(self, problem: Problem, ridge: float) -> None:
        self._y, self._ridge, self._kappa = problem.y, ridge, 1.0 + ridge
        self.place = np.full(problem.n, -1)
        self.norm2 = self._kappa
        self._count = 0
        self._members = np.zeros(2 * CORE, dtype=np.int64)
        self._gram = np.zeros((2 * CORE, 2 * CORE), dtype=np.float32)  # y_i y_j K(x_i, x_j)
        self._weights = np.zeros(2 * CORE)
        self._products = np.zeros(2 * CORE)  # <c, φ~_i>

    @property
    def members(self) -> NDArray[np.int64]:
        """The examples, shape (m,), in the order in which they came."""
        return self._members[: self._count]

    @property
    def weights(self) -> NDArray[np.float64]:
        """Their weights in the centre, shape (m,)."""
        return self._weights[: self._count]

    def add(self, example: int, values: NDArray[np.float32], product: float) -> None:
        """Add an example with weight 0.

        Parameters
        ----------
        example : int
            The example.
        values : ndarray of float32, shape (m,)
            K(x, x_i) of the example and the members so far.
        product : float
            Its inner product with the centre.
        """
        m = self._count
        if m == self._members.size:
            self._members = np.pad(self._members, (0, m))
            self._weights = np.pad(self._weights, (0, m))
            self._products = np.pad(self._products, (0, m))
            self._gram = np.pad(self._gram, (0, m))
        signs = (self._y[example] * self._y[self.members]).astype(np.float32)
        self._gram[m, :m] = self._gram[:m, m] = signs * values
        self._gram[m, m] = 1.0
        self._members[m], self._weights[m], self._products[m] = example, 0.0, product
        self.place[example] = m
        self._count += 1

    def share_out(self) -> None:
        """Give all members the same weight."""
        self.weights[:] = 1.0 / self._count
        self._refresh()

    def outside(self, product: float, tolerance: float) -> bool:
        """Return whether a point with this inner product with the centre lies outside the ball."""
        distance2 = self._kappa + self.norm2 - 2.0 * product
        return bool(distance2 > (1.0 + tolerance) ** 2 * (self._kappa - self.norm2))

    def solved(self, tolerance: float) -> bool:
        """Return whether all members lie within the ball."""
        return not self.outside(float(self._products[: self._count].min()), tolerance)

    def solve(self, tolerance: float) -> bool:
        """Move weight between two members at a time until all lie within the ball.

        Returns
        -------
        bool
            False if rounding prevents any progress. The steps are limited to STEPS.
        """
        for step in range(STEPS):
            if self.solved(tolerance):
                return True
            if not self._step():
                self._refresh()
                return step > 0
        self._refresh()
        return True

    def _step(self) -> bool:
        """Make the step with the largest decrease of the norm; return False if no step decreases it."""
        m = self._count
        products, weights = self._products[:m], self._weights[:m]
        # A step makes the products of its two members equal: rounding must not choose between them.
        i = int(np.argmin((products.view(np.int64) & ~_LAST_BITS).view(np.float64)))
        row = self._gram[i, :m].astype(np.float64)
        falls = np.where(weights > 0.0, products - products[i], 0.0)
        curvature = 2.0 * (self._kappa - row)
        j = int(np.argmax(falls * falls / np.maximum(curvature, 1e-12)))
        step = min(falls[j] / max(curvature[j], 1e-12), weights[j])
        if not step > 0.0 or weights[i] + step == weights[i]:
            return False
        weights[i] += step
        weights[j] = 0.0 if step == weights[j] else weights[j] - step
        products += step * (row - self._gram[j, :m])
        products[i] += step * self._ridge
        products[j] -= step * self._ridge
        self.norm2 = float(weights @ products)
        return True

    def _refresh(self) -> None:
        """Compute the inner products with the centre from the weights."""
        m = self._count
        products = self._gram[:m, :m].astype(np.float64) @ self.weights + self._ridge * self.weights
        self._products[:m] = products
        self.norm2 = float(self.weights @ products)


class CVM(Solver):
    """Core vector machine; see the module."""

    name = "cvm"
    title = "CVM"
    kernels = ("gaussian",)
    counting = (
        "s per examined example, and the other members for one that enters, under A; n per changed weight "
        "under B; n under C"
    )
    Params = Params
    Run = Run
