r"""LASVM: an online SVM with removal of support vectors.

A. Bordes, S. Ertekin, J. Weston and L. Bottou, Fast Kernel Classifiers with Online and Active Learning, JMLR
6, 2005; sections 3 and 4.

Problem, the dual of the regularised form in its C-form with signed coefficients :math:`a_i = \alpha_i y_i`:
:math:`\max_a \sum_i a_i y_i - \frac12 |\sum_i a_i \Phi(x_i)|^2`, :math:`A_i \le a_i \le B_i`, that is
[0, C] or [-C, 0] by the label, and :math:`\sum_i a_i = 0` with a bias. Its gradient is
:math:`g_i = y_i - \sum_j a_j K(x_j, x_i)`.

Method, on an expansion set S, at first empty. The extrema of S are high = max g over the a < B and low =
min g over the a > A::

    PROCESS(k), k not in S:
        if low < high and g_k < low (y_k = 1) or g_k > high (y_k = -1):  k makes no violating pair with S
            return
        S += k; step with the pair of k and low (y_k = 1), or of high and k (y_k = -1), if that gains
    REPROCESS:
        step with the pair of high and low, if high - low > eps
        remove each s with a_s = 0 and g_s <= low (y_s = 1) or g_s >= high (y_s = -1)
        b = (high + low)/2
    the step of a pair (i, j): δ = (g_i - g_j) / (K_ii + K_jj - 2 K_ij), cut to the box; a_i += δ, a_j -= δ

First PROCESS 5 examples of each class. Then ``epochs`` passes over all examples: PROCESS the next one, and
REPROCESS once. The next one is random or, of ``candidates`` random ones, that with the smallest y f(x)
(``gradient``) or |f(x)| (``margin``). Then the finalization: REPROCESS until high - low <= eps, where the
paper ends (``expansion``). Of equals the first example is taken.

With ``finishing=all`` all examples are checked instead, and each one outside S that violates the conditions
with another one by more than ``eps`` enters S; REPROCESS until high - low is at most a tenth of the largest
violation of all, or ``eps``; and so on, until no example violates by more than ``eps``: that is the optimum.
b is then moved between high and low of all examples, if those of S left an interval. This is not part of the
paper. For speed it chooses its pairs by second-order information (R.-E. Fan, P.-H. Chen, C.-J. Lin, JMLR 6,
2005): the partner of high is the s with g_s < high and a_s > A_s whose step gains most, :math:`(high
- g_s)^2 / (K_{hh} + K_{ss} - 2 K_{hs})`; gains within 1e-9 of the largest are equal.

Without bias a step changes one coordinate, the worse violator, to a_i + g_i/K_ii, clipped to the box: the
pair of it and of a partner that has g = 0, K = 0 and no bound; PROCESS returns if y_k g_k < 0.

Counting: an iteration is an example presented, or in the finalization a REPROCESS or a check of all examples.
On demand, evaluating an example outside S costs |S|, and its values are used for its first step; any other
coefficient that changes costs |S|. If rows are maintained it costs n. The program does either: with
``selection=random``, if computing a row is as fast as caching it, it maintains g of S only and computes rows
over S. Otherwise it maintains g of all examples: a row over all is computed for a step, and PROCESS and the
candidates read g. The feasible directions of the members of S are stored in vectors, so that one pass updates
g and finds the new extrema. The two ways differ in g by rounding in double precision.

Answer: the last iterate, a dual point. b is unchanged if S has no extrema; if it has one, b is its g.
"""

from dataclasses import dataclass

import numpy as np

from svmbench.option import option
from svmbench.solvers.base import KernelExpansion, Snapshot, Solver
from svmbench.solvers.run import checked_diagonal

from libc.math cimport INFINITY, fabs, fmax, fmin, isfinite
from libc.stdint cimport int64_t

from svmbench.rng cimport Generator
from svmbench.solvers.dual.expansion_set cimport NOBODY, TIE, ExpansionSet
from svmbench.solvers.dual.refinement cimport Refinement
from svmbench.solvers.run cimport SteppedRun
from svmbench.solvers.dual.working_pair cimport Extrema, midpoint

SELECTIONS = ("random", "gradient", "margin")
FINALIZATIONS = ("none", "expansion", "all")

# Violation to which S is optimised before all examples are checked again, relative to their largest
# violation.
cdef double SHARE = 0.1

# In the order of the words above.
cdef enum Selection:
    AT_RANDOM, BY_GRADIENT, BY_MARGIN

cdef enum Finalization:
    WITHOUT, OVER_EXPANSION, OVER_ALL

cdef enum:
    SEEDS = 5               # initial examples of each class
    SWAPS_AHEAD = 4096      # of the pool: how far the coming examples are predicted


@dataclass(frozen=True)
class Params:
    """Parameters of LASVM."""

    selection: str = option(
        "random",
        "Choice of the next example. random: at random. gradient: the most misclassified of some random "
        "candidates. margin: the candidate nearest to the decision boundary.",
        choices=SELECTIONS,
    )
    candidates: int = option(
        50, "Candidates for gradient and margin. The number of the paper.", min=1
    )
    epochs: int = option(1, "Passes over the examples. The paper's experiments make one.", min=1)
    finishing: str = option(
        "all",
        "What follows the passes. none: nothing. expansion: optimisation over the expansion set, as in the "
        "paper. all: optimisation over all examples, which reaches the optimum of the problem that all "
        "solvers solve; pairs are chosen by second-order information.",
        choices=FINALIZATIONS,
    )
    eps: float = option(
        1e-3, "Tolerance of the optimality conditions of a pair: tau of the paper.", above=0.0
    )


cdef class Pool:
    """Random draws of examples without replacement, which can be undone.

    The remaining examples are at the beginning of an array. A draw swaps two entries, so that what has been
    drawn ahead can be undone and drawn again later.

    Parameters
    ----------
    order : ndarray of int64, shape (n,)
        The examples in their initial order.
    capacity : int
        Number of swaps that can be undone: one per draw and one per example taken.
    """

    cdef int64_t[::1] order         # first the remaining ones
    cdef int64_t[:, ::1] swaps      # since the last `remember`
    cdef Py_ssize_t swapped         # their number

    def __init__(self, order, capacity):
        self.order = np.array(order, dtype=np.int64)
        self.swaps = np.empty((capacity, 2), dtype=np.int64)

    cdef int64_t draw(self, Generator rng, Py_ssize_t place, int64_t left) noexcept nogil:
        """Draw candidate number `place` from the remaining ones, after those before it; return it."""
        self.swap(place, place + rng.below(<unsigned int> (left - place)))
        return self.order[place]

    cdef int64_t take(self, Py_ssize_t place, int64_t left) noexcept nogil:
        """Remove candidate number `place` from the remaining ones; return it."""
        self.swap(place, left - 1)
        return self.order[left - 1]

    cdef void remember(self) noexcept nogil:
        """Make all later draws undoable, as many as the capacity."""
        self.swapped = 0

    cdef void undo(self) noexcept nogil:
        cdef Py_ssize_t k = 0, q = 0, p = 0
        for k in range(self.swapped - 1, -1, -1):
            q, p = self.swaps[k, 0], self.swaps[k, 1]
            self.order[q], self.order[p] = self.order[p], self.order[q]
        self.swapped = 0

    cdef void swap(self, Py_ssize_t q, Py_ssize_t p) noexcept nogil:
        self.order[q], self.order[p] = self.order[p], self.order[q]
        self.swaps[self.swapped, 0] = q
        self.swaps[self.swapped, 1] = p
        self.swapped += 1


cdef class Run(SteppedRun):
    """A started LASVM."""

    cdef Generator rng
    cdef Generator lookahead        # a copy that runs ahead
    cdef int selection
    cdef int64_t candidates
    cdef int finalization
    cdef int64_t online             # iterations before the finalization
    cdef int64_t[::1] seeds
    cdef Pool pool                  # examples not presented yet in this pass
    cdef ExpansionSet S
    cdef double b
    cdef double gap                 # high - low after the last REPROCESS
    cdef double enough              # gap to reach in the finalization before all examples are checked
    cdef readonly Refinement refinement

    def __init__(self, problem, oracle, Generator rng not None, params):
        super().__init__(problem, oracle)
        diagonal = checked_diagonal(oracle)
        self.rng = rng
        self.lookahead = Generator(0)
        self.eps = params.eps
        self.selection = SELECTIONS.index(params.selection)
        self.candidates = params.candidates
        self.finalization = FINALIZATIONS.index(params.finishing)
        order = rng.permutation(self.n)
        y = np.asarray(self.labels)[order]
        self.seeds = np.concatenate([order[y > 0.0][:SEEDS], order[y < 0.0][:SEEDS]])
        self.online = self.seeds.shape[0] + params.epochs * self.n
        self.pool = Pool(order, SWAPS_AHEAD + min(params.candidates, self.n) + 1)
        cdef bint narrow = self.oracle.layout.can_place() and not self.oracle.layout.worth_keeping()
        self.S = ExpansionSet(
            oracle, problem, self.labels, diagonal, narrow and self.selection == AT_RANDOM
        )
        self.refinement = Refinement(oracle, None, self.labels, diagonal, self.S.alpha, 2)
        self.gap = INFINITY
        self.enough = INFINITY if self.finalization == OVER_ALL else self.eps

    cdef int step(self) except -1 nogil:
        cdef int64_t seeds = self.seeds.shape[0]
        cdef int64_t presented = self.iterations - seeds
        cdef int64_t coordinates = 2 if self.S.balanced else 1
        cdef bint looked = False
        cdef Py_ssize_t k = 0
        if presented < 0:
            self.process(self.seeds[self.iterations], False)
        elif self.iterations < self.online:
            looked = self.selection != AT_RANDOM
            self.pool.remember()
            k = self.next_example(self.rng, self.n - presented % self.n, True)
            self.process(k, looked)
            self.reprocess(False)
            coordinates *= 2
        elif self.gap > self.enough:
            self.reprocess(self.finalization == OVER_ALL)
        else:
            self.look_at_all()
        self.ledger.iteration(coordinates * self.n)
        if self.iterations + 1 >= self.online:
            self.end_or_refine()
        return 0

    cdef int end_or_refine(self) except -1 nogil:
        """After the last example, check convergence."""
        if self.finalization == WITHOUT:
            self.converged = True
            return 0
        if self.finalization == OVER_EXPANSION and self.gap <= self.eps:
            self.converged = True
        if self.refinement.due(self.gap, self.eps, self.converged):
            self.refine()
        return 0

    cdef int refine(self) except -1 nogil:
        """Recompute all gradients; the next iterations show whether the run has converged."""
        cdef double* g = &self.S.everywhere[0]
        cdef Extrema extrema
        self.refinement.renew(g)
        self.S.take_over()
        extrema = self.S.worst()
        self.gap = extrema.m_up - extrema.M_low
        self.converged = self.finalization == OVER_EXPANSION and self.gap <= self.eps
        if self.refinement.stalled(self.gap, g):
            self.stalled = not self.converged
            self.S.take_over()
        return 0

    cdef Py_ssize_t next_example(self, Generator rng, int64_t left, bint counted) noexcept nogil:
        """Choose one of the remaining examples of this pass and remove it from them."""
        cdef int64_t count = min(self.candidates, left) if self.selection != AT_RANDOM else 1
        cdef double best = INFINITY, found = 0.0
        cdef Py_ssize_t chosen = 0, q = 0, k = 0
        for q in range(count):
            k = self.pool.draw(rng, q, left)
            if self.selection != AT_RANDOM:
                found = self.score(k, counted)
                if found < best - TIE:
                    best = found
                    chosen = q
        return self.pool.take(chosen, left)

    cdef void prefetch_hints(self) noexcept nogil:
        """Predict the next examples, and which of them would enter S by the current gradients."""
        cdef int64_t presented = self.iterations - self.seeds.shape[0] + 1
        cdef int64_t end = self.online - self.seeds.shape[0]
        cdef Py_ssize_t k = 0
        cdef bint useful = presented > 0
        self.lookahead.follow(self.rng)
        self.pool.remember()
        while useful and presented < end and self.pool.swapped < SWAPS_AHEAD:
            k = self.next_example(self.lookahead, self.n - presented % self.n, False)
            if not self.S.inside[k] and not self.S.settled(k, self.S.v[k], &self.S.extrema):
                useful = self.oracle.prefetch.request(k)
            presented += 1
        self.pool.undo()

    cdef double score(self, Py_ssize_t k, bint counted) noexcept nogil:
        """Evaluate a candidate; return the value of which the smallest is chosen."""
        cdef double f = self.y[k] - self.S.v[k] + self.b
        if counted and not self.S.inside[k]:
            self.ledger.charge_on_demand(self.S.count)
        return f * self.y[k] if self.selection == BY_GRADIENT else fabs(f)

    cdef void process(self, Py_ssize_t k, bint looked) noexcept nogil:
        """Add an example to S and make its first step; ``looked``: its values over S are cached."""
        cdef Extrema extrema = self.S.extrema
        cdef Py_ssize_t partner = NOBODY
        cdef Py_ssize_t p = 0
        cdef double g = 0.0
        if self.S.inside[k]:
            return
        if not looked:
            self.ledger.charge_on_demand(self.S.count)
        g = self.S.look(k)
        if self.S.settled(k, g, &extrema):
            return
        p = self.S.enter(k, g)
        if self.S.balanced:
            partner = extrema.i_low if self.y[k] > 0.0 else extrema.i_up
            if partner == NOBODY or self.y[k] * (g - self.S.v[partner]) <= TIE:
                self.S.find_extrema()
                return
            self.ledger.charge_on_demand(self.S.count)
        if self.y[k] > 0.0:
            self.improve(p, partner)
        else:
            self.improve(partner, p)

    cdef void improve(self, Py_ssize_t p, Py_ssize_t q) noexcept nogil:
        """Make the step of a pair in S, given by its positions."""
        cdef const float* row_p = self.row_at(p) if p != NOBODY else NULL
        cdef const float* row_q = self.row_at(q) if q != NOBODY else NULL
        self.S.improve(p, q, row_p, row_q)
        self.ledger.charge_row_update(((p != NOBODY) + (q != NOBODY)) * self.n)

    cdef const float* row_at(self, Py_ssize_t p) noexcept nogil:
        """Return the row of the member at a position, over all positions."""
        return self.S.members.get_row(p) if self.S.compact else self.row(p)

    cdef void reprocess(self, bint second_order) noexcept nogil:
        """Make the step of the maximal violating pair in S, and remove members that cannot violate."""
        cdef Extrema extrema = self.S.worst()
        cdef Py_ssize_t partner = extrema.i_low
        if extrema.m_up - extrema.M_low > self.eps:
            self.ledger.charge_on_demand((2 if self.S.balanced else 1) * self.S.count)
            if second_order and self.S.balanced:
                partner = self.S.second_order_partner(&extrema)
            self.improve(extrema.i_up, partner)
            extrema = self.S.worst()
        self.gap = extrema.m_up - extrema.M_low
        if not self.S.balanced:
            self.S.remove(0.0, 0.0)
            return
        self.S.remove(extrema.m_up, extrema.M_low)
        if isfinite(extrema.m_up) or isfinite(extrema.M_low):
            self.b = midpoint(&extrema)

    cdef int look_at_all(self) except -1 nogil:
        """Add the examples that violate the conditions to S; if there are none, the method has converged."""
        cdef Py_ssize_t before = self.S.count
        cdef double worst = 0.0
        cdef double[2] bounds
        self.S.admit_violators(self.eps, &worst, bounds)
        self.ledger.charge_on_demand((self.n - before) * before)
        self.converged = worst <= self.eps
        if self.converged and self.S.balanced:
            # S may leave an interval for b if it has no member between the bounds.
            self.b = fmin(fmax(self.b, bounds[0]), bounds[1])
        self.enough = fmax(self.eps, SHARE * worst)
        self.gap = INFINITY
        return 0

    def tighten(self, double factor) -> bool:
        """Continue with a smaller tolerance, if all examples are checked."""
        return self.finalization == OVER_ALL and super().tighten(factor)

    def keep(self, kept):
        """Declare the state of the run."""
        kept.stream(self.rng)
        kept.vectors(order=self.pool.order)
        self.S.keep(kept.part("S"))
        self.b = kept.number("b", self.b)
        self.gap = kept.number("gap", self.gap)
        self.enough = kept.number("enough", self.enough)
        self.refinement.keep(kept.part("refinement"))

    @property
    def reason(self):
        """Why the run has converged without a check of all examples."""
        over = self.converged and self.finalization == OVER_EXPANSION
        return "the optimality conditions hold over its expansion set" if over else ""

    def snapshot(self):
        """Return the last iterate, a dual point."""
        alpha, y = np.array(self.S.alpha), np.asarray(self.labels)
        responses = None if self.S.compact else 1.0 - y * np.asarray(self.S.v)
        return Snapshot(KernelExpansion.from_alpha(alpha, y, self.b), responses=responses, alpha=alpha)


class LASVM(Solver):
    """LASVM; see the module."""

    name = "lasvm"
    title = "LASVM"
    biases = ("unregularised", "none")
    exact = True
    counting = (
        "on demand: the expansion set per look at an example outside it and per changed coefficient; rows "
        "kept: n per changed coefficient; iterations: n per coefficient that can change"
    )
    resumable = True
    version = 4
    Params = Params
    Run = Run
