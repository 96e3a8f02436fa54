r"""Common code of core and ball vector machines: the SVM as an enclosing ball, samples, tolerances.

I. W. Tsang, J. T. Kwok and P.-M. Cheung, Core Vector Machines: Fast SVM Training on Very Large Data Sets,
JMLR 6, 2005.

Problem, the regularised form with squared hinge loss in its C-form, C = 1/(λn), without bias:
:math:`\frac12 |w|^2 + C \sum_i \max(0, 1 - c_i)^2`. Each example is a point
:math:`\tilde\varphi_i = (y_i \Phi(x_i), e_i / \sqrt{2C})`, with a unit vector e_i of its own:

.. math:: \langle \tilde\varphi_i, \tilde\varphi_j \rangle = y_i y_j K(x_i, x_j) + \delta_{ij} / (2C).

With a Gaussian kernel all points have the squared norm :math:`\kappa = 1 + 1/(2C)`. Of all combinations
:math:`c = \sum_i \beta_i \tilde\varphi_i`, :math:`\beta_i \ge 0`, :math:`\sum_i \beta_i = 1`, the one of the
smallest norm is the centre of the smallest ball around the points, whose squared radius is
:math:`\kappa - |c|^2`. Then :math:`\alpha = \beta / |c|^2` solves the dual of the problem; for any β it
is the best dual point on its ray. Tsang, Kwok and Cheung regularise a bias as well, which adds 1 to the
kernel; their C is 2C here.

A point is outside the ball with tolerance ε if its distance from the centre exceeds 1 + ε radii. Random
samples are examined instead of all points: the farthest of 59 is among the farthest 5 % of all with
probability 0.95. ε is FIRST_EPS at first. When some samples in succession have no point outside, it is
halved, and the method ends if it was ``eps``, as in the authors' program LibCVM.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._oracle import Oracle
from svmbench.option import option
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.base import KernelExpansion, Snapshot
from svmbench.solvers.run import PlainRun, checked_diagonal

#: The first and largest tolerance.
FIRST_EPS = 0.1

#: Kernel values held at a time.
_VALUES = 1 << 22


@dataclass(frozen=True)
class Params:
    """Parameters of core and ball vector machines."""

    eps: float = option(
        1e-6,
        "Tolerance of the ball: the run may end when no examined point is farther from the centre than 1 + "
        "eps radii. Unconfirmed: 1e-6, as in the paper's experiments with CVM.",
        above=0.0,
        max=FIRST_EPS,
    )
    sample: int = option(
        59,
        "Examples examined in an iteration, the farthest of which is used; 0: all. 59, as in the paper: with "
        "probability 0.95 the farthest of them is among the farthest 5 % of all.",
        min=0,
    )


@dataclass(frozen=True)
class Point:
    """An examined example.

    Attributes
    ----------
    example : int
        The example.
    product : float
        Its inner product with the centre; the smaller, the farther it is.
    support : ndarray of int64, shape (s,)
        Examples of positive weight.
    values : ndarray of float32, shape (s,)
        K(x, x_i) of the example and these.
    """

    example: int
    product: float
    support: NDArray[np.int64]
    values: NDArray[np.float32]


class BallRun(PlainRun, metaclass=ABCMeta):
    """A started method that moves the centre of a ball until it encloses the points.

    Parameters
    ----------
    problem : Problem
        The training problem, with at least one example.
    oracle : Oracle
        Over the same examples, with a Gaussian kernel.
    params : Params
        Tolerance and sample size.
    rng : Generator
        Source of the samples.

    Attributes
    ----------
    tries : int
        Class attribute: samples in succession without a point outside, after which ε is halved.
    """

    tries: ClassVar[int]

    def __init__(self, problem: Problem, oracle: Oracle, rng: Generator, params: Params) -> None:
        super().__init__(problem, oracle)
        checked_diagonal(oracle)
        self.reason = ""
        self._problem = problem
        self._oracle = oracle
        self._rng = rng
        self._ridge = 0.5 / problem.C
        self._kappa = 1.0 + self._ridge
        self._least = params.eps
        self._sample = params.sample
        self._tolerance = FIRST_EPS if params.sample else params.eps
        self._empty = 0
        self._norm2 = self._kappa
        self._beta = np.zeros(problem.n)
        self._candidates = np.arange(problem.n)  # the examples that samples are drawn from

    @abstractmethod
    def begin(self) -> None:
        """Make the first centre."""

    @abstractmethod
    def outside(self, product: float) -> bool:
        """Return whether a point whose inner product with the centre is this lies outside the ball."""

    @abstractmethod
    def move(self, point: Point) -> None:
        """Move the centre towards a point outside the ball."""

    def iterate(self) -> bool:
        """Examine a sample, and move the centre if a point lies outside; return whether it has ended."""
        ended = False
        if not self._beta.any():
            self.begin()
        else:
            ended = self._examine()
        self._oracle.ledger.charge(iterations=1, n=self._problem.n)
        return ended

    def _examine(self) -> bool:
        candidates = self._candidates
        every = not 0 < self._sample < candidates.size
        if not every:
            draws = [self._rng.integers(candidates.size) for _ in range(self._sample)]
            candidates = candidates[np.unique(draws)]
        point = self._farthest(candidates)
        if point is not None and self.outside(point.product):
            self._empty = 0
            self.move(point)
            return False
        self._empty += 1
        if not every and self._empty < self.tries:
            return False
        self._empty = 0
        if self._tolerance > self._least:
            self._tolerance = max(0.5 * self._tolerance, self._least)
            return False
        examined = "all examples" if every else f"{self.tries} samples of {self._sample} examples"
        self.reason = f"no point of {examined} lies outside the ball (squared hinge loss)"
        return True

    def _farthest(self, examples: NDArray[np.int64]) -> Point | None:
        """Return the point farthest from the centre, the first of several; charged on demand as responses."""
        y, support = self._problem.y, np.flatnonzero(self._beta)
        signed = (self._beta * y)[support]
        rows = max(1, _VALUES // support.size)
        farthest = None
        for start in range(0, examples.size, rows):
            part = examples[start : start + rows]
            values = self._oracle.block(part, support)
            products = y[part] * (values.astype(np.float64) @ signed) + self._ridge * self._beta[part]
            i = int(np.argmin(products))
            if farthest is None or products[i] < farthest.product:
                farthest = Point(int(part[i]), float(products[i]), support, values[i].copy())
        self._oracle.ledger.charge(lookups=support.size * examples.size)
        return farthest

    def snapshot(self) -> Snapshot:
        """Return the dual point on the ray of the centre."""
        # Rounding of kernel values can make the norm too small, but not the part of the unit vectors.
        norm2 = max(self._norm2, self._ridge * float(self._beta @ self._beta))
        alpha = self._beta / norm2
        model = KernelExpansion.from_alpha(alpha, self._problem.y)
        return Snapshot(model, alpha=alpha, loss="squared_hinge")
