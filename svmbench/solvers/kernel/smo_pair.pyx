r"""Sequential minimal optimisation with an unregularised bias: pairs of coordinates.

J. Platt, Fast Training of Support Vector Machines using Sequential Minimal Optimization, 1998. Selection by
the worst violating pair: S. S. Keerthi, S. K. Shevade, C. Bhattacharyya and K. R. K. Murthy, Improvements to
Platt's SMO Algorithm, Neural Computation 13, 2001; by second-order information: R.-E. Fan, P.-H. Chen and
C.-J. Lin, Working Set Selection Using Second Order Information, JMLR 6, 2005. Shrinking: C.-C. Chang and
C.-J. Lin, LIBSVM, ACM Trans. Intell. Syst. Technol. 2, 2011, section 5. Conjugate steps: A. Torres-Barrán, C.
M. Alaíz and J. R. Dorronsoro, Pattern Recognition 111, 2021.

Problem, the dual of the regularised form with bias in its C-form, C = 1/(λn):
:math:`\max_\alpha \sum_i \alpha_i - \frac12 |\sum_i \alpha_i y_i \Phi(x_i)|^2`, :math:`0 \le \alpha_i \le C`,
:math:`\sum_i \alpha_i y_i = 0`.

Method, from α = 0; :math:`v_i = y_i - \sum_j \alpha_j y_j K(x_j, x_i)`, which is :math:`-y_i` times the
gradient::

    i = argmax v over I_up = {y_i = 1, α_i < C or y_i = -1, α_i > 0}
    j = argmax (v_i - v_j)² / A_ij over the v_j < v_i of I_low = {y_j = 1, α_j > 0 or y_j = -1, α_j < C},
        A_ij = K(x_i, x_i) + K(x_j, x_j) - 2 K(x_i, x_j); with selection=worst_pair: argmin v over I_low
    δ = (v_i - v_j) / A_ij, cut to the box;  α_i += y_i δ, α_j -= y_j δ
    v_t -= δ (K(x_i, x_t) - K(x_j, x_t)) for all t

It converges when max v over I_up - min v over I_low < ``eps``. The bias is the mean of v over the free
coefficients, 0 < α < C, or the midpoint of the two extrema if none is free.

Shrinking. Every min(n, 1000) iterations the coefficients at a bound that v pushes against it are shrunk:
those that can only move down and are above m_up, the largest v of I_up, and those that can only move up and
are below M_low, the smallest of I_low. Passes cover the others only. When the two have come within 10 ``eps``
for the first time, and whenever they are within ``eps``, the values of shrunk coefficients are recomputed and
all coefficients unshrunk; only then can the method converge. (Once scores have been recomputed in double
precision, see `refinement`, they always are.) For this, the contribution of the coefficients at C is
maintained, so that only the rows of the free ones are needed, or those of the shrunk examples, whichever are
fewer. Rows are whole: shrinking saves passes over vectors, not evaluations.

With ``conjugate`` a step goes along a direction conjugate to that of the last one
(`svmbench.solvers.dual.conjugate`), which changes more than two coefficients: an iteration costs one more
pass over a vector and no more evaluations. Nothing is shrunk then.

Answer: the last iterate, a dual point.
"""

from dataclasses import dataclass

import numpy as np

from svmbench.option import option
from svmbench.solvers.base import KernelExpansion, Snapshot, Solver
from svmbench.solvers.dual.parameters import shrinking_field
from svmbench.solvers.run import checked_diagonal

from svmbench.simd.passes cimport add_signed
from svmbench.solvers.dual.box cimport ActiveDual, Pair
from svmbench.solvers.dual.conjugate cimport ConjugateDirection
from svmbench.solvers.dual.refinement cimport Refinement
from svmbench.solvers.run cimport SteppedRun

cdef enum:
    SHRINK_EVERY = 1000
    NEAR = 10               # times eps: where shrinking restarts with all coefficients


@dataclass(frozen=True)
class Params:
    """Parameters of SMO with bias."""

    eps: float = option(
        1e-3,
        "Stop when no pair of coefficients violates the optimality conditions by this much. The default of "
        "LIBSVM.",
        above=0.0,
    )
    selection: str = option(
        "second_order",
        "Choice of the partner of the largest violator. second_order: by the gain of the step (Fan, Chen, "
        "Lin 2005). worst_pair: that of the most violating pair (Keerthi et al. 2001).",
        choices=("second_order", "worst_pair"),
    )
    shrinking: bool = shrinking_field()
    conjugate: bool = option(
        False,
        "Step along directions conjugate to the last one: fewer iterations, each with one more pass over a "
        "vector and the same evaluations (Torres-Barrán, Alaíz, Dorronsoro 2021). Turns shrinking off.",
        later=True,
    )

    def __post_init__(self):
        if self.conjugate:
            # The share of the coefficients at C would need rows that are not at hand.
            object.__setattr__(self, "shrinking", False)


cdef class Run(SteppedRun):
    """A started SMO with bias."""

    cdef bint second_order
    cdef bint shrinking
    cdef bint was_near              # whether the extrema have been within NEAR eps
    cdef ActiveDual dual
    cdef ConjugateDirection conjugate   # None: steps of pairs
    cdef double[::1] at_C           # responses of the coefficients at C alone, kept for shrinking
    cdef signed char[::1] is_at_C   # which these are
    cdef double[::1] scratch
    cdef readonly Refinement refinement

    def __init__(self, problem, oracle, params):
        super().__init__(problem, oracle)
        self.eps = params.eps
        self.second_order = params.selection == "second_order"
        self.shrinking = params.shrinking
        diagonal = checked_diagonal(oracle)
        self.dual = ActiveDual(oracle, problem, self.labels, diagonal)
        self.conjugate = ConjugateDirection(self.dual) if params.conjugate else None
        kept = self.n if self.shrinking else 0
        self.at_C, self.scratch = np.zeros((2, kept))
        self.is_at_C = np.zeros(kept, dtype=np.int8)
        self.refinement = Refinement(oracle, problem, self.labels, diagonal, self.dual.alpha, 2)
        self.converged = self.dual.violation() < self.eps

    cdef int step(self) except -1 nogil:
        cdef Pair pair
        if self.conjugate is not None:
            pair = self.conjugate.improve(self.second_order)
        else:
            pair = self.dual.improve_pair(self.second_order)
        self.ledger.iteration(2 * self.n)
        self.ledger.charge_both(2 * self.n)
        if self.shrinking:
            self.follow(pair.i, pair.row_i)
            self.follow(pair.j, pair.row_j)
            self.shrink_or_restore()
        self.converged = self.dual.violation() < self.eps
        if self.refinement.due(self.dual.violation(), self.eps, self.converged):
            self.refine()
        return 0

    cdef int refine(self) except -1 nogil:
        """Recompute the values, and unshrink all coefficients."""
        cdef double* v = &self.dual.v[0]
        self.refinement.renew(v)
        self.dual.activate_all()
        self.converged = self.dual.violation() < self.eps
        if not self.converged and self.refinement.stalled(self.dual.violation(), v):
            self.dual.activate_all()
            self.stalled = True
        return 0

    cdef void follow(self, Py_ssize_t i, const float* row) noexcept nogil:
        """Update the contribution of the coefficients at C for one that has changed."""
        cdef bint now = self.dual.alpha[i] == self.dual.bound[i]
        if now != self.is_at_C[i]:
            self.is_at_C[i] = now
            self.add(row, self.dual.bound[i] * self.y[i] * (1.0 if now else -1.0), &self.at_C[0])

    cdef void add(self, const float* row, double factor, double* responses) noexcept nogil:
        add_signed(responses, &self.signs[0], row, self.n, factor)

    cdef int shrink_or_restore(self) except -1 nogil:
        cdef double gap = self.dual.violation()
        if gap < self.eps or (gap < NEAR * self.eps and not self.was_near):
            self.was_near = True
            if self.dual.n_active < self.n and self.refinement.rounds > 0:
                # Rows in single precision would spoil the recomputed values.
                self.refinement.renew(&self.dual.v[0])
                self.dual.activate_all()
            elif self.dual.n_active < self.n:
                self.restore()
                self.refinement.forget()  # what it knew of a first point
        elif (self.iterations + 1) % min(self.n, <Py_ssize_t> SHRINK_EVERY) == 0:
            self.dual.shrink()
        return 0

    cdef void restore(self) noexcept nogil:
        """Recompute the values of shrunk coefficients and unshrink them all."""
        cdef double* responses = &self.scratch[0]
        cdef Py_ssize_t p = self.dual.n_active - 1
        cdef Py_ssize_t t = 0
        self.complete(responses)
        for t in range(self.n - 1, -1, -1):
            if p >= 0 and self.dual.active[p] == t:
                self.dual.v[t] = self.dual.v[p]
                p -= 1
            else:
                self.dual.v[t] = self.y[t] * (1.0 - responses[t])
        self.dual.activate_all()

    cdef void complete(self, double* responses) noexcept nogil:
        """Compute the responses of the shrunk examples; all free coefficients are active."""
        cdef Py_ssize_t free = 0
        cdef Py_ssize_t p = 0, t = 0
        for t in range(self.n):
            responses[t] = self.at_C[t]
        for p in range(self.dual.n_active):
            free += self.dual.up[p] == self.dual.down[p]
        if free <= self.n - self.dual.n_active:
            for p in range(self.dual.n_active):
                if self.dual.up[p] == self.dual.down[p]:
                    t = self.dual.active[p]
                    self.add(self.fetch(t), self.dual.alpha[t] * self.y[t], responses)
            return
        p = 0
        for t in range(self.n):
            if p < self.dual.n_active and self.dual.active[p] == t:
                p += 1
            else:
                responses[t] += self.y[t] * self.free_score(self.fetch(t))

    cdef double free_score(self, const float* row) noexcept nogil:
        """Return the contribution of the free coefficients to the score of the example of that row."""
        cdef double result = 0.0
        cdef Py_ssize_t p = 0, j = 0
        for p in range(self.dual.n_active):
            if self.dual.up[p] == self.dual.down[p]:
                j = self.dual.active[p]
                result += self.dual.alpha[j] * self.y[j] * row[j]
        return result

    def begin(self, alpha):
        """Begin at a feasible point, float64 (n,), instead of 0."""
        point, y = np.asarray(self.dual.alpha), np.asarray(self.labels)
        if self.shrinking:  # the contribution of the coefficients at C first
            at_C = alpha == np.asarray(self.dual.bound)
            point[:] = np.where(at_C, alpha, 0.0)
            self.refinement.begin(self.dual.v)
            np.asarray(self.at_C)[:] = 1.0 - y * np.asarray(self.dual.v)
            np.asarray(self.is_at_C)[:] = at_C
        point[:] = alpha
        self.refinement.begin(self.dual.v)
        self.dual.activate_all()
        self.converged = self.dual.violation() < self.eps

    def keep(self, kept):
        """Declare the state of the run."""
        self.dual.keep(kept.part("dual"))
        kept.vectors(at_C=self.at_C, is_at_C=self.is_at_C)
        self.was_near = kept.number("was_near", self.was_near)
        self.refinement.keep(kept.part("refinement"))
        if self.conjugate is not None:
            self.conjugate.keep(kept.part("conjugate"))

    def snapshot(self):
        """Return the last iterate, a dual point, with responses unless examples are shrunk."""
        alpha, y = np.array(self.dual.alpha), np.asarray(self.labels)
        known = self.dual.n_active == self.n
        return Snapshot(
            KernelExpansion.from_alpha(alpha, y, self.dual.bias()),
            responses=1.0 - y * np.asarray(self.dual.v) if known else None,
            alpha=alpha,
            exact_at=self.refinement.last_exact(),
        )


class SMOPair(Solver):
    """Sequential minimal optimisation with bias; see the module."""

    name = "smo_pair"
    title = "SMO with bias"
    biases = ("unregularised",)
    exact = True
    weighted = True
    counting = "2n under every convention, and n per row of a reconstruction"
    stochastic = False
    resumable = True
    startable = True
    version = 2
    Params = Params
    Run = Run
