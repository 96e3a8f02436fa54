r"""Doubly stochastic gradients: each step draws examples, and uses a block of random features.

B. Dai, B. Xie, N. He, Y. Liang, A. Raj, M.-F. Balcan and L. Song, Scalable Kernel Methods via Doubly
Stochastic Gradients, NIPS 2014, Algorithms 1 and 2, with blocks of features and mini-batches.

With ``features=fourier`` the features are those of the paper for a Gaussian kernel.

Problem, the regularised form: :math:`\min_w \frac{\lambda}{2} |w|^2 + \frac{1}{n} \sum_i \max(0, 1 - c_i)`,
responses :math:`c_i = y_i \langle w, x_i \rangle`, without bias; x_i are the features, D of them.

Method, from w = 0, iterations t = 1, 2, ...::

    A = `batch` examples, drawn uniformly;  V = those of A with y_i <w, x_i> < 1
    J = the next `block` features, the first ones again after the last
    η = step / (1 + λ step t)
    w *= 1 - η λ
    w_J += η (D / block) / batch Σ_{i in V} y_i x_iJ

Until all features have been used once, the unused ones have coefficient 0. Up to then, iterations are those
of the paper, which draws new features as long as it runs. Later passes use the same features again. η
approaches 1/(λt). The factor D / block makes the direction an unbiased estimate of the subgradient.

Counting: one inner product per example of a batch, besides those of the features themselves. To save memory,
the paper draws the frequencies again from their seeds when it needs them; here features=fourier draws them
once and keeps them. If they were drawn again, each iteration would cost batch times the number of features
used so far.

Answer: the last iterate.
"""

from dataclasses import dataclass

import numpy as np

from svmbench.option import option
from svmbench.solvers.base import LinearModel, LinearSolver, Snapshot

from libc.math cimport isfinite
from libc.stdint cimport int64_t

from svmbench.rng cimport Generator
from svmbench.solvers.run cimport LinearRun


@dataclass(frozen=True)
class Params:
    """Parameters of doubly stochastic gradients."""

    batch: int = option(32, "Examples drawn in each iteration. Unconfirmed.", min=1, max=1_000_000)
    block: int = option(
        128, "Features taken in each iteration, at most all of them. Unconfirmed.", min=1
    )
    step: float = option(
        1.0, "First step size, in units of 1/|x|²; it falls like 1/(λt).", above=0.0
    )


cdef class Run(LinearRun):
    """A run of doubly stochastic gradient descent."""

    cdef Generator rng
    cdef double lam
    cdef double first               # step size
    cdef Py_ssize_t block
    cdef Py_ssize_t at              # first feature of the next block
    cdef double[::1] w
    cdef double[::1] change
    cdef int64_t[::1] batch

    def __init__(self, problem, examples, Generator rng not None, params):
        super().__init__(problem, examples, params.batch)
        self.rng = rng
        self.lam, self.first = problem.lam, params.step
        self.w, self.change = np.zeros(max(examples.d, 1)), np.zeros(max(examples.d, 1))
        self.block = min(params.block, self.w.shape[0])
        self.batch = np.zeros(params.batch, dtype=np.int64)
        self.work += examples.d

    cdef int step(self) except -1 nogil:
        cdef double eta = self.first / (1.0 + self.lam * self.first * <double> (self.iterations + 1))
        cdef Py_ssize_t width = self.w.shape[0]
        cdef Py_ssize_t end = min(self.at + self.block, width)
        cdef double factor = eta * <double> width / <double> ((end - self.at) * self.batch.shape[0])
        cdef Py_ssize_t j = 0
        self.gather()
        for j in range(width):
            self.w[j] *= 1.0 - eta * self.lam
        for j in range(self.at, end):
            self.w[j] += factor * self.change[j]
        self.at = end if end < width else 0
        self.ledger.iteration(0)
        return 0

    cdef int gather(self) except -1 nogil:
        """Set ``change`` to the sum of y_i x_i over the violations of a new batch."""
        cdef double response = 0.0
        cdef Py_ssize_t i = 0
        cdef Py_ssize_t r = 0
        for r in range(self.batch.shape[0]):
            self.batch[r] = self.rng.below(<unsigned int> self.n)
            self.examples.prefetch(self.batch[r])
        for r in range(self.w.shape[0]):
            self.change[r] = 0.0
        for r in range(self.batch.shape[0]):
            i = self.batch[r]
            response = self.y[i] * self.examples.dot(i, &self.w[0])
            if not isfinite(response):
                self.overflowed()
            if response < 1.0:
                self.examples.add(i, self.y[i], &self.change[0])
        return 0

    def keep(self, kept):
        """Declare the state of the run."""
        kept.vectors(w=self.w)
        kept.stream(self.rng)
        self.at = kept.number("at", self.at)

    def snapshot(self):
        """Return the last iterate."""
        return Snapshot(LinearModel(np.array(self.w[: self.examples.d])))


class DoublySGD(LinearSolver):
    """Doubly stochastic gradients; see the module."""

    name = "doubly_sgd"
    title = "Doubly SGD"
    counting = "inner products: 1 per example of a batch"
    resumable = True
    Params = Params
    Run = Run
