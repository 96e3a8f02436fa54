r"""Sequential minimal optimisation with an unregularised bias: pairs of coordinates.

J. Platt, Fast Training of Support Vector Machines using Sequential Minimal Optimization, 1998. Selection by
the worst violating pair: S. S. Keerthi, S. K. Shevade, C. Bhattacharyya and K. R. K. Murthy, Improvements to
Platt's SMO Algorithm, Neural Computation 13, 2001; by second-order information: R.-E. Fan, P.-H. Chen and
C.-J. Lin, Working Set Selection Using Second Order Information, JMLR 6, 2005. Shrinking: C.-C. Chang and
C.-J. Lin, LIBSVM, ACM Trans. Intell. Syst. Technol. 2, 2011, section 5.

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
coefficients, 0 < α < C, and the middle between the two ends where none is free.

Shrinking. Every min(n, 1000) iterations the coefficients at a bound that v pushes against it are put aside:
those that can only move down and are above the highest, those that can only move up and are below the
lowest. Passes go over the others only. When the ends have come within 10 ``eps`` for the first time, and
whenever they are within ``eps``, the values put aside are made anew and all coefficients are taken up again;
only then can it converge. For that the share of the coefficients at C is kept up to date, so that only the
rows of the free ones are needed, or those of the examples put aside, whichever are fewer. Rows are whole:
shrinking saves passes over vectors, not evaluations.

Answer: the last iterate, a dual point.
"""

from dataclasses import dataclass, field

import numpy as np

from svmbench.solvers.base import KernelExpansion, Snapshot, Solver
from svmbench.solvers.parts.stepping import checked_diagonal
from svmbench.solvers.parts.violating_pair import bias_between

from libc.math cimport INFINITY, fabs, fmin
from libc.stdint cimport int64_t

from svmbench.solvers.parts.stepping cimport SteppedRun
from svmbench.solvers.parts.violating_pair cimport Ends, best_partner, curvature, move_values

cdef enum:
    SHRINK_EVERY = 1000
    NEAR = 10               # times eps: where shrinking starts again with all coefficients


@dataclass(frozen=True)
class Params:
    """Parameters of SMO with bias."""

    eps: float = field(
        default=1e-3,
        metadata={"above": 0.0, "help": "stop when no pair violates the optimality conditions by this much"},
    )
    selection: str = field(
        default="second_order",
        metadata={
            "choices": ("second_order", "worst_pair"),
            "help": "partner of the highest violator: by the gain of the step, or the lowest",
        },
    )
    shrinking: bool = field(
        default=True, metadata={"help": "put coefficients aside that seem to stay at their bound"}
    )


cdef class Run(SteppedRun):
    """A started SMO with bias."""

    cdef double C
    cdef double eps
    cdef bint second_order
    cdef bint shrinking
    cdef bint was_near              # whether the ends have been within NEAR eps
    cdef double[::1] alpha
    cdef double[::1] diagonal
    cdef double[::1] at_C           # responses of the coefficients at C alone, kept for shrinking
    cdef double[::1] scratch
    # Of the examples that are not put aside, in ascending order.
    cdef Py_ssize_t active
    cdef int64_t[::1] members
    cdef double[::1] v
    cdef double[::1] up             # 0, or -inf where it cannot move up
    cdef double[::1] down           # 0, or +inf where it cannot move down
    cdef double[::1] own            # K(x, x)
    cdef float[::1] row_i
    cdef float[::1] row_j
    cdef Ends ends

    def __init__(self, problem, oracle, params):
        cdef Py_ssize_t p = 0
        super().__init__(problem, oracle)
        self.C = problem.C
        self.eps = params.eps
        self.second_order = params.selection == "second_order"
        self.shrinking = params.shrinking
        self.diagonal = checked_diagonal(oracle)
        self.alpha = np.zeros(self.n)
        self.at_C = np.zeros(self.n if self.shrinking else 0)
        self.scratch = np.empty(self.n if self.shrinking else 0)
        self.row_i = np.empty(self.n if self.shrinking else 0, dtype=np.float32)
        self.row_j = np.empty(self.n if self.shrinking else 0, dtype=np.float32)
        self.active = self.n
        self.members = np.arange(self.n, dtype=np.int64)
        self.v = np.array(self.labels)
        self.up = np.empty(self.n)
        self.down = np.empty(self.n)
        self.own = np.array(self.diagonal)
        for p in range(self.n):
            self.mark(p)
        self.move(NULL, NULL, 0.0)
        self.converged = self.ends.high - self.ends.low < self.eps

    cdef int step(self) except -1 nogil:
        cdef Py_ssize_t p = self.ends.highest, q = self.ends.lowest
        cdef Py_ssize_t i = self.members[p], j = 0
        cdef const float* row_i = self.oracle.row_pointer(i)
        cdef const float* row_j = NULL
        cdef const float* near_i = self.packed(row_i, self.row_i)
        cdef double delta = 0.0
        if self.second_order:
            q = best_partner(
                &self.v[0], &self.down[0], &self.own[0], near_i, self.active, &self.ends
            )
        j = self.members[q]
        row_j = self.oracle.row_pointer(j)      # the cache keeps two rows at hand
        delta = (self.ends.high - self.v[q]) / curvature(row_i[i], row_j[j], row_i[j])
        delta = fmin(delta, fmin(self.room(i, self.y[i]), self.room(j, -self.y[j])))
        self.change(p, row_i, delta)
        self.change(q, row_j, -delta)
        self.move(near_i, self.packed(row_j, self.row_j), delta)
        self.ledger.iteration(2 * self.n)
        self.ledger.maintained_change(2 * self.n)
        if self.shrinking:
            self.shrink_or_restore()
        self.converged = self.ends.high - self.ends.low < self.eps
        return 0

    cdef double room(self, Py_ssize_t i, double direction) noexcept nogil:
        """Return how far a coefficient can go in that direction."""
        return self.C - self.alpha[i] if direction > 0.0 else self.alpha[i]

    cdef void change(self, Py_ssize_t p, const float* row, double delta) noexcept nogil:
        """Move the coefficient at position p by y delta, onto its bound if that is as far as it can go."""
        cdef Py_ssize_t i = self.members[p]
        cdef double direction = self.y[i] * delta
        cdef double before = self.alpha[i]
        cdef double bound = self.C if direction > 0.0 else 0.0
        cdef double after = bound if fabs(delta) == self.room(i, direction) else before + direction
        self.alpha[i] = after
        self.mark(p)
        if self.shrinking and (before == self.C) != (after == self.C):
            self.add(row, self.C * self.y[i] * (1.0 if after == self.C else -1.0), &self.at_C[0])

    cdef void add(self, const float* row, double factor, double* responses) noexcept nogil:
        cdef Py_ssize_t t = 0
        for t in range(self.n):
            responses[t] += factor * self.y[t] * row[t]

    cdef void mark(self, Py_ssize_t p) noexcept nogil:
        """Note which ways the coefficient at position p can move."""
        cdef Py_ssize_t i = self.members[p]
        self.up[p] = 0.0 if self.room(i, self.y[i]) > 0.0 else -INFINITY
        self.down[p] = 0.0 if self.room(i, -self.y[i]) > 0.0 else INFINITY

    cdef void move(self, const float* row_i, const float* row_j, double delta) noexcept nogil:
        """Move the values along two rows, of the active examples, and find the ends."""
        move_values(
            &self.v[0], row_i, row_j, delta, &self.up[0], &self.down[0], self.active, &self.ends
        )

    cdef const float* packed(self, const float* row, float[::1] buffer) noexcept nogil:
        """Return the values of a row that belong to the active examples."""
        cdef Py_ssize_t p = 0
        if self.active == self.n:
            return row
        for p in range(self.active):
            buffer[p] = row[self.members[p]]
        return &buffer[0]

    cdef void shrink_or_restore(self) noexcept nogil:
        cdef double gap = self.ends.high - self.ends.low
        if gap < self.eps or (gap < NEAR * self.eps and not self.was_near):
            self.was_near = True
            if self.active < self.n:
                self.restore()
        elif (self.iterations + 1) % min(self.n, <Py_ssize_t> SHRINK_EVERY) == 0:
            self.shrink()

    cdef void shrink(self) noexcept nogil:
        """Put aside the coefficients that their value pushes against their bound."""
        cdef Py_ssize_t kept = 0
        cdef Py_ssize_t p = 0
        for p in range(self.active):
            if self.up[p] < 0.0 and self.v[p] > self.ends.high:
                continue
            if self.down[p] > 0.0 and self.v[p] < self.ends.low:
                continue
            self.members[kept] = self.members[p]
            self.v[kept] = self.v[p]
            self.up[kept] = self.up[p]
            self.down[kept] = self.down[p]
            self.own[kept] = self.own[p]
            kept += 1
        self.active = kept
        self.move(NULL, NULL, 0.0)

    cdef void restore(self) noexcept nogil:
        """Make the values that were put aside anew and take up all coefficients."""
        cdef double* responses = &self.scratch[0]
        cdef Py_ssize_t p = self.active - 1
        cdef Py_ssize_t t = 0
        self.complete(responses)
        for t in range(self.n - 1, -1, -1):
            if p >= 0 and self.members[p] == t:
                self.v[t] = self.v[p]
                p -= 1
            else:
                self.v[t] = self.y[t] * (1.0 - responses[t])
        self.active = self.n
        for t in range(self.n):
            self.members[t] = t
            self.own[t] = self.diagonal[t]
            self.mark(t)
        self.move(NULL, NULL, 0.0)

    cdef void complete(self, double* responses) noexcept nogil:
        """Fill in the responses of the examples put aside; free coefficients are all among the active."""
        cdef Py_ssize_t free = 0
        cdef Py_ssize_t p = 0, t = 0
        for t in range(self.n):
            responses[t] = self.at_C[t]
        for p in range(self.active):
            free += self.up[p] == self.down[p]
        if free <= self.n - self.active:
            for p in range(self.active):
                if self.up[p] == self.down[p]:
                    t = self.members[p]
                    self.add(self.fetch(t), self.alpha[t] * self.y[t], responses)
            return
        p = 0
        for t in range(self.n):
            if p < self.active and self.members[p] == t:
                p += 1
            else:
                responses[t] += self.y[t] * self.free_score(self.fetch(t))

    cdef double free_score(self, const float* row) noexcept nogil:
        """Return the share of the free coefficients in the score of the example of that row."""
        cdef double result = 0.0
        cdef Py_ssize_t p = 0, j = 0
        for p in range(self.active):
            if self.up[p] == self.down[p]:
                j = self.members[p]
                result += self.alpha[j] * self.y[j] * row[j]
        return result

    cdef const float* fetch(self, Py_ssize_t i) noexcept nogil:
        """Return a row outside the pairs; it is charged to every convention."""
        self.ledger.maintained_change(self.n)
        self.ledger.kev_iter += self.n
        return self.oracle.row_pointer(i)

    def bias(self) -> float:
        """Return the mean value of the free coefficients, or the middle between the ends."""
        free = np.asarray(self.up)[:self.active] == np.asarray(self.down)[:self.active]
        return bias_between(np.asarray(self.v)[:self.active][free], self.ends.high, self.ends.low)

    def snapshot(self):
        """Return the last iterate, a dual point; its responses while nothing is put aside."""
        alpha, y = np.array(self.alpha), np.asarray(self.labels)
        return Snapshot(
            KernelExpansion.from_alpha(alpha, y, self.bias()),
            responses=1.0 - y * np.asarray(self.v) if self.active == self.n else None,
            alpha=alpha,
        )


class SMOPair(Solver):
    """Sequential minimal optimisation with bias; see the module."""

    name = "smo_pair"
    title = "SMO with bias"
    citation = (
        "J. Platt. Fast Training of Support Vector Machines using Sequential Minimal Optimization. 1998. "
        "Selection: R.-E. Fan, P.-H. Chen, C.-J. Lin. JMLR 6, 2005; worst pair: S. S. Keerthi et al. Neural "
        "Computation 13, 2001."
    )
    biases = ("unregularised",)
    counting = "2n under every convention, and n per row of a reconstruction"
    stochastic = False
    Params = Params

    def start(self, problem, oracle, rng):
        """Return a run at iteration 0; the generator is not used."""
        return Run(problem, oracle, self.params)
