r"""Stochastic gradient descent on the hinge loss in a norm ball.

M. Zinkevich, Online Convex Programming and Generalized Infinitesimal Gradient Ascent, ICML 2003, on draws
with replacement; the method that A. Cotter, S. Shalev-Shwartz and N. Srebro, The Kernelized Stochastic Batch
Perceptron, ICML 2012, Table 1, call SGD on the empirical loss.

Problem, the norm-bounded form: :math:`\min_{|w| \le R} \frac1n \sum_i \max(0, 1 - c_i)`, responses
:math:`c_i = y_i \langle w, \Phi(x_i) \rangle`. With R = |w*| of the regularised form it has the same
solution.

Method, from w = 0, iterations t = 1, 2, ...::

    i = uniform draw from all examples
    if c_i < 1: w += η_t y_i Φ(x_i),  η_t = R / (G √t),  G² = max_i K(x_i, x_i)
    if |w| > R: w *= R/|w|

Counting: one response is evaluated in each iteration, and a violation changes one coefficient.

Answer: the average of all iterates. The method never converges by itself.

w is stored as a factor times coefficients, so that a projection changes one number. The sum of the iterates
is stored as the current coefficients times the sum of factors since the factor was last 1, minus the parts
that they lacked at earlier iterations. When the factor falls below 1/2, it is multiplied into the
coefficients and starts again at 1, which avoids cancellation in the difference.

An example with K(x, x) = 0 is a violation at each of its visits; it changes no response. If all K(x, x) are
0, nothing can be learned, which is an error.
"""

from dataclasses import dataclass

import numpy as np

from svmbench.errors import UserError
from svmbench.option import option
from svmbench.problem import mean_hinge
from svmbench.solvers.base import KernelExpansion, Snapshot, Solver
from svmbench.solvers.run import checked_diagonal

from libc.math cimport isfinite, sqrt
from libc.stdint cimport int64_t

from svmbench.rng cimport Generator
from svmbench.solvers.run cimport SteppedRun, add_row


@dataclass(frozen=True)
class Params:
    """Parameters of SGD in a norm ball."""

    R: float | str = option(
        "auto",
        "Radius of the ball; the steps are proportional to it. auto: the norm of the optimum of the "
        "regularised problem, which is computed once and stored, so that all solvers solve the same problem.",
        above=0.0,
        choices=("auto",),
    )


cdef class Run(SteppedRun):
    """A started SGD in a norm ball."""

    cdef Generator rng
    cdef double R
    cdef double first_step          # R/G
    cdef double norm2               # |w|²
    cdef double scale               # w = scale Σ a_i y_i Φ(x_i)
    cdef double scales              # sum of the scale over the iterations since it was last 1
    cdef int64_t support
    cdef double[::1] diagonal
    cdef double[::1] a
    cdef double[::1] c              # responses without the scale
    cdef double[::1] a_late         # the excess of `scales` times a
    cdef double[::1] c_late
    cdef double[::1] a_sum          # sum of the iterates before the scale was last 1
    cdef double[::1] c_sum

    def __init__(self, problem, oracle, Generator rng not None, double R):
        super().__init__(problem, oracle)
        self.rng = rng
        self.R = R
        self.diagonal = checked_diagonal(oracle)
        largest = float(np.max(self.diagonal))
        if largest == 0.0:
            raise UserError("every K(x, x) is 0, so sgd_ball can learn nothing: give another kernel or data")
        self.first_step = R / sqrt(largest)
        self.scale = 1.0
        self.a, self.c = np.zeros(self.n), np.zeros(self.n)
        self.a_late, self.c_late = np.zeros(self.n), np.zeros(self.n)
        self.a_sum, self.c_sum = np.zeros(self.n), np.zeros(self.n)

    cdef int step(self) except -1 nogil:
        cdef double eta = self.first_step / sqrt(<double> (self.iterations + 1))
        cdef Py_ssize_t i = self.rng.below(<unsigned int> self.n)
        cdef double response = self.scale * self.c[i]
        if not isfinite(response):
            self.overflowed()
        self.ledger.iteration(self.n)
        self.ledger.charge_on_demand(self.support)
        if response < 1.0:
            self.support += self.a[i] == 0.0
            self.lift(i, eta / self.scale)
            self.norm2 += eta * (2.0 * response + eta * self.diagonal[i])
            self.ledger.charge_row_update(self.n)
        if self.norm2 > self.R * self.R:
            self.scale *= self.R / sqrt(self.norm2)
            self.norm2 = self.R * self.R
        self.scales += self.scale
        if self.scale < 0.5:
            self.settle()
        return 0

    cdef void lift(self, Py_ssize_t i, double change) noexcept nogil:
        """Add to a coefficient, and record the excess for earlier iterations."""
        self.a[i] += change
        self.a_late[i] += change * self.scales
        add_row(self, i, self.y[i] * change, &self.c[0])
        if self.scales > 0.0:
            add_row(self, i, self.y[i] * change * self.scales, &self.c_late[0])

    cdef void settle(self) noexcept nogil:
        """Multiply the scale into the coefficients and responses, and add their sums to those of iterates."""
        cdef Py_ssize_t i = 0
        for i in range(self.n):
            self.a_sum[i] += self.scales * self.a[i] - self.a_late[i]
            self.c_sum[i] += self.scales * self.c[i] - self.c_late[i]
            self.a[i] *= self.scale
            self.c[i] *= self.scale
            self.a_late[i] = self.c_late[i] = 0.0
        self.scale = 1.0
        self.scales = 0.0

    def keep(self, kept):
        """Declare the state of the run."""
        kept.vectors(
            a=self.a, c=self.c, a_late=self.a_late, c_late=self.c_late, a_sum=self.a_sum, c_sum=self.c_sum
        )
        kept.stream(self.rng)
        self.norm2 = kept.number("norm2", self.norm2)
        self.scale = kept.number("scale", self.scale)
        self.scales = kept.number("scales", self.scales)
        self.support = kept.number("support", self.support)

    def snapshot(self):
        """Return the average of the iterates."""
        count = max(self.iterations, 1)
        a = np.asarray(self.a_sum) + self.scales * np.asarray(self.a) - np.asarray(self.a_late)
        c = np.asarray(self.c_sum) + self.scales * np.asarray(self.c) - np.asarray(self.c_late)
        model = KernelExpansion.from_alpha(a / count, np.asarray(self.labels))
        return Snapshot(model, responses=c / count, native={"native_objective": mean_hinge(c / count)})


class SGDBall(Solver):
    """Stochastic gradient descent in a norm ball; see the module."""

    name = "sgd_ball"
    title = "SGD in a norm ball"
    form = "norm-bounded"
    counting = "on demand: the non-zero coefficients; rows kept: n per violation; iterations: n each"
    resumable = True
    Params = Params

    def start(self, problem, oracle, rng):
        """Return a run at iteration 0; R is the parameter's, or the problem's for ``auto``."""
        R = problem.radius if self.params.R == "auto" else self.params.R
        if R is None:
            raise UserError("solver.R=auto needs a problem whose radius is known: give solver.R=NUMBER")
        if not (R > 0.0 and isfinite(R * R)):
            raise UserError(f"solver.R={R} is not allowed: give a number above 0 and below 1e154, or auto")
        return Run(problem, oracle, rng, R)
