# cython: boundscheck=False, wraparound=False, cdivision=True
r"""Cyclic dual coordinate ascent, without bias.

Problem, the dual of the regularised form, C = 1/(λn):
:math:`\max_\alpha \sum_i \alpha_i - \frac12 |w|^2`, :math:`w = \sum_i \alpha_i y_i \Phi(x_i)`,
:math:`0 \le \alpha_i \le C`.

Method, from α = 0, one example per iteration, in order::

    v   = 1 - c_i,  c_i = y_i <w, Φ(x_i)>;  at most 0 where α_i = C, at least 0 where α_i = 0
    α_i <- clip(α_i + v / K_ii, 0, C)  if |v| > 1e-10, else v is rounding
    end after a pass with |v| <= eps for all examples: the duality gap is at most eps
"""

from dataclasses import dataclass, field

import numpy as np

from svmbench.solvers.base import KernelExpansion, Snapshot, Solver

from libc.math cimport fabs, isfinite

from svmbench.solvers.run cimport SteppedRun, add_row


cdef double ROUNDING = 1e-10


@dataclass(frozen=True)
class Params:
    """Parameters of cyclic coordinate ascent."""

    eps: float = field(
        default=1e-3,
        metadata={"above": 0, "help": "Stop after a pass in which no example violates its condition by more."},
    )


cdef class Run(SteppedRun):
    """A started cyclic ascent, which keeps the responses of all examples."""

    cdef double C
    cdef double largest             # violation in this pass
    cdef double[::1] diagonal
    cdef double[::1] a
    cdef double[::1] c
    cdef Py_ssize_t support         # non-zero coefficients

    def __init__(self, problem, oracle, params):
        super().__init__(problem, oracle)
        self.C = problem.C
        self.eps = params.eps
        self.diagonal = oracle.diagonal()
        self.a = np.zeros(self.n)
        self.c = np.zeros(self.n)

    cdef int step(self) except -1 nogil:
        cdef Py_ssize_t i = self.iterations % self.n
        cdef double violation = 1.0 - self.c[i]
        cdef double value = self.a[i]
        if not isfinite(self.c[i]):
            self.overflowed()
        self.ledger.iteration(self.n)
        self.ledger.charge_on_demand(self.support)
        if self.a[i] <= 0.0:
            violation = max(violation, 0.0)
        if self.a[i] >= self.C:
            violation = min(violation, 0.0)
        self.largest = max(self.largest if i > 0 else 0.0, fabs(violation))
        if fabs(violation) > ROUNDING:
            value = self.C
            if self.diagonal[i] > 0.0:
                value = min(max(self.a[i] + violation / self.diagonal[i], 0.0), self.C)
        if value != self.a[i]:
            self.support += (value != 0.0) - (self.a[i] != 0.0)
            add_row(self, i, (value - self.a[i]) * self.y[i], &self.c[0])
            self.a[i] = value
            self.ledger.charge_row_update(self.n)
        if i == self.n - 1:
            self.converged = self.largest <= self.eps
        return 0

    def snapshot(self):
        """Return the predictor, its dual point and the responses."""
        alpha = np.array(self.a)
        model = KernelExpansion.from_alpha(alpha, np.asarray(self.labels))
        return Snapshot(model, responses=np.array(self.c), alpha=alpha)


class Cyclic(Solver):
    """Cyclic dual coordinate ascent; see the module."""

    name = "cyclic"
    title = "Cyclic"
    citation = "An example of svmbench's documentation, docs/add-a-solver.md."
    counting = "on demand: the non-zero coefficients; rows kept: n per change; iterations: n each"
    stochastic = False
    Params = Params
    Run = Run
