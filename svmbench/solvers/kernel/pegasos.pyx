r"""Kernelised Pegasos.

S. Shalev-Shwartz, Y. Singer, N. Srebro and A. Cotter, Pegasos: Primal Estimated sub-GrAdient SOlver for SVM,
Mathematical Programming 127(1), 2011; section 4, the kernelised algorithm, without bias and without
projection.

Problem, the regularised form: :math:`\min_w \frac{\lambda}{2} |w|^2 + \frac{1}{n} \sum_i \max(0, 1 - c_i)`,
responses :math:`c_i = y_i \langle w, \Phi(x_i) \rangle`.

Method, stochastic subgradient descent with step 1/(λt) from w = 0, iterations t = 1, 2, ...::

    i = uniform draw from all examples
    s = y_i Σ_j a_j y_j K(x_j, x_i) / (λ (t - 1)), 0 at t = 1; this is y_i <w_t, Φ(x_i)>
    if s < 1: a_i += 1

The journal's listing divides by λt instead, which does not give the response of w_t (its equation 13):
``exact=false``.

Answer: the last iterate, :math:`w_{t+1} = \frac{1}{\lambda t} \sum_j a_j y_j \Phi(x_j)`, which is noisy; with
``average=true`` the average of the iterates, all or their suffix (`svmbench.solvers.iterate_average`). The
coefficients may exceed C, so it is not a dual point. Averaging affects neither the iterates nor counts.

An example with K(x, x) = 0 is a violation at each of its visits, as in the listing; it changes no response.
"""

from dataclasses import dataclass

import numpy as np

from svmbench.option import option
from svmbench.solvers.averaging import average_field, only_averaged, suffix_field
from svmbench.solvers.base import KernelExpansion, Snapshot, Solver

from libc.math cimport isfinite
from libc.stdint cimport int64_t

from svmbench.rng cimport Generator
from svmbench.solvers.iterate_average cimport IterateAverage
from svmbench.solvers.run cimport VISITS_AHEAD, SteppedRun, add_row


@dataclass(frozen=True)
class Params:
    """Parameters of kernelised Pegasos."""

    exact: bool = option(
        True,
        "Divide the tested response by lam (t - 1), which makes it exact (equation 13). false: by lam t, as "
        "the journal's listing prints it.",
    )
    average: bool = average_field()
    suffix: bool = suffix_field()

    def __post_init__(self):
        only_averaged(self)


cdef class Run(SteppedRun):
    """A started kernelised Pegasos."""

    cdef Generator rng
    cdef Generator lookahead        # a copy that runs ahead
    cdef double lam
    cdef int shift                  # the response is divided by lam (t - shift)
    cdef int64_t support
    cdef double[::1] a              # counts
    cdef double[::1] c              # responses of sum_j a_j y_j Phi(x_j), not divided
    cdef IterateAverage average     # of the iterates times lam

    def __init__(self, problem, oracle, Generator rng not None, params):
        super().__init__(problem, oracle)
        self.rng = rng
        self.lookahead = Generator(0)
        self.lam = problem.lam
        self.shift = 1 if params.exact else 0
        self.a = np.zeros(self.n)
        self.c = np.zeros(self.n)
        self.average = IterateAverage(self.n, params.average, params.suffix)

    cdef int step(self) except -1 nogil:
        cdef double divisor = self.lam * <double> (self.iterations + 1 - self.shift)
        cdef Py_ssize_t i = self.rng.below(<unsigned int> self.n)
        cdef double response = self.c[i] / divisor if divisor > 0.0 else 0.0
        if not isfinite(response):
            self.overflowed()
        self.ledger.iteration(self.n)
        self.ledger.charge_on_demand(self.support)
        if response < 1.0:
            if self.a[i] == 0.0:
                self.support += 1
            self.a[i] += 1.0
            add_row(self, i, self.y[i], &self.c[0])
            self.average.change(self, i, 1.0)
            self.ledger.charge_row_update(self.n)
        self.average.take(&self.a[0], &self.c[0], 1.0 / <double> (self.iterations + 1))
        return 0

    cdef void prefetch_hints(self) noexcept nogil:
        """Predict the violations among the coming draws by the current responses."""
        cdef int64_t t = self.iterations + 1 - self.shift
        cdef Py_ssize_t i = 0
        cdef int k = 0
        self.lookahead.follow(self.rng)
        for k in range(1, VISITS_AHEAD + 1):
            i = self.lookahead.below(<unsigned int> self.n)
            if self.c[i] < self.lam * <double> (t + k) and not self.oracle.prefetch.request(i):
                return

    def keep(self, kept):
        """Declare the state of the run."""
        kept.vectors(a=self.a, c=self.c)
        kept.stream(self.rng)
        self.average.keep(kept)
        self.support = np.count_nonzero(self.a)

    def snapshot(self):
        """Return the last iterate, or the average."""
        if self.average.on:
            alpha, responses = (mean / self.lam for mean in self.average.of(self.a, self.c))
        else:
            divisor = self.lam * max(self.iterations, 1)
            alpha, responses = np.asarray(self.a) / divisor, np.asarray(self.c) / divisor
        return Snapshot(KernelExpansion.from_alpha(alpha, np.asarray(self.labels)), responses=responses)


class Pegasos(Solver):
    """Kernelised Pegasos; see the module."""

    name = "pegasos"
    title = "Pegasos"
    counting = "on demand: the non-zero coefficients; rows kept: n per violation; iterations: n each"
    resumable = True
    Params = Params
    Run = Run
