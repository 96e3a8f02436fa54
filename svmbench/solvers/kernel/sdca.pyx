r"""Stochastic dual coordinate ascent with a kernel (SDCA).

C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi and S. Sundararajan, A Dual Coordinate Descent Method for
Large-scale Linear SVM, ICML 2008, with coefficients in place of the weight vector; coordinates drawn with
replacement as in S. Shalev-Shwartz and T. Zhang, Stochastic Dual Coordinate Ascent, JMLR 14, 2013. Without
bias.

Problem, the dual of the regularised form in its C-form, C = 1/(λn):
:math:`\max_\alpha \sum_i \alpha_i - \frac12 |\sum_i \alpha_i y_i \Phi(x_i)|^2`, :math:`0 \le \alpha_i \le C`.

Method, from α = 0::

    i   = uniform draw from all examples
    α_i = clip(α_i + (1 - c_i) / K(x_i, x_i), 0, C),  c_i = y_i Σ_j α_j y_j K(x_j, x_i)

A step of at most 1e-14 of the coefficient is due to rounding of c_i and is not made; it does not count as a
change.

Answer: the last iterate, or with ``average=true`` the average of the iterates, all or their suffix
(`svmbench.solvers.iterate_average`); either is a dual point. Averaging affects neither iterates nor counts.
An example with K(x, x) = 0 goes to C.

It converges when no coordinate can be improved (in float64), which is checked after n consecutive visits
without a change; budgets and gaps end a run much earlier.
"""

from dataclasses import dataclass

import numpy as np

from svmbench.solvers.averaging import average_field, only_averaged, suffix_field
from svmbench.solvers.base import KernelExpansion, Snapshot, Solver
from svmbench.solvers.run import checked_diagonal

from libc.math cimport fabs, fmax, fmin
from libc.stdint cimport int64_t

from svmbench.rng cimport Generator
from svmbench.solvers.iterate_average cimport IterateAverage
from svmbench.solvers.run cimport VISITS_AHEAD, SteppedRun, add_row


# Changes of a coefficient of at most this, relative to itself, are not made.
cdef double ROUNDING = 1e-14


@dataclass(frozen=True)
class Params:
    """Parameters of SDCA."""

    average: bool = average_field()
    suffix: bool = suffix_field()

    def __post_init__(self):
        only_averaged(self)


cdef class Run(SteppedRun):
    """A started SDCA."""

    cdef Generator rng
    cdef Generator lookahead        # a copy that runs ahead
    cdef double C
    cdef int64_t support
    cdef int64_t idle               # consecutive visits without a change
    cdef double[::1] diagonal
    cdef double[::1] alpha
    cdef double[::1] c
    cdef IterateAverage average

    def __init__(self, problem, oracle, Generator rng not None, params):
        super().__init__(problem, oracle)
        self.rng = rng
        self.lookahead = Generator(0)
        self.C = problem.C
        self.diagonal = checked_diagonal(oracle)
        self.alpha = np.zeros(self.n)
        self.c = np.zeros(self.n)
        self.average = IterateAverage(self.n, params.average, params.suffix)

    cdef int step(self) except -1 nogil:
        cdef Py_ssize_t i = self.rng.below(<unsigned int> self.n)
        cdef double old = self.alpha[i]
        cdef double new = self.improved(i)
        self.ledger.iteration(self.n)
        self.ledger.charge_on_demand(self.support)
        self.idle += 1
        if new != old:
            self.idle = 0
            self.support += (new != 0.0) - (old != 0.0)
            self.alpha[i] = new
            add_row(self, i, self.y[i] * (new - old), &self.c[0])
            self.average.change(self, i, new - old)
            self.ledger.charge_row_update(self.n)
        self.average.take(&self.alpha[0], &self.c[0], 1.0)
        # When the iterates first come to rest, an average is far from the optimum: only a budget ends it.
        if self.idle > 0 and self.idle % self.n == 0:
            self.converged = not self.average.on and self.at_rest()
        return 0

    cdef void prefetch_hints(self) noexcept nogil:
        """Predict which coming coordinates would change by the current responses."""
        cdef Py_ssize_t i = 0
        cdef int _k = 0
        self.lookahead.follow(self.rng)
        for _k in range(VISITS_AHEAD):
            i = self.lookahead.below(<unsigned int> self.n)
            if self.improved(i) != self.alpha[i] and not self.oracle.prefetch.request(i):
                return

    cdef double improved(self, Py_ssize_t i) noexcept nogil:
        """Return the best value of one coordinate with the others fixed."""
        if self.diagonal[i] == 0.0:
            return self.C
        cdef double best = fmin(fmax(self.alpha[i] + (1.0 - self.c[i]) / self.diagonal[i], 0.0), self.C)
        return best if fabs(best - self.alpha[i]) > ROUNDING * fmax(best, self.alpha[i]) else self.alpha[i]

    cdef bint at_rest(self) noexcept nogil:
        cdef Py_ssize_t i = 0
        for i in range(self.n):
            if self.improved(i) != self.alpha[i]:
                return False
        return True

    def keep(self, kept):
        """Declare the state of the run."""
        kept.vectors(alpha=self.alpha, c=self.c)
        kept.stream(self.rng)
        self.idle = kept.number("idle", self.idle)
        self.average.keep(kept)
        self.support = np.count_nonzero(self.alpha)

    def snapshot(self):
        """Return the last iterate, or the average, a dual point."""
        alpha, responses = np.array(self.alpha), np.array(self.c)
        if self.average.on:
            alpha, responses = self.average.of(alpha, responses)
            alpha.clip(0.0, self.C, out=alpha)      # rounding may have left the box
        return Snapshot(
            KernelExpansion.from_alpha(alpha, np.asarray(self.labels)), responses=responses, alpha=alpha
        )


class SDCA(Solver):
    """Stochastic dual coordinate ascent; see the module."""

    name = "sdca"
    title = "SDCA"
    counting = "on demand: the non-zero coefficients; rows kept: n per change; iterations: n each"
    resumable = True
    Params = Params
    Run = Run
