r"""ASSET: stochastic subgradient descent with the steps of robust stochastic approximation, and ASSET*.

S. Lee and S. J. Wright, ASSET: Approximate Stochastic Subgradient Estimation Training for Support Vector
Machines, ICPRAM 2012; Algorithm 1.

The paper runs it on Nyström or Fourier features of a kernel (``features=``), but it is a linear method and
runs on any features. ASSET online is order=given, which makes one pass, with features=fourier and
features.lazy=true.

Problem, the regularised form:
:math:`\min_{g, b} \frac{\lambda}{2} |g|^2 + \frac{1}{n} \sum_i \max(0, 1 - y_i (\langle g, z_i \rangle + b))`
over :math:`|g| \le 1/\sqrt\lambda`, where the optimum lies, and :math:`|b| \le B`. Without bias, b = 0.

Method, from g = 0, b = 0, iterations j = 1, 2, ...::

    i = an example;  v = 1 if y_i (<g, z_i> + b) < 1, else 0
    g = (1 - ηλ) g + v η y_i z_i;  b += v η y_i
    g *= min(1, 1 / (√λ |g|));  b = clip(b, -B, B)

======  ===========================  ===================================
step    η                            method
======  ===========================  ===================================
robust  :math:`D_X/(D_G \sqrt j)`    ASSET
strong  :math:`1/(\lambda j)`        ASSET*, which has no bias (section 3.3)
======  ===========================  ===================================

The answer of both is the average of the last ``average`` iterates, weighted by η. The theory of ASSET* needs
no average (section 3.3), but the experiments average in both: section 4 sets :math:`\bar N = m - 100` for all
of them, and section 4.3 evaluates both by the average over the 100 preceding iterations.

:math:`D_X^2 = 1/\lambda` is the size of the set; with bias, :math:`B^2` is added. :math:`D_G^2` estimates the
squared norm of a subgradient by the mean of |z_i|² over up to 100 examples, drawn at random or, with
order=given, the first ones; with bias, 1 is added. If λ is large, the factor 1 - ηλ is negative in early
steps; as in the paper, it is not clipped.

The paper averages the 100 iterates before each report. Here the window ends at the snapshot, so that
observation changes nothing. Averaging costs iterations hardly anything: g is recorded every ``average``
iterations, and the effect of the later steps on the average is computed when a snapshot is made.

One inner product is counted per iteration, one more for a violation, because |g| is maintained (see
`pegasos_linear`), and one at the start for each example used for D_G.
"""

from dataclasses import dataclass

import numpy as np

from svmbench.errors import Refusal
from svmbench.option import option
from svmbench.solvers.base import LinearModel, LinearSolver, Snapshot

from libc.math cimport fabs, fmax, fmin, isfinite, sqrt
from libc.stdint cimport int64_t

from svmbench.rng cimport Generator
from svmbench.solvers.run cimport LinearRun

cdef enum:
    SAMPLED = 100           # most examples for D_G; the paper does not give their number
    AHEAD = 8               # examples chosen in advance, so that their rows are prefetched
    FURTHER = 24            # with order=given, examples are announced this far in advance

# If the scalar becomes smaller, it is multiplied into the vector.
cdef double SMALL = 1e-100


@dataclass(frozen=True)
class Params:
    """Parameters of ASSET."""

    step: str = option(
        "robust",
        "Rule of the step sizes. robust: that of robust stochastic approximation (ASSET). strong: that for "
        "strongly convex problems (ASSET*), without bias.",
        choices=("robust", "strong"),
    )
    average: int = option(
        100,
        "Number of last iterates that are averaged, weighted by their step sizes: 100 in the paper for both "
        "ASSET and ASSET*. 1: only the last iterate.",
        min=1,
    )
    order: str = option(
        "uniform",
        "uniform: draw each example uniformly. given: make one pass in the order of the file and end (ASSET "
        "online).",
        choices=("uniform", "given"),
    )
    B: float = option(
        10.0,
        "Largest absolute value of the bias; only for problem.bias=unregularised. Unconfirmed: the paper "
        "asks for a \"sufficiently large\" one and uses no bias.",
        above=0,
    )


cdef class Run(LinearRun):
    """A started ASSET."""

    cdef Generator rng
    cdef bint robust
    cdef bint drawn
    cdef bint biased
    cdef double lam
    cdef double B
    cdef double first               # η of the first iteration
    cdef double scale               # g = scale v
    cdef double squared             # |v|²
    cdef double bias
    cdef double[::1] v
    cdef int64_t[::1] ahead         # the examples of the next iterations, in a ring
    # Iteration j replaced g by kept g + made z(example). It is recorded at index j of a ring of length 2
    # average.
    cdef Py_ssize_t average
    cdef int64_t[::1] example
    cdef double[::1] kept
    cdef double[::1] made
    cdef double[::1] eta
    cdef double[::1] offset         # b after the iteration
    cdef double[:, ::1] noted       # g at the last two multiples of average, the even ones first

    def __init__(self, problem, examples, Generator rng not None, params):
        super().__init__(problem, examples, 1)
        self.rng = rng
        self.robust = params.step == "robust"
        self.drawn = params.order == "uniform"
        self.biased = problem.bias == "unregularised"
        self.lam = problem.lam
        self.B = params.B
        self.first = self.reach() / sqrt(self.mean_square()) if self.robust else 1.0 / self.lam
        self.scale = 1.0
        self.v = np.zeros(max(examples.d, 1))
        self.ahead = np.zeros(AHEAD, dtype=np.int64)
        for place in range(AHEAD):
            self.ahead[place] = self.choose(place)
        self.average = params.average
        ring = 2 * self.average
        self.example = np.zeros(ring, dtype=np.int64)
        self.kept, self.made, self.eta, self.offset = np.zeros((4, ring))
        self.noted = np.zeros((2, self.v.shape[0]))

    cdef double reach(self):
        """Return D_X."""
        return sqrt(1.0 / self.lam + (self.B * self.B if self.biased else 0.0))

    cdef double mean_square(self):
        """Return D_G²; 1 if all examples are zero, so that steps change nothing."""
        cdef Py_ssize_t k = 0, count = min(self.n, <Py_ssize_t> SAMPLED)
        cdef double total = 0.0
        for k in range(count):
            total += self.examples.squared_norm(self.rng.below(<unsigned int> self.n) if self.drawn else k)
        if total == 0.0 and not self.biased:
            # That a few examples are zero says nothing about the others.
            return float(np.mean(self.examples.squared_norms())) or 1.0
        return total / count + self.biased

    cdef int step(self) except -1 nogil:
        cdef int64_t j = self.iterations + 1
        cdef Py_ssize_t place = self.iterations % AHEAD
        cdef int64_t i = self.ahead[place]
        cdef double y = self.y[i], eta = self.first / (sqrt(<double> j) if self.robust else <double> j)
        cdef double response = y * (self.scale * self.examples.dot(i, &self.v[0]) + self.bias)
        cdef double kept = 1.0 - (eta * self.lam if self.robust else 1.0 / j), made = 0.0, shorter = 1.0
        if not isfinite(response):
            self.overflowed()
        self.rescale(kept)
        if response < 1.0:
            made = eta * y
            self.squared += self.examples.add_measured(i, made / self.scale, &self.v[0])
            if self.biased:
                self.bias = fmin(fmax(self.bias + made, -self.B), self.B)
        shorter = self.project()
        self.ahead[place] = self.choose(self.iterations + AHEAD)
        self.note(j, i, eta, kept * shorter, made * shorter)
        self.converged = not self.drawn and j == self.n
        self.ledger.iteration(0)
        return 0

    cdef int64_t choose(self, int64_t iteration) noexcept nogil:
        """Return the example of an iteration, counted from 0; announce it, or a later one if order=given."""
        cdef int64_t i = self.rng.below(<unsigned int> self.n) if self.drawn else min(iteration, self.n - 1)
        self.examples.prefetch(i if self.drawn else min(iteration + FURTHER, self.n - 1))
        return i

    cdef void rescale(self, double factor) noexcept nogil:
        """Multiply g; a factor of 0, as in the first strong step, resets the representation."""
        cdef Py_ssize_t k = 0
        self.scale *= factor
        if fabs(self.scale) < SMALL:
            for k in range(self.v.shape[0]):
                self.v[k] *= self.scale
            self.squared *= self.scale * self.scale
            self.scale = 1.0

    cdef double project(self) noexcept nogil:
        """Project g onto its ball; return the factor."""
        cdef double norm = fabs(self.scale) * sqrt(fmax(self.squared, 0.0)), factor = 1.0
        if self.lam * norm * norm > 1.0:
            factor = 1.0 / (sqrt(self.lam) * norm)
            self.rescale(factor)
        return factor

    cdef void note(self, int64_t j, int64_t i, double eta, double kept, double made) noexcept nogil:
        """Record what iteration j did and, every ``average`` iterations, g itself."""
        cdef Py_ssize_t at = j % (2 * self.average), k = 0
        self.example[at] = i
        self.eta[at] = eta
        self.kept[at] = kept
        self.made[at] = made
        self.offset[at] = self.bias
        if self.average > 1 and j % self.average == 0:
            for k in range(self.v.shape[0]):
                self.noted[j // self.average % 2, k] = self.scale * self.v[k]

    def keep(self, kept):
        """Declare the state of the run."""
        kept.vectors(
            v=self.v, ahead=self.ahead, example=self.example, factor=self.kept, made=self.made, eta=self.eta,
            offset=self.offset, noted=self.noted,
        )
        kept.stream(self.rng)
        self.scale = kept.number("scale", self.scale)
        self.squared = kept.number("squared", self.squared)
        self.bias = kept.number("bias", self.bias)

    def snapshot(self):
        """Return the average of the last iterates, or the last one."""
        d = self.examples.d
        if self.average == 1 or self.iterations == 0:
            return Snapshot(LinearModel(self.scale * np.asarray(self.v[:d]), self.bias))
        begin = max(self.iterations - self.average, 0)          # the window is (begin, iterations]
        base = begin // self.average
        window = np.arange(begin + 1, self.iterations + 1) % (2 * self.average)
        weights = np.asarray(self.eta)[window] / np.asarray(self.eta)[window].sum()
        repeated = np.arange(self.iterations, base * self.average, -1)
        share, factors = 0.0, np.zeros(repeated.size)
        for k, j in enumerate(repeated):
            # share: the weight that g after iteration j has in the average, through all later iterates.
            share += weights[j - begin - 1] if j > begin else 0.0
            factors[k] = share * self.made[j % (2 * self.average)]
            share *= self.kept[j % (2 * self.average)]
        done = np.flatnonzero(factors)
        chosen = np.asarray(self.example)[repeated[done] % (2 * self.average)]
        g = share * np.asarray(self.noted[base % 2, :d]) + self.examples.combination(chosen, factors[done])
        return Snapshot(LinearModel(g, float(weights @ np.asarray(self.offset)[window])))


class Asset(LinearSolver):
    """ASSET; see the module."""

    name = "asset"
    title = "ASSET"
    biases = ("none", "unregularised")
    counting = "inner products: 1 per iteration, 1 more per violation; up to 100 at the start"
    resumable = True
    Params = Params

    def start(self, problem, examples, rng):
        """Return a run at iteration 0."""
        if self.params.step == "strong" and problem.bias != "none":
            raise Refusal(
                "asset with solver.step=strong has no bias: give problem.bias=none, or solver.step=robust"
            )
        return Run(problem, examples, rng, self.params)
