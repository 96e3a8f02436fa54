r"""The optimised cutting-plane algorithm (OCAS).

V. Franc and S. Sonnenburg, Optimized Cutting Plane Algorithm for Support Vector Machines, ICML 2008. Without
bias.

Problem, the regularised form times 1/λ:
:math:`F(w) = \frac12 |w|^2 + \frac{1}{\lambda n} \sum_i \max(0, 1 - c_i)`, responses
:math:`c_i = y_i \langle w, x_i \rangle`.

Method: cutting planes as in `svm_perf`. In addition, a line search moves the best point so far, wb, and new
cuts are made near it::

    wb = 0, wc = 0
    cut at wc, from {i : c_i(wc) <= 1}
    w  = solution of the reduced problem, Q its dual value, to a relative gap of eps/2
    wb = wb + t (w - wb),  t >= 0 the exact minimum of F on that ray
    wc = (1 - μ) wb + μ w,  μ = 0.1
    stop if F(wb) - Q <= eps F(wb), or if the buffer of cuts is full

It has stalled if w = wb, if the buffer is full before the gap is closed, or if Q has risen by less than 1e-9
of F(wb) - Q in 20 consecutive iterations: new cuts then differ from old ones by little more than rounding.

Answer: wb. λQ bounds the optimum from below. An iteration takes n inner products for the responses of w, from
which those of wb and wc follow. The reduced problem takes one of the new cut with each cut, including itself.
Three more are taken for |w - wb|², <wb, w - wb> and |wb|².
"""

from dataclasses import dataclass

import numpy as np

from svmbench.option import option
from svmbench.solvers.base import LinearModel, LinearSolver, Snapshot

from libc.math cimport INFINITY, nextafter
from libc.stdint cimport int32_t

from svmbench.solvers.cutting_plane.linear_cuts cimport CuttingRun
from svmbench.solvers.line_search cimport line_minimum

cdef double MU = 0.1


@dataclass(frozen=True)
class Params:
    """Parameters of OCAS."""

    eps: float = option(
        0.01,
        "Stop when the objective exceeds its lower bound by at most this fraction. The reduced problem is "
        "solved to half of it. Probably the program's default (unconfirmed).",
        above=0,
    )
    buffer: int = option(
        2000,
        "Most cuts; the run ends when there are as many. Each takes 8 bytes per feature. Probably the "
        "program's default (unconfirmed).",
        min=1,
    )


cdef class Run(CuttingRun):
    """A started OCAS."""

    cdef Py_ssize_t buffer
    cdef double[::1] best           # wb
    cdef double[::1] step_to        # w - wb
    cdef double[::1] c              # responses of wb
    cdef double[::1] ahead          # responses of w, then of wc
    cdef int32_t[::1] items

    def __init__(self, problem, examples, params):
        super().__init__(problem, examples)
        self.eps = params.eps
        self.buffer = params.buffer
        self.best = np.zeros_like(self.w)
        self.step_to = np.zeros_like(self.w)
        self.c = np.zeros(self.n)
        self.ahead = np.zeros(self.n)
        self.items = np.empty(self.n, dtype=np.int32)

    cdef int step(self) except -1 nogil:
        cdef double A = 0.0, objective = 0.0
        cdef Py_ssize_t j = 0
        self.add_cut(&self.ahead[0], nextafter(1.0, INFINITY))
        self.solve(0.0, 0.5 * self.eps)
        self.respond(&self.w[0], &self.ahead[0])
        for j in range(self.w.shape[0]):
            self.step_to[j] = self.w[j] - self.best[j]
        A = self.examples.between(&self.step_to[0], &self.step_to[0])
        if A > 0.0:
            self.search(A)
        objective = self.objective()
        self.converged = objective - self.cuts.dual <= self.eps * objective
        self.stalled = not self.converged and (
            A == 0.0 or self.stands(objective - self.cuts.dual) or self.cuts.count == self.buffer
        )
        self.ledger.iteration(0)
        return 0

    cdef void search(self, double A) noexcept nogil:
        """Move wb, and the point of the next cut, along the ray to w."""
        cdef double B = self.examples.between(&self.best[0], &self.step_to[0])
        cdef double C = 1.0 / (self.lam * self.n)
        cdef double t = line_minimum(1, A, B, C, &self.c[0], &self.ahead[0], self.n, &self.items[0])
        cdef Py_ssize_t i = 0, j = 0
        for j in range(self.w.shape[0]):
            self.best[j] += t * self.step_to[j]
        for i in range(self.n):
            self.c[i] += t * (self.ahead[i] - self.c[i])
            self.ahead[i] = (1.0 - MU) * self.c[i] + MU * self.ahead[i]

    cdef double objective(self) noexcept nogil:
        """Return F(wb)."""
        cdef double loss = 0.0
        cdef Py_ssize_t i = 0
        for i in range(self.n):
            if self.c[i] < 1.0:
                loss += 1.0 - self.c[i]
        return 0.5 * self.examples.between(&self.best[0], &self.best[0]) + loss / (self.lam * self.n)

    @property
    def reason(self):
        """Why the run has stalled, unless because of rounding."""
        full = self.stalled and self.cuts.count == self.buffer
        return f"its buffer of {self.buffer} cuts is full" if full else ""

    def snapshot(self):
        """Return the best point so far and the bound from the reduced problem."""
        model = LinearModel(np.array(self.best[: self.examples.d]))
        return Snapshot(model, dual=self.bound(model.weights))


class OCAS(LinearSolver):
    """OCAS; see the module."""

    name = "ocas"
    title = "OCAS"
    exact = True
    counting = "inner products: n + 3 per iteration, and 1 with each cut"
    stochastic = False
    Params = Params
    Run = Run
