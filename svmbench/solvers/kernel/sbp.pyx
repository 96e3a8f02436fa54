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

The bias is no state: it belongs to the level, and the answer's is that of its own responses.

Answer: the average of all iterates, divided by its own water level, so that its slacks sum to nν/level in
units of the hinge loss. A level that is not positive would turn every prediction round; the average is then
left as it is.

Observed beside it: ``native_objective`` f(w̄), and ``native_bound``
:math:`U = (|\bar w| + n\nu \max_i \bar a_i) / \sum_i \bar a_i`, an upper bound of
the optimum by the dual of (2.3). With a bias it would need :math:`\sum_i a_i y_i = 0`, and is left out.

Edge cases. ν = 0 is the hard margin. |w|² is followed by its recursion and made afresh from the responses
every 1000 iterations. An example with K(x, x) = 0 is drawn like any other, which changes no response; its
coefficient counts in the bound and is left out of the model. If all K(x, x) are 0 nothing can be learned: an
error; so is a single class where there is a bias, whose level is unbounded.
"""

from dataclasses import dataclass, field

import numpy as np

from svmbench.errors import UserError
from svmbench.solvers.base import KernelExpansion, Snapshot, Solver
from svmbench.solvers.parts.stepping import checked_diagonal
from svmbench.solvers.parts.water_level_bias import members_of

from libc.math cimport INFINITY, fabs, fmax, isfinite, nextafter, sqrt
from libc.stdint cimport int64_t

from svmbench.solvers.parts.passes cimport Band, move, rescale
from svmbench.solvers.parts.random cimport Generator
from svmbench.solvers.parts.stepping cimport VISITS_AHEAD, SteppedRun
from svmbench.solvers.parts.water_level cimport Water, expect_level, look, settle, settle_near
from svmbench.solvers.parts.water_level_bias cimport Basins, expect_basins, find_basins, settle_basins

cdef enum:
    REFRESH = 1000          # iterations after which |w|² is made afresh
    DRAWS = 1024            # draws from all examples before the set is scanned

# Error of the first expectations of the level, as a part of the greatest response.
cdef double FIRST_ERROR = 1.0 / 64.0


@dataclass(frozen=True)
class Params:
    """Parameters of the Stochastic Batch Perceptron."""

    nu: float | str = field(
        default="auto",
        metadata={
            "min": 0.0,
            "choices": ("auto",),
            "help": "slack budget per example; auto: that of the optimum of the regularised problem",
        },
    )


cdef class Run(SteppedRun):
    """A started Stochastic Batch Perceptron."""

    cdef Generator rng
    cdef Generator scout            # runs ahead of it
    cdef double volume              # nν
    cdef double first_step          # η_0
    cdef double norm2               # |w|²
    cdef Water water
    cdef Band band                  # of c, where the next level is expected
    cdef double[:, ::1] band_values
    cdef double[::1] diagonal
    cdef double[::1] c
    cdef double[::1] c_sum          # over all iterates, but for the last one where it is behind
    cdef bint behind
    # Coefficients are kept for the examples drawn so far, in the order of their first draw.
    cdef Py_ssize_t drawn
    cdef int64_t[::1] members       # example of each place
    cdef int64_t[::1] place         # place of each example, -1: not drawn yet
    cdef double[::1] a
    cdef double[::1] a_sum          # over all iterates

    def __init__(self, problem, oracle, Generator rng not None, double nu):
        super().__init__(problem, oracle)
        self.rng = rng
        self.scout = Generator(0)
        self.volume = nu * self.n
        self.diagonal = checked_diagonal(oracle)
        largest = float(np.max(self.diagonal))
        if largest == 0.0:
            raise UserError("every K(x, x) is 0, so sbp can learn nothing: give another kernel or other data")
        self.first_step = 1.0 / sqrt(largest)
        self.c = np.zeros(self.n)
        self.c_sum = np.zeros(self.n)
        self.members = np.zeros(self.n, dtype=np.int64)
        self.place = np.full(self.n, -1, dtype=np.int64)
        self.a = np.zeros(self.n)
        self.a_sum = np.zeros(self.n)
        self.water = Water(0.0, 0.0, 0, 0.0, 0.0, FIRST_ERROR / self.first_step)
        self.make_band(1)

    cdef int make_band(self, int classes) except -1:
        """Make an empty band of so many classes."""
        cdef int s = 0
        self.band_values = np.empty((classes, self.n))
        for s in range(classes):
            self.band.values[s] = &self.band_values[s, 0]
            self.band.count[s] = self.band.below[s] = 0
            self.band.floor[s] = self.band.ceiling[s] = -INFINITY
        self.band.sum = 0.0
        self.band.classes = classes
        return 0

    cdef int step(self) except -1 nogil:
        cdef long long t = self.iterations + 1
        cdef double eta = self.first_step / sqrt(<double> t)
        cdef double scale = 1.0
        cdef Py_ssize_t i = 0
        cdef const float* row = NULL
        i = self.violator()
        self.norm2 = fmax(0.0, self.norm2 + 2.0 * eta * self.c[i] + eta * eta * self.diagonal[i])
        if self.norm2 > 1.0:
            scale = 1.0 / sqrt(self.norm2)
            self.norm2 = 1.0
        self.lift(i, eta, scale)
        row = self.row(i)
        self.expect(row, eta * self.y[i], scale)
        move(
            self.oracle.layout.threads, &self.c[0], &self.c_sum[0] if self.behind else NULL, &self.signs[0],
            row, self.n, eta * self.y[i], scale, &self.band
        )
        self.behind = not self.behind
        if t % REFRESH == 0:
            self.norm2 = self.exact_norm2()
        self.ledger.iteration(self.n)
        self.ledger.maintained_change(self.n)
        return 0

    cdef void expect(self, const float* row, double step, double scale) noexcept nogil:
        """Set the band where the level will be after the step."""
        expect_level(
            &self.c[0], &self.signs[0], row, self.n, step, scale, self.volume, &self.water, &self.band
        )

    cdef Py_ssize_t violator(self) noexcept nogil:
        """Draw uniformly from the responses below the level, or from the ties of the least one."""
        cdef Water ties
        settle_near(&self.c[0], self.n, self.volume, &self.water, &self.band)
        if self.water.covered > 0:
            return self.draw(NULL, self.n, -INFINITY, self.water.level, self.water.covered)
        ties.level = self.water.level + 1e-12 * fmax(1.0, fabs(self.water.level))
        ties.level = nextafter(ties.level, INFINITY)
        look(&self.c[0], self.n, &ties)
        return self.draw(NULL, self.n, -INFINITY, ties.level, ties.covered)

    cdef Py_ssize_t draw(
        self, const int64_t* members, Py_ssize_t n, double floor, double ceiling, Py_ssize_t size
    ) noexcept nogil:
        """Draw uniformly from the ``size`` of n members whose response is the floor or in [floor, ceiling).

        Without members (NULL) they are the first n examples.
        """
        cdef double response = 0.0
        cdef Py_ssize_t i = 0
        cdef Py_ssize_t k = 0
        cdef Py_ssize_t left = 0
        cdef int _k = 0
        # The first of a stream of draws from all members that lies in the set is a uniform draw from the
        # set. A set too small to be met soon is scanned for a member drawn by its rank, which is uniform as
        # well.
        for _k in range(DRAWS):
            k = self.rng.below(<unsigned int> n)
            i = k if members == NULL else members[k]
            response = self.c[i]
            if floor <= response < ceiling or response == floor:
                return i
        left = self.rng.below(<unsigned int> size)
        k = 0
        while left >= 0:
            i = k if members == NULL else members[k]
            response = self.c[i]
            left -= floor <= response < ceiling or response == floor
            k += 1
        return i

    cdef void foresee(self) noexcept nogil:
        """Expect the coming candidates whose responses are below the level now."""
        cdef Py_ssize_t i = 0
        cdef int _k = 0
        self.scout.follow(self.rng)
        for _k in range(VISITS_AHEAD):
            i = self.scout.below(<unsigned int> self.n)
            if self.c[i] < self.water.level and not self.oracle.expect(i):
                break

    cdef void lift(self, Py_ssize_t i, double step, double scale) noexcept nogil:
        """Add to one coefficient, scale all, add them to their sums."""
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
            result += self.a[k] * self.c[self.members[k]]
        return fmax(0.0, result)

    def level_of(self, c):
        """Return the water level of responses, float64 (n,), and the bias that belongs to it."""
        cdef double[::1] responses = c
        cdef double[::1] scratch = np.empty(self.n)
        cdef Water water = Water(0.0, 0.0, 0, 0.0, 0.0, 0.0)
        settle(&responses[0], self.n, self.volume, &water, &scratch[0])
        return water.level, 0.0

    def bound_of(self, a, c):
        """Return an upper bound of the optimum from coefficients and their responses, by its name."""
        if not a.any():
            return {}
        norm = sqrt(max(0.0, float(a @ c)))
        return {"native_bound": float((norm + self.volume * a.max()) / a.sum())}

    def snapshot(self):
        """Return the average of the iterates, rescaled by its water level where that is positive."""
        count = max(self.iterations, 1)
        a = np.zeros(self.n)
        a[np.asarray(self.members)[:self.drawn]] = np.asarray(self.a_sum)[:self.drawn] / count
        c = np.asarray(self.c_sum) + np.asarray(self.c) if self.behind else np.array(self.c_sum)
        c /= count
        level, bias = self.level_of(c)
        native = {"native_objective": level, **self.bound_of(a, c)}
        if level > 0.0:
            a /= level
            c /= level
            bias /= level
        a[np.asarray(self.diagonal) == 0.0] = 0.0
        model = KernelExpansion.from_alpha(a, np.asarray(self.labels), bias)
        return Snapshot(model, responses=c, native=native)


cdef class BiasedRun(Run):
    """A started Stochastic Batch Perceptron with an unregularised bias."""

    cdef int64_t[::1] everyone      # the positives, then the negatives
    cdef Py_ssize_t[2] sizes        # how many of them
    cdef Basins basins
    cdef int64_t[:, ::1] owners     # of the responses of the band

    def __init__(self, problem, oracle, rng, nu):
        super().__init__(problem, oracle, rng, nu)
        members, sizes = members_of(self.labels)
        if min(sizes) == 0:
            raise UserError(
                f"all {self.n} labels are {self.labels[0]:+g}, so sbp has no level with "
                "problem.bias=unregularised: give data of two classes, or problem.bias=none"
            )
        self.everyone = members
        self.make_band(2)
        self.owners = np.empty((2, self.n), dtype=np.int64)
        self.band.owners = [&self.owners[0, 0], &self.owners[1, 0]]
        self.sizes = [sizes[0], sizes[1]]
        self.basins.covered = 0
        self.basins.error = [FIRST_ERROR / self.first_step, FIRST_ERROR / self.first_step]

    cdef void expect(self, const float* row, double step, double scale) noexcept nogil:
        """Set the band where the cuts will be after the step."""
        expect_basins(&self.signs[0], row, step, scale, &self.basins, &self.band)

    cdef Py_ssize_t violator(self) noexcept nogil:
        """Draw a class, then uniformly one of its lowest responses, as many as are covered."""
        cdef const int64_t* members = &self.everyone[0]
        cdef double cut = 0.0
        cdef int s = 0
        settle_basins(
            &self.c[0], &self.signs[0], members, self.sizes, self.volume, &self.basins, &self.band
        )
        s = self.rng.below(2)
        members += s * self.sizes[0]
        cut = self.basins.cut[s]
        if <Py_ssize_t> self.rng.below(<unsigned int> self.basins.covered) < self.basins.below[s]:
            return self.draw(members, self.sizes[s], -INFINITY, cut, self.basins.below[s])
        # The ties are met by their value: no number lies just above it where subnormal ones are flushed to
        # zero, as some libraries have it done in the whole process.
        return self.draw(members, self.sizes[s], cut, cut, self.basins.ties[s])

    cdef void foresee(self) noexcept nogil:
        """Expect the coming candidates whose responses are below the cut of their class now."""
        cdef const int64_t* members = NULL
        cdef Py_ssize_t i = 0
        cdef int visits = 0
        cdef int s = 0
        cdef bint useful = True
        self.scout.follow(self.rng)
        while useful and visits < VISITS_AHEAD:
            s = self.scout.below(2)
            self.scout.below(<unsigned int> self.basins.covered)
            members = &self.everyone[s * self.sizes[0]]
            while visits < VISITS_AHEAD:
                visits += 1
                i = members[self.scout.below(<unsigned int> self.sizes[s])]
                if self.c[i] < self.basins.cut[s]:
                    useful = self.oracle.expect(i)
                    break

    def level_of(self, c):
        """Return the level of the two basins and the bias that reaches it."""
        cdef double[::1] responses = c
        cdef double[::1] scratch = np.empty(self.n)
        cdef Basins basins
        find_basins(&responses[0], &self.everyone[0], self.sizes, self.volume, &basins, &scratch[0])
        return basins.level, basins.bias

    def bound_of(self, a, c):
        """Return nothing: the coefficients of the two classes need not balance."""
        return {}


class SBP(Solver):
    """Stochastic Batch Perceptron; see the module."""

    name = "sbp"
    title = "SBP"
    citation = (
        "A. Cotter, S. Shalev-Shwartz, N. Srebro. The Kernelized Stochastic Batch Perceptron. ICML 2012. "
        "Algorithm 1."
    )
    form = "slack-constrained"
    biases = ("none", "unregularised")
    counting = "n under every convention"
    Params = Params

    def start(self, problem, oracle, rng):
        """Return a run at iteration 0; ν is the parameter's, or the problem's for ``auto``."""
        nu = problem.nu if self.params.nu == "auto" else self.params.nu
        if nu is None:
            raise UserError("solver.nu=auto needs a problem whose nu is known: give solver.nu=NUMBER")
        if not (nu >= 0.0 and isfinite(nu * problem.n)):
            raise UserError(f"solver.nu={nu} is not allowed: give a number of at least 0, or auto")
        return (Run if problem.bias == "none" else BiasedRun)(problem, oracle, rng, nu)
