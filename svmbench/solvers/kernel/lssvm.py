r"""The least-squares SVM, by conjugate gradients.

J. A. K. Suykens and J. Vandewalle, Least Squares Support Vector Machine Classifiers, Neural Processing
Letters 9, 1999. Conjugate gradients: J. A. K. Suykens, L. Lukas, P. Van Dooren, B. De Moor and J. Vandewalle,
Least Squares Support Vector Machine Classifiers: a Large Scale Algorithm, ECCTD 1999, and A. Van Craen, M.
Breyer and D. Pflüger, PLSSVM, IPDPSW 2022.

Problem: the regularised form with squared loss, :math:`\min \frac{\lambda}{2} |w|^2 + \frac{1}{2n} \sum_i
(1 - c_i)^2`, without bias. (The papers have a bias, which is another problem.) It is not the problem with the
hinge loss, whose value is reported too; compare methods by their test error. With C = 1/(λn) and
:math:`w = \sum_i \beta_i \Phi(x_i)` it is the linear system :math:`(K + I/C) \beta = y`.

Method, from β = 0, residual r = y and direction p = r::

    q = K p + p / C;  t = |r|² / <p, q>
    β += t p;  r -= t q
    p = r + |r_new|² / |r_old|² p

It converges when :math:`|r| \le` ``eps`` :math:`|y|`, and has stalled if <p, q> is not positive, because of
rounding or because the kernel is not positive definite.

Counting: the product K p takes all n rows, n² evaluations per iteration under every convention: all n
coefficients change, and with them all responses. No row is kept.

Answer: the last β; every example has a coefficient.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svmbench.kernels._oracle import Oracle
from svmbench.option import option
from svmbench.problem import Problem
from svmbench.solvers.base import KernelExpansion, Snapshot, Solver
from svmbench.solvers.run import PlainRun


@dataclass(frozen=True)
class Params:
    """Parameters of the least-squares SVM."""

    eps: float = option(
        1e-3,
        "Stop when the norm of the residual is at most this fraction of that of the labels. The "
        "default of PLSSVM 1. Unconfirmed.",
        above=0,
        max=1,
    )


class Run(PlainRun):
    """A started least-squares SVM."""

    def __init__(self, problem: Problem, oracle: Oracle, params: Params) -> None:
        super().__init__(problem, oracle)
        self._problem = problem
        self._oracle = oracle
        self._every = np.arange(problem.n)
        self._least = params.eps**2 * problem.n
        self._beta = np.zeros(problem.n)
        self._scores = np.zeros(problem.n)  # K β
        self._residual = np.array(problem.y)
        self._direction = np.array(problem.y)
        self._squared = float(problem.n)  # |r|²

    def iterate(self) -> bool:
        """Make one step of conjugate gradients; return whether the residual is small enough."""
        n, p = self._problem.n, self._direction
        along = self._oracle.responses(self._every, p)
        product = along + p / self._problem.C
        curvature = float(p @ product)
        self._oracle.ledger.charge(iterations=1, evaluations=n * n)
        if not np.isfinite(curvature):
            raise FloatingPointError(
                "the products of the least-squares SVM are no longer finite: scale the data, or choose a "
                "kernel with smaller values"
            )
        if curvature <= 0.0:
            self.stall()
            return False
        length = self._squared / curvature
        self._beta += length * p
        self._scores += length * along
        self._residual -= length * product
        before, self._squared = self._squared, float(self._residual @ self._residual)
        self._direction = self._residual + self._squared / before * p
        return self._squared <= self._least

    def snapshot(self) -> Snapshot:
        """Return the last β, and the bound that it gives as a dual point."""
        problem, beta = self._problem, self._beta
        squared = float(beta @ self._scores) + float(beta @ beta) / problem.C
        native = {"native_bound": problem.lam * (float(beta @ problem.y) - 0.5 * squared)}
        used = np.flatnonzero(beta)
        model = KernelExpansion(used, beta[used])
        return Snapshot(model, responses=problem.y * self._scores, native=native, loss="squared")


class LSSVM(Solver):
    """The least-squares SVM; see the module."""

    name = "lssvm"
    title = "LS-SVM"
    counting = "n² per iteration under every convention"
    stochastic = False
    Params = Params
    Run = Run
