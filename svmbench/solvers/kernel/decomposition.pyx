r"""Decomposition with a large working set: the fastest exact solver of the dual here.

E. Osuna, R. Freund and F. Girosi, 1997, and T. Joachims, Making Large-Scale SVM Learning Practical, 1999, for
the scheme; G. Zanghirati and L. Zanni, A Parallel Solver for Large Quadratic Programs in Training Support
Vector Machines, Parallel Computing 29, 2003, for large working sets and which variables stay; Z. Wen, J. Shi,
Q. Li, B. He and J. Chen, ThunderSVM, JMLR 19, 2018, for SMO within a set of a thousand variables; I.
Steinwart, D. Hush and C. Scovel, Training SVMs without Offset, JMLR 12, 2011, for its steps without a bias.

Problem, the dual of the regularised form in its C-form, C = 1/(λn):
:math:`\max_\alpha \sum_i \alpha_i - \frac12 |\sum_i \alpha_i y_i \Phi(x_i)|^2`, :math:`0 \le \alpha_i \le C`,
and with a bias :math:`\sum_i \alpha_i y_i = 0`.

Method, from α = 0 and an empty set A of eight times ``working_set`` examples; :math:`v_i = y_i - \sum_j
\alpha_j y_j K(x_j, x_i)`::

    A is updated: the worst violators enter, coefficients at C or at 0 leave first
    from an empty set B of ``working_set`` examples of A:
        B is updated likewise from A
        solve the dual in the α_i of B, with the others fixed, to a tenth of the violation in A
        v_t -= Σ over the changed α_i of their change y_i K(x_i, x_t), for the t of A
    until the violation in A is a small fraction of that over all examples
    v_t -= the same for all t, over the α_i changed since A was updated

The rules for entering and leaving are in `svmbench.solvers.dual.nested_sets`. If A can hold all examples, or
they have more than 128 features, A has all of them, and an iteration is one round of B; otherwise it is one
of A. With sixteen times as many examples as A has, the method starts on subsets of them
(`svmbench.solvers.dual.growing_subsets`), and at the end works on those whose coefficients may still change
(`svmbench.solvers.dual.shrunk_level`).

The violation is max v_i - min v_j over the i and j where α_i y_i can increase and α_j y_j can decrease, or
without bias the larger of max v_i and max -v_j; the method converges when that is below ``eps``. It is fast
because a step within B touches vectors of its size only, rows over A stay in the caches of the processor, and
values for all n are computed in blocks, once for many changes. v is maintained in double precision for any C.
The bias is the mean of v over the free coefficients, or the midpoint of the extrema if none is free.

Counting, under every convention. Examples entering B are charged their kernel values with all members of B.
Each change of a coefficient is charged the number of examples of A for a round of B, and n for a round of A,
or the number of examples that A is chosen from.

Answer: the last iterate, a dual point; during the warm start the solution over the last subset, or the
current one over the smallest subset. If the warm start is of no use, the whole problem starts at 0, and so
does the answer.
"""

from dataclasses import dataclass

import numpy as np

from svmbench.option import option
from svmbench.solvers.base import KernelExpansion, Snapshot, Solver
from svmbench.solvers.dual.growing_subsets import Growth
from svmbench.solvers.dual.nested_sets import level_over
from svmbench.solvers.dual.shrunk_level import Shrunk, shrunk
from svmbench.solvers.run import Uninterrupted, checked_diagonal

from libc.math cimport INFINITY
from libc.stdint cimport INT64_MAX, int64_t

from svmbench.solvers.dual.nested_sets cimport Nested
from svmbench.solvers.dual.refinement cimport Refinement
from svmbench.solvers.run cimport WORK_BETWEEN_SIGNALS, SteppedRun

cdef enum:
    MANY_SETS = 16          # number of examples, in large sets, from which it starts on subsets and shrinks


@dataclass(frozen=True)
class Params:
    """Parameters of decomposition."""

    eps: float = option(
        1e-3,
        "Stop when the optimality conditions are violated by less than this. The default of LIBSVM.",
        above=0.0,
    )
    working_set: int = option(
        1024,
        "Coefficients that change at a time; their kernel matrix is held in memory. 1024, as in ThunderSVM, "
        "is best for most data. With at most 128 features they are chosen from a set of eight times as many, "
        "which changes less often.",
        min=4,
    )


cdef class Run(SteppedRun):
    """A started decomposition."""

    def __init__(self, problem, oracle, params):
        super().__init__(problem, oracle)
        self.eps = params.eps
        self.problem = problem
        self.least = params.working_set
        self.diagonal = diagonal = checked_diagonal(oracle)
        labels = np.asarray(self.labels)
        self.level = level_over(oracle, problem, labels, diagonal, params.working_set)
        most = self.level.most
        self.shrinks = isinstance(self.level, Nested) and self.n >= MANY_SETS * most
        if self.shrinks:
            self.growth = Growth(oracle, problem, diagonal, self.level, params.working_set)
        self.work = WORK_BETWEEN_SIGNALS  # most of a round may be steps within the set
        self.refinement = Refinement(oracle, problem, labels, diagonal, self.level.alpha, most)
        self.look()

    cdef int step(self) except -1 nogil:
        cdef int64_t evaluations = 0
        if self.growth is not None:
            evaluations = self.growth.step()
        elif self.shrunk is not None:
            evaluations = self.shrunk.step()
        else:
            evaluations = self.level.round()
        self.ledger.iteration(evaluations)
        self.ledger.charge_both(evaluations)
        return self.go_on()

    cdef int go_on(self) except -1 nogil:
        """After an iteration, determine what the next one works on, and whether the method has converged."""
        cdef bint all_known = self.shrunk is None
        if self.growth is not None:
            if not self.growth.finished:
                return 0
            self.drop_parts()
        if not all_known:
            if self.shrunk.solving and self.refinement.blurred(self.shrunk.level.violation()):
                self.drop_parts()
                return self.renew()
            if not self.shrunk.finished:
                return 0
            self.drop_parts()
            self.caught_up = True
        self.look()
        if self.refinement.due(self.level.violation(), self.eps, self.converged):
            self.refine()
        if self.shrinks and all_known and not self.converged and not self.stalled:
            self.shrink()
        return 0

    cdef int drop_parts(self) except -1 nogil:
        with gil:
            self.growth = self.shrunk = None
        return 0

    cdef int shrink(self) except -1 nogil:
        """Work on the active examples only, if they are few."""
        with gil:
            with Uninterrupted():
                self.shrunk = shrunk(self.oracle, self.problem, self.level, self.least, self.eps)
        return 0

    cdef int refine(self) except -1 nogil:
        """Recompute the values; at apparent convergence only those that decide it, if few."""
        if self.converged and self.refinement.sharpen(self.level):
            self.look()
            if self.converged:
                return 0
        return self.renew()

    cdef int renew(self) except -1 nogil:
        """Recompute all values, and check whether that helps."""
        self.refinement.renew(&self.level.v[0])
        self.level.mark_all()
        self.look()
        if not self.converged and self.refinement.stalled(self.level.violation(), &self.level.v[0]):
            self.level.mark_all()
            self.look()
            self.stalled = True
        return 0

    cdef int look(self) except -1 nogil:
        """Check whether the extrema of the values are close enough."""
        if self.level.violation() == INFINITY:
            self.overflowed()
        self.converged = self.level.violation() < self.eps
        return 0

    def begin(self, alpha):
        """Begin at a feasible point, float64 (n,), instead of 0, without the start on subsets."""
        self.drop_parts()
        np.asarray(self.level.alpha)[:] = alpha
        self.level.untouched = not np.any(alpha)
        self.refinement.begin(self.level.v)
        self.level.mark_all()
        self.look()

    def state(self):
        """Return the state to continue from; None while values of inactive examples are reconstructed."""
        return super().state() if self.shrunk is None or self.shrunk.solving else None

    def advance(self, counter: str, until: int, most: int = INT64_MAX) -> None:
        """Continue as in `CountedRun`; an interrupted reconstruction of values leaves the run whole."""
        try:
            super().advance(counter, until, most)
        except KeyboardInterrupt:
            part = self.growth or self.shrunk
            self.whole = self.whole or (part is not None and not part.changed)
            raise

    def keep(self, kept):
        """Declare the state of the run."""
        if kept.taking_back and not kept.holds("growth"):
            self.growth = None
        if self.growth is not None:
            self.growth.keep(kept.part("growth"))
            return  # the level of all examples is still at its start
        self.level.keep(kept.part("level"))
        active = kept.number("active", 0 if self.shrunk is None else self.shrunk.level.n)
        if kept.taking_back and active:
            self.shrunk = Shrunk(
                self.oracle, self.problem, self.level, self.least, np.arange(active), self.eps
            )
        elif kept.taking_back:
            self.shrunk = None
        if active:
            self.shrunk.keep(kept.part("shrunk"))
        self.refinement.keep(kept.part("refinement"))

    def snapshot(self):
        """Return the last iterate, a dual point; during the warm start, that over a subset."""
        level, y = self.level, np.asarray(self.labels)
        if self.growth is not None:
            alpha, bias = self.growth.point()
            model = KernelExpansion.from_alpha(alpha, y, bias)
            return Snapshot(model, alpha=alpha, earlier=True)
        alpha, v = np.array(level.alpha), np.asarray(level.v)
        if self.shrunk is not None:     # the values of the others are outdated
            model = KernelExpansion.from_alpha(alpha, y, self.shrunk.level.bias())
            return Snapshot(model, alpha=alpha, earlier=True)
        model = KernelExpansion.from_alpha(alpha, y, level.bias())
        exact_at = self.refinement.last_exact()
        return Snapshot(model, responses=1.0 - y * v, alpha=alpha, exact_at=exact_at)


class Decomposition(Solver):
    """Decomposition with a large working set; see the module."""

    name = "decomposition"
    title = "Decomposition"
    biases = ("none", "unregularised")
    exact = True
    weighted = True
    counting = (
        "n per coefficient changed, likewise in the larger set, "
        "entering variables times working set; under all"
    )
    stochastic = False
    resumable = True
    startable = True
    version = 6
    Params = Params
    Run = Run
