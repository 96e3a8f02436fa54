r"""Chunking: the exact solution of a growing part of the data, until no other example violates it.

V. Vapnik, Estimation of Dependences Based on Empirical Data, 1982; B. Boser, I. Guyon and V. Vapnik, A
Training Algorithm for Optimal Margin Classifiers, COLT 1992.

Problem, the dual of the regularised form in its C-form, C = 1/(λn):
:math:`\max_\alpha \sum_i \alpha_i - \frac12 |\sum_i \alpha_i y_i \Phi(x_i)|^2`, :math:`0 \le \alpha_i \le C`,
and :math:`\sum_i \alpha_i y_i = 0` if there is a bias.

Method, from α = 0; :math:`v_i = y_i - \sum_j \alpha_j y_j K(x_j, x_i)`, b = 0 without bias::

    chunk = ``first`` examples, drawn without replacement
    repeat:
        change α within the chunk until its optimality conditions hold to ``eps``
        chunk = those of it with α > 0 (all if there are none, or no α has changed since the last time),
                and outside the ``q`` largest y_i (v_i - b) > eps

It converges when there are none outside. A chunk is solved by steps of SMO, one per iteration: with a bias in
the pair chosen to second order, with b the mean v of the free coefficients or the midpoint of the extrema;
without, in the coefficient that gains most. Rows come from the oracle one or two at a time; the matrix of the
chunk, which grows to the number of support vectors, is not stored. The examples outside are updated when the
chunk is solved, by the rows of the changed coefficients.

Counting, with c examples in the chunk. On demand, a coefficient that changes costs the c values of its row in
the chunk, and a search among the others costs the number of non-zero coefficients for each of them. If all
responses are maintained, a change costs n and the search nothing; the rows that are read again for the values
outside are those of changes that have been charged.

Answer: the last iterate, a dual point.
"""

from dataclasses import dataclass

import numpy as np

from svmbench.option import option
from svmbench.solvers.base import KernelExpansion, Snapshot, Solver
from svmbench.solvers.run import checked_diagonal

from libc.math cimport INFINITY
from libc.stdint cimport int64_t

from svmbench.solvers.dual.box cimport ActiveDual
from svmbench.rng cimport Generator
from svmbench.solvers.dual.small_qp cimport best_step
from svmbench.solvers.dual.refinement cimport Refinement
from svmbench.solvers.run cimport SteppedRun, look_for_signals
from svmbench.solvers.dual.working_set cimport leading


@dataclass(frozen=True)
class Params:
    """Parameters of chunking."""

    first: int = option(
        500, "Examples of the first chunk, drawn at random. Chosen here: the sources give none.", min=1
    )
    q: int = option(
        500, "Most violators added to a chunk at a time. Chosen here: the sources give none.", min=1
    )
    eps: float = option(
        1e-3,
        "Tolerance of the optimality conditions, within a chunk and for the examples outside.",
        above=0.0,
    )


cdef class Run(SteppedRun):
    """A started chunking without bias."""

    cdef Py_ssize_t q
    cdef ActiveDual dual            # the active examples are the chunk
    cdef double[::1] solved         # α when the last chunk was solved, for which all values are known
    cdef double[::1] values         # v of all examples; of those inside, when the last chunk was solved
    cdef unsigned char[::1] inside  # whether an example is in the chunk
    cdef double[::1] keys
    cdef int64_t[::1] found
    cdef bint moved                 # whether a coefficient has changed since the last exchange
    cdef readonly Py_ssize_t rounds  # number of solved chunks
    cdef readonly Refinement refinement

    def __init__(self, problem, oracle, Generator rng not None, params):
        super().__init__(problem, oracle)
        self.eps = params.eps
        self.q = min(params.q, self.n)
        self.solved = np.zeros(self.n)
        self.rounds = 0
        self.values = np.array(self.labels)
        self.keys = np.empty(self.n)
        self.found = np.empty(self.q, dtype=np.int64)
        diagonal = checked_diagonal(oracle)
        self.dual = ActiveDual(oracle, problem, self.labels, diagonal)
        self.refinement = Refinement(oracle, None, self.labels, diagonal, self.dual.alpha, 2)
        inside = np.zeros(self.n, dtype=np.uint8)
        inside[rng.permutation(self.n)[: params.first]] = 1
        self.inside = inside
        self.open()
        self.grow()

    cdef int step(self) except -1 nogil:
        cdef int64_t rows = self.improve()
        self.ledger.iteration(rows * self.n)
        self.ledger.charge_row_update(rows * self.n)
        self.ledger.charge_on_demand(rows * self.dual.n_active)
        self.moved = True
        if self.refinement.due(self.dual.violation(), self.eps, False):
            self.refine()
        self.grow()
        return 0

    cdef int refine(self) except -1 nogil:
        """Recompute the values of all examples."""
        cdef Py_ssize_t t = 0
        self.refinement.renew(&self.values[0])
        self.open()
        self.stalled = self.refinement.stalled(self.dual.violation(), &self.values[0])
        for t in range(self.n):
            self.solved[t] = self.dual.alpha[t]
            self.inside[t] = self.inside[t] or self.dual.alpha[t] > 0.0
        self.open()
        return 0

    cdef int64_t improve(self) except -1 nogil:
        """Change the coefficient of the chunk that gains most; return the number of rows used."""
        cdef const int64_t* active = &self.dual.active[0]
        cdef const double* alpha = &self.dual.alpha[0]
        cdef const double* own = &self.dual.own[0]
        cdef double* v = &self.dual.v[0]
        cdef double best = -1.0, step = 0.0, slope = 0.0, gain = 0.0, length = 0.0
        cdef Py_ssize_t p = 0, chosen = 0
        cdef int64_t i = 0
        cdef const float* row = NULL
        for p in range(self.dual.n_active):
            i = active[p]
            slope = self.y[i] * v[p]
            step = best_step(alpha[i], -slope, own[p], self.dual.bound[i])
            gain = step * (slope - 0.5 * own[p] * step)
            if gain > best:
                best = gain
                length = step
                chosen = p
        i = active[chosen]
        length *= self.y[i]
        self.dual.change(chosen, i, length)
        row = self.dual.packed(self.oracle.get_row(i), self.dual.row_i)
        for p in range(self.dual.n_active):
            v[p] -= length * row[p]
        self.dual.find_extrema()
        return 1

    cdef void open(self) noexcept nogil:
        """Begin with the examples that are inside."""
        cdef Py_ssize_t t = 0
        self.dual.n_active = 0
        for t in range(self.n):
            if self.inside[t]:
                self.dual.activate(t, self.values[t])
        self.dual.find_extrema()

    cdef bint is_solved(self) noexcept nogil:
        return self.dual.violation() <= self.eps

    cdef double bias_of_chunk(self) noexcept nogil:
        return 0.0

    cdef int grow(self) except -1 nogil:
        """Add violators from outside while the chunk is solved and there are any."""
        cdef const double* alpha = &self.dual.alpha[0]
        cdef Py_ssize_t support = 0, count = 0, t = 0
        cdef double b = 0.0
        while self.is_solved() and not self.stalled:
            self.close()
            b = self.bias_of_chunk()
            support = 0
            for t in range(self.n):
                support += alpha[t] > 0.0
                self.keys[t] = -INFINITY if self.inside[t] else self.y[t] * (self.values[t] - b)
            self.ledger.charge_on_demand(<int64_t> support * (self.n - self.dual.n_active))
            count = leading(&self.keys[0], self.n, self.eps, self.q, &self.found[0])
            if count == 0:
                if self.refinement.due(self.eps, self.eps, True):
                    self.refine()
                    continue
                self.converged = True
                return 0
            self.rounds += 1
            # An exchange without a step in between could be undone by the next one, forever.
            if support > 0 and self.moved:
                for t in range(self.n):
                    self.inside[t] = alpha[t] > 0.0
            for t in range(count):
                self.inside[self.found[t]] = True
            if self.moved:
                self.refinement.restart()
            self.moved = False
            self.open()
        return 0

    cdef int close(self) except -1 nogil:
        """Update the values of all examples; with many examples this takes seconds."""
        cdef double* values = &self.values[0]
        cdef const float* row = NULL
        cdef double moved = 0.0
        cdef Py_ssize_t p = 0, t = 0
        cdef int64_t i = 0
        if self.dual.n_active < self.n:
            for p in range(self.dual.n_active):
                i = self.dual.active[p]
                moved = self.y[i] * (self.dual.alpha[i] - self.solved[i])
                if moved != 0.0:
                    row = self.oracle.get_row(i)
                    look_for_signals()
                    for t in range(self.n):
                        values[t] -= moved * row[t]
        for p in range(self.dual.n_active):
            i = self.dual.active[p]
            self.values[i] = self.dual.v[p]
            self.solved[i] = self.dual.alpha[i]
        return 0

    def keep(self, kept):
        """Declare the state of the run."""
        self.dual.keep(kept.part("dual"))
        kept.vectors(solved=self.solved, values=self.values, inside=self.inside)
        self.moved = kept.number("moved", self.moved)
        self.rounds = kept.number("rounds", self.rounds)
        self.refinement.keep(kept.part("refinement"))

    def snapshot(self):
        """Return the last iterate, a dual point; its responses while all values are known."""
        alpha, y = np.array(self.dual.alpha), np.asarray(self.labels)
        known = np.array_equal(alpha, self.solved)
        return Snapshot(
            KernelExpansion.from_alpha(alpha, y, self.bias_of_chunk()),
            responses=1.0 - y * np.asarray(self.values) if known else None,
            alpha=alpha,
            native={"rounds": self.rounds, "candidates": self.dual.n_active},
        )


cdef class BiasedRun(Run):
    """A started chunking with an unregularised bias."""

    cdef int64_t improve(self) except -1 nogil:
        """Change the pair of the chunk with the highest value and the partner that gains most."""
        self.dual.improve_pair(True)
        return 2

    cdef bint is_solved(self) noexcept nogil:
        return self.dual.violation() < self.eps

    cdef double bias_of_chunk(self) noexcept nogil:
        return self.dual.mean_free(NULL, self.dual.n_active)


class Chunking(Solver):
    """Chunking; see the module."""

    name = "chunking"
    title = "Chunking"
    biases = ("unregularised", "none")
    exact = True
    weighted = True
    counting = (
        "per changed coefficient the examples of the chunk on demand and n otherwise; a search for violators "
        "costs the non-zero coefficients for each example outside on demand and nothing otherwise"
    )
    resumable = True
    Params = Params

    def start(self, problem, oracle, rng):
        """Return a run at iteration 0; the generator draws the first chunk."""
        return (Run if problem.bias == "none" else BiasedRun)(problem, oracle, rng, self.params)
