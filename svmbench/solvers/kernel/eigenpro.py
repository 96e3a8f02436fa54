r"""EigenPro: kernel regression by stochastic gradient steps in a space with an evened spectrum.

S. Ma and M. Belkin, Kernel Machines That Adapt to GPUs for Effective Large Batch Training, MLSys 2019 (arXiv
1806.06144): EigenPro 2.0, Algorithm 1.

Versions 3 and 4 have a model of fewer centres, on which each step is projected by an inner solver; the paper
of this version states every step and parameter.

Problem: :math:`\min_w \frac{1}{2n} \sum_i (1 - c_i)^2`, the squared loss without a regulariser, as in the
paper: neither λ nor C has an effect, and the number of steps decides how smooth the answer is. It is not the
problem with the hinge loss, whose value is reported; compare methods by their test error. Without bias.

Preparation: σ_i and v_i are the eigenvalues, in descending order, and eigenvectors of the kernel matrix K_S
of s examples, drawn uniformly without replacement. The largest eigenvalue of the covariance of Φ(x), about
σ_1/s, is lowered to :math:`\lambda = \sigma_q / s` by the kernel

.. math:: k_q(x, z) = K(x, z) - \sum_{i < q} (1 - \sigma_q / \sigma_i) \sigma_i^{-1}
    (v_i' K_{Sx}) (v_i' K_{Sz}) ,

and :math:`\beta` is the largest :math:`k_q(x, x)` of the s examples. ``components`` is q; by default the
largest q whose critical batch, β/λ + 1, is at most the batch m.

Method, from α = 0, over the batches of a random order of all examples, which is drawn anew when it ends::

    r        = f(x_j) - y_j for the examples j of the batch, f(x) = Σ_i α_i K(x_i, x)
    α_batch -= η/m r
    α_S     += η/m V D V' K_S,batch r,  D = diag((1 - σ_q/σ_i)/σ_i) for i < q

with the step :math:`\eta = m / (\beta + (m - 1) \lambda)` of S. Ma, R. Bassily and M. Belkin, The Power of
Interpolation, ICML 2018: of the squared distance :math:`\sum_i \delta_i^2` from the solution, along
eigenvectors with the eigenvalues λ_i, it leaves at most :math:`\sum_i (1 - \eta \lambda_i) \delta_i^2` in
expectation. The authors' program takes 1.98 times this step from the critical batch on, for which that
theory proves no progress, and m/β with smaller batches. The last batch of an order may be smaller, with the
same η/m. With q = 1 it is SGD on K.

Values are in single precision, as rows are, so eigenvalues below 1e-6 of the largest are left out. Where the
s examples say too little of the others, the steps may be too long: the run then ends as diverged.

Counting: s² evaluations at first. Then each example of a batch costs one evaluation for each example that
was in an earlier batch and, with q above 1, for each of the s, under every convention: at last n.
Memory: s² float64 and blocks of values.

Answer: the last α. It does not end by itself; the paper stops after some orders.
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

#: Eigenvalues of K_S below this fraction of the largest are left out.
LEAST = 1e-6

#: Mean squared residual of a batch, 1 of the empty model, at which a run has diverged.
LOST = 1e6

#: Kernel values that are held at a time.
_HELD = 1 << 22


@dataclass(frozen=True)
class Params:
    """Parameters of EigenPro."""

    batch: int = option(
        256,
        "Examples of a batch, m; the paper takes as many as the GPU can process at once. Chosen here.",
        min=1,
    )
    subsample: int = option(
        2000,
        "Examples whose eigenvectors are used, s; at most all. 2000 is that of the paper for up to 100,000 "
        "training examples.",
        min=1,
    )
    components: int = option(
        0,
        "q: the eigenvalues before it are lowered to it. 0: the largest for which the batch is at least the "
        "critical one, as in the paper. 1: plain SGD.",
        min=0,
    )


class Run(PlainRun):
    """A started EigenPro.

    Attributes
    ----------
    components : int
        q; 0 before the first iteration.
    rate : float
        η/m.
    """

    def __init__(self, problem: Problem, oracle: Oracle, rng: Generator, params: Params) -> None:
        super().__init__(problem, oracle)
        self._y = problem.y
        self._oracle = oracle
        self._rng = rng
        self._params = params
        self.components = 0
        self.rate = 0.0
        self._batch = min(params.batch, problem.n)
        self._sample = np.zeros(0, dtype=np.int64)  # S, or nothing if no eigenvalue is lowered
        self._vectors = np.zeros((0, 0))  # V
        self._lowered = np.zeros(0)  # the diagonal of D
        self._alpha = np.zeros(problem.n)
        self._met = np.zeros(problem.n, dtype=bool)  # in an earlier batch, and not in S
        self._order = np.zeros(0, dtype=np.int64)
        self._at = 0

    def iterate(self) -> bool:
        """Make the step of one batch; the first iteration also makes the eigenvectors."""
        prepared = 0 if self.components else self._prepare()
        batch = self._next()
        others = np.flatnonzero(self._met)  # the coefficients of all others are 0
        fixed = self._oracle.block(self._sample, batch).astype(np.float64)
        step = max(1, _HELD // batch.size)
        with np.errstate(all="ignore"):
            residual = self._alpha[self._sample] @ fixed - self._y[batch]
            for begin in range(0, others.size, step):
                part = others[begin : begin + step]
                residual += self._alpha[part] @ self._oracle.block(part, batch).astype(np.float64)
            lost = not np.square(residual).mean() <= LOST
        made = batch.size * (self._sample.size + others.size)
        self._oracle.ledger.charge(iterations=1, evaluations=prepared + made)
        if lost:
            raise FloatingPointError(
                "the steps of EigenPro are too long, so that its predictions move away from the labels: give "
                "a larger solver.subsample, scale the data, or choose a kernel with smaller values"
            )
        self._met[batch] = True
        self._met[self._sample] = False
        self._alpha[batch] -= self.rate * residual
        along = self._vectors.T @ (fixed @ residual)
        self._alpha[self._sample] += self.rate * (self._vectors @ (self._lowered * along))
        return False

    def _next(self) -> NDArray[np.int64]:
        """Return the examples of the next batch."""
        if self._at >= self._order.size:
            self._order, self._at = self._rng.permutation(self._y.size), 0
        batch = self._order[self._at : self._at + self._batch]
        self._at += batch.size
        return batch

    def _prepare(self) -> int:
        """Make the eigenvectors and the step; return the number of evaluations."""
        m, size = self._batch, min(self._params.subsample, self._y.size)
        sample = np.sort(self._rng.permutation(self._y.size)[:size])
        K = self._oracle.block(sample, sample).astype(np.float64)
        if not np.isfinite(K).all():
            raise FloatingPointError(
                "kernel values of EigenPro's examples are not finite: scale the data, or choose a kernel "
                "with smaller values"
            )
        values, vectors = np.linalg.eigh(0.5 * (K + K.T))
        values, vectors = values[::-1], vectors[:, ::-1]
        if not values[0] > 0.0:
            raise Refusal(
                "eigenpro needs an example with K(x, x) > 0: give a larger solver.subsample, or another "
                "kernel"
            )
        kept = int(np.count_nonzero(values >= LEAST * values[0]))
        values, vectors = values[:kept], vectors[:, :kept]
        # k_q(x, x) of the s examples, a column for each q: the sums are over i < q.
        squares = np.square(vectors)
        lowered = np.cumsum(squares * values, axis=1) - np.cumsum(squares, axis=1) * values
        betas = np.max(K.diagonal()[:, None] - lowered, axis=0)
        rates = 1.0 / (betas + (m - 1) * values / size)
        q = min(self._params.components, kept)
        if not q:
            q = 1 + int(np.max(np.flatnonzero(betas * size / values + 1.0 <= m), initial=0))
        self.components, self.rate = q, float(rates[q - 1])
        if q > 1:
            self._sample, self._vectors = sample, np.ascontiguousarray(vectors[:, : q - 1])
            self._lowered = (1.0 - values[q - 1] / values[: q - 1]) / values[: q - 1]
        return size * size

    def snapshot(self) -> Snapshot:
        """Return the last α."""
        used = np.flatnonzero(self._alpha)
        return Snapshot(KernelExpansion(used, self._alpha[used]))


class EigenPro(Solver):
    """Preconditioned stochastic gradient steps for the squared loss; see the module."""

    name = "eigenpro"
    title = "EigenPro"
    form = "none"
    version = 2  # values with new examples of the batch, whose coefficients are 0, are not charged any more
    counting = "the examples met before, for each of a batch, under every convention; at first a subsample's"
    Params = Params
    Run = Run
