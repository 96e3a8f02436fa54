r"""Dual coordinate descent (DCD), and with it linear SDCA.

C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi and S. Sundararajan, A Dual Coordinate Descent Method for
Large-scale Linear SVM, ICML 2008; Algorithm 3, the method of LIBLINEAR. Without bias.

Problem, the dual of the regularised form in its C-form, C = 1/(λn):
:math:`\min_\alpha \frac12 |w|^2 + \frac{D}{2} \sum_i \alpha_i^2 - \sum_i \alpha_i`,
:math:`w = \sum_i \alpha_i y_i x_i`, :math:`0 \le \alpha_i \le U`; hinge loss: D = 0, U = C; squared hinge
loss: D = 1/(2C), U = ∞.

Method, from α = 0 and w = 0, passes over the active examples, each in a new random order; an iteration is the
visit of one example::

    G = y_i <w, x_i> - 1 + D α_i
    if α_i = 0 and G > M̄, or α_i = U and G < m̄:  i is no longer active (shrinking)
    PG = min(G, 0) if α_i = 0, max(G, 0) if α_i = U, else G;  M = max PG, m = min PG of this pass, 0 included
    α_i = clip(α_i - G / (|x_i|² + D), 0, U);  w += (change of α_i) y_i x_i

If M - m < eps at the end of a pass, the method has converged, provided that all examples were active;
otherwise they all become active again. If not, the next pass has M̄ = M if M > 0, else ∞, and m̄ = m if m <
0, else -∞.

With ``shrinking=gap_safe``, this heuristic is not used. After every tenth pass (the interval of Fercoq et al.
2015 and Ndiaye et al. 2017), there is a check, which costs one inner product per active example. It sets the
coefficients whose optimal values the duality gap proves (`svmbench.solvers.dual.gap_safe`), and removes these
examples for good, so they need not be checked again at the end. The method has also converged when no example
is left.

With ``order=with_replacement``, each visit draws a uniform example, as SDCA does in the papers on Pegasos and
on the Stochastic Batch Perceptron (S. Shalev-Shwartz and T. Zhang, Stochastic Dual Coordinate Ascent, JMLR
14, 2013). There are no passes then, so nothing is shrunk, and only budgets end a run.

Every PG is 0 at the optimum, since there is no bias; therefore M and m include 0. In the paper they do not:
for two equal examples with opposite labels, both PG become -2, and M - m = 0 ends the method in a few passes.

The dual objective is checked every n visits or more. Progress is too slow if 100 consecutive checks together
have raised it by less than 1e-9 of the gap, which is estimated from the gradients of those visits. Then all
examples become active, since a shrunk one may allow progress. If the objective does not rise then either, the
gap decides: near the optimum it decreases with the gradients, while the objective rises with their squares,
which rounding hides first. The method has stalled if, three times in a row, the gap of 100 checks together
has not decreased by 0.1 % from its minimum: changes of α are lost in the rounding of w, or so small relative
to C that no number of passes would suffice.

Answer: the last iterate, not averaged; a dual point. Under the hinge loss, an example with x = 0 has α = C
from the start and is never visited in a pass. A visit takes one inner product, and the |x_i|² take n more at
the start.
"""

from dataclasses import dataclass

import numpy as np

from svmbench.option import option
from svmbench.solvers.base import LinearModel, LinearSolver, Snapshot

cimport cython
from libc.math cimport INFINITY
from libc.stdint cimport int64_t

from svmbench.kernels._linear_data cimport svmbench_prefetch
from svmbench.rng cimport Generator
from svmbench.solvers.dual.gap_safe cimport Screening, gap_of
from svmbench.solvers.run cimport LinearRun
from svmbench.solvers.stall cimport (
    LOOK_AT_ALL, NONE, Progress, Standstill, at_first, keep_standstill, progress
)

cdef enum:
    AHEAD = 8               # data are prefetched this many visits in advance
    SCREEN_EVERY = 10       # passes between two gap-safe checks
    PATIENCE = 100          # consecutive checks of the objective without a gain before it may stall
    RARELY = 32             # a check costs at most 1/RARELY of the visits since the last one

# What a visit needs of an example besides its features, stored together.
cdef struct Coordinate:
    double alpha
    double y
    double step         # 1 / (|x_i|² + D)


@dataclass(frozen=True)
class Params:
    """Parameters of dual coordinate descent; nothing is shrunk where there are no passes."""

    loss: str = option(
        "hinge",
        "Loss of the problem that is solved. primal_objective and gaps are always those of the hinge loss, "
        "as for all other solvers; native_objective is that of the squared loss.",
        choices=("hinge", "squared_hinge"),
    )
    order: str = option(
        "permutation",
        "Choice of the next example: passes, each in a new random order, or uniform draws, which is SDCA.",
        choices=("permutation", "with_replacement"),
    )
    shrinking: bool | str = option(
        True,
        "Leave out examples whose coefficients seem to stay at their bound, and check all in the end. The "
        "default of LIBLINEAR. gap_safe: leave out permanently those whose coefficients are proved optimal "
        "by the duality gap. With order=with_replacement nothing is left out.",
        choices=("gap_safe",),
    )
    eps: float = option(
        1e-3,
        "Stop when the largest and the smallest projected gradient of a pass differ by less than this. "
        "LIBLINEAR has 0.1, which is within about 1 % of the optimum; order=with_replacement never stops by "
        "itself.",
        above=0,
    )

    def __post_init__(self):
        if self.order == "with_replacement":
            object.__setattr__(self, "shrinking", False)


@cython.final
cdef class Run(LinearRun):
    """A started dual coordinate descent."""

    cdef Generator rng
    cdef object loss
    cdef bint passes
    cdef bint shrinking
    cdef double U
    cdef double D
    cdef Coordinate[::1] coordinates
    cdef object fields              # the same as an array, made in advance: numpy runs Python code for it
    cdef double[::1] w
    cdef int64_t[::1] items         # the active examples first, then the shrunk ones
    cdef Py_ssize_t visited         # number of examples that passes visit: neither zero nor removed
    cdef Py_ssize_t active
    cdef Screening screening        # None: no gap-safe screening
    cdef int64_t unscreened         # passes since its last check
    cdef Py_ssize_t at
    cdef Standstill standstill
    cdef int64_t spacing            # visits between two checks
    cdef int64_t left               # visits until the next check
    cdef double gap                 # sum over the visits since the last check, each at the time of the visit
    cdef double gap_of_pass         # the same over the visits of this pass
    cdef double gap_before          # and of the last one; infinite: none
    cdef double most                # M and m of this pass, M̄ and m̄ of the last
    cdef double least
    cdef double most_before
    cdef double least_before

    def __init__(self, problem, examples, Generator rng not None, params):
        super().__init__(problem, examples, 1)
        squared = params.loss == "squared_hinge"
        self.rng = rng
        self.loss = params.loss
        self.passes = params.order == "permutation"
        self.shrinking = params.shrinking is True
        self.eps = params.eps
        self.U = INFINITY if squared else problem.C
        self.D = 0.5 / problem.C if squared else 0.0
        squares = examples.squared_norms()
        curvature = squares + self.D
        coordinates = np.zeros(self.n, dtype=[("alpha", "f8"), ("y", "f8"), ("step", "f8")])
        self.coordinates = self.fields = coordinates
        coordinates["alpha"] = np.where(curvature > 0.0, 0.0, problem.C)
        coordinates["y"] = self.labels
        coordinates["step"] = np.divide(1.0, curvature, where=curvature > 0.0, out=np.zeros(self.n))
        self.w = np.zeros(max(examples.d, 1))
        if params.shrinking == "gap_safe":
            self.screening = Screening(
                examples, self.labels, squares, coordinates["alpha"], self.U, self.D
            )
        self.standstill = at_first()
        look = self.n + examples.d
        self.spacing = self.left = max(self.n, RARELY * self.n * look // (examples.stored + 1))
        self.gap_before = INFINITY
        if self.passes:
            self.items = np.flatnonzero(curvature > 0.0).astype(np.int64)
            self.visited = self.items.shape[0]
            self.converged = self.visited == 0
            self.open()
            self.begin_pass()

    cdef int step(self) except -1 nogil:
        if self.passes:
            self.visit_next()
        else:
            self.visit(self.rng.below(<unsigned int> self.n))
        self.left -= 1
        if self.left == 0:
            self.left = self.spacing
            self.look()
            self.gap = 0.0
        self.ledger.iteration(0)
        return 0

    cdef void look(self) noexcept nogil:
        """Check for progress."""
        cdef Progress found = progress(
            &self.standstill, self.objective(), self.gap, self.shrinking, PATIENCE
        )
        if self.converged:
            return
        if found == LOOK_AT_ALL:
            self.open()
            self.begin_pass()
        self.stalled = found == NONE

    cdef void visit_next(self) noexcept nogil:
        cdef Py_ssize_t i = 0
        if self.at + AHEAD < self.active:
            i = self.items[self.at + AHEAD]
            self.examples.prefetch(i)
            svmbench_prefetch(&self.coordinates[i], sizeof(Coordinate))
        i = self.items[self.at]
        if self.visit(i):
            self.at += 1
        else:
            self.active -= 1
            self.items[self.at], self.items[self.active] = self.items[self.active], i
        if self.at == self.active:
            self.end()
            self.unscreened += 1
            if self.screening is not None and self.unscreened == SCREEN_EVERY and not self.converged:
                self.screen()
            self.begin_pass()

    cdef void screen(self) noexcept nogil:
        """Remove the examples whose coefficients the duality gap proves."""
        self.unscreened = 0
        self.visited = self.active = self.screening.screen(self.items, self.visited, self.w)
        self.converged = self.visited == 0

    cdef bint visit(self, Py_ssize_t i) noexcept nogil:
        """Minimise over one coefficient; return False if the example must be shrunk instead."""
        cdef Coordinate* at = &self.coordinates[i]
        cdef double old = at.alpha
        cdef double G = at.y * self.examples.dot(i, &self.w[0]) - 1.0 + self.D * old
        cdef double projected = G
        cdef double gap = gap_of(old, self.D * old - G, self.U, self.D)
        self.gap += gap
        self.gap_of_pass += gap
        if old == 0.0:
            if self.shrinking and G > self.most_before:
                return False
            projected = min(G, 0.0)
        elif old == self.U:
            if self.shrinking and G < self.least_before:
                return False
            projected = max(G, 0.0)
        self.most = max(self.most, projected)
        self.least = min(self.least, projected)
        if projected != 0.0:
            at.alpha = min(max(old - G * at.step, 0.0), self.U)
            self.examples.add(i, (at.alpha - old) * at.y, &self.w[0])
        return True

    cdef void begin_pass(self) noexcept nogil:
        """Begin a pass."""
        self.at = 0
        self.most = 0.0
        self.least = 0.0
        self.gap_of_pass = 0.0
        if self.active > 0:
            self.rng.shuffle(&self.items[0], self.active)

    cdef void open(self) noexcept nogil:
        """Make all examples active, and forget the bounds for shrinking."""
        self.active = self.visited
        self.most_before = INFINITY
        self.least_before = -INFINITY

    cdef void end(self) noexcept nogil:
        """End a pass."""
        self.gap_before = self.gap_of_pass
        if self.most - self.least < self.eps:
            self.converged = self.active == self.visited
            self.open()
            return
        self.most_before = self.most if self.most > 0.0 else INFINITY
        self.least_before = self.least if self.least < 0.0 else -INFINITY

    cdef double objective(self) noexcept nogil:
        """Return the dual objective, in the C-form, with the current w."""
        cdef double result = 0.0, square = 0.0, alpha = 0.0
        cdef Py_ssize_t k = 0
        for k in range(self.n):
            alpha = self.coordinates[k].alpha
            result += alpha - 0.5 * self.D * alpha * alpha
        for k in range(self.w.shape[0]):
            square += self.w[k] * self.w[k]
        return result - 0.5 * square

    def estimated_gap(self) -> float:
        """Return the relative gap estimated by the last whole pass, each term at its visit; 1: none yet."""
        return self.gap_before / (self.objective() + self.gap_before) if self.gap_before < INFINITY else 1.0

    def begin(self, alpha):
        """Begin at a feasible point, float64 (n,), instead of 0; computing its w takes no inner product."""
        moved = np.where(self.fields["step"] > 0.0, alpha, 0.0)     # an example that is 0 stays at its bound
        at = np.flatnonzero(moved)
        self.fields["alpha"][at] = moved[at]
        np.asarray(self.w)[: self.examples.d] = self.examples.combination(
            at, moved[at] * np.asarray(self.labels)[at]
        )

    def tighten(self, double factor) -> bool:
        """Continue with a smaller tolerance, if an example is left that may change."""
        return self.visited > 0 and super().tighten(factor)

    def keep(self, kept):
        """Declare the state of the run."""
        kept.vectors(alpha=self.fields["alpha"], w=self.w)
        kept.stream(self.rng)
        if self.passes:
            kept.vectors(items=self.items)
            self.active = kept.number("active", self.active)
            self.at = kept.number("at", self.at)
        if self.screening is not None:
            self.screening.keep(kept.part("screening"))
            self.visited = kept.number("visited", self.visited)
            self.unscreened = kept.number("unscreened", self.unscreened)
        keep_standstill(kept.part("standstill"), &self.standstill)
        self.left = kept.number("left", self.left)
        self.gap = kept.number("gap", self.gap)
        self.most = kept.number("most", self.most)
        self.least = kept.number("least", self.least)
        self.most_before = kept.number("most_before", self.most_before)
        self.least_before = kept.number("least_before", self.least_before)

    def snapshot(self):
        """Return the last iterate, a dual point of the problem with its loss."""
        alpha = self.fields["alpha"].copy()
        return Snapshot(LinearModel(np.array(self.w[: self.examples.d])), alpha=alpha, loss=self.loss)


class DCD(LinearSolver):
    """Dual coordinate descent; see the module."""

    name = "dcd"
    title = "DCD"
    exact = True
    counting = "inner products: 1 per visit, and n for the squared norms at the start"
    resumable = True
    startable = True
    Params = Params
    Run = Run
