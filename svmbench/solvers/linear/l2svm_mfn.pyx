r"""The modified finite Newton method for the squared hinge loss (L2-SVM-MFN), the method of SVMlin.

S. S. Keerthi and D. DeCoste, A Modified Finite Newton Method for Fast Solution of Large Scale Linear SVMs,
JMLR 6, 2005; V. Sindhwani and S. S. Keerthi, Large Scale Semi-supervised Linear SVMs, SIGIR 2006. Without
bias.

Problem, the regularised form with squared hinge loss in its C-form, C = 1/(λn):
:math:`F(w) = \frac12 |w|^2 + C \sum_i \max(0, 1 - c_i)^2`, responses
:math:`c_i = y_i \langle w, x_i \rangle`. This is not the problem with the hinge loss; its value is reported
as the native objective.

Method, from w = 0 and tol = 0.01; an iteration is one step of CG::

    A  = {i : c_i < 1}
    wb = least squares on A, min |w|²/2 + C Σ_{i in A} (1 - c_i)², by CG from w: at most 10 steps at first,
         later 10000, or until the gradient is at most tol times that at 0
    w  = w + t (wb - w),  t >= 0 the exact minimum of F on that ray
    if c_i(wb) <= 1 + tol on A and >= 1 - tol elsewhere, or F fell by less than 1e-9 of itself:
        stop if tol = eps;  tol = eps

It has stalled if it has not stopped after 50 rounds, after which SVMlin ends as well. In SVMlin, a decrease
of less than 1e-9 ends the run even if tol is still the coarse one.

Answer: w. A step of CG takes an inner product with each example of A, and two more for the norms of direction
and gradient. A round takes one for the gradient at 0 and one for the gradient at w when it begins. When it
ends, it takes one with each example outside A, and three for |wb - w|², <w, wb - w> and |w|².
"""

from dataclasses import dataclass

import numpy as np

from svmbench.option import option
from svmbench.solvers.base import LinearModel, LinearSolver, Snapshot

from libc.math cimport fmax, isfinite, sqrt
from libc.stdint cimport int32_t
from libc.string cimport memcpy, memset

from svmbench.solvers.line_search cimport line_minimum
from svmbench.solvers.run cimport LinearRun

cdef enum:
    ROUNDS = 50             # most Newton steps
    FIRST_STEPS = 10        # most CG steps in the first round
    MOST_STEPS = 10_000     # in the others

cdef double COARSE = 0.01   # tolerance of the first phase
cdef double LEAST_FALL = 1e-9


@dataclass(frozen=True)
class Params:
    """Parameters of L2-SVM-MFN."""

    eps: float = option(
        1e-6,
        "Tolerance of the gradient after a Newton step, relative to that at 0, and of the margins in the "
        "stopping rule. The default of SVMlin.",
        above=0,
    )


cdef class Run(LinearRun):
    """A started L2-SVM-MFN."""

    cdef double tol
    cdef double C
    cdef double objective           # F(w)
    cdef double small               # norm of the gradient to reach in this round
    cdef double gradient2           # |r|²
    cdef int rounds
    cdef int steps                  # steps of CG in this round; -1: the round has not begun
    cdef double[::1] w
    cdef double[::1] wb
    cdef double[::1] r              # minus the gradient of the least-squares problem at wb
    cdef double[::1] p              # direction of CG
    cdef double[::1] c              # responses of w
    cdef double[::1] cb             # responses of wb; outside A only at the end of a round
    cdef double[::1] q              # responses of p, on A
    cdef int32_t[::1] items

    def __init__(self, problem, examples, params):
        super().__init__(problem, examples, examples.n)
        self.eps = params.eps
        self.tol = max(COARSE, params.eps)
        self.C = problem.C
        self.objective = self.C * self.n
        self.steps = -1
        d = max(examples.d, 1)
        self.w, self.wb, self.r, self.p = np.zeros(d), np.zeros(d), np.zeros(d), np.zeros(d)
        self.c, self.cb, self.q = np.zeros(self.n), np.zeros(self.n), np.zeros(self.n)
        self.items = np.empty(self.n, dtype=np.int32)

    cdef int step(self) except -1 nogil:
        if self.steps < 0:
            self.begin()
        if sqrt(self.gradient2) > self.small:
            self.descend()
        if not isfinite(self.gradient2):
            self.overflowed()
        if sqrt(self.gradient2) <= self.small or self.steps == (MOST_STEPS if self.rounds else FIRST_STEPS):
            self.end()
        self.ledger.iteration(0)
        return 0

    cdef void begin(self) noexcept nogil:
        """Begin a round: compute A from the responses of w, and the gradients at 0 and at w."""
        cdef size_t size = self.w.shape[0] * sizeof(double)
        cdef Py_ssize_t i = 0
        self.steps = 0
        memcpy(&self.wb[0], &self.w[0], size)
        memcpy(&self.cb[0], &self.c[0], self.n * sizeof(double))
        memset(&self.p[0], 0, size)
        for i in range(self.n):
            if self.c[i] < 1.0:
                self.examples.add(i, 2.0 * self.C * self.y[i], &self.p[0])
        self.small = self.tol * sqrt(self.examples.between(&self.p[0], &self.p[0]))
        self.measure()
        memcpy(&self.p[0], &self.r[0], size)

    cdef void measure(self) noexcept nogil:
        """Compute r from the responses of wb on A."""
        cdef Py_ssize_t i = 0, j = 0
        for j in range(self.r.shape[0]):
            self.r[j] = -self.wb[j]
        for i in range(self.n):
            if self.c[i] < 1.0:
                self.examples.add(i, 2.0 * self.C * self.y[i] * (1.0 - self.cb[i]), &self.r[0])
        self.gradient2 = self.examples.between(&self.r[0], &self.r[0])

    cdef void descend(self) noexcept nogil:
        """Make one step of CG."""
        cdef double before = self.gradient2, curvature = 0.0, length = 0.0
        cdef Py_ssize_t i = 0, j = 0
        for i in range(self.n):
            if self.c[i] < 1.0:
                self.q[i] = self.y[i] * self.examples.dot(i, &self.p[0])
                curvature += self.q[i] * self.q[i]
        length = before / (self.examples.between(&self.p[0], &self.p[0]) + 2.0 * self.C * curvature)
        for j in range(self.wb.shape[0]):
            self.wb[j] += length * self.p[j]
        for i in range(self.n):
            if self.c[i] < 1.0:
                self.cb[i] += length * self.q[i]
        self.measure()
        for j in range(self.p.shape[0]):
            self.p[j] = self.r[j] + self.gradient2 / before * self.p[j]
        self.steps += 1

    cdef void end(self) noexcept nogil:
        """End a round: move from w towards wb, and check whether this phase is over."""
        cdef double before = self.objective, off = 0.0
        cdef Py_ssize_t i = 0
        for i in range(self.n):
            if self.c[i] < 1.0:
                off = fmax(off, self.cb[i] - 1.0)
            else:
                self.cb[i] = self.y[i] * self.examples.dot(i, &self.wb[0])
                off = fmax(off, 1.0 - self.cb[i])
        self.search()
        self.rounds += 1
        self.steps = -1
        if off <= self.tol or before - self.objective < LEAST_FALL * before:
            self.converged = self.tol <= self.eps
            self.tol = self.eps
        self.stalled = self.rounds == ROUNDS and not self.converged

    cdef void search(self) noexcept nogil:
        """Move to the exact minimum on the ray from w to wb."""
        cdef Py_ssize_t i = 0, j = 0
        cdef double A = 0.0, B = 0.0, t = 0.0, loss = 0.0
        for j in range(self.w.shape[0]):
            self.p[j] = self.wb[j] - self.w[j]
        A = self.examples.between(&self.p[0], &self.p[0])
        B = self.examples.between(&self.w[0], &self.p[0])
        if A > 0.0:
            t = line_minimum(2, A, B, self.C, &self.c[0], &self.cb[0], self.n, &self.items[0])
        for j in range(self.w.shape[0]):
            self.w[j] += t * self.p[j]
        for i in range(self.n):
            self.c[i] += t * (self.cb[i] - self.c[i])
            loss += fmax(0.0, 1.0 - self.c[i]) ** 2
        self.objective = 0.5 * self.examples.between(&self.w[0], &self.w[0]) + self.C * loss

    @property
    def reason(self):
        """Why the run has stalled."""
        return f"its {ROUNDS} rounds are over" if self.stalled else ""

    def keep(self, kept):
        """Declare the state of the run."""
        kept.vectors(w=self.w, wb=self.wb, r=self.r, p=self.p, c=self.c, cb=self.cb)
        self.tol = kept.number("tol", self.tol)
        self.objective = kept.number("objective", self.objective)
        self.small = kept.number("small", self.small)
        self.gradient2 = kept.number("gradient2", self.gradient2)
        self.rounds = kept.number("rounds", self.rounds)
        self.steps = kept.number("steps", self.steps)

    def snapshot(self):
        """Return w at the end of the last round."""
        model = LinearModel(np.array(self.w[: self.examples.d]))
        return Snapshot(model, responses=np.array(self.c), loss="squared_hinge")


class L2SVMMFN(LinearSolver):
    """L2-SVM-MFN; see the module."""

    name = "l2svm_mfn"
    title = "L2-SVM-MFN"
    exact = True
    counting = "inner products: 1 per active example and 2 in a step of CG; 1 per other one and 5 in a round"
    stochastic = False
    resumable = True
    Params = Params
    Run = Run
