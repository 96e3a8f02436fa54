r"""Stochastic Batch Perceptron (SBP).

A. Cotter, S. Shalev-Shwartz and N. Srebro, The Kernelized Stochastic Batch Perceptron, ICML 2012; Algorithm
1 and its version with an unregularised bias, with the water levels of their subroutines.

Problem, the slack-constrained form (eq. 2.3): :math:`\max_{|w| \le 1} f(w)`,
:math:`f(w) = \max_{\xi \ge 0, \sum \xi_i \le n\nu} \min_i (c_i + \xi_i)`, responses
:math:`c_i = y_i \langle w, \Phi(x_i) \rangle`. f(w) is the water level of the responses for the volume nν.

Method, stochastic supergradient ascent from w = 0, iterations t = 1, 2, ...::

    level = water level of c
    i     = uniform draw from {i : c_i < level}, or of the ties of the least response if none is below (ν = 0)
    a_i  += η_t,  c_j += η_t y_i y_j K(x_i, x_j) for all j,  η_t = η_0 / √t,  η_0 = 1 / √(max_i K(x_i, x_i))
    if |w| > 1: scale a and c by 1/|w|

With a bias, :math:`f(w) = \max_{b, \xi} \min_i (c_i + y_i b + \xi_i)` (eq. 3.9) is the level of two basins,
and an iteration draws::

    k = number of positives, and of negatives, under water
    i = uniform draw from the k lowest responses of one class, by a fair coin; ties at the k-th at random

The bias is not part of the state: it belongs to the level, and the answer has that of its own responses.

Answer: the average of all iterates, divided by its own water level, so that its slacks sum to nν/level in
units of the hinge loss. Division by a negative level would flip every prediction: if the level is not
positive, the average is not rescaled.

Also observed: ``native_objective`` f(w̄), and ``native_bound``
:math:`U = (|\bar w| + n\nu \max_i \bar a_i) / \sum_i \bar a_i`, an upper bound of the optimum by the dual of
(2.3). With a bias it would require :math:`\sum_i a_i y_i = 0`, and is omitted.

Edge cases. ν = 0 is the hard margin. |w|² is updated by its recursion and recomputed from the responses every
1000 iterations. An example with K(x, x) = 0 is drawn like any other, but changes no response; its coefficient
counts in the bound and is omitted in the model. If all K(x, x) are 0, nothing can be learned, which is an
error; so is a single class with a bias, whose level is unbounded.
"""

from dataclasses import dataclass

import numpy as np

from svmbench.errors import UserError
from svmbench.solvers.base import KernelExpansion, Snapshot, Solver
from svmbench.solvers.run import checked_diagonal
from svmbench.solvers.slack.budget import given_nu, nu_field
from svmbench.solvers.slack.tracker import BiasedTracker

from libc.math cimport fmax, fmin, sqrt
from libc.stdint cimport int64_t

from svmbench.rng cimport Generator
from svmbench.simd.passes cimport rescale
from svmbench.solvers.run cimport SteppedRun
from svmbench.solvers.slack.tracker cimport LevelTracker

cdef enum:
    REFRESH = 1000          # iterations after which |w|² is recomputed


@dataclass(frozen=True)
class Params:
    """Parameters of the Stochastic Batch Perceptron."""

    nu: float | str = nu_field()


cdef class Run(SteppedRun):
    """A started Stochastic Batch Perceptron."""

    cdef Generator rng
    cdef Generator ahead            # the same stream, some draws ahead
    cdef LevelTracker level         # the responses and their water level
    cdef bint biased
    cdef double volume              # nν
    cdef double first_step          # η_0
    cdef double norm2               # |w|²
    cdef double[::1] diagonal
    # Coefficients are stored for the examples drawn so far, in the order of their first draw.
    cdef Py_ssize_t drawn
    cdef int64_t[::1] members       # example of each place
    cdef int64_t[::1] place         # place of each example, -1: not drawn yet
    cdef double[::1] a
    cdef double[::1] a_sum          # over all iterates

    def __init__(self, problem, oracle, Generator rng not None, params):
        super().__init__(problem, oracle)
        self.rng = rng
        self.ahead = Generator(0)
        self.biased = problem.bias != "none"
        self.volume = given_nu(problem, params.nu) * self.n
        self.diagonal = checked_diagonal(oracle)
        largest = float(np.max(self.diagonal))
        if largest == 0.0:
            raise UserError("every K(x, x) is 0, so sbp can learn nothing: give another kernel or other data")
        if self.biased and abs(np.sum(self.labels)) == self.n:
            raise UserError(
                f"all {self.n} labels are {self.labels[0]:+g}, so sbp has no level with "
                "problem.bias=unregularised: give data of two classes, or problem.bias=none"
            )
        self.first_step = 1.0 / sqrt(largest)
        self.level = (BiasedTracker if self.biased else LevelTracker)(self.labels, self.volume, sqrt(largest))
        self.members = np.zeros(self.n, dtype=np.int64)
        self.place = np.full(self.n, -1, dtype=np.int64)
        self.a = np.zeros(self.n)
        self.a_sum = np.zeros(self.n)

    cdef int step(self) except -1 nogil:
        cdef long long t = self.iterations + 1
        cdef double eta = self.first_step / sqrt(<double> t)
        cdef Py_ssize_t i = self.level.draw(self.rng)       # of those below the water level
        cdef double scale = self.projection(i, eta)         # 1/|w| after the step, where that is above 1
        self.lift(i, eta, scale)                            # a_i += η, a *= scale
        self.level.move(self.oracle.layout.threads, self.row(i), eta * self.y[i], scale)    # c follows
        if t % REFRESH == 0:
            self.norm2 = self.exact_norm2()
        self.ledger.iteration(self.n)
        self.ledger.charge_both(self.n)
        return 0

    cdef double projection(self, Py_ssize_t i, double step) noexcept nogil:
        """Update |w|² for a step, and return the factor that brings w back into the unit ball."""
        cdef double norm2 = self.norm2 + 2.0 * step * self.level.c[i] + step * step * self.diagonal[i]
        self.norm2 = fmin(fmax(0.0, norm2), 1.0)
        return 1.0 / sqrt(norm2) if norm2 > 1.0 else 1.0

    cdef void lift(self, Py_ssize_t i, double step, double scale) noexcept nogil:
        """Add to one coefficient, scale all, and add them to their sums."""
        if self.place[i] < 0:
            self.place[i] = self.drawn
            self.members[self.drawn] = i
            self.drawn += 1
        self.a[self.place[i]] += step
        rescale(&self.a[0], &self.a_sum[0], self.drawn, scale)

    cdef double exact_norm2(self) noexcept nogil:
        cdef double result = 0.0
        cdef Py_ssize_t k = 0
        for k in range(self.drawn):
            result += self.a[k] * self.level.c[self.members[k]]
        return fmax(0.0, result)

    cdef void prefetch_hints(self) noexcept nogil:
        self.ahead.follow(self.rng)
        self.level.request_likely(self.ahead, self.oracle)

    def bound_of(self, a, c):
        """Return an upper bound of the optimum from coefficients and their responses, by name."""
        if self.biased or not a.any():
            return {}               # with a bias the coefficients of the two classes need not balance
        norm = sqrt(max(0.0, float(a @ c)))
        return {"native_bound": float((norm + self.volume * a.max()) / a.sum())}

    def keep(self, kept):
        """Declare the state of the run."""
        self.drawn = kept.number("drawn", self.drawn)
        kept.vectors(
            members=self.members[:self.drawn], a=self.a[:self.drawn], a_sum=self.a_sum[:self.drawn]
        )
        np.asarray(self.place)[np.asarray(self.members)[:self.drawn]] = np.arange(self.drawn)
        kept.stream(self.rng)
        self.norm2 = kept.number("norm2", self.norm2)
        self.level.keep(kept.part("level"))

    def snapshot(self):
        """Return the average of the iterates, rescaled by its water level if that is positive."""
        count = max(self.iterations, 1)
        a = np.zeros(self.n)
        a[np.asarray(self.members)[:self.drawn]] = np.asarray(self.a_sum)[:self.drawn] / count
        c = self.level.mean(count)
        level, bias = self.level.level_of(c)
        native = {"native_objective": level, **self.bound_of(a, c)}
        if level > 0.0:
            a /= level
            c /= level
            bias /= level
        a[np.asarray(self.diagonal) == 0.0] = 0.0
        model = KernelExpansion.from_alpha(a, np.asarray(self.labels), bias)
        return Snapshot(model, responses=c, native=native)


class SBP(Solver):
    """Stochastic Batch Perceptron; see the module."""

    name = "sbp"
    title = "SBP"
    form = "slack-constrained"
    biases = ("none", "unregularised")
    counting = "n under every convention"
    resumable = True
    Params = Params
    Run = Run
