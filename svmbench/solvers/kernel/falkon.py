r"""Falkon: kernel ridge regression over random centres, by preconditioned conjugate gradients.

A. Rudi, L. Carratino and L. Rosasco, FALKON: An Optimal Large Scale Kernel Method, NIPS 2017, Algorithm 1.

Problem: the regularised form with squared loss and w in the span of the M centres, examples drawn uniformly
without replacement: :math:`\min_\alpha \frac{\lambda}{2} |w|^2 + \frac{1}{2n} \sum_i (1 - c_i)^2`,
:math:`w = \sum_{j \in S} \alpha_j \Phi(x_j)`, without bias. It is not the problem with the hinge loss, whose
value is reported too; compare methods by their test error.

Method: with the eigenvalues s and eigenvectors U of K_SS, :math:`B = U s^{-1/2} (s/M + \lambda)^{-1/2}`; then
conjugate gradients, from β = 0, for :math:`B' (\frac1n K_{nS}' K_{nS} + \lambda K_{SS}) B \beta = \frac1n B'
K_{nS}' y`, and α = B β. For uniform centres, B is the preconditioner of the paper up to a rotation of β,
which does not change α: the paper factorises by Cholesky where this uses eigenvalues, because equal centres
make K_SS singular. The second matrix is then diagonal: :math:`B' K_{SS} B = (s/M + \lambda)^{-1}`.

The first iteration draws the centres and computes K_SS and K_nS' y, and each further one is a step. It
converges when the norm of the residual is at most ``eps`` of that of the right-hand side. It has stalled if
rounding leaves no direction.

Values are in single precision, as rows are. So eigenvalues below 1e-6 of the largest, whose features they
would not determine, are left out. (The authors' program in single precision adds 1e-5 M to the diagonal.)

Counting: as in the paper, K_nS is not kept but computed in blocks of examples, each used for both products:
nM evaluations per step under every convention; M² and nM in the first iteration. Memory: O(n + M²).

Answer: the last α, on the centres.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svmbench.errors import Refusal
from svmbench.kernels._oracle import Oracle
from svmbench.option import option
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.base import KernelExpansion, Snapshot, Solver
from svmbench.solvers.run import PlainRun

Floats = NDArray[np.float64]

#: Eigenvalues of K_SS below this fraction of the largest are left out.
LEAST = 1e-6

#: Kernel values that are held at a time.
_HELD = 1 << 22


@dataclass(frozen=True)
class Params:
    """Parameters of Falkon."""

    centres: int = option(
        1000,
        "Number of centres M; at most the number of training examples is used. Theorem 3 of the paper asks "
        "for the order of √n log n.",
        min=1,
    )
    eps: float = option(
        1e-3,
        "Stop when the norm of the residual is at most this fraction of that of the right-hand side. Chosen "
        "here; the paper stops after a number of steps.",
        above=0,
        max=1,
    )


class Run(PlainRun):
    """A started Falkon."""

    def __init__(self, problem: Problem, oracle: Oracle, rng: Generator, params: Params) -> None:
        super().__init__(problem, oracle)
        self._problem = problem
        self._oracle = oracle
        self._rng = rng
        self._params = params
        self._centres = np.zeros(0, dtype=np.int64)
        self._alpha = np.zeros(0)
        self._scores = np.zeros(problem.n)  # of α at the examples
        self._root = np.zeros((0, 0))  # B
        self._shift = self._residual = self._direction = np.zeros(0)
        self._squared = self._goal = 0.0  # |r|², and where it ends

    def iterate(self) -> bool:
        """Prepare, or make one step; return whether the residual is small enough."""
        if not self._centres.size:
            self._prepare()
            return self._squared <= self._goal
        n, p, problem = self._problem.n, self._direction, self._problem
        along, product = self._products(self._root @ p)
        q = self._root.T @ product / n + problem.lam * self._shift * p
        self._oracle.ledger.charge(iterations=1, evaluations=n * self._centres.size)
        curvature = float(p @ q)
        if not np.isfinite(curvature):
            raise FloatingPointError(
                "the products of Falkon are no longer finite: scale the data, or choose a kernel with "
                "smaller values"
            )
        if curvature <= 0.0:
            self.stall()
            return False
        length = self._squared / curvature
        self._alpha += length * (self._root @ p)
        self._scores += length * along
        self._residual -= length * q
        before, self._squared = self._squared, float(self._residual @ self._residual)
        self._direction = self._residual + self._squared / before * p
        return self._squared <= self._goal

    def _prepare(self) -> None:
        """Draw the centres; make the preconditioner and the right-hand side."""
        problem = self._problem
        n, size = problem.n, min(self._params.centres, problem.n)
        self._centres = np.sort(self._rng.permutation(n)[:size])
        K = self._oracle.block(self._centres, self._centres).astype(np.float64)
        if not np.isfinite(K).all():
            raise FloatingPointError(
                "kernel values of Falkon's centres are not finite: scale the data, or choose a kernel with "
                "smaller values"
            )
        values, vectors = np.linalg.eigh(0.5 * (K + K.T))
        if not values[-1] > 0.0:
            raise Refusal(
                "falkon needs a centre with K(x, x) > 0: give a larger solver.centres, or another kernel"
            )
        kept = values >= LEAST * values[-1]
        values = values[kept]
        self._shift = 1.0 / (values / size + problem.lam)  # the diagonal of B' K_SS B
        self._root = vectors[:, kept] * np.sqrt(self._shift / values)
        self._alpha = np.zeros(size)
        _, product = self._products(None)
        self._residual = self._root.T @ product / n
        self._direction = self._residual.copy()
        self._squared = float(self._residual @ self._residual)
        self._goal = self._params.eps**2 * self._squared
        self._oracle.ledger.charge(iterations=1, evaluations=size * (size + n))

    def _products(self, change: Floats | None) -> tuple[Floats, Floats]:
        """Return K_nS u and K_nS' K_nS u or, without u, y and K_nS' y; shapes (n,) and (M,)."""
        n = self._problem.n
        along = np.array(self._problem.y) if change is None else np.empty(n)
        product = np.zeros(self._centres.size)
        step = max(1, _HELD // self._centres.size)
        for begin in range(0, n, step):
            part = np.arange(begin, min(begin + step, n))
            K = self._oracle.block(self._centres, part).astype(np.float64)
            if change is not None:
                along[part] = change @ K
            product += K @ along[part]
        return along, product

    def snapshot(self) -> Snapshot:
        """Return the last α."""
        used = np.flatnonzero(self._alpha)
        model = KernelExpansion(self._centres[used], self._alpha[used])
        return Snapshot(model, responses=self._problem.y * self._scores, loss="squared")


class Falkon(Solver):
    """Kernel ridge regression over random centres; see the module."""

    name = "falkon"
    title = "Falkon"
    counting = "n per centre and step under every convention; at first also the values among the centres"
    Params = Params
    Run = Run
