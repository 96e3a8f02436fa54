r"""SMO as Platt published it, with bias.

J. Platt, Fast Training of Support Vector Machines using Sequential Minimal Optimization, in B. Schölkopf, C.
Burges and A. Smola (eds.), Advances in Kernel Methods, 1999, chapter 12; report MSR-TR-98-14, 1998.

Problem, the dual of the regularised form in its C-form, C = 1/(λn):
:math:`\max_\alpha \sum_i \alpha_i - \frac12 |\sum_i \alpha_i y_i \Phi(x_i)|^2`, :math:`0 \le \alpha_i \le C`,
:math:`\sum_i \alpha_i y_i = 0`.

Method, from α = 0, b = 0, with the errors :math:`E_i = \sum_j \alpha_j y_j K(x_j, x_i) + b - y_i`; a
coefficient is free if 0 < α < C, else bound::

    passes: over all examples; then over the free ones until a pass changes nothing; then over all again. It
            converges when a pass over all changes nothing
    examine j:   return unless y_j E_j < -eps and α_j < C, or y_j E_j > eps and α_j > 0
                 for i = the free one with the least E_i if E_j > 0, else the largest, if two are free;
                         the free ones in turn from a random one; the others in turn from a random one:
                     return if the step of (i, j) changes something
    step (i, j): κ = K_ii + K_jj - 2 K_ij;  [L, H] is where α_j can go with α_i in the box
                 α_j' = clip(α_j + y_j (E_i - E_j)/κ, L, H); if κ <= 0, the end at which the dual is larger
                 by more than min(change, C)
                 nothing changes if |α_j' - α_j| < change (α_j' + α_j + min(change, C))
                 α_i' = α_i + y_i y_j (α_j - α_j')
                 b makes E_i = 0 if α_i' is free, else E_j = 0 if α_j' is, else it is the mean of both

The paper's names of ``eps`` and ``change`` are tol and eps, both 1e-3 there; it adds eps to α_j' + α_j for
any C, so that no step is made if C is far below it. An α_j' closer to L or H than 1e-8 of the larger of α_i
and α_j is set to it; the paper does so at 0 and C, by 1e-8 for any C, but at the ends of the segment Σ α_i
y_i stays 0, and a fraction of C would far exceed small coefficients if C is large.

The b of the last step may be wrong for all others, so that examples violate the conditions although no pair
does (S. S. Keerthi et al., Neural Computation 13, 2001). If this ends a pass over all examples, b is set to
the midpoint: the smallest error where α_i y_i can increase and the largest where it can decrease become
opposite numbers. A coefficient so close to 0 or C that ``change`` prevents it from getting there, such as C -
1e-13, then counts as bound: b does not depend on where it can move. If the two errors were more than 2 eps
apart, another pass over all examples follows. If that changes nothing either, every remaining step is smaller
than ``change``, and the method ends.

Counting: an iteration is one examination. On demand, the errors of the free examples are maintained. That of
a bound one costs the number of non-zero coefficients, for j and for each i whose segment is not a point; K_ij
costs 1, and a step, for each of i and j that is free, the number of other free ones. Values evaluated in an
examination, for the error of a bound example or as K_ij, are used for its step, too. If rows are cached, row
j is used for the first K_ij and row i for the step.

Answer: the last iterate, a dual point.
"""

from dataclasses import dataclass

import numpy as np

from svmbench.option import option
from svmbench.solvers.base import KernelExpansion, Snapshot, Solver
from svmbench.solvers.run import checked_diagonal

from libc.math cimport INFINITY, fabs, fmax, fmin

from svmbench.rng cimport Generator
from svmbench.solvers.dual.working_pair cimport Extrema, midpoint
from svmbench.solvers.dual.refinement cimport Refinement
from svmbench.solvers.run cimport SteppedRun

# Smaller differences of errors are ties, and the first one is taken: those of a pair are equal after their
# step, and rounding must not choose between them.
cdef double TIE = 1e-12
# Distance from the end of a segment, relative to the larger coefficient of a pair, that is rounded to 0.
cdef double SNAP = 1e-8
# Rounding error of a step that ends at a bound, relative to the larger coefficient of the pair. Relative to
# C, it would far exceed small coefficients if C is large, and Σ α_i y_i would not stay 0.
cdef double ROUNDING = 1e-14

cdef enum:
    NONE = -1


@dataclass(frozen=True)
class Params:
    """Parameters of Platt's SMO."""

    eps: float = option(
        1e-3, "Tolerance of the optimality conditions of an example: tol of the paper.", above=0.0
    )
    change: float | None = option(
        None,
        "Relative change of a coefficient below which a step is not made: eps of the paper, which is 1e-3 "
        "there, like tol. null: the value of solver.eps.",
        above=0.0,
    )


cdef class Run(SteppedRun):
    """A started SMO of Platt."""

    cdef Generator rng
    cdef double C
    cdef double change
    cdef double least               # added to the coefficients to which a change is relative
    cdef double b
    cdef Extrema extrema
    cdef double[::1] alpha
    cdef double[::1] v              # y_i - f(x_i) without b: E_i = b - v_i
    cdef double[::1] own            # K(x, x) in single precision, as in the rows
    cdef Py_ssize_t nonzeros
    cdef Py_ssize_t free
    cdef Py_ssize_t at              # the next example to examine
    cdef bint everything            # whether the pass is over all examples
    cdef bint changed               # whether anything changed in this pass
    cdef const float* row_j         # of the examined example, if needed so far
    cdef readonly Refinement refinement
    cdef Py_ssize_t tried           # free examples whose value with it, if it is free, has been evaluated

    def __init__(self, problem, oracle, Generator rng not None, params):
        super().__init__(problem, oracle)
        self.rng = rng
        self.C = problem.C
        self.eps = params.eps
        self.change = params.eps if params.change is None else params.change
        self.least = min(self.change, self.C)
        self.alpha = np.zeros(self.n)
        self.v = np.array(self.labels)
        diagonal = checked_diagonal(oracle)
        self.own = diagonal.astype(np.float32).astype(np.float64)
        self.refinement = Refinement(oracle, problem, self.labels, diagonal, self.alpha, self.n)
        self.everything = True

    cdef int step(self) except -1 nogil:
        self.ledger.iteration(self.n)
        if self.examine(self.at):
            self.changed = True
        self.at += 1
        self.find_next()
        return 0

    cdef int find_next(self) except -1 nogil:
        """Go to the next example of the pass, or of the next non-empty pass."""
        while not self.converged and not self.stalled:
            while self.at < self.n and not self.everything and not self.is_free(self.at):
                self.at += 1
            if self.at < self.n:
                return 0
            if self.everything and not self.changed:
                self.converged = self.settle()
            self.everything = not self.changed
            if self.refinement.due(0.5 * self.violation(), self.eps, self.converged):
                self.refine()
            self.changed = False
            self.at = 0
        return 0

    cdef int refine(self) except -1 nogil:
        """Recompute all errors; another pass over all examples checks them."""
        cdef Py_ssize_t i = 0
        self.refinement.renew(&self.v[0])
        self.everything = True
        self.converged = False
        self.stalled = self.refinement.stalled(0.5 * self.violation(), &self.v[0])
        if self.stalled:
            self.nonzeros = self.free = 0
            for i in range(self.n):
                self.nonzeros += self.alpha[i] > 0.0
                self.free += self.is_free(i)
            self.settle()
        return 0

    cdef double violation(self) noexcept nogil:
        self.find_extrema(0.0)
        return self.extrema.m_up - self.extrema.M_low

    cdef void find_extrema(self, double change) noexcept nogil:
        """Find the largest value that can move up and the smallest that can move down, by such a change."""
        cdef Py_ssize_t i = 0
        self.extrema.m_up, self.extrema.M_low = -INFINITY, INFINITY
        for i in range(self.n):
            if self.can_grow(i, change) if self.y[i] > 0.0 else self.can_fall(i, change):
                self.extrema.m_up = fmax(self.extrema.m_up, self.v[i])
            if self.can_fall(i, change) if self.y[i] > 0.0 else self.can_grow(i, change):
                self.extrema.M_low = fmin(self.extrema.M_low, self.v[i])

    cdef bint can_grow(self, Py_ssize_t i, double change) noexcept nogil:
        cdef double a = self.alpha[i]
        return a < self.C and self.C - a >= change * (self.C + a + self.least)

    cdef bint can_fall(self, Py_ssize_t i, double change) noexcept nogil:
        cdef double a = self.alpha[i]
        return a > 0.0 and a >= change * (a + self.least)

    cdef bint settle(self) noexcept nogil:
        """Correct b if it violates the conditions; return whether the method has ended.

        All errors are known, since the pass that changed nothing has checked each. If b does not change, the
        remaining steps are too small.
        """
        cdef double high = 0.0, low = 0.0, before = self.b
        self.find_extrema(0.0)
        high, low = self.extrema.m_up, self.extrema.M_low
        if self.b >= high - self.eps and self.b <= low + self.eps:
            return True
        self.find_extrema(self.change)
        if self.extrema.m_up > -INFINITY and self.extrema.M_low < INFINITY:
            high, low = self.extrema.m_up, self.extrema.M_low
        else:
            self.find_extrema(0.0)
        self.b = midpoint(&self.extrema)
        return high - low <= 2.0 * self.eps or self.b == before

    cdef bint is_free(self, Py_ssize_t i) noexcept nogil:
        return 0.0 < self.alpha[i] < self.C

    cdef void charge_error(self, Py_ssize_t i) noexcept nogil:
        """Charge the error of an example."""
        if not self.is_free(i):
            self.ledger.charge_on_demand(self.nonzeros)

    cdef void charge_pair(self, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
        """Charge the value of a pair, unless the error of a bound example has already needed it."""
        if self.is_free(i) and self.is_free(j):
            self.tried += 1
            self.ledger.charge_on_demand(1)
        elif self.alpha[i] == 0.0 and self.alpha[j] == 0.0:
            self.ledger.charge_on_demand(1)

    cdef bint examine(self, Py_ssize_t j) noexcept nogil:
        """Change an example that violates the conditions, with a partner; return whether one was found."""
        cdef double r = self.y[j] * (self.b - self.v[j])
        cdef Py_ssize_t first = NONE
        self.row_j = NULL
        self.tried = 0
        self.charge_error(j)
        if not ((r < -self.eps and self.alpha[j] < self.C) or (r > self.eps and self.alpha[j] > 0.0)):
            return False
        if self.free > 1:
            first = self.farthest(j)
            if self.move(first, j):
                return True
        # What has been tried before would fail again.
        return self.try_all(j, True, first) or self.try_all(j, False, first)

    cdef Py_ssize_t farthest(self, Py_ssize_t j) noexcept nogil:
        """Return the free example with the smallest error, or the largest if that of j is not positive."""
        cdef double sign = 1.0 if self.b > self.v[j] else -1.0
        cdef double best = -INFINITY
        cdef Py_ssize_t found = NONE, i = 0
        for i in range(self.n):
            if sign * self.v[i] > best + TIE and self.is_free(i):
                best = sign * self.v[i]
                found = i
        return found

    cdef bint try_all(self, Py_ssize_t j, bint among_free, Py_ssize_t but) noexcept nogil:
        """Try j with all free examples except one, or with all others, in turn from a random one."""
        cdef Py_ssize_t i = self.rng.below(<unsigned int> self.n)
        cdef Py_ssize_t left = self.n
        while left > 0:
            left -= 1
            if self.is_free(i) == among_free and i != but and self.move(i, j):
                return True
            i = i + 1 if i + 1 < self.n else 0
        return False

    cdef bint move(self, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
        """Make the step of a pair, if it changes something."""
        cdef double s = self.y[i] * self.y[j]
        cdef double ai = self.alpha[i], aj = self.alpha[j], new = 0.0
        cdef double low = fmax(0.0, ai + aj - self.C if s > 0.0 else aj - ai)
        cdef double high = fmin(self.C, ai + aj if s > 0.0 else self.C + aj - ai)
        if i == j or low >= high:
            return False
        self.charge_error(i)
        if self.row_j == NULL:
            self.row_j = self.oracle.get_row(j)
            self.ledger.charge_row_update(self.n)
        self.charge_pair(i, j)
        new = self.best_of(i, j, low, high)
        if new - low < SNAP * fmax(ai, aj):
            new = low
        elif high - new < SNAP * fmax(ai, aj):
            new = high
        if fabs(new - aj) < self.change * (new + aj + self.least):
            return False
        self.put(i, j, self.rounded(ai + s * (aj - new), fmax(ai, aj)), self.rounded(new, fmax(ai, aj)))
        return True

    cdef double best_of(self, Py_ssize_t i, Py_ssize_t j, double low, double high) noexcept nogil:
        """Return the best value of the second coefficient in its segment."""
        cdef double a = self.alpha[j]
        cdef double slope = self.y[j] * (self.v[j] - self.v[i])
        cdef double kappa = self.own[i] + self.own[j] - 2.0 * <double> self.row_j[i]
        cdef double more = 0.0
        if kappa > 0.0:
            return fmin(fmax(a + slope / kappa, low), high)
        # The gain of the dual at the upper end minus that at the lower end.
        more = (high - a) * (slope - 0.5 * kappa * (high - a)) - (low - a) * (slope - 0.5 * kappa * (low - a))
        if fabs(more) <= self.least:
            return a
        return high if more > 0.0 else low

    cdef double rounded(self, double value, double larger) noexcept nogil:
        if value < ROUNDING * larger:
            return 0.0
        return self.C if value > self.C - ROUNDING * self.C else value

    cdef void put(self, Py_ssize_t i, Py_ssize_t j, double ai, double aj) noexcept nogil:
        """Set the coefficients of a pair and update all errors."""
        cdef const float* row_i = self.oracle.get_row(i)    # the cache holds two rows at once
        cdef const float* row_j = self.row_j
        cdef double di = self.y[i] * (ai - self.alpha[i]), dj = self.y[j] * (aj - self.alpha[j])
        cdef double* v = &self.v[0]
        cdef int pair = self.is_free(i) + self.is_free(j)
        cdef Py_ssize_t t = 0
        self.ledger.charge_row_update(self.n)
        if self.is_free(i):
            self.ledger.charge_on_demand(self.free - pair)
        if self.is_free(j):
            self.ledger.charge_on_demand(self.free - pair - (self.tried - self.is_free(i)))
        for t in range(self.n):
            v[t] -= di * row_i[t] + dj * row_j[t]
        self.nonzeros += (ai > 0.0) + (aj > 0.0) - (self.alpha[i] > 0.0) - (self.alpha[j] > 0.0)
        self.alpha[i] = ai
        self.alpha[j] = aj
        self.free += self.is_free(i) + self.is_free(j) - pair
        if self.is_free(i):
            self.b = v[i]
        elif self.is_free(j):
            self.b = v[j]
        else:
            self.b = 0.5 * (v[i] + v[j])

    def tighten(self, double factor) -> bool:
        """Continue with smaller tolerances of the conditions and of a change."""
        if not super().tighten(factor):
            return False
        self.change *= factor
        self.least = fmin(self.change, self.C)
        return True

    def keep(self, kept):
        """Declare the state of the run."""
        kept.vectors(alpha=self.alpha, v=self.v)
        kept.stream(self.rng)
        self.b = kept.number("b", self.b)
        self.nonzeros = kept.number("nonzeros", self.nonzeros)
        self.free = kept.number("free", self.free)
        self.at = kept.number("at", self.at)
        self.everything = kept.number("everything", self.everything)
        self.changed = kept.number("changed", self.changed)
        if not kept.taking_back or kept.holds("tolerances"):    # states of older versions have none
            self.change = kept.part("tolerances").number("change", self.change)
            self.least = fmin(self.change, self.C)
        self.refinement.keep(kept.part("refinement"))

    def snapshot(self):
        """Return the last iterate, a dual point."""
        alpha, y = np.array(self.alpha), np.asarray(self.labels)
        return Snapshot(
            KernelExpansion.from_alpha(alpha, y, self.b), responses=1.0 - y * np.asarray(self.v), alpha=alpha
        )


class Platt(Solver):
    """SMO as Platt published it; see the module."""

    name = "platt"
    title = "SMO (Platt)"
    biases = ("unregularised",)
    exact = True
    counting = (
        "on demand: the non-zero coefficients per error of a bound example, 1 per pair, the other free ones "
        "per free coefficient of a step; rows kept: n per row taken; iterations: n"
    )
    resumable = True
    version = 3
    Params = Params
    Run = Run
