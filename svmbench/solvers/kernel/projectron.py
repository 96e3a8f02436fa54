r"""Projectron and Projectron++: a kernel Perceptron that projects mistakes on the span of its examples.

F. Orabona, J. Keshet and B. Caputo, Bounded Kernel-Based Online Learning, JMLR 10, 2009; the algorithms
Projectron and Projectron++, for two classes, without bias.

Problem: none is minimised, as by `perceptron`; the runner reports the regularised objective of the answer.

Method, from f = 0 and an empty set S, one example x, y per iteration, in passes over the data. P Φ(x) is the
projection of Φ(x) on the span of the examples of S, with coefficients d = K_SS⁻¹ k, k = K(S, x), and
δ = (K(x, x) - <k, d>)^(1/2) is its distance from it::

    if y f(x) <= 0:                                         # a mistake, also at a score of 0
        if δ <= eta:  f += y P Φ(x)
        else:         f += y Φ(x), and x joins S
    else if margin and y f(x) < 1:                          # Projectron++
        loss = 1 - y f(x),  spare = loss - δ / eta
        if spare > 0:  f += y τ P Φ(x),  τ = min(loss / |PΦ(x)|², 2 spare / |PΦ(x)|², 1)

It converges after a pass without updates, or after ``epochs`` passes. As the examples of S are at least eta
apart from the span of those before them, S stops growing whatever the number of passes, for a kernel that is
continuous on a compact set (Theorem 1).

K_SS⁻¹ is kept as a product of triangular factors and updated when an example joins S; a projection takes
O(|S|²) operations. An example within 1e-3 of the span, relative to K(x, x)^(1/2), is always projected, and a
margin within 1e-6 of 1 suffices: kernel values in single precision are not more accurate.

Counting: a score costs |S| evaluations under A, which are also used for the projection. Under B, each
coefficient that changes costs n (all |S| of them at a projection), and a projection that is not made costs
|S|; a row has the values for its own projection. An iteration costs n under C.

Answer: the last hypothesis, or with ``average=true`` the mean of those after each example. Memory: |S|²
float64, and half of it again while it grows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._oracle import Oracle
from svmbench.option import option
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.base import KernelExpansion, Snapshot, Solver
from svmbench.solvers.run import PlainRun, checked_diagonal

#: Squared distance from the span, relative to K(x, x), up to which an example is projected whatever eta is.
DEPENDENT = 1e-6

#: A loss up to which a margin is 1: an update with τ = loss / |PΦ(x)|² makes it so, but for rounding.
ROUNDING = 1e-6

#: Factor by which the matrix grows.
GROWTH = 1.25


@dataclass(frozen=True)
class Params:
    """Parameters of the Projectron."""

    eta: float = option(
        0.1,
        "Distance from the span, in the feature space, up to which a mistake is projected. Large values give "
        "few support vectors, 0 gives the Perceptron. With a Gaussian kernel all distances are at most 1.",
        min=0.0,
    )
    margin: bool = option(
        False, "Projectron++: also update, by projections alone, on examples with a margin below 1."
    )
    epochs: int | None = option(
        None, "Passes over the data. null: until the budget ends or a pass changes nothing.", min=1
    )
    average: bool = option(False, "Predict with the average of all hypotheses instead of the last.")
    order: str = option(
        "random",
        "Order of the examples in a pass: a new permutation each time, or as in the file.",
        choices=("random", "given"),
    )


class Span:
    """The examples of an expansion and M, the inverse of the Cholesky factor of their kernel matrix.

    K_SS⁻¹ = MᵀM. M gains a row for each example that joins; it loses less to rounding than K_SS⁻¹ itself.

    Attributes
    ----------
    size : int
        |S|.
    """

    def __init__(self) -> None:
        self.size = 0
        self._examples = np.zeros(64, dtype=np.int64)
        self._rows = np.zeros((64, 64))

    @property
    def examples(self) -> NDArray[np.int64]:
        """S in the order of joining, shape (size,); a view."""
        return self._examples[: self.size]

    def project(self, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
        """Return d, shape (size,), and |PΦ(x)|² of an example with these kernel values with S."""
        rows = self._rows[: self.size, : self.size]
        z = rows @ values
        return z @ rows, float(z @ z)

    def extend(self, example: int, d: NDArray[np.float64], squared: float) -> None:
        """Let an example join, given its coefficients d and its squared distance from the span."""
        s = self.size
        if s == len(self._examples):
            more = int(GROWTH * s) - s
            self._examples, self._rows = np.pad(self._examples, (0, more)), np.pad(self._rows, (0, more))
        self._examples[s] = example
        self._rows[s, :s], self._rows[s, s] = d, -1.0
        self._rows[s, : s + 1] /= -np.sqrt(squared)
        self.size = s + 1


class Run(PlainRun):
    """A started Projectron."""

    def __init__(self, problem: Problem, oracle: Oracle, rng: Generator, params: Params) -> None:
        super().__init__(problem, oracle)
        self._problem, self._oracle, self._rng, self._params = problem, oracle, rng, params
        # In the precision of rows, so that a copy of an example lies in the span exactly.
        self._diagonal = checked_diagonal(oracle).astype(np.float32).astype(np.float64)
        self._order = np.arange(problem.n)
        self._span = Span()
        self._beta = np.zeros(0)  # signed coefficients of the span
        self._sum = np.zeros(0)  # of the hypotheses
        self._updates = 0  # in this pass

    def iterate(self) -> bool:
        """Present one example; return whether the pass that ends here changed nothing or was the last."""
        place, n = self.iterations % self._problem.n, self._problem.n
        if place == 0:
            self._updates = 0
            if self._params.order == "random":
                self._order = self._order[self._rng.permutation(n)]
        i = int(self._order[place])
        values = self._oracle.block([i], self._span.examples)[0].astype(np.float64)
        response = float(self._problem.y[i] * (self._beta @ values))
        self._oracle.ledger.charge(iterations=1, lookups=values.size, n=n)
        if not np.isfinite(response):
            raise FloatingPointError(
                f"the responses are no longer finite after {self.iterations} iterations: scale the data, or "
                "choose a kernel with smaller values"
            )
        if response <= 0.0:
            self._mistaken(i, values)
        elif self._params.margin and 1.0 - response > ROUNDING:
            self._widen(i, values, 1.0 - response)
        if self._params.average:
            self._sum += self._beta
        last = self.iterations + 1 == n * (self._params.epochs or 0)
        return place == n - 1 and (self._updates == 0 or last)

    def _mistaken(self, i: int, values: NDArray[np.float64]) -> None:
        """Add y_i Φ(x_i), or its projection if that is near."""
        y, (d, projected) = self._problem.y[i], self._span.project(values)
        squared = self._diagonal[i] - projected
        if squared <= max(self._params.eta**2, DEPENDENT * self._diagonal[i]):
            self._add(y * d)
            return
        self._span.extend(i, d, squared)
        self._beta = np.append(self._beta, y)
        self._sum = np.append(self._sum, 0.0)
        self._oracle.ledger.charge(changes=1, n=self._problem.n)
        self._updates += 1

    def _widen(self, i: int, values: NDArray[np.float64], loss: float) -> None:
        """Add a part of the projection of y_i Φ(x_i), unless it is too far for its loss."""
        d, projected = self._span.project(values)
        distance = np.sqrt(max(self._diagonal[i] - projected, 0.0))
        spare = loss - distance / self._params.eta if self._params.eta > 0.0 else -np.inf
        if spare <= 0.0 or projected <= 0.0:
            self._oracle.ledger.kev_rowupdate += values.size
            return
        self._add(min(loss / projected, 2.0 * spare / projected, 1.0) * self._problem.y[i] * d)

    def _add(self, change: NDArray[np.float64]) -> None:
        """Change all coefficients of the span."""
        self._beta += change
        self._oracle.ledger.charge(changes=change.size, n=self._problem.n)
        self._updates += 1

    def snapshot(self) -> Snapshot:
        """Return the last hypothesis, or the average."""
        beta = self._sum / max(self.iterations, 1) if self._params.average else self._beta
        order = np.argsort(self._span.examples)
        order = order[beta[order] != 0.0]
        return Snapshot(KernelExpansion(self._span.examples[order], beta[order]))


class Projectron(Solver):
    """Projectron and Projectron++; see the module."""

    name = "projectron"
    title = "Projectron"
    form = "none"
    counting = (
        "on demand: the support vectors; rows kept: n per coefficient that changes, all of them at a "
        "projection; iterations: n each"
    )
    Params = Params
    Run = Run
