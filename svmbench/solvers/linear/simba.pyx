r"""SIMBA, the sublinear primal-dual method.

E. Hazan, T. Koren and N. Srebro, Beating SGD: Learning SVMs in Sublinear Time, NIPS 2011. Without bias.

Problem, the slack-constrained form (eq. 2.3 of the paper on SBP): :math:`\max_{|w| \le 1} f(w)`, :math:`f(w)
= \max_{\xi \ge 0, \sum \xi_i \le n\nu} \min_i (c_i + \xi_i)`, responses :math:`c_i = y_i \langle w, x_i
\rangle`. The method needs rows of norm at most 1. So it works on x/R and ν/R, where R is the largest norm;
this has the same solution w, with f/R instead of f. ν and the answer are in units of the data.

Method, for T iterations, from u = 0 and q = 1, with η = √(log n / T); the constants are unconfirmed::

    p = q / Σq;  draw i with probability p_i;  u += y_i x_i / (R √(2T));  w = u / max(1, |u|)
    ξ = 2 on the largest p_i, as far as Σξ = nν/R goes, the rest of it on the next: the best 0 <= ξ_i <= 2
    draw j with probability w_j²/|w|²;  v_i = y_i x_ij |w|² / (R w_j) + ξ_i, without the first term if w = 0
    v_i = clip(v_i, -1/η, 1/η);  q_i = p_i (1 - η v_i + η² v_i²)

Answer: the average of all w, divided by its water level if that is positive, as in `sbp`. The responses that
this needs are computed at observation.

Counting: an iteration reads one row, and updating |u|² takes an inner product. It also reads one feature of n
examples, which is equivalent to n/d inner products; these are charged when they add up to integers. n more
are charged for R at the start. For sparse data, SIMBA also stores the rows in which each feature occurs.
"""

from dataclasses import dataclass

import numpy as np

from svmbench.errors import UserError
from svmbench.option import option
from svmbench.solvers.base import LinearModel, LinearSolver, Snapshot
from svmbench.solvers.slack.budget import given_nu, nu_field
from svmbench.solvers.slack.water_level import water_level

from libc.math cimport INFINITY, fmax, fmin, log, sqrt
from libc.stdint cimport int64_t

from svmbench.rng cimport Generator
from svmbench.solvers.run cimport LinearRun
from svmbench.solvers.slack.water_level_bias cimport place


@dataclass(frozen=True)
class Params:
    """Parameters of SIMBA."""

    nu: float | str = nu_field()
    T: int = option(
        100_000,
        "Number of iterations, at which the run ends and on which the step sizes depend. The theory requires "
        "about log(n)/eps^2 times a constant that is too large in practice (unconfirmed).",
        min=1,
    )


cdef class Run(LinearRun):
    """A started SIMBA."""

    cdef Generator rng
    cdef double nu
    cdef double volume              # nν/R
    cdef int64_t T
    cdef double eta
    cdef double step_size           # 1/(R √(2T))
    cdef double R
    cdef double squared             # |u|²
    cdef double mass                # Σq
    cdef int64_t touched            # features read but not yet charged
    cdef double[::1] u
    cdef double[::1] w_sum
    cdef double[::1] q
    cdef double[::1] v
    cdef double[::1] scratch

    def __init__(self, problem, examples, Generator rng not None, params):
        super().__init__(problem, examples, examples.n // max(examples.d, 1) + 1)
        norms = np.sqrt(examples.squared_norms())
        self.R = norms.max()
        if self.R == 0.0:
            raise UserError("every example is 0, so simba can learn nothing: give other data")
        examples.index_columns()
        self.rng = rng
        self.nu = given_nu(problem, params.nu)
        self.volume = self.nu * self.n / self.R
        self.T = params.T
        self.eta = sqrt(log(<double> self.n) / self.T)
        self.step_size = 1.0 / (self.R * sqrt(2.0 * self.T))
        self.u, self.w_sum = np.zeros(examples.d), np.zeros(examples.d)
        self.q, self.v, self.scratch = np.ones(self.n), np.zeros(self.n), np.zeros(self.n)
        self.mass = self.n

    cdef int step(self) except -1 nogil:
        cdef Py_ssize_t i = self.draw(&self.q[0], self.n, self.mass)
        cdef Py_ssize_t j = 0
        cdef double norm = 0.0
        self.squared += self.examples.add_measured(i, self.step_size * self.y[i], &self.u[0])
        self.squared = fmax(self.squared, 0.0)
        norm = fmax(1.0, sqrt(self.squared))
        for j in range(self.examples.d):
            self.w_sum[j] += self.u[j] / norm
        for i in range(self.n):
            self.q[i] /= self.mass
        self.pour()
        if self.squared > 0.0:
            j = self.draw_feature()
            self.examples.add_column(j, self.squared / (norm * self.u[j] * self.R), self.y, &self.v[0])
        self.reweigh()
        self.touched += self.n
        self.ledger.inner_products += self.touched // self.examples.d
        self.touched %= self.examples.d
        self.ledger.iteration(0)
        self.converged = self.iterations + 1 == self.T
        return 0

    cdef Py_ssize_t draw(self, const double* weights, Py_ssize_t n, double total) noexcept nogil:
        """Draw an index with probability proportional to its weight."""
        cdef double left = self.rng.uniform() * total
        cdef Py_ssize_t i = 0, last = 0
        for i in range(n):
            if weights[i] > 0.0:
                last = i
                left -= weights[i]
                if left < 0.0:
                    return i
        return last

    cdef Py_ssize_t draw_feature(self) noexcept nogil:
        """Draw a feature with probability w_j²/|w|²."""
        cdef double left = 0.0, total = 0.0
        cdef Py_ssize_t j = 0, last = 0
        for j in range(self.examples.d):
            total += self.u[j] * self.u[j]
        left = self.rng.uniform() * total
        for j in range(self.examples.d):
            if self.u[j] != 0.0:
                last = j
                left -= self.u[j] * self.u[j]
                if left < 0.0:
                    return j
        return last

    cdef void pour(self) noexcept nogil:
        """Set v to ξ: 2 on the largest p_i, the first ones in a tie, and the remainder on the next."""
        cdef Py_ssize_t full = <Py_ssize_t> fmin(self.volume / 2.0, self.n), above = 0, i = 0
        cdef double level = 0.0
        if full == self.n:
            for i in range(self.n):
                self.v[i] = 2.0
            return
        level = self.ranked(full)
        for i in range(self.n):
            above += self.q[i] > level
        full -= above                   # how many of those on the level
        for i in range(self.n):
            self.v[i] = 2.0 if self.q[i] > level else 0.0
            if self.q[i] == level:
                if full > 0:
                    self.v[i] = 2.0
                elif full == 0:
                    self.v[i] = self.volume - 2.0 * <Py_ssize_t> (self.volume / 2.0)
                full -= 1

    cdef double ranked(self, Py_ssize_t k) noexcept nogil:
        """Return the k-th largest q, counted from 0."""
        self.scratch[:] = self.q
        return place(&self.scratch[0], self.n, self.n - 1 - k)

    cdef void reweigh(self) noexcept nogil:
        """Use v as losses: compute the new q and their sum."""
        cdef double most = 1.0 / self.eta if self.eta > 0.0 else INFINITY
        cdef double loss = 0.0
        cdef Py_ssize_t i = 0
        self.mass = 0.0
        for i in range(self.n):
            loss = self.eta * fmin(fmax(self.v[i], -most), most)
            self.q[i] *= 1.0 - loss + loss * loss
            self.mass += self.q[i]

    def keep(self, kept):
        """Declare the state of the run."""
        kept.vectors(u=self.u, w_sum=self.w_sum, q=self.q, v=self.v)
        kept.stream(self.rng)
        self.squared = kept.number("squared", self.squared)
        self.mass = kept.number("mass", self.mass)
        self.touched = kept.number("touched", self.touched)

    def snapshot(self):
        """Return the average of the iterates, rescaled by its water level if that is positive."""
        w = np.asarray(self.w_sum) / max(self.iterations, 1)
        c = np.asarray(self.labels) * self.examples.products(w)
        level = water_level(c, self.nu * self.n)
        if level > 0.0:
            w /= level
            c /= level
        return Snapshot(LinearModel(w), responses=c, native={"native_objective": level})


class SIMBA(LinearSolver):
    """SIMBA; see the module."""

    name = "simba"
    title = "SIMBA"
    form = "slack-constrained"
    counting = "inner products: 1 + n/d per iteration, a feature being 1/d, and n for the norms at the start"
    resumable = True
    Params = Params
    Run = Run
