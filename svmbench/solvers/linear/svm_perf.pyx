r"""The one-slack cutting-plane method of SVM-Perf.

T. Joachims, Training Linear SVMs in Linear Time, KDD 2006; Algorithm 1. Without bias.

Problem, the regularised form with a single slack variable for all examples:
:math:`\min_{w, \xi} \frac12 |w|^2 + \frac{1}{\lambda} \xi`,
:math:`\xi \ge \frac1n |V| - \frac1n \sum_{i \in V} c_i` for every set V of examples, responses
:math:`c_i = y_i \langle w, x_i \rangle`. At its optimum, ξ is the mean hinge loss.

Method, from w = 0, ξ = 0 and no constraint::

    V = {i : c_i < 1}:  the most violated constraint, by  |V|/n - (1/n) Σ_{i in V} c_i - ξ
    stop if this plus λ times the gap of the last solution is at most eps
    add it; w, ξ = solution over the constraints so far, with a gap within half of the smallest violation so
    far, or of eps
    drop the constraints that were inactive in 50 solutions

The paper only considers the violation. If a solution is not exact, its gap must be added; the sum is the
difference between :math:`P_\lambda(w)` and its bound. The method has stalled if the bound has risen by less
than 1e-9 of the violation in 20 consecutive iterations: new cuts then differ from old ones by little more
than rounding. eps is in units of the mean hinge loss. In the released program it is in percent, and the
parameter -c is 1/(100 λ).

Answer: the last w. The dual value of the reduced problem bounds the optimum from below. An iteration takes n
inner products for the responses. For the reduced problem, it takes one of the new g = (1/n) Σ_{i in V} y_i
x_i with that of each constraint, including itself; solving the problem takes none.
"""

from dataclasses import dataclass

import numpy as np

from svmbench.option import option
from svmbench.solvers.base import LinearModel, LinearSolver, Snapshot

from libc.math cimport INFINITY, fmax, fmin

from svmbench.solvers.cutting_plane.linear_cuts cimport CuttingRun

cdef enum:
    PATIENCE = 50           # solutions after which an inactive constraint is dropped


@dataclass(frozen=True)
class Params:
    """Parameters of SVM-Perf."""

    eps: float = option(
        1e-3,
        "Stop when the objective exceeds its lower bound by at most this mean hinge loss. The released "
        "program counts in percent; its default of 0.1 would be 0.001 here (unconfirmed).",
        above=0,
    )


cdef class Run(CuttingRun):
    """A started SVM-Perf."""

    cdef double least               # smallest violation so far
    cdef double[::1] c

    def __init__(self, problem, examples, params):
        super().__init__(problem, examples)
        self.eps = params.eps
        self.least = INFINITY
        self.c = np.empty(self.n)

    cdef int step(self) except -1 nogil:
        cdef double violation = 0.0
        cdef Py_ssize_t i = 0
        self.respond(&self.w[0], &self.c[0])
        for i in range(self.n):
            if self.c[i] < 1.0:
                violation += 1.0 - self.c[i]
        violation = violation / self.n - self.cuts.slack
        if violation + self.lam * (self.cuts.primal - self.cuts.dual) <= self.eps:
            self.converged = True
        else:
            self.least = fmin(self.least, violation)
            self.add_cut(&self.c[0], 1.0)
            self.solve(0.5 * fmax(self.least, self.eps) / self.lam, 0.0)
            self.drop(PATIENCE)
            self.stalled = self.stands(violation / self.lam)
        self.ledger.iteration(0)
        return 0

    def snapshot(self):
        """Return the last iterate and the bound from the reduced problem."""
        model = LinearModel(np.array(self.w[: self.examples.d]))
        return Snapshot(model, dual=self.bound(model.weights))


class SVMPerf(LinearSolver):
    """SVM-Perf; see the module."""

    name = "svm_perf"
    title = "SVM-Perf"
    exact = True
    counting = "inner products: n per iteration, and 1 with each cut"
    stochastic = False
    Params = Params
    Run = Run
