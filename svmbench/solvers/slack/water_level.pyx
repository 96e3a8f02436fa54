r"""The water level: the worst response after the slack has been spent as well as possible.

Given responses :math:`c_1..c_n` and a volume :math:`V = n\nu \ge 0`, the level :math:`\gamma` is the solution
of :math:`\sum_i \max(0, \gamma - c_i) = V`, and :math:`\min_i c_i` for V = 0. It is the largest :math:`\min_i
(c_i + \xi_i)` with :math:`\xi \ge 0, \sum_i \xi_i \le V`, the objective of the slack-constrained form
(Cotter, Shalev-Shwartz and Srebro, ICML 2012, eq. 3.1 and the subroutine of Appendix B). It is found in three
ways:

`find_level` is the paper's divide and conquer, with a split into less, equal and greater, so that ties cannot
stall it. It needs no initial level and takes expected O(n).

`solve_level` starts from a nearby level. The volume under a level is convex and piecewise linear in the
level, so a Newton step from any level with covered points lands at or above the solution, and from there the
levels fall, the sets of covered points shrink, and the first set met twice gives the exact solution. One pass
over the responses per step.

`solve_level_near` needs no pass of its own. The pass that moves the responses collects those in a narrow band
around the level that `expect_level` predicted, and sums those below, so the Newton steps read only the band.
The prediction is the first Newton step from the old level, estimated from a sample of the covered responses,
minus the recent mean error of such predictions. If the level is not in the band, `solve_level` finds it.
"""

import numpy as np

from libc.math cimport INFINITY, fabs, isfinite
from libc.stdint cimport uint64_t

from svmbench.simd.passes cimport Band, collect, sample, sum_below

# Partial sums are closed every so many values: short sums keep their digits.
cdef enum:
    BLOCK = 512
    MAX_STEPS = 64

cdef double REACH = 2.5
cdef double NEWEST = 1.0 / 16.0


cdef void sum_of_below(const double* c, Py_ssize_t n, Water* water) noexcept nogil:
    sum_below(c, n, water.level, &water.sum, &water.covered)


cdef double total(const double* c, Py_ssize_t n) noexcept nogil:
    cdef double result = 0.0
    cdef double part = 0.0
    cdef Py_ssize_t start = 0
    cdef Py_ssize_t i = 0
    while start < n:
        part = 0.0
        for i in range(start, min(start + BLOCK, n)):
            part += c[i]
        result += part
        start += BLOCK
    return result


cdef double least(const double* c, Py_ssize_t n) noexcept nogil:
    cdef double result = c[0]
    cdef Py_ssize_t i = 0
    for i in range(1, n):
        if c[i] < result:
            result = c[i]
    return result


cdef double find_level(
    const double* c, Py_ssize_t n, double volume, double* scratch, Py_ssize_t* compared
) noexcept nogil:
    cdef Py_ssize_t lo = 0, hi = n, i = 0, less = 0, greater = 0
    cdef Py_ssize_t covered = 0, covered_with_less = 0
    cdef double sum = 0.0, sum_with_less = 0.0, pivot = 0.0, x = 0.0
    cdef uint64_t random = 0x9E3779B97F4A7C15
    if volume <= 0.0:
        return least(c, n)
    for i in range(n):
        scratch[i] = c[i]
    while lo < hi:
        if compared != NULL:
            compared[0] += hi - lo
        # The generator of the pivots is seeded in each call: the level depends on its arguments alone.
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        pivot = scratch[lo + <Py_ssize_t> (random % <uint64_t> (hi - lo))]
        less = lo
        greater = hi
        i = lo
        while i < greater:
            x = scratch[i]
            if x < pivot:
                scratch[i], scratch[less] = scratch[less], x
                less += 1
                i += 1
            elif x > pivot:
                greater -= 1
                scratch[i], scratch[greater] = scratch[greater], x
            else:
                i += 1
        covered_with_less = covered + (less - lo)
        sum_with_less = sum + total(scratch + lo, less - lo)
        if pivot * covered_with_less - sum_with_less >= volume:
            hi = less                           # the level is at most the pivot
        else:
            covered = covered_with_less + (greater - less)
            sum = sum_with_less + pivot * (greater - less)
            lo = greater
    return (volume + sum) / covered


cdef void solve_level(
    const double* c, Py_ssize_t n, double volume, Water* water, double* scratch
) noexcept nogil:
    cdef Water after = water[0]
    cdef int _k = 0
    if volume <= 0.0:
        water.level = least(c, n)
        water.sum = 0.0
        water.covered = 0
        return
    if water.covered == 0:
        # No response is covered: begin with the level that covers only the lowest one; it is never too low.
        water.level = least(c, n) + volume
        sum_of_below(c, n, water)
    for _k in range(MAX_STEPS):
        if water.covered == 0:                  # the volume is below rounding
            return
        after.level = (volume + water.sum) / water.covered
        sum_of_below(c, n, &after)
        if after.covered == water.covered:      # the sets are nested: the same number is the same set
            water[0] = after
            return
        water[0] = after
    water.level = find_level(c, n, volume, scratch, NULL)
    sum_of_below(c, n, water)


cdef void expect_level(
    const double* c, const float* signs, const float* row, Py_ssize_t n, double step, double scale,
    double volume, Water* water, Band* band
) noexcept nogil:
    cdef double sum = 0.0
    cdef Py_ssize_t count = 0
    band.floor[0] = band.ceiling[0] = -INFINITY
    if volume <= 0.0 or water.covered == 0:
        return
    sample(c, signs, row, n, water.level, &sum, &count)
    sum = water.sum + step * sum / max(count, <Py_ssize_t> 1) * water.covered
    water.expected = (volume + scale * sum) / water.covered
    band.floor[0] = water.expected - water.excess - REACH * water.error
    band.ceiling[0] = water.expected - water.excess + REACH * water.error


cdef bint solve_level_within(double volume, Water* water, const Band* band) noexcept nogil:
    """Find the level among the responses of the band; False if it is not known to lie there."""
    cdef double sum = 0.0
    cdef Py_ssize_t count = 0, covered = 0
    cdef double level = band.ceiling[0]
    cdef int _k = 0
    sum_below(band.values[0], band.count[0], level, &sum, &count)
    for _k in range(MAX_STEPS):
        covered = count
        if band.below[0] + covered == 0:
            return False
        level = (volume + band.sum + sum) / (band.below[0] + covered)
        if not band.floor[0] <= level < band.ceiling[0]:
            return False
        sum_below(band.values[0], band.count[0], level, &sum, &count)
        if count == covered:
            water.level = level
            water.sum = band.sum + sum
            water.covered = band.below[0] + covered
            return True
    return False


cdef void solve_level_near(
    const double* c, Py_ssize_t n, double volume, Water* water, Band* band
) noexcept nogil:
    cdef double error = 0.0
    if not solve_level_within(volume, water, band):
        water.level = band.floor[0]
        water.sum = band.sum
        water.covered = band.below[0]
        solve_level(c, n, volume, water, band.values[0])
    if band.floor[0] > -INFINITY:
        error = water.expected - water.excess - water.level
        water.error += NEWEST * (fabs(error) - water.error)
        water.excess += NEWEST * error


def finite_responses(c, double volume):
    """Return the responses as a vector of float64, or raise what `water_level` raises."""
    responses = np.ascontiguousarray(c, dtype=np.float64)
    if responses.ndim != 1 or responses.size == 0:
        raise ValueError(f"responses of shape {responses.shape} have no level: give a vector of at least one")
    if not np.isfinite(responses).all():
        raise FloatingPointError("the responses are not finite")
    if not (isfinite(volume) and volume >= 0.0):
        raise ValueError(f"volume={volume} is not allowed: give a finite number of at least 0")
    return responses


def water_level(c, double volume) -> float:
    """Return the water level of the responses, by divide and conquer.

    Parameters
    ----------
    c : array_like of float64, shape (n,)
        Responses, in any order; finite, and so is their sum.
    volume : float
        V = n ν, at least 0.

    Raises
    ------
    FloatingPointError
        If a response is not finite.
    ValueError
        If there is no response, or the volume is negative or not finite.
    """
    cdef double[::1] responses = finite_responses(c, volume)
    cdef double[::1] scratch = np.empty(responses.shape[0])
    return find_level(&responses[0], responses.shape[0], volume, &scratch[0], NULL)


def comparisons(c, double volume) -> int:
    """Return how many responses are compared with a pivot until the water level is found.

    Parameters and errors as for `water_level`.
    """
    cdef double[::1] responses = finite_responses(c, volume)
    cdef double[::1] scratch = np.empty(responses.shape[0])
    cdef Py_ssize_t compared = 0
    find_level(&responses[0], responses.shape[0], volume, &scratch[0], &compared)
    return compared


def water_level_from(c, double volume, double start, double reach) -> float:
    """Return the water level of the responses, searched within ``reach`` of ``start`` first.

    The result does not depend on them beyond rounding. Other parameters and errors as for `water_level`. For
    tests: solvers call `solve_level_near`.
    """
    cdef double[::1] responses = finite_responses(c, volume)
    cdef Py_ssize_t n = responses.shape[0]
    cdef double[::1] values = np.empty(n)
    cdef Water water = Water(0.0, 0.0, 0, start, 0.0, reach)
    cdef Band band
    band.classes = 1
    band.values[0] = &values[0]
    band.floor[0] = start - reach
    band.ceiling[0] = start + reach
    collect(&responses[0], NULL, n, &band)
    solve_level_near(&responses[0], n, volume, &water, &band)
    return water.level
