r"""Snacks: restarted stochastic subgradient descent in shrinking balls, for Nyström features.

S. Tanji, A. Della Vecchia, F. Glineur and S. Villa, Snacks: a fast large-scale kernel SVM solver, ECC 2023
(arXiv 2304.07983); the accelerated stochastic subgradient method with a ball constraint (ASSG-c) of Y. Xu, Q.
Lin and T. Yang, Stochastic Convex Optimization: Faster Local Growth Implies Faster Global Convergence, ICML
2017, as in the program of Tanji et al.

With ``features=nystrom`` it is Snacks, and ``features.s`` is the number of centres m.

Problem, the regularised form: :math:`\min_w \frac{\lambda}{2} |w|^2 + \frac{1}{n} \sum_i \max(0, 1 - c_i)`,
responses :math:`c_i = y_i \langle w, x_i \rangle`, without bias.

Method, from w = 0, where the objective is 1, which is the first bound on the error::

    D = radius,  η = step / 3
    stages times:
        u = w;  then `stage` iterations:
            i = uniform draw from all examples
            w -= η (λ w - y_i x_i [y_i <w, x_i> < 1])
            w = its projection on the ball of radius D around u
        w = mean of the iterates of the stage;  D /= 2;  η /= 2

It converges at the end of the last stage.

Answer: the mean of the iterates of the current stage so far.

Counting: two inner products per iteration, <w, x_i> and |w - u|². An iteration takes O(d) operations, even if
rows are sparse.
"""

from dataclasses import dataclass

import numpy as np

from svmbench.option import option
from svmbench.solvers.base import LinearModel, LinearSolver, Snapshot

from libc.math cimport isfinite, ldexp, sqrt
from libc.stdint cimport int64_t

from svmbench.rng cimport Generator
from svmbench.solvers.run cimport LinearRun


@dataclass(frozen=True)
class Params:
    """Parameters of Snacks."""

    stage: int = option(
        35_000, "Iterations of a stage. The authors' number for Adult; 80,000 for MNIST.", min=1
    )
    stages: int = option(
        5,
        "Stages; step and radius are halved after each. The authors' number for Adult; 8 for MNIST.",
        min=1,
        max=60,
    )
    radius: float = option(
        600.0,
        "Radius of the ball in the first stage. The authors' number for Adult and MNIST.",
        above=0.0,
    )
    step: float = option(
        1.0,
        "Three times the step size of the first stage, in units of 1/|x|². The authors' number for Adult; 5 "
        "for MNIST.",
        above=0.0,
    )


cdef class Run(LinearRun):
    """A run of Snacks."""

    cdef Generator rng
    cdef double lam
    cdef double radius              # of the first stage
    cdef double step_size           # of the first stage
    cdef int64_t length
    cdef int64_t stages
    cdef int64_t at                 # iterations made in this stage
    cdef int done                   # stages completed
    cdef double[::1] w
    cdef double[::1] centre
    cdef double[::1] away           # w - centre
    cdef double[::1] total          # sum of the iterates of this stage

    def __init__(self, problem, examples, Generator rng not None, params):
        super().__init__(problem, examples, 2)
        self.rng = rng
        self.lam, self.radius, self.step_size = problem.lam, params.radius, params.step / 3.0
        self.length, self.stages = params.stage, params.stages
        self.w, self.centre, self.away, self.total = (np.zeros(max(examples.d, 1)) for _ in range(4))
        self.work += 4 * examples.d

    cdef int step(self) except -1 nogil:
        cdef double eta = ldexp(self.step_size, -self.done)
        cdef Py_ssize_t i = self.rng.below(<unsigned int> self.n)
        cdef double response = self.y[i] * self.examples.dot(i, &self.w[0])
        cdef Py_ssize_t j = 0
        if not isfinite(response):
            self.overflowed()
        for j in range(self.w.shape[0]):
            self.w[j] *= 1.0 - eta * self.lam
        if response < 1.0:
            self.examples.add(i, eta * self.y[i], &self.w[0])
        self.project(ldexp(self.radius, -self.done))
        for j in range(self.w.shape[0]):
            self.total[j] += self.w[j]
        self.at += 1
        if self.at == self.length:
            self.restart()
        self.ledger.iteration(0)
        return 0

    cdef void project(self, double radius) noexcept nogil:
        """Project w on the ball around the centre."""
        cdef double squared = 0.0
        cdef double part = 0.0
        cdef Py_ssize_t j = 0
        for j in range(self.w.shape[0]):
            self.away[j] = self.w[j] - self.centre[j]
        squared = self.examples.between(&self.away[0], &self.away[0])
        if squared > radius * radius:
            part = radius / sqrt(squared)
            for j in range(self.w.shape[0]):
                self.w[j] = self.centre[j] + part * self.away[j]

    cdef void restart(self) noexcept nogil:
        """Begin the next stage at the mean of this one, or converge."""
        cdef Py_ssize_t j = 0
        for j in range(self.w.shape[0]):
            self.centre[j] = self.total[j] / <double> self.length
            self.w[j] = self.centre[j]
            self.total[j] = 0.0
        self.at = 0
        self.done += 1
        self.converged = self.done == self.stages

    def keep(self, kept):
        """Declare the state of the run."""
        kept.vectors(w=self.w, centre=self.centre, total=self.total)
        kept.stream(self.rng)
        self.at = kept.number("at", self.at)
        self.done = kept.number("done", self.done)

    def snapshot(self):
        """Return the mean of the iterates of this stage or, if it has none yet, of the previous one."""
        weights = np.asarray(self.total) / self.at if self.at else np.array(self.centre)
        return Snapshot(LinearModel(weights[: self.examples.d]))


class Snacks(LinearSolver):
    """Restarted subgradient descent in shrinking balls; see the module."""

    name = "snacks"
    title = "Snacks"
    counting = "inner products: 2 per iteration"
    resumable = True
    Params = Params
    Run = Run
