r"""Linear Pegasos with mini-batches, and with it Norma and Zhang's stochastic gradient descent.

S. Shalev-Shwartz, Y. Singer, N. Srebro and A. Cotter, Pegasos: Primal Estimated sub-GrAdient SOlver for SVM,
Mathematical Programming 127(1), 2011; section 2 and, for its competitors, section 7. Without bias.

Problem, the regularised form: :math:`\min_w \frac{\lambda}{2} |w|^2 + \frac{1}{n} \sum_i \max(0, 1 - c_i)`,
responses :math:`c_i = y_i \langle w, x_i \rangle`.

Method, stochastic subgradient descent from w = 0, iterations t = 1, 2, ...::

    A = k examples;  V = those of A with y_i <w, x_i> < 1
    w = (1 - ηλ) w + (η / k) Σ_{i in V} y_i x_i
    with projection: w *= min(1, 1 / (√λ |w|))

=========  ===============  ==================================================================
steps      η                source
=========  ===============  ==================================================================
pegasos    1 / (λt)         section 2, Figures 1 and 2
norma      p / (λ√t)        Kivinen, Smola, Williamson, IEEE Trans. Signal Processing 52, 2004
zhang      eta, constant    Zhang, ICML 2004
=========  ===============  ==================================================================

With ``iid``, each batch has k distinct examples, drawn independently of other batches. Otherwise it has the
next k in an order of all examples, which is new in each pass (``permutation``) or always the same
(``fixed_permutation``). A batch that extends over two passes may contain an example twice.

Answer: the last iterate, not averaged, as in the paper's experiments. w is stored as a scalar times a vector,
so that the cost of a step depends only on the features in its batch. One inner product is counted per example
of a batch. With projection, one more is counted per violation, since |w| is maintained: updating |w|² after
adding x takes the product of x with the current vector.
"""

from dataclasses import dataclass

import numpy as np

from svmbench.errors import UserError
from svmbench.option import option
from svmbench.solvers.base import LinearModel, LinearSolver, Snapshot

from libc.math cimport fabs, fmax, isfinite, sqrt
from libc.stdint cimport int64_t

from svmbench.rng cimport Generator
from svmbench.solvers.run cimport LinearRun

cdef enum:
    PEGASOS, NORMA, ZHANG

# Least number of examples drawn in advance, so that their rows are prefetched.
cdef enum:
    AHEAD = 8

# If the scalar becomes smaller, it is multiplied into the vector.
cdef double SMALL = 1e-100

STEPS = ("pegasos", "norma", "zhang")


@dataclass(frozen=True)
class Params:
    """Parameters of linear Pegasos."""

    k: int = option(
        1,
        "Examples of a mini-batch, from 1 to the number of training examples. One, as in the paper except "
        "for its Figure 7.",
        min=1,
    )
    projection: bool = option(
        False,
        "Keep w in the ball of radius 1/sqrt(lam), in which the optimum lies. Off, as in the paper's "
        "experiments.",
    )
    sampling: str = option(
        "iid",
        "How batches are drawn: independently, or by passes in an order that is new in each pass or always "
        "the same.",
        choices=("iid", "permutation", "fixed_permutation"),
    )
    steps: str = option(
        "pegasos", "Rule of the step sizes: 1/(lam t), p/(lam sqrt t), or constant.", choices=STEPS
    )
    p: float = option(
        0.7,
        "Factor of the step sizes of norma. Close to the best one for long runs, 0.5 sqrt(2 + 0.5/sqrt T).",
        above=0,
    )
    eta: float = option(
        0.01,
        "Step size of zhang. The best one depends on the length of the run, so no default fits all.",
        above=0,
    )


cdef class Run(LinearRun):
    """A started linear Pegasos."""

    cdef Generator rng
    cdef Py_ssize_t k
    cdef bint projection
    cdef bint drawn                 # batches are drawn independently
    cdef bint shuffled              # each pass has a new order
    cdef int steps
    cdef double lam
    cdef double p
    cdef double eta
    cdef double scale               # w = scale v
    cdef double squared             # |v|², maintained only with projection
    cdef double[::1] v
    cdef int64_t[::1] items
    cdef Py_ssize_t at              # position of the next example of a pass
    cdef int64_t[:, ::1] batches    # the current batch and those drawn in advance, in a ring
    cdef Py_ssize_t turn

    def __init__(self, problem, examples, Generator rng not None, params):
        super().__init__(problem, examples, params.k)
        if params.k > self.n:
            raise UserError(
                f"solver.k={params.k} is not allowed: give at most {self.n}, the number of training examples"
            )
        self.rng = rng
        self.k = params.k
        self.projection = params.projection
        self.drawn = params.sampling == "iid"
        self.shuffled = params.sampling == "permutation"
        self.steps = STEPS.index(params.steps)
        self.lam = problem.lam
        self.p = params.p
        self.eta = params.eta
        self.scale = 1.0
        self.v = np.zeros(max(examples.d, 1))
        self.items = np.arange(self.n, dtype=np.int64)
        if not self.drawn:
            rng.shuffle(&self.items[0], self.n)
        self.batches = np.empty((1 + -(-AHEAD // self.k), self.k), dtype=np.int64)
        for turn in range(self.batches.shape[0]):
            self.fill(&self.batches[turn, 0])

    cdef int step(self) except -1 nogil:
        cdef int64_t* batch = &self.batches[self.turn, 0]
        cdef Py_ssize_t i = 0, r = 0, found = 0
        cdef double shrink = self.shrinkage(), response = 0.0, factor = 0.0
        for r in range(self.k):
            i = batch[r]
            response = self.y[i] * self.scale * self.examples.dot(i, &self.v[0])
            if not isfinite(response):
                self.overflowed()
            if response < 1.0:
                batch[found] = i
                found += 1
        self.rescale(1.0 - shrink)
        factor = shrink / (self.lam * <double> self.k * self.scale)
        for r in range(found):
            i = batch[r]
            if self.projection:
                self.squared += self.examples.add_measured(i, factor * self.y[i], &self.v[0])
            else:
                self.examples.add(i, factor * self.y[i], &self.v[0])
        if self.projection:
            self.project()
        self.fill(batch)
        self.turn = (self.turn + 1) % self.batches.shape[0]
        self.ledger.iteration(0)
        return 0

    cdef double shrinkage(self) noexcept nogil:
        """Return ηλ of this iteration."""
        cdef double t = <double> (self.iterations + 1)
        if self.steps == PEGASOS:
            return 1.0 / t
        if self.steps == NORMA:
            return self.p / sqrt(t)
        return self.eta * self.lam

    cdef void fill(self, int64_t* batch) noexcept nogil:
        """Choose the examples of a batch and request their rows."""
        cdef Py_ssize_t r = 0
        for r in range(self.k):
            batch[r] = self.draw(r) if self.drawn else self.next()
            self.examples.prefetch(batch[r])

    cdef int64_t draw(self, Py_ssize_t r) noexcept nogil:
        """Draw example r of a batch, distinct from the previous ones, by a partial shuffle."""
        cdef Py_ssize_t j = r + self.rng.below(<unsigned int> (self.n - r))
        self.items[r], self.items[j] = self.items[j], self.items[r]
        return self.items[r]

    cdef int64_t next(self) noexcept nogil:
        """Return the next example of a pass."""
        if self.at == self.n:
            self.at = 0
            if self.shuffled:
                self.rng.shuffle(&self.items[0], self.n)
        self.at += 1
        return self.items[self.at - 1]

    cdef void rescale(self, double factor) noexcept nogil:
        """Multiply w; a factor of 0, as at t = 1, resets the representation."""
        cdef Py_ssize_t j = 0
        self.scale *= factor
        if fabs(self.scale) < SMALL:
            for j in range(self.v.shape[0]):
                self.v[j] *= self.scale
            self.squared *= self.scale * self.scale
            self.scale = 1.0

    cdef void project(self) noexcept nogil:
        cdef double norm = fabs(self.scale) * sqrt(fmax(self.squared, 0.0))
        if self.lam * norm * norm > 1.0:
            self.rescale(1.0 / (sqrt(self.lam) * norm))

    def keep(self, kept):
        """Declare the state of the run."""
        kept.vectors(v=self.v, items=self.items, batches=self.batches)
        kept.stream(self.rng)
        self.scale = kept.number("scale", self.scale)
        self.squared = kept.number("squared", self.squared)
        self.at = kept.number("at", self.at)
        self.turn = kept.number("turn", self.turn)

    def snapshot(self):
        """Return the last iterate."""
        return Snapshot(LinearModel(self.scale * np.asarray(self.v[: self.examples.d])))


class PegasosLinear(LinearSolver):
    """Linear Pegasos; see the module."""

    name = "pegasos_linear"
    title = "Pegasos (linear)"
    counting = "inner products: k per iteration; with projection, 1 more per violation"
    resumable = True
    Params = Params
    Run = Run
