r"""LASVM: an online SVM with removal of support vectors.

A. Bordes, S. Ertekin, J. Weston and L. Bottou, Fast Kernel Classifiers with Online and Active Learning, JMLR
6, 2005; sections 3 and 4.

Problem, the dual of the regularised form in its C-form with signed coefficients :math:`a_i = \alpha_i y_i`:
:math:`\max_a \sum_i a_i y_i - \frac12 |\sum_i a_i \Phi(x_i)|^2`, :math:`A_i \le a_i \le B_i`, that is
[0, C] or [-C, 0] by the label, and :math:`\sum_i a_i = 0` with a bias. Its gradient is
:math:`g_i = y_i - \sum_j a_j K(x_j, x_i)`.

Method, on an expansion set S, at first empty. The ends of S are high = max g over the a < B and low = min g
over the a > A::

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
REPROCESS once. It is drawn at random, or it is, of ``candidates`` random ones, the one with the least y f(x)
(``gradient``) or the least |f(x)| (``margin``). Then the finishing: REPROCESS until high - low <= eps, which
is where the paper ends (``expansion``). Of equals the first example is taken.

With ``finishing=all`` it looks at all examples instead, and each one outside S that violates the conditions
with another one by more than ``eps`` enters S; REPROCESS until high - low is at most a tenth of the largest
violation of all, or ``eps``; and again, until no example violates by more than ``eps``: that is the optimum.
This is no part of the paper, and to end in good time it chooses its pairs by second-order information (R.-E.
Fan, P.-H. Chen, C.-J. Lin, JMLR 6, 2005): the partner of high is the s with g_s < high and a_s > A_s whose
step gains most, :math:`(high - g_s)^2 / (K_{hh} + K_{ss} - 2 K_{hs})`.

Without bias a step changes one coordinate, the worse violator, to a_i + g_i/K_ii, cut to the box: the pair of
it and of a partner that has g = 0, K = 0 and room without end; PROCESS returns if y_k g_k < 0.

Counting: an iteration is an example presented, or in the finishing a REPROCESS or a look at all examples.
On demand a look at an example outside S costs |S| evaluations, and its values serve its first step; any other
coefficient that changes costs |S|. Where rows are kept it costs n. The program keeps them: g is known for
all examples, a row is computed for a step, and PROCESS and the candidates read g. Which members of S can
move up and down stands in vectors over all examples, so that one pass moves g and finds the new ends.

Answer: the last iterate, a dual point. b stays as it was where S has no ends; where it has one, b is its g.
"""

from dataclasses import dataclass, field

import numpy as np

from svmbench.solvers.base import KernelExpansion, Snapshot, Solver
from svmbench.solvers.parts.stepping import checked_diagonal

from libc.math cimport INFINITY, fabs, fmax, fmin, isfinite
from libc.stdint cimport int64_t

from svmbench.solvers.parts.random cimport Generator
from svmbench.solvers.parts.stepping cimport SteppedRun
from svmbench.solvers.parts.violating_pair cimport Ends, best_partner, curvature, move_values_with_ties

SELECTIONS = ("random", "gradient", "margin")
FINISHINGS = ("none", "expansion", "all")

# Gradients and scores nearer than this are equal: the two of a pair are so after their step, and rounding
# shall not choose between them.
cdef double TIE = 1e-12

# Of the largest violation of all examples, to which S is optimised before the next look at all.
cdef double SHARE = 0.1

cdef enum:
    NONE = -1               # the partner there is not
    SEEDS = 5               # examples of each class that begin the expansion
    SWAPS_AHEAD = 4096      # of the pool: how far the coming examples are looked for


@dataclass(frozen=True)
class Params:
    """Parameters of LASVM."""

    selection: str = field(
        default="random",
        metadata={
            "choices": SELECTIONS,
            "help": "next example: a random one, or the most misclassified or least certain candidate",
        },
    )
    candidates: int = field(
        default=50, metadata={"min": 1, "help": "random examples among which gradient and margin choose"}
    )
    epochs: int = field(default=1, metadata={"min": 1, "help": "passes over the examples"})
    finishing: str = field(
        default="all",
        metadata={
            "choices": FINISHINGS,
            "help": "after the passes: nothing, optimise over the expansion, or over all examples",
        },
    )
    eps: float = field(
        default=1e-3,
        metadata={"above": 0.0, "help": "the paper's tau: violation below which a pair is left alone"},
    )


cdef class Run(SteppedRun):
    """A started LASVM."""

    cdef Generator rng
    cdef Generator scout            # runs ahead of it
    cdef double C
    cdef double eps
    cdef bint biased
    cdef int selection
    cdef int64_t candidates
    cdef int finishing
    cdef int64_t online             # iterations before the finishing
    cdef int64_t[::1] seeds
    cdef int64_t[::1] pool          # all examples, first those not yet presented in this pass
    cdef int64_t[:, ::1] swaps      # the last ones in it, to be undone
    cdef Py_ssize_t swapped         # how many they are
    cdef double[::1] a
    cdef double[::1] g
    cdef double b
    cdef double gap                 # high - low after the last REPROCESS
    cdef double enough              # that of the finishing, until it looks at all examples
    cdef Py_ssize_t size            # of S
    cdef signed char[::1] inside    # whether an example is in S
    cdef double[::1] up             # 0, or -inf if it is not in S or cannot move up
    cdef double[::1] down           # 0, or +inf if it is not in S or cannot move down
    cdef Ends ends                  # of S, in both directions
    cdef Py_ssize_t n_zeros
    cdef int64_t[::1] zeros         # the members of S with a = 0, and some that had it a moment ago
    cdef signed char[::1] listed    # whether an example is among them
    cdef double[::1] diagonal

    def __init__(self, problem, oracle, Generator rng not None, params):
        super().__init__(problem, oracle)
        self.diagonal = checked_diagonal(oracle)
        self.rng = rng
        self.scout = Generator(0)
        self.C = problem.C
        self.eps = params.eps
        self.biased = problem.bias != "none"
        self.selection = SELECTIONS.index(params.selection)
        self.candidates = params.candidates
        self.finishing = FINISHINGS.index(params.finishing)
        order = rng.permutation(self.n)
        y = np.asarray(self.labels)[order]
        self.seeds = np.concatenate([order[y > 0.0][:SEEDS], order[y < 0.0][:SEEDS]])
        self.online = self.seeds.shape[0] + params.epochs * self.n
        self.pool = order
        self.swaps = np.empty((SWAPS_AHEAD + min(params.candidates, self.n) + 1, 2), dtype=np.int64)
        self.a = np.zeros(self.n)
        self.g = np.array(self.labels)
        self.gap = INFINITY
        self.enough = INFINITY if self.finishing == 2 else self.eps
        self.inside = np.zeros(self.n, dtype=np.int8)
        self.up = np.full(self.n, -np.inf)
        self.down = np.full(self.n, np.inf)
        self.zeros = np.zeros(self.n, dtype=np.int64)
        self.listed = np.zeros(self.n, dtype=np.int8)
        self.pass_over(NULL, NULL, 0.0)

    cdef int step(self) except -1 nogil:
        cdef int64_t seeds = self.seeds.shape[0]
        cdef int64_t presented = self.iterations - seeds
        cdef int64_t coordinates = 2 if self.biased else 1
        cdef bint looked = False
        cdef Py_ssize_t k = 0
        if presented < 0:
            self.process(self.seeds[self.iterations], False)
        elif self.iterations < self.online:
            looked = self.selection > 0
            self.swapped = 0
            k = self.next_example(self.rng, self.n - presented % self.n, True)
            self.process(k, looked)
            self.reprocess(False)
            coordinates *= 2
        elif self.gap > self.enough:
            self.reprocess(self.finishing == 2)
        else:
            self.look_at_all()
        self.ledger.iteration(coordinates * self.n)
        if self.iterations + 1 >= self.online:
            if self.finishing == 0 or (self.finishing == 1 and self.gap <= self.eps):
                self.converged = True
        return 0

    cdef Py_ssize_t next_example(self, Generator rng, int64_t left, bint counted) noexcept nogil:
        """Choose one of the examples left in this pass and take it out of them."""
        cdef int64_t count = min(self.candidates, left) if self.selection > 0 else 1
        cdef double best = INFINITY, found = 0.0
        cdef Py_ssize_t chosen = 0, q = 0
        for q in range(count):
            self.swap(q, q + rng.below(<unsigned int> (left - q)))
            if self.selection > 0:
                found = self.score(self.pool[q], counted)
                if found < best - TIE:
                    best = found
                    chosen = q
        self.swap(chosen, left - 1)
        return self.pool[left - 1]

    cdef void swap(self, Py_ssize_t q, Py_ssize_t p) noexcept nogil:
        self.pool[q], self.pool[p] = self.pool[p], self.pool[q]
        self.swaps[self.swapped, 0] = q
        self.swaps[self.swapped, 1] = p
        self.swapped += 1

    cdef void take_back(self) noexcept nogil:
        """Undo the last swap."""
        cdef Py_ssize_t q = 0, p = 0
        self.swapped -= 1
        q = self.swaps[self.swapped, 0]
        p = self.swaps[self.swapped, 1]
        self.pool[q], self.pool[p] = self.pool[p], self.pool[q]

    cdef void foresee(self) noexcept nogil:
        """Expect the examples that come next, as far as they would enter S by the present gradients."""
        cdef int64_t presented = self.iterations - self.seeds.shape[0] + 1
        cdef int64_t end = self.online - self.seeds.shape[0]
        cdef Py_ssize_t k = 0
        cdef bint useful = presented > 0
        self.scout.follow(self.rng)
        self.swapped = 0
        while useful and presented < end and self.swapped < SWAPS_AHEAD:
            k = self.next_example(self.scout, self.n - presented % self.n, False)
            if not self.inside[k] and not self.settled(k, self.ends):
                useful = self.oracle.expect(k)
            presented += 1
        while self.swapped > 0:
            self.take_back()

    cdef double score(self, Py_ssize_t k, bint counted) noexcept nogil:
        """Look at a candidate; return what the least is chosen of."""
        cdef double f = self.y[k] - self.g[k] + self.b
        if counted and not self.inside[k]:
            self.ledger.lookup(self.size)
        return f * self.y[k] if self.selection == 1 else fabs(f)

    cdef bint settled(self, Py_ssize_t k, Ends ends) noexcept nogil:
        """Return whether an example outside S makes no violating pair with it."""
        cdef double end = ends.low if self.y[k] > 0.0 else ends.high
        if self.biased:
            return ends.low < ends.high and self.y[k] * (self.g[k] - end) < -TIE
        return self.y[k] * self.g[k] < -TIE

    cdef void process(self, Py_ssize_t k, bint looked) noexcept nogil:
        """Take an example into S and make its first step; ``looked``: its values over S are at hand."""
        cdef Ends ends = self.ends
        cdef Py_ssize_t partner = NONE
        cdef double g = self.g[k]
        if self.inside[k]:
            return
        if not looked:
            self.ledger.lookup(self.size)
        if self.settled(k, ends):
            return
        self.enter(k)
        if self.biased:
            partner = ends.lowest if self.y[k] > 0.0 else ends.highest
            if partner == NONE or self.y[k] * (g - self.g[partner]) <= TIE:
                self.pass_over(NULL, NULL, 0.0)
                return
            self.ledger.lookup(self.size)
        if self.y[k] > 0.0:
            self.move(k, partner)
        else:
            self.move(partner, k)

    cdef void reprocess(self, bint second_order) noexcept nogil:
        """Make the step of the worst pair in S, and remove what can be none of a violating pair."""
        cdef Ends ends = self.worst()
        cdef Py_ssize_t partner = ends.lowest
        cdef const float* row = NULL
        if ends.high - ends.low > self.eps:
            self.ledger.lookup((2 if self.biased else 1) * self.size)
            if second_order and self.biased:
                row = self.oracle.row_pointer(ends.highest)
                partner = best_partner(
                    &self.g[0], &self.down[0], &self.diagonal[0], row, self.n, &ends
                )
            self.move(ends.highest, partner)
            ends = self.worst()
        self.gap = ends.high - ends.low
        if not self.biased:
            self.remove(0.0, 0.0)
            return
        self.remove(ends.high, ends.low)
        if isfinite(ends.high) and isfinite(ends.low):
            self.b = 0.5 * (ends.high + ends.low)
        elif isfinite(ends.high) or isfinite(ends.low):
            self.b = ends.high if isfinite(ends.high) else ends.low

    cdef Ends worst(self) noexcept nogil:
        """Return the ends of S; without bias the worse of the two, the other one 0."""
        cdef Ends ends = self.ends
        if not self.biased:
            if fmax(ends.high, 0.0) >= -fmin(ends.low, 0.0):
                ends.low = 0.0
                ends.lowest = NONE
                ends.high = fmax(ends.high, 0.0)
            else:
                ends.high = 0.0
                ends.highest = NONE
        return ends

    cdef void pass_over(self, const float* a, const float* b, double step) noexcept nogil:
        """Move all gradients along one row or two, and find the ends of S."""
        self.ends.highest = NONE
        self.ends.lowest = NONE
        move_values_with_ties(
            &self.g[0], a, b, step, &self.up[0], &self.down[0], self.n, TIE, &self.ends
        )

    cdef double room(self, Py_ssize_t i, double direction) noexcept nogil:
        """Return how far a coefficient can go in that direction."""
        if direction == self.y[i]:
            return self.C - fabs(self.a[i])
        return fabs(self.a[i])

    cdef void move(self, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
        """Make the step of a pair, of which one may be `NONE`."""
        cdef const float* row_i = self.row(i) if i != NONE else NULL
        cdef const float* row_j = self.row(j) if j != NONE else NULL
        cdef double both = row_i[j] if i != NONE and j != NONE else 0.0
        cdef double own = row_i[i] if i != NONE else 0.0
        cdef double other = row_j[j] if j != NONE else 0.0
        cdef double rise = (self.g[i] if i != NONE else 0.0) - (self.g[j] if j != NONE else 0.0)
        cdef double step = rise / curvature(own, other, both)
        if i != NONE:
            step = fmin(step, self.room(i, 1.0))
        if j != NONE:
            step = fmin(step, self.room(j, -1.0))
        self.change(i, 1.0, step)
        self.change(j, -1.0, step)
        if i == NONE:
            self.pass_over(row_j, NULL, -step)
        else:
            self.pass_over(row_i, row_j, step)

    cdef void change(self, Py_ssize_t i, double direction, double step) noexcept nogil:
        """Move one coefficient, onto its bound if that is as far as it can go."""
        if i == NONE:
            return
        if step == self.room(i, direction):
            self.a[i] = self.y[i] * self.C if direction == self.y[i] else 0.0
        else:
            self.a[i] += direction * step
        self.mark(i)
        self.ledger.change(self.n)

    cdef void enter(self, Py_ssize_t k) noexcept nogil:
        self.inside[k] = True
        self.size += 1
        self.mark(k)

    cdef void mark(self, Py_ssize_t i) noexcept nogil:
        """Note which ways a member of S can move, and whether it may be removed."""
        self.up[i] = 0.0 if self.room(i, 1.0) > 0.0 else -INFINITY
        self.down[i] = 0.0 if self.room(i, -1.0) > 0.0 else INFINITY
        if self.a[i] == 0.0 and not self.listed[i]:
            self.listed[i] = True
            self.zeros[self.n_zeros] = i
            self.n_zeros += 1

    cdef void remove(self, double high, double low) noexcept nogil:
        """Remove from S the zeros that lie on the right side of its ends."""
        cdef Py_ssize_t kept = 0, p = 0, s = 0
        cdef bint settled = False, end = False
        for p in range(self.n_zeros):
            s = self.zeros[p]
            settled = self.g[s] <= low + TIE if self.y[s] > 0.0 else self.g[s] >= high - TIE
            if self.a[s] == 0.0 and not settled:
                self.zeros[kept] = s
                kept += 1
                continue
            self.listed[s] = False
            if self.a[s] == 0.0:
                self.inside[s] = False
                self.up[s] = -INFINITY
                self.down[s] = INFINITY
                self.size -= 1
                end = end or s == self.ends.highest or s == self.ends.lowest
        self.n_zeros = kept
        if end:
            self.pass_over(NULL, NULL, 0.0)

    cdef void look_at_all(self) noexcept nogil:
        """Take the examples into S that violate the conditions; if none does, the method is done."""
        cdef Ends ends = self.worst()
        cdef double high = ends.high if self.biased else 0.0
        cdef double low = ends.low if self.biased else 0.0
        cdef double found = 0.0, worst = ends.high - ends.low
        cdef Py_ssize_t before = self.size, k = 0
        self.ledger.lookup((self.n - before) * before)
        if self.biased:
            for k in range(self.n):
                if not self.inside[k]:
                    if self.y[k] > 0.0:
                        high = fmax(high, self.g[k])
                    else:
                        low = fmin(low, self.g[k])
        for k in range(self.n):
            if not self.inside[k]:
                found = self.g[k] - low if self.y[k] > 0.0 else high - self.g[k]
                worst = fmax(worst, found)
                if found > self.eps:
                    self.enter(k)
        self.converged = worst <= self.eps
        self.enough = fmax(self.eps, SHARE * worst)
        self.gap = INFINITY
        self.pass_over(NULL, NULL, 0.0)

    def snapshot(self):
        """Return the last iterate, a dual point."""
        a, y = np.asarray(self.a), np.asarray(self.labels)
        alpha = np.abs(a)
        return Snapshot(
            KernelExpansion.from_alpha(alpha, y, self.b), responses=1.0 - y * np.asarray(self.g), alpha=alpha
        )


class LASVM(Solver):
    """LASVM; see the module."""

    name = "lasvm"
    title = "LASVM"
    citation = (
        "A. Bordes, S. Ertekin, J. Weston, L. Bottou. Fast Kernel Classifiers with Online and Active "
        "Learning. JMLR 6, 2005."
    )
    biases = ("unregularised", "none")
    counting = (
        "on demand: the expansion set per look at an example outside it and per changed coefficient; rows "
        "kept: n per changed coefficient; iterations: n per coefficient that can change"
    )
    version = 2
    Params = Params

    def start(self, problem, oracle, rng):
        """Return a run at iteration 0."""
        return Run(problem, oracle, rng, self.params)
