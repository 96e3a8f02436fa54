"""Responses that change slightly in each iteration, their sum, their water level, and draws from below it.

`LevelTracker.draw` computes the level of the responses and draws uniformly from those below it; `move` adds a
row to all of them. The same pass collects the responses near the expected next level, so that computing it
takes no pass of its own (`water_level`, `water_level_bias`). The expectation affects only the time.
"""

import numpy as np

from svmbench.solvers.slack.water_level_bias import members_of

from libc.math cimport INFINITY, fabs, fmax, nextafter
from libc.stdint cimport int64_t

from svmbench.kernels._oracle cimport Oracle
from svmbench.rng cimport Generator
from svmbench.simd.passes cimport move as move_all
from svmbench.solvers.run cimport VISITS_AHEAD
from svmbench.solvers.slack.water_level cimport (
    Water, expect_level, solve_level, solve_level_near, sum_of_below
)
from svmbench.solvers.slack.water_level_bias cimport Basins, expect_basins, find_basins, solve_basins

cdef enum:
    DRAWS = 1024            # draws from all examples before the set is scanned

# Initial error of the expected level, relative to the largest response.
cdef double FIRST_ERROR = 1.0 / 64.0


cdef class LevelTracker:
    """Responses, initially 0, and their water level.

    Parameters
    ----------
    labels : array_like of float64, shape (n,)
        y.
    volume : float
        n ν, the volume of the water.
    greatest : float
        Approximate size of the largest response, the unit of the first expectations.
    """

    def __init__(self, labels, double volume, double greatest):
        self.n = len(labels)
        self.volume = volume
        self.c = np.zeros(self.n)
        self.c_sum = np.zeros(self.n)
        self.signs = np.asarray(labels).astype(np.float32)
        self.water = Water(0.0, 0.0, 0, 0.0, 0.0, FIRST_ERROR * greatest)
        self.make_band(1)

    cdef int make_band(self, int classes) except -1:
        """Make an empty band for this many classes."""
        cdef int s = 0
        self.band_values = np.empty((classes, self.n))
        for s in range(classes):
            self.band.values[s] = &self.band_values[s, 0]
            self.band.count[s] = self.band.below[s] = 0
            self.band.floor[s] = self.band.ceiling[s] = -INFINITY
        self.band.sum = 0.0
        self.band.classes = classes
        return 0

    cdef void move(self, int threads, const float* row, double step, double scale) noexcept nogil:
        self.expect(row, step, scale)
        move_all(
            threads, &self.c[0], &self.c_sum[0] if self.behind else NULL, &self.signs[0], row, self.n, step,
            scale, &self.band
        )
        self.behind = not self.behind

    cdef void expect(self, const float* row, double step, double scale) noexcept nogil:
        """Set the band around the expected level after the step."""
        expect_level(
            &self.c[0], &self.signs[0], row, self.n, step, scale, self.volume, &self.water, &self.band
        )

    cdef Py_ssize_t draw(self, Generator rng) noexcept nogil:
        cdef Water ties
        solve_level_near(&self.c[0], self.n, self.volume, &self.water, &self.band)
        if self.water.covered > 0:
            return self.draw_between(rng, NULL, self.n, -INFINITY, self.water.level, self.water.covered)
        ties.level = self.water.level + 1e-12 * fmax(1.0, fabs(self.water.level))
        ties.level = nextafter(ties.level, INFINITY)
        sum_of_below(&self.c[0], self.n, &ties)
        return self.draw_between(rng, NULL, self.n, -INFINITY, ties.level, ties.covered)

    cdef Py_ssize_t draw_between(
        self, Generator rng, const int64_t* members, Py_ssize_t n, double floor, double ceiling,
        Py_ssize_t size
    ) noexcept nogil:
        """Draw uniformly from the ``size`` of n members whose response is the floor or in [floor, ceiling).

        Without members (NULL), they are the first n examples.
        """
        cdef double response = 0.0
        cdef Py_ssize_t i = 0, k = 0, left = 0
        cdef int _k = 0
        # The first of a stream of draws from all members that lies in the set is a uniform draw from the set.
        # A set too small to be hit soon is scanned for a member with a random rank, which is uniform as well.
        for _k in range(DRAWS):
            k = rng.below(<unsigned int> n)
            i = k if members == NULL else members[k]
            response = self.c[i]
            if floor <= response < ceiling or response == floor:
                return i
        left = rng.below(<unsigned int> size)
        k = 0
        while left >= 0:
            i = k if members == NULL else members[k]
            response = self.c[i]
            left -= floor <= response < ceiling or response == floor
            k += 1
        return i

    cdef void request_likely(self, Generator ahead, Oracle oracle) noexcept nogil:
        """Request the rows of coming candidates whose responses are currently below the level."""
        cdef Py_ssize_t i = 0
        cdef int _k = 0
        for _k in range(VISITS_AHEAD):
            i = ahead.below(<unsigned int> self.n)
            if self.c[i] < self.water.level and not oracle.prefetch.request(i):
                break

    def keep(self, kept):
        """Declare the responses and what is known of their level to a `Kept`."""
        cdef int s = 0
        kept.vectors(c=self.c, c_sum=self.c_sum)
        self.behind = kept.number("behind", self.behind)
        water = kept.part("water")
        self.water.level = water.number("level", self.water.level)
        self.water.sum = water.number("sum", self.water.sum)
        self.water.covered = water.number("covered", self.water.covered)
        self.water.expected = water.number("expected", self.water.expected)
        self.water.excess = water.number("excess", self.water.excess)
        self.water.error = water.number("error", self.water.error)
        self.band.sum = kept.number("sum", self.band.sum)
        for s in range(self.band.classes):
            band = kept.part(f"band{s}")
            self.band.floor[s] = band.number("floor", self.band.floor[s])
            self.band.ceiling[s] = band.number("ceiling", self.band.ceiling[s])
            self.band.below[s] = band.number("below", self.band.below[s])
            self.band.count[s] = band.number("count", self.band.count[s])
            band.vectors(values=self.band_values[s, :self.band.count[s]])

    def mean(self, count):
        """Return the responses of the average of ``count`` iterates, float64 (n,)."""
        c = np.asarray(self.c_sum) + np.asarray(self.c) if self.behind else np.array(self.c_sum)
        c /= count
        return c

    def level_of(self, c):
        """Return the water level of responses, float64 (n,), and its bias."""
        cdef double[::1] responses = c
        cdef double[::1] scratch = np.empty(self.n)
        cdef Water water = Water(0.0, 0.0, 0, 0.0, 0.0, 0.0)
        solve_level(&responses[0], self.n, self.volume, &water, &scratch[0])
        return water.level, 0.0


cdef class BiasedTracker(LevelTracker):
    """Responses and the level of two basins; both labels occur. Parameters as for `LevelTracker`."""

    def __init__(self, labels, volume, greatest):
        super().__init__(labels, volume, greatest)
        members, sizes = members_of(labels)
        self.everyone = members
        self.sizes = [sizes[0], sizes[1]]
        self.make_band(2)
        self.owners = np.empty((2, self.n), dtype=np.int64)
        self.band.owners = [&self.owners[0, 0], &self.owners[1, 0]]
        self.basins.covered = 0
        self.basins.error = [FIRST_ERROR * greatest, FIRST_ERROR * greatest]

    cdef void expect(self, const float* row, double step, double scale) noexcept nogil:
        """Set the band around the expected cuts after the step."""
        expect_basins(&self.signs[0], row, step, scale, &self.basins, &self.band)

    cdef Py_ssize_t draw(self, Generator rng) noexcept nogil:
        """Draw a class, then uniformly one of its lowest responses, as many as are covered."""
        cdef const int64_t* members = &self.everyone[0]
        cdef double cut = 0.0
        cdef int s = 0
        solve_basins(
            &self.c[0], &self.signs[0], members, self.sizes, self.volume, &self.basins, &self.band
        )
        s = rng.below(2)
        members += s * self.sizes[0]
        cut = self.basins.cut[s]
        if <Py_ssize_t> rng.below(<unsigned int> self.basins.covered) < self.basins.below[s]:
            return self.draw_between(rng, members, self.sizes[s], -INFINITY, cut, self.basins.below[s])
        # Ties are compared by value, since there is no larger number next to it if subnormal numbers are
        # flushed to zero, as some libraries do for the whole process.
        return self.draw_between(rng, members, self.sizes[s], cut, cut, self.basins.ties[s])

    cdef void request_likely(self, Generator ahead, Oracle oracle) noexcept nogil:
        """Request the rows of coming candidates whose responses are currently below the class's cut."""
        cdef const int64_t* members = NULL
        cdef Py_ssize_t i = 0
        cdef int visits = 0, s = 0
        cdef bint useful = True
        while useful and visits < VISITS_AHEAD:
            s = ahead.below(2)
            ahead.below(<unsigned int> self.basins.covered)
            members = &self.everyone[s * self.sizes[0]]
            while visits < VISITS_AHEAD:
                visits += 1
                i = members[ahead.below(<unsigned int> self.sizes[s])]
                if self.c[i] < self.basins.cut[s]:
                    useful = oracle.prefetch.request(i)
                    break

    def keep(self, kept):
        """Declare the responses and what is known of their two basins to a `Kept`."""
        cdef int s = 0
        LevelTracker.keep(self, kept)
        self.basins.level = kept.number("level", self.basins.level)
        self.basins.bias = kept.number("bias", self.basins.bias)
        self.basins.covered = kept.number("covered", self.basins.covered)
        for s in range(2):
            basin = kept.part(f"basin{s}")
            self.basins.cut[s] = basin.number("cut", self.basins.cut[s])
            self.basins.below[s] = basin.number("below", self.basins.below[s])
            self.basins.ties[s] = basin.number("ties", self.basins.ties[s])
            self.basins.expected[s] = basin.number("expected", self.basins.expected[s])
            self.basins.error[s] = basin.number("error", self.basins.error[s])
            basin.vectors(owners=self.owners[s, :self.band.count[s]])

    def level_of(self, c):
        """Return the level of the two basins and the bias that reaches it."""
        cdef double[::1] responses = c
        cdef double[::1] scratch = np.empty(self.n)
        cdef Basins basins
        find_basins(&responses[0], &self.everyone[0], self.sizes, self.volume, &basins, &scratch[0])
        return basins.level, basins.bias
