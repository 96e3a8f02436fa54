r"""GPDT: decomposition with a large working set, solved by gradient projection.

T. Serafini, G. Zanghirati and L. Zanni, Gradient Projection Methods for Quadratic Programs and Applications
in Training Support Vector Machines, Optim. Methods Softw. 20, 2005; L. Zanni, T. Serafini and G. Zanghirati,
Parallel Software for Training Large Scale Support Vector Machines on Multiprocessor Systems, JMLR 7, 2006.

Problem, selection, update and stopping are those of all decomposition methods: see
`svmbench.solvers.dual.decomposition`. Without bias there is no equality constraint and the projection is a
clip.

The problem of a working set of ``q`` coefficients, ``n_new`` of them new, is solved by gradient projection
(`svmbench.solvers.dual.gradient_projection`), always from the current coefficients. It is solved to a
violation below ``eps`` at first; when the violation over all examples is close, at most 2 ``eps``, and has
changed by less than a hundredth, the tolerance is halved, down to a tenth of ``eps``. If C is so large that
the inner method ends at its limit of steps, far from the solution, the next sets are half as large, down to
20, and so is the number of new members.

A solution preserves Σ α_i y_i only up to the accuracy of the projection, so the difference is added to the
free coefficient with the largest slack to a bound.
"""

from dataclasses import dataclass

import numpy as np

from svmbench.option import option
from svmbench.solvers.base import Solver
from svmbench.solvers.dual.parameters import tolerance_field

from libc.math cimport fabs, fmax, fmin
from libc.stdint cimport int64_t

from svmbench.solvers.dual.decomposition cimport DecompositionRun
from svmbench.solvers.dual.gradient_projection cimport DAI_FLETCHER, GVPM, Rule, solve_projected
from svmbench.solvers.dual.small_qp cimport SmallQP
from svmbench.solvers.run cimport WORK_BETWEEN_SIGNALS

# Largest imbalance of coefficients that counts as rounding, relative to their sum; see `problem.balanced`.
cdef double LEVEL = 1e-9

cdef enum:
    STEPS = 2000            # limit of steps of the inner method; the rest is left to the next working sets
    FEW = 20                # smallest size to which a working set is reduced


@dataclass(frozen=True)
class Params:
    """Parameters of GPDT."""

    q: int = option(
        400, "Size of a working set. Probably the default of the program (unconfirmed).", min=2
    )
    n_new: int | None = option(
        None,
        "Most new coefficients in a working set. null: the largest even number up to q/3, the default of the "
        "program.",
        min=2,
    )
    inner: str = option(
        "gvpm",
        "Method for the problem of a working set. gvpm: alternating Barzilai-Borwein steps with a line "
        "search (the paper). dai_fletcher: that of Dai and Fletcher 2006 (the later program).",
        choices=("gvpm", "dai_fletcher"),
    )
    eps: float = tolerance_field()


cdef class Run(DecompositionRun):
    """A started GPDT."""

    cdef Rule rule
    cdef double tolerance           # of the inner method
    cdef double violation           # over all examples, before the iteration
    cdef double[::1] scratch

    def __init__(self, problem, oracle, params):
        fresh = params.n_new or max(2, params.q // 3 // 2 * 2)
        super().__init__(problem, oracle, params.eps, params.q, fresh)
        self.rule = GVPM if params.inner == "gvpm" else DAI_FLETCHER
        self.tolerance = params.eps
        self.violation = self.violation_left()
        self.scratch = np.empty(4 * self.most)
        self.work = WORK_BETWEEN_SIGNALS  # steps of the inner method may take most of an iteration, not rows

    cdef int step(self) except -1 nogil:
        cdef double before = self.violation
        DecompositionRun.step(self)
        self.refine()
        self.violation = self.violation_left()
        if self.violation <= 2.0 * self.eps and fabs(self.violation - before) < 0.01 * before:
            self.tolerance = fmax(0.5 * self.tolerance, 0.1 * self.eps)
        return 0

    cdef void solve(self, SmallQP* qp) noexcept nogil:
        cdef double e = 0.0
        cdef int64_t left = STEPS
        cdef Py_ssize_t i = 0, k = 0
        if self.dual.balanced:
            for k in range(qp.q):
                e += qp.y[k] * qp.z[k]
            for i in range(self.n):
                e -= self.y[i] * self.dual.alpha[i]
        solve_projected(qp, e, self.rule, self.tolerance, &left, &self.scratch[0])
        if left == 0 and self.limit > FEW:
            self.limit = max(FEW, self.limit // 4 * 2)
            self.fresh = max(2, self.fresh // 4 * 2)
        if self.dual.balanced:
            self.balance(qp, e)

    def tighten(self, double factor) -> bool:
        """Continue with a smaller tolerance, also of the inner method."""
        self.tolerance *= factor
        return super().tighten(factor)

    def keep(self, kept):
        """Declare the state of the run."""
        DecompositionRun.keep(self, kept)
        self.tolerance = kept.number("tolerance", self.tolerance)
        self.violation = kept.number("violation", self.violation)
        self.limit = kept.number("limit", self.limit)
        self.fresh = kept.number("fresh", self.fresh)

    cdef void balance(self, SmallQP* qp, double e) noexcept nogil:
        """Add the difference of y'z from e to the free variable with the largest slack to a bound.

        If none has enough, the variables move in turn as far as they can, but not for a rounding error.
        """
        cdef double slack = 0.0, most = 0.0, total = 0.0, moved = 0.0
        cdef Py_ssize_t widest = 0, k = 0
        for k in range(qp.q):
            e -= qp.y[k] * qp.z[k]
            total += qp.z[k]
            slack = fmin(qp.z[k], qp.bound[k] - qp.z[k])
            if slack > most:
                most = slack
                widest = k
        if most > fabs(e):
            qp.z[widest] += qp.y[widest] * e
        elif fabs(e) > LEVEL * total:
            for k in range(qp.q):
                moved = fmin(fmax(0.0, qp.z[k] + qp.y[k] * e), qp.bound[k]) - qp.z[k]
                qp.z[k] += moved
                e -= qp.y[k] * moved


class GPDT(Solver):
    """GPDT; see the module."""

    name = "gpdt"
    title = "GPDT"
    biases = ("unregularised", "none")
    exact = True
    weighted = True
    counting = "n per member of the working set under every convention"
    stochastic = False
    resumable = True
    version = 4
    Params = Params
    Run = Run
