r"""The water level of two basins: the worst response after slack and bias have been spent at their best.

Given responses :math:`c_1..c_n` with labels and a volume :math:`V = n\nu \ge 0`, the level is the largest
:math:`\gamma` with :math:`c_i + y_i b + \xi_i \ge \gamma`, :math:`\xi \ge 0, \sum_i \xi_i \le V`, over the
bias b (Cotter, Shalev-Shwartz and Srebro, ICML 2012, eq. 3.9 and the subroutine of Appendix B). The water
level is :math:`u = \gamma - b` for the positives and :math:`v = \gamma + b` for the negatives, and at the
optimum as many positives as negatives are covered.

With :math:`P_1 \le P_2 \le \dots` the responses of the positives and N those of the negatives, raising both
surfaces while k of each are covered costs k per unit of u + v. So u + v is the level of a single basin with
the points :math:`P_k + N_k`, :math:`k \le \min(|P|, |N|)`, for the same volume, and half of it is
:math:`\gamma`. Any u of :math:`[\max(P_k, u + v - N_{k+1}), \min(P_{k+1}, u + v - N_k)]` belongs to it; the
midpoint is taken.

`find_basins` bisects over k by selection, which takes O(n) in all. `solve_basins` needs no pass of its own:
the pass that moves the responses collects those of a narrow band around the cuts, the highest responses under
water, adds up those below, and the bisection is among the band. `expect_basins` predicts the cuts: the last
ones, moved like the responses that were near them. The search notices if the prediction was wrong; then the
band is widened, and finally the search uses all responses.
"""

import numpy as np

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int64_t, uint64_t

from svmbench.solvers.slack.water_level import finite_responses

from svmbench.simd.passes cimport Band, collect
from svmbench.solvers.slack.water_level cimport NEWEST, REACH, total

cdef enum:
    WIDENINGS = 3           # of the band, before the search starts from nothing
    MARKS = 128             # responses near each cut that show where it moves


cdef struct Side:
    double* x               # responses of the band, in ascending order as far as the search needed it
    Py_ssize_t count        # how many
    Py_ssize_t sunk         # responses below the band
    Py_ssize_t size         # responses of the class


cdef double place(double* x, Py_ssize_t n, Py_ssize_t rank) noexcept nogil:
    """Bring the value of that rank to its place, lower ones before it, higher ones behind; return it."""
    # Every value is exchanged and kept by stepping on: without branches, which would be guessed wrong.
    cdef Py_ssize_t lo = 0, hi = n, i = 0, less = 0, equal = 0
    cdef double pivot = 0.0, value = 0.0
    cdef uint64_t random = 0x9E3779B97F4A7C15
    while True:
        # The generator of the pivots is seeded in each call: the result depends on the arguments alone.
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        pivot = x[lo + <Py_ssize_t> (random % <uint64_t> (hi - lo))]
        less = lo
        for i in range(lo, hi):
            value = x[i]
            x[i] = x[less]
            x[less] = value
            less += value < pivot
        if rank < less:
            hi = less
            continue
        equal = less
        for i in range(less, hi):
            value = x[i]
            x[i] = x[equal]
            x[equal] = value
            equal += not value > pivot
        if rank < equal:
            return pivot
        lo = equal


cdef bint search(Side* sides, double sum_below, double volume, Basins* basins) noexcept nogil:
    """Find the basins among the responses of the bands; False if they are not known to lie there."""
    cdef Py_ssize_t lowest = max(sides[0].sunk, sides[1].sunk)
    cdef Py_ssize_t lo = lowest
    cdef Py_ssize_t hi = min(sides[0].sunk + sides[0].count, sides[1].sunk + sides[1].count)
    cdef Py_ssize_t[2] begin = [0, 0]
    cdef Py_ssize_t[2] end = [sides[0].count, sides[1].count]
    cdef double base = sum_below        # of all that are known to be covered
    cdef double pair = 0.0, sum = 0.0
    cdef Py_ssize_t middle = 0, ahead = 0
    cdef int s = 0
    for s in range(2):
        if lo < hi < sides[s].sunk + end[s]:            # the larger class has more than can be covered
            end[s] = hi - sides[s].sunk
            place(sides[s].x, sides[s].count, end[s] - 1)
    while lo < hi:
        middle = (lo + hi + 1) // 2
        pair = 0.0
        sum = base
        for s in range(2):
            ahead = middle - sides[s].sunk - begin[s]
            pair += place(sides[s].x + begin[s], end[s] - begin[s], ahead - 1)
            sum += total(sides[s].x + begin[s], ahead)
        if middle == 1 or pair * middle - sum < volume:     # the water stands above the middle pair
            lo = middle
            base = sum
            for s in range(2):
                begin[s] = middle - sides[s].sunk
        else:
            hi = middle - 1
            for s in range(2):
                end[s] = hi - sides[s].sunk
    if lo == lowest:
        return False
    for s in range(2):
        if lo == sides[s].sunk + sides[s].count < sides[s].size:
            return False
    describe(sides, lo, (volume + base) / lo, basins)
    return True


cdef void describe(Side* sides, Py_ssize_t covered, double both, Basins* basins) noexcept nogil:
    """Fill the basins from the bands, of which the first ones are covered; both: u + v."""
    cdef double[2] above = [INFINITY, INFINITY]
    cdef double lo = 0.0, hi = 0.0, x = 0.0
    cdef Py_ssize_t k = 0
    cdef int s = 0
    basins.covered = covered
    for s in range(2):
        basins.cut[s] = -INFINITY
        for k in range(covered - sides[s].sunk):
            basins.cut[s] = max(basins.cut[s], sides[s].x[k])
        for k in range(covered - sides[s].sunk, sides[s].count):
            above[s] = min(above[s], sides[s].x[k])
        basins.below[s] = sides[s].sunk
        basins.ties[s] = 0
        for k in range(sides[s].count):
            x = sides[s].x[k]
            basins.below[s] += x < basins.cut[s]
            basins.ties[s] += x == basins.cut[s]
    lo = max(basins.cut[0], both - above[1])
    hi = min(above[0], both - basins.cut[1])
    basins.level = 0.5 * both
    basins.bias = basins.level - 0.5 * (lo + hi)


cdef void find_basins(
    const double* c, const int64_t* members, const Py_ssize_t* sizes, double volume, Basins* basins,
    double* scratch
) noexcept nogil:
    cdef Side[2] sides
    cdef Py_ssize_t k = 0
    cdef int s = 0
    for k in range(sizes[0] + sizes[1]):
        scratch[k] = c[members[k]]
    for s in range(2):
        sides[s] = Side(scratch, sizes[s], 0, sizes[s])
        scratch += sizes[s]
    search(sides, 0.0, volume, basins)


cdef void surround(const Basins* basins, double reach, Band* band) noexcept nogil:
    """Set the band to so many mean errors around where the cuts are expected."""
    cdef int s = 0
    for s in range(2):
        band.floor[s] = basins.expected[s] - reach * basins.error[s]
        band.ceiling[s] = basins.expected[s] + reach * basins.error[s]


cdef void expect_basins(
    const float* signs, const float* row, double step, double scale, Basins* basins, Band* band
) noexcept nogil:
    cdef Py_ssize_t marks = 0, k = 0, i = 0
    cdef double moved = 0.0
    cdef int s = 0
    for s in range(2):
        marks = min(<Py_ssize_t> MARKS, band.count[s])
        moved = 0.0
        for k in range(marks):
            # A division by what is known here is a shift.
            i = band.owners[s][k * band.count[s] // MARKS if marks == MARKS else k]
            moved += <double> signs[i] * <double> row[i]
        basins.expected[s] = scale * (basins.cut[s] + step * (moved / max(marks, <Py_ssize_t> 1)))
    surround(basins, REACH, band)


cdef bint search_within(Band* band, const Py_ssize_t* sizes, double volume, Basins* basins) noexcept nogil:
    """Search the responses of the band; False if the basins are not known to lie there."""
    cdef Side[2] sides
    cdef int s = 0
    for s in range(2):
        sides[s] = Side(band.values[s], band.count[s], band.below[s], sizes[s])
    return search(sides, band.sum, volume, basins)


cdef void solve_basins(
    const double* c, const float* signs, const int64_t* members, const Py_ssize_t* sizes, double volume,
    Basins* basins, Band* band
) noexcept nogil:
    cdef double reach = REACH
    cdef bint expected = basins.covered > 0
    cdef bint found = expected and search_within(band, sizes, volume, basins)
    cdef int k = 0
    while expected and not found and k < WIDENINGS:
        reach *= 2.0
        surround(basins, reach, band)
        collect(c, signs, sizes[0] + sizes[1], band)
        found = search_within(band, sizes, volume, basins)
        k += 1
    if not found:
        find_basins(c, members, sizes, volume, basins, band.values[0])
    if expected:
        for k in range(2):
            basins.error[k] += NEWEST * (fabs(basins.expected[k] - basins.cut[k]) - basins.error[k])


def members_of(y):
    """Return the examples with label +1, then those with -1, as int64 (n,), and how many of each."""
    y = np.asarray(y)
    positives, negatives = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    return np.concatenate([positives, negatives]).astype(np.int64), (positives.size, negatives.size)


def water_level_bias(c, y, double volume) -> tuple[float, float, int]:
    """Return the level of two basins, a bias that reaches it, and the number of responses covered in each.

    Parameters
    ----------
    c : array_like of float64, shape (n,)
        Responses without bias, in any order; finite, and so is their sum.
    y : array_like, shape (n,)
        Labels in {-1, +1}, both of them.
    volume : float
        V = n ν, at least 0.

    Raises
    ------
    FloatingPointError
        If a response is not finite.
    ValueError
        If there is no response of one class, or the volume is negative or not finite.
    """
    return water_level_bias_from(c, y, volume, (0, 0), INFINITY)


def water_level_bias_from(c, y, double volume, marks, double reach) -> tuple[float, float, int]:
    """Return the same, searched within ``reach`` of the responses of two examples first.

    They are ``marks``, for the positives and for the negatives; the result does not depend on them beyond
    rounding. Other parameters and errors as for `water_level_bias`.
    """
    cdef double[::1] responses = finite_responses(c, volume)
    order, counts = members_of(y)
    if min(counts) == 0 or sum(counts) != responses.shape[0]:
        raise ValueError(
            f"{counts[0]} positives and {counts[1]} negatives of {responses.shape[0]}: give both"
        )
    cdef int64_t[::1] members = order
    cdef Py_ssize_t[2] sizes = [counts[0], counts[1]]
    cdef const float[::1] signs = np.asarray(y, dtype=np.float32)
    cdef double[:, ::1] values = np.empty((2, responses.shape[0]))
    cdef int64_t[:, ::1] owners = np.empty((2, responses.shape[0]), dtype=np.int64)
    cdef Py_ssize_t first = marks[0], second = marks[1]
    cdef Band band
    cdef Basins basins
    cdef int s = 0
    band.classes = 2
    for s in range(2):
        band.values[s] = &values[s, 0]
        band.owners[s] = &owners[s, 0]
    basins.expected = [responses[first], responses[second]]
    basins.error = [reach, reach]
    basins.covered = 1
    surround(&basins, 1.0, &band)
    collect(&responses[0], &signs[0], responses.shape[0], &band)
    solve_basins(&responses[0], &signs[0], &members[0], sizes, volume, &basins, &band)
    return basins.level, basins.bias, basins.covered
