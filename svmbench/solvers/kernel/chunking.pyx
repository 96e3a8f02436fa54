r"""Chunking: the exact solution of a growing part of the data, until no other example violates it.

V. Vapnik, Estimation of Dependences Based on Empirical Data, 1982; B. Boser, I. Guyon and V. Vapnik, A
Training Algorithm for Optimal Margin Classifiers, COLT 1992.

Problem, the dual of the regularised form in its C-form, C = 1/(λn):
:math:`\max_\alpha \sum_i \alpha_i - \frac12 |\sum_i \alpha_i y_i \Phi(x_i)|^2`, :math:`0 \le \alpha_i \le C`,
and :math:`\sum_i \alpha_i y_i = 0` where there is a bias.

Method, from α = 0; :math:`v_i = y_i - \sum_j \alpha_j y_j K(x_j, x_i)`, b = 0 without bias::

    chunk = ``first`` examples, drawn without replacement
    repeat:
        change α within the chunk until its optimality conditions hold to ``eps``
        chunk = those of it with α > 0 (all if there is none), and outside the ``q`` largest
                y_i (v_i - b) > eps

It converges when there are none outside. A chunk is solved by the steps of SMO, of which an iteration makes
one: with a bias in the pair chosen to second order, b being the mean v of the free coefficients or the middle
between the ends; without, in the coefficient that gains most. Rows come from the oracle one or two at a time:
no matrix of the chunk is kept, which ends as large as the number of support vectors. The values outside are
brought up to date when the chunk is solved, along the rows of the coefficients that it has changed.

Counting, with c examples in the chunk. On demand a coefficient that changes costs the c values of its row in
the chunk, and a search among the others costs the number of non-zero coefficients for each of them. Where all
responses are maintained a change costs n and the search nothing; the rows that the program takes up again
for the values outside are those of changes that have been charged.

Answer: the last iterate, a dual point.
"""

from dataclasses import dataclass, field

import numpy as np

from svmbench.solvers.base import KernelExpansion, Snapshot, Solver
from svmbench.solvers.parts.stepping import checked_diagonal

from libc.math cimport INFINITY, fabs, fmin
from libc.stdint cimport int64_t

from svmbench.solvers.parts.decomposition cimport leading
from svmbench.solvers.parts.random cimport Generator
from svmbench.solvers.parts.small_qp cimport best_step
from svmbench.solvers.parts.stepping cimport SteppedRun
from svmbench.solvers.parts.violating_pair cimport Ends, best_partner, curvature, move_values


@dataclass(frozen=True)
class Params:
    """Parameters of chunking."""

    first: int = field(default=500, metadata={"min": 1, "help": "examples of the first chunk"})
    q: int = field(default=500, metadata={"min": 1, "help": "violators that a chunk grows by, at most"})
    eps: float = field(
        default=1e-3,
        metadata={"above": 0.0, "help": "tolerance of the optimality conditions, within and outside a chunk"},
    )


cdef class Run(SteppedRun):
    """A started chunking without bias."""

    cdef double C
    cdef double eps
    cdef Py_ssize_t q
    cdef double[::1] alpha
    cdef double[::1] solved         # α when the last chunk was solved, for which all values are known
    cdef double[::1] values         # v of all examples; of those inside when the last chunk was solved
    cdef double[::1] diagonal
    cdef unsigned char[::1] inside  # whether an example is in the chunk
    cdef double[::1] keys
    cdef int64_t[::1] found
    # Of the examples of the chunk, in ascending order.
    cdef Py_ssize_t size
    cdef int64_t[::1] members
    cdef double[::1] v
    cdef double[::1] up             # 0, or -inf where it cannot move up
    cdef double[::1] down           # 0, or +inf where it cannot move down
    cdef double[::1] own            # K(x, x)
    cdef float[::1] row_i
    cdef float[::1] row_j
    cdef Ends ends

    def __init__(self, problem, oracle, Generator rng not None, params):
        super().__init__(problem, oracle)
        self.C = problem.C
        self.eps = params.eps
        self.q = min(params.q, self.n)
        self.alpha = np.zeros(self.n)
        self.solved = np.zeros(self.n)
        self.values = np.array(self.labels)
        self.diagonal = checked_diagonal(oracle)
        self.keys = np.empty(self.n)
        self.found = np.empty(self.q, dtype=np.int64)
        self.members = np.empty(self.n, dtype=np.int64)
        self.v = np.empty(self.n)
        self.up = np.empty(self.n)
        self.down = np.empty(self.n)
        self.own = np.empty(self.n)
        self.row_i = np.empty(self.n, dtype=np.float32)
        self.row_j = np.empty(self.n, dtype=np.float32)
        inside = np.zeros(self.n, dtype=np.uint8)
        inside[rng.permutation(self.n)[: params.first]] = 1
        self.inside = inside
        self.open()
        self.grow()

    cdef int step(self) except -1 nogil:
        self.improve()
        self.grow()
        return 0

    cdef void charge(self, Py_ssize_t rows) noexcept nogil:
        """Charge the rows of an iteration: n each, on demand those values that belong to the chunk."""
        self.ledger.iteration(rows * self.n)
        self.ledger.change(rows * self.n)
        self.ledger.lookup(rows * self.size)

    cdef void improve(self) noexcept nogil:
        """Change the coefficient of the chunk that gains most."""
        cdef double best = -1.0, step = 0.0, slope = 0.0, gain = 0.0, length = 0.0
        cdef Py_ssize_t p = 0, chosen = 0
        cdef int64_t i = 0
        cdef const float* row = NULL
        for p in range(self.size):
            i = self.members[p]
            slope = self.y[i] * self.v[p]
            step = best_step(self.alpha[i], -slope, self.own[p], self.C)
            gain = step * (slope - 0.5 * self.own[p] * step)
            if gain > best:
                best = gain
                length = step
                chosen = p
        i = self.members[chosen]
        self.change(chosen, length)
        row = self.packed(self.oracle.row_pointer(i), self.row_i)
        length *= self.y[i]
        for p in range(self.size):
            self.v[p] -= length * row[p]
        self.look()
        self.charge(1)

    cdef const float* packed(self, const float* row, float[::1] buffer) noexcept nogil:
        """Return the values of a row that belong to the chunk."""
        cdef Py_ssize_t p = 0
        for p in range(self.size):
            buffer[p] = row[self.members[p]]
        return &buffer[0]

    cdef void change(self, Py_ssize_t p, double step) noexcept nogil:
        """Move the coefficient at position p, onto its bound if that is as far as it can go."""
        cdef int64_t i = self.members[p]
        cdef double room = self.C - self.alpha[i] if step > 0.0 else self.alpha[i]
        cdef double bound = self.C if step > 0.0 else 0.0
        self.alpha[i] = bound if fabs(step) >= room else self.alpha[i] + step
        self.mark(p)

    cdef void mark(self, Py_ssize_t p) noexcept nogil:
        """Note which ways the coefficient at position p can move."""
        cdef int64_t i = self.members[p]
        cdef bint more = self.alpha[i] < self.C, less = self.alpha[i] > 0.0
        self.up[p] = 0.0 if (more if self.y[i] > 0.0 else less) else -INFINITY
        self.down[p] = 0.0 if (less if self.y[i] > 0.0 else more) else INFINITY

    cdef void open(self) noexcept nogil:
        """Begin with the examples that are inside."""
        cdef Py_ssize_t t = 0
        self.size = 0
        for t in range(self.n):
            if self.inside[t]:
                self.members[self.size] = t
                self.v[self.size] = self.values[t]
                self.own[self.size] = self.diagonal[t]
                self.mark(self.size)
                self.size += 1
        self.look()

    cdef void look(self) noexcept nogil:
        """Find the ends of the chunk."""
        move_values(&self.v[0], NULL, NULL, 0.0, &self.up[0], &self.down[0], self.size, &self.ends)

    cdef bint is_solved(self) noexcept nogil:
        return self.ends.high <= self.eps and self.ends.low >= -self.eps

    cdef double middle(self) noexcept nogil:
        """Return the bias of the chunk."""
        return 0.0

    cdef void grow(self) noexcept nogil:
        """While the chunk is solved and there are violators outside, take them in."""
        cdef Py_ssize_t support = 0, count = 0, t = 0
        cdef double b = 0.0
        while self.is_solved():
            self.close()
            b = self.middle()
            support = 0
            for t in range(self.n):
                support += self.alpha[t] > 0.0
                self.keys[t] = -INFINITY if self.inside[t] else self.y[t] * (self.values[t] - b)
            self.ledger.lookup(<int64_t> support * (self.n - self.size))
            count = leading(&self.keys[0], self.n, self.eps, self.q, &self.found[0])
            if count == 0:
                self.converged = True
                return
            if support > 0:
                for t in range(self.n):
                    self.inside[t] = self.alpha[t] > 0.0
            for t in range(count):
                self.inside[self.found[t]] = True
            self.open()

    cdef void close(self) noexcept nogil:
        """Bring the values of all examples up to date."""
        cdef const float* row = NULL
        cdef double moved = 0.0
        cdef Py_ssize_t p = 0, t = 0
        cdef int64_t i = 0
        if self.size < self.n:
            for p in range(self.size):
                i = self.members[p]
                moved = self.y[i] * (self.alpha[i] - self.solved[i])
                if moved != 0.0:
                    row = self.oracle.row_pointer(i)
                    for t in range(self.n):
                        self.values[t] -= moved * row[t]
        for p in range(self.size):
            self.values[self.members[p]] = self.v[p]
            self.solved[self.members[p]] = self.alpha[self.members[p]]

    def bias(self) -> float:
        """Return the bias."""
        return 0.0

    def snapshot(self):
        """Return the last iterate, a dual point; its responses while all values are known."""
        alpha, y = np.array(self.alpha), np.asarray(self.labels)
        known = np.array_equal(alpha, self.solved)
        return Snapshot(
            KernelExpansion.from_alpha(alpha, y, self.bias()),
            responses=1.0 - y * np.asarray(self.values) if known else None,
            alpha=alpha,
        )


cdef class BiasedRun(Run):
    """A started chunking with an unregularised bias."""

    cdef void improve(self) noexcept nogil:
        """Change the pair of the chunk of the highest value and the partner that gains most."""
        cdef Py_ssize_t p = self.ends.highest, q = 0
        cdef int64_t i = self.members[p], j = 0
        cdef const float* row_i = self.packed(self.oracle.row_pointer(i), self.row_i)
        cdef const float* row_j = NULL
        cdef double length = 0.0
        q = best_partner(&self.v[0], &self.down[0], &self.own[0], row_i, self.size, &self.ends)
        j = self.members[q]
        row_j = self.packed(self.oracle.row_pointer(j), self.row_j)
        length = (self.v[p] - self.v[q]) / curvature(row_i[p], row_j[q], row_i[q])
        length = fmin(length, self.C - self.alpha[i] if self.y[i] > 0.0 else self.alpha[i])
        length = fmin(length, self.alpha[j] if self.y[j] > 0.0 else self.C - self.alpha[j])
        self.change(p, self.y[i] * length)
        self.change(q, -self.y[j] * length)
        move_values(&self.v[0], row_i, row_j, length, &self.up[0], &self.down[0], self.size, &self.ends)
        self.charge(2)

    cdef bint is_solved(self) noexcept nogil:
        return self.ends.high - self.ends.low < self.eps

    cdef double middle(self) noexcept nogil:
        """Return the mean value of the free coefficients, or the middle between the ends."""
        cdef double sum = 0.0
        cdef Py_ssize_t free = 0, p = 0
        for p in range(self.size):
            if self.up[p] == self.down[p]:
                sum += self.v[p]
                free += 1
        if free > 0:
            return sum / free
        if self.ends.high == -INFINITY:
            return self.ends.low
        return 0.5 * (self.ends.high + self.ends.low) if self.ends.low < INFINITY else self.ends.high

    def bias(self) -> float:
        """Return the bias of the chunk."""
        return self.middle()


class Chunking(Solver):
    """Chunking; see the module."""

    name = "chunking"
    title = "Chunking"
    citation = (
        "V. Vapnik. Estimation of Dependences Based on Empirical Data. 1982. B. Boser, I. Guyon, V. Vapnik. "
        "A Training Algorithm for Optimal Margin Classifiers. COLT 1992."
    )
    biases = ("unregularised", "none")
    counting = (
        "per changed coefficient the examples of the chunk on demand and n otherwise; a search for violators "
        "costs the non-zero coefficients for each example outside on demand and nothing otherwise"
    )
    Params = Params

    def start(self, problem, oracle, rng):
        """Return a run at iteration 0; the generator draws the first chunk."""
        return (Run if problem.bias == "none" else BiasedRun)(problem, oracle, rng, self.params)
