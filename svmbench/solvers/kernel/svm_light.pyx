r"""SVM-light: decomposition with a small working set of steepest descent, and shrinking.

T. Joachims, Making Large-Scale SVM Learning Practical, in B. Schölkopf, C. Burges and A. Smola (eds.),
Advances in Kernel Methods, 1999, chapter 11.

Problem, selection, update and stopping are those of all decomposition methods: see
`svmbench.solvers.dual.decomposition`. Each working set of ``q`` coefficients, at most ``n_new`` of which were
not in the previous one, is solved to a hundredth of the violation within it
(`svmbench.solvers.dual.small_qp`); the paper solves it exactly, which for a large C takes most of the time
without a benefit. The paper has a bias; without one there is no equality constraint, the working set has the
largest violations, alternating between the two directions, and the conditions are checked for b = 0.

Shrinking. A coefficient that has been at a bound for ``h`` iterations, each time with a strictly positive
multiplier (v above b at the bound that v pushes up to, below b at the other), is shrunk; this is checked
every h iterations. When the others have converged, the values of the shrunk coefficients are recomputed from
the coefficients that have changed since all values were known, by their rows or by those of the shrunk ones,
whichever are fewer. Then all coefficients are unshrunk, and the method has converged only if the conditions
hold for all. Rows are whole: shrinking saves passes over vectors, not evaluations.

The program of the paper also ends after 100,000 iterations without progress; here budgets do.
"""

from dataclasses import dataclass

import numpy as np

from svmbench.option import option
from svmbench.solvers.base import Solver
from svmbench.solvers.dual.parameters import shrinking_field, tolerance_field

from libc.math cimport INFINITY, fmax
from libc.stdint cimport int64_t

from svmbench.solvers.dual.decomposition cimport DecompositionRun
from svmbench.solvers.dual.small_qp cimport SmallQP, solve_small, violation_of

# Violation to which a working set is solved, relative to its initial one, and steps per coefficient after
# which rounding prevents further progress.
cdef double EXACTLY = 1e-2
cdef enum:
    STEPS = 1000


@dataclass(frozen=True)
class Params:
    """Parameters of SVM-light."""

    q: int = option(10, "Size of a working set. The default of the program.", min=2)
    n_new: int = option(
        10,
        "Most new coefficients in a working set. Fewer than q avoid zigzagging. The default of the program "
        "is q.",
        min=2,
    )
    eps: float = tolerance_field()
    shrinking: bool = shrinking_field()
    h: int = option(
        100,
        "Iterations that a coefficient is held at its bound before it is shrunk. The default of the program; "
        "it takes 2 for linear kernels.",
        min=1,
    )


cdef class Run(DecompositionRun):
    """A started SVM-light."""

    cdef bint shrinking
    cdef int64_t h
    cdef int64_t[::1] loose         # last iteration at which an example was not held at its bound
    cdef double[::1] alpha_known    # α when all values were last known, and the values
    cdef double[::1] v_known

    def __init__(self, problem, oracle, params):
        super().__init__(problem, oracle, params.eps, params.q, params.n_new)
        self.work += STEPS * self.most * self.most
        self.shrinking = params.shrinking
        self.h = params.h
        self.loose = np.full(self.n if self.shrinking else 0, -1, dtype=np.int64)
        self.alpha_known = np.zeros(self.n if self.shrinking else 0)
        self.v_known = np.array(self.labels if self.shrinking else self.labels[:0])

    def keep(self, kept):
        """Declare the state of the run."""
        DecompositionRun.keep(self, kept)
        kept.vectors(loose=self.loose, alpha_known=self.alpha_known, v_known=self.v_known)

    cdef void solve(self, SmallQP* qp) noexcept nogil:
        solve_small(qp, EXACTLY * fmax(self.eps, violation_of(qp)), STEPS * qp.q)

    cdef int step(self) except -1 nogil:
        DecompositionRun.step(self)
        if self.shrinking:
            self.watch()
            if self.converged and self.active < self.n:
                self.restore()
            elif (self.iterations + 1) % self.h == 0 and not self.converged:
                self.shrink()
        self.refine()
        return 0

    cdef void activate(self) noexcept nogil:
        cdef Py_ssize_t t = 0
        DecompositionRun.activate(self)
        if self.shrinking:
            for t in range(self.n):
                self.alpha_known[t] = self.dual.alpha[t]
                self.v_known[t] = self.dual.v[t]
                self.loose[t] = self.iterations

    cdef void watch(self) noexcept nogil:
        """Record which coefficients are not held at a bound by their value."""
        cdef Py_ssize_t p = 0, t = 0
        for p in range(self.active):
            t = self.members[p]
            if not (
                (self.dual.up[t] < 0.0 and self.dual.v[t] > self.b)
                or (self.dual.down[t] > 0.0 and self.dual.v[t] < self.b)
            ):
                self.loose[t] = self.iterations

    cdef void shrink(self) noexcept nogil:
        """Shrink the coefficients that have been held at their bound for long enough."""
        cdef Py_ssize_t kept = 0, p = 0, t = 0
        for p in range(self.active):
            t = self.members[p]
            if self.iterations - self.loose[t] >= self.h:
                self.dual.up[t] = -INFINITY
                self.dual.down[t] = INFINITY
            else:
                self.members[kept] = t
                kept += 1
        self.active = kept
        self.update_extrema()

    cdef void restore(self) noexcept nogil:
        """Recompute the values of the shrunk coefficients, and unshrink all."""
        cdef Py_ssize_t changed = 0, last = self.n - 1, t = 0
        for t in range(self.n):
            changed += self.moved(t) != 0.0
            if self.is_shrunk(t):
                self.members[last] = t          # after the active ones
                last -= 1
                self.dual.v[t] = self.v_known[t]
        if changed <= self.n - self.active:
            for t in range(self.n):
                if self.moved(t) != 0.0:
                    self.revise(self.fetch(t), self.moved(t))
        else:
            for t in range(self.active, self.n):
                self.dual.v[self.members[t]] -= self.growth(self.fetch(self.members[t]))
        self.activate()

    cdef double moved(self, Py_ssize_t t) noexcept nogil:
        """Return the change of a signed coefficient since all values were known."""
        return self.y[t] * (self.dual.alpha[t] - self.alpha_known[t])

    cdef void revise(self, const float* row, double factor) noexcept nogil:
        """Subtract a multiple of a row from the values of the shrunk coefficients."""
        cdef Py_ssize_t p = 0
        for p in range(self.active, self.n):
            self.dual.v[self.members[p]] -= factor * row[self.members[p]]

    cdef double growth(self, const float* row) noexcept nogil:
        """Return the change of the score of the example of that row since all values were known."""
        cdef double result = 0.0
        cdef Py_ssize_t t = 0
        for t in range(self.n):
            result += self.moved(t) * row[t]
        return result


class SVMLight(Solver):
    """SVM-light; see the module."""

    name = "svm_light"
    title = "SVM-light"
    biases = ("unregularised", "none")
    exact = True
    weighted = True
    counting = "n per member of the working set under every convention, and n per row of a reconstruction"
    stochastic = False
    resumable = True
    version = 2
    Params = Params
    Run = Run
