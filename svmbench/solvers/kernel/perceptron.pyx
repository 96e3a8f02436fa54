r"""Kernel Perceptron, online and in several passes, last or averaged.

F. Rosenblatt, Psychological Review 65(6), 1958, in its kernel form: Y. Freund and R. E. Schapire, Large
Margin Classification Using the Perceptron Algorithm, Machine Learning 37(3), 1999. Without bias.

Problem: none is minimised; it searches for any w with :math:`c_i = y_i \langle w, \Phi(x_i) \rangle > 0` for
all i. The runner still reports the regularised objective of its answer.

Method, from w = 0, one example per iteration, in passes over the data::

    i = next example: of a new random permutation for each pass, or of the order given
    if c_i <= 0: a_i += 1                           # a score of 0 is a mistake

It converges after a pass without mistakes, or after ``epochs`` passes (``epochs=1``: the online Perceptron).

Answer: the last hypothesis, or with ``average=true`` the mean of the hypotheses after each example, all or
their suffix (`svmbench.solvers.iterate_average`). Averaging affects neither the hypotheses nor counts.

An example with K(x, x) = 0 is a mistake at each of its visits, so that every pass has mistakes.
"""

from dataclasses import dataclass

import numpy as np

from svmbench.option import option
from svmbench.solvers.averaging import only_averaged, suffix_field
from svmbench.solvers.base import KernelExpansion, Snapshot, Solver

from libc.math cimport isfinite
from libc.stdint cimport int64_t

from svmbench.rng cimport Generator
from svmbench.solvers.iterate_average cimport IterateAverage
from svmbench.solvers.run cimport VISITS_AHEAD, SteppedRun, add_row


@dataclass(frozen=True)
class Params:
    """Parameters of the Perceptron."""

    epochs: int | None = option(
        None, "Passes over the data. null: until the budget ends or a pass makes no mistake.", min=1
    )
    average: bool = option(False, "Predict with the average of all hypotheses instead of the last.")
    suffix: bool = suffix_field()
    order: str = option(
        "random",
        "Order of the examples in a pass: a new permutation each time, or as in the file.",
        choices=("random", "given"),
    )

    def __post_init__(self):
        only_averaged(self)


cdef class Run(SteppedRun):
    """A started Perceptron."""

    cdef Generator rng
    cdef int64_t last               # iteration at the end of the last pass; 0: no limit
    cdef bint shuffled
    cdef int64_t support
    cdef int64_t mistakes           # in this pass
    cdef int64_t[::1] order
    cdef double[::1] a              # counts
    cdef double[::1] c
    cdef IterateAverage average

    def __init__(self, problem, oracle, Generator rng not None, params):
        super().__init__(problem, oracle)
        self.rng = rng
        self.last = (params.epochs or 0) * self.n
        self.shuffled = params.order == "random"
        self.order = np.arange(self.n, dtype=np.int64)
        self.a = np.zeros(self.n)
        self.c = np.zeros(self.n)
        self.average = IterateAverage(self.n, params.average, params.suffix)

    cdef int step(self) except -1 nogil:
        cdef int64_t before = self.iterations
        cdef Py_ssize_t place = before % self.n
        cdef Py_ssize_t i = 0
        if place == 0:
            self.mistakes = 0
            if self.shuffled:
                self.rng.shuffle(&self.order[0], self.n)
        i = self.order[place]
        if not isfinite(self.c[i]):
            self.overflowed()
        self.ledger.iteration(self.n)
        self.ledger.charge_on_demand(self.support)
        if self.c[i] <= 0.0:
            self.mistakes += 1
            if self.a[i] == 0.0:
                self.support += 1
            self.a[i] += 1.0
            add_row(self, i, self.y[i], &self.c[0])
            self.average.change(self, i, 1.0)
            self.ledger.charge_row_update(self.n)
        self.average.take(&self.a[0], &self.c[0], 1.0)
        if place == self.n - 1:
            self.converged = self.mistakes == 0 or before + 1 == self.last
        return 0

    cdef void prefetch_hints(self) noexcept nogil:
        """Predict the mistakes in the rest of the pass by the current responses."""
        cdef Py_ssize_t place = self.iterations % self.n + 1
        cdef Py_ssize_t end = min(self.n, place + VISITS_AHEAD)
        while place < end and (
            self.c[self.order[place]] > 0.0 or self.oracle.prefetch.request(self.order[place])
        ):
            place += 1

    def keep(self, kept):
        """Declare the state of the run."""
        kept.vectors(a=self.a, c=self.c, order=self.order)
        kept.stream(self.rng)
        self.average.keep(kept)
        self.mistakes = kept.number("mistakes", self.mistakes)
        self.support = np.count_nonzero(self.a)

    def snapshot(self):
        """Return the last hypothesis, or the average."""
        alpha, responses = np.array(self.a), np.array(self.c)
        if self.average.on:
            alpha, responses = self.average.of(alpha, responses)
        return Snapshot(KernelExpansion.from_alpha(alpha, np.asarray(self.labels)), responses=responses)


class Perceptron(Solver):
    """Kernel Perceptron; see the module."""

    name = "perceptron"
    title = "Perceptron"
    form = "none"
    counting = "on demand: the non-zero coefficients; rows kept: n per mistake; iterations: n each"
    resumable = True
    Params = Params
    Run = Run
