r"""The water level of two basins: the worst response after slack and bias have been spent at their best.

Given responses :math:`c_1..c_n` with labels and a volume :math:`V = n\nu \ge 0`, the level is the largest
:math:`\gamma` with :math:`c_i + y_i b + \xi_i \ge \gamma`, :math:`\xi \ge 0, \sum_i \xi_i \le V`, over the
bias b (Cotter, Shalev-Shwartz and Srebro, ICML 2012, eq. 3.9 and the subroutine of Appendix B). The water
stands at :math:`u = \gamma - b` among the positives and at :math:`v = \gamma + b` among the negatives, and at
the optimum it covers as many of the one as of the other.

With :math:`P_1 \le P_2 \le \dots` the responses of the positives and N those of the negatives, raising both
surfaces while k of each are covered costs k per unit of u + v. So u + v is the level of a single basin with
the points :math:`P_k + N_k`, :math:`k \le \min(|P|, |N|)`, for the same volume, and half of it is
:math:`\gamma`. Any u of :math:`[\max(P_k, u + v - N_{k+1}), \min(P_{k+1}, u + v - N_k)]` belongs to it; the
midpoint is taken.

`find_basins` bisects over k by selection, which takes O(n) in all. `settle_basins` starts from the last cuts,
the highest responses under water, moved by as much as responses near them have moved since: those far below
are only added up, those far above left out, and the bisection is among the band between. Whether that was
right is known afterwards; if not, the band is widened, and at last the search starts from nothing.
"""

import numpy as np

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int64_t, uint64_t

from svmbench.solvers.parts.water_level import finite_responses

from svmbench.solvers.parts.passes cimport collect
from svmbench.solvers.parts.water_level cimport total

cdef enum:
    BLOCK = 512             # values per partial sum: short sums keep their digits
    WIDENINGS = 3           # of the band, before the search starts from nothing
    LOOKED_AT = 4096        # members that may become marks

# The band is doubled where it missed the level, and narrowed by this where it did not.
cdef double NARROWER = 31.0 / 32.0


cdef struct Side:
    double* x               # responses of the band, in ascending order as far as the search needed it
    Py_ssize_t count        # how many
    Py_ssize_t sunk         # responses below the band
    double sum              # their sum
    Py_ssize_t size         # responses of the class


cdef void gather(
    const double* c, const int64_t* members, double floor, double ceiling, Side* side
) noexcept nogil:
    """Collect the responses of [floor, ceiling), count and add up those below."""
    # Without branches, which would be guessed wrong, and in variables of its own, which stay in registers.
    cdef double* band = side.x
    cdef Py_ssize_t count = 0, sunk = 0
    cdef double sum = 0.0, part = 0.0, x = 0.0
    cdef Py_ssize_t start = 0, k = 0
    while start < side.size:
        part = 0.0
        for k in range(start, min(start + BLOCK, side.size)):
            x = c[members[k]]
            band[count] = x
            count += (x >= floor) & (x < ceiling)
            sunk += x < floor
            part += x if x < floor else 0.0
        sum += part
        start += BLOCK
    side.count = count
    side.sunk = sunk
    side.sum = sum


cdef double place(double* x, Py_ssize_t n, Py_ssize_t rank) noexcept nogil:
    """Bring the value of that rank to its place, lower ones before it, higher ones behind; return it."""
    cdef Py_ssize_t lo = 0, hi = n, i = 0, less = 0, greater = 0
    cdef double pivot = 0.0, value = 0.0
    cdef uint64_t random = 0x9E3779B97F4A7C15
    while True:
        # The pivots' own generator starts anew in each call: the result depends on the arguments alone.
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        pivot = x[lo + <Py_ssize_t> (random % <uint64_t> (hi - lo))]
        less = lo
        greater = hi
        i = lo
        while i < greater:
            value = x[i]
            if value < pivot:
                x[i], x[less] = x[less], value
                less += 1
                i += 1
            elif value > pivot:
                greater -= 1
                x[i], x[greater] = x[greater], value
            else:
                i += 1
        if rank < less:
            hi = less
        elif rank >= greater:
            lo = greater
        else:
            return pivot


cdef bint search(Side* sides, double volume, Basins* basins) noexcept nogil:
    """Find the basins among the responses of the bands; False if they are not known to lie there."""
    cdef Py_ssize_t lowest = max(sides[0].sunk, sides[1].sunk)
    cdef Py_ssize_t lo = lowest
    cdef Py_ssize_t hi = min(sides[0].sunk + sides[0].count, sides[1].sunk + sides[1].count)
    cdef Py_ssize_t[2] begin = [0, 0]
    cdef Py_ssize_t[2] end = [sides[0].count, sides[1].count]
    cdef double base = sides[0].sum + sides[1].sum      # of all that are known to be covered
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
    cdef int s = 0
    for s in range(2):
        sides[s].x = scratch
        sides[s].size = sizes[s]
        gather(c, members, -INFINITY, INFINITY, &sides[s])
        members += sizes[s]
        scratch += sizes[s]
    search(sides, volume, basins)


cdef bint within(
    const double* c, const float* signs, const Py_ssize_t* sizes, double volume, const double* centre,
    Basins* basins, double* scratch
) noexcept nogil:
    """Search the responses within reach of the centres."""
    cdef Py_ssize_t n = sizes[0] + sizes[1]
    cdef Side[2] sides
    cdef int s = 0
    for s in range(2):
        sides[s].x = scratch
        sides[s].size = sizes[s]
        collect(
            c, signs, n, -1.0 if s else 1.0, centre[s] - basins.reach, centre[s] + basins.reach, scratch,
            &sides[s].count, &sides[s].sum, &sides[s].sunk
        )
        scratch += n + 8
    return search(sides, volume, basins)


cdef double expected_cut(const double* c, const Basins* basins, int s) noexcept nogil:
    """Return the last cut, moved as the marks have moved on average."""
    cdef double moved = -basins.marks_sum[s]
    cdef int k = 0
    for k in range(basins.n_marks[s]):
        moved += c[basins.marks[s][k]]
    return basins.cut[s] + moved / max(basins.n_marks[s], 1)


cdef void mark(
    const double* c, const int64_t* members, const Py_ssize_t* sizes, Basins* basins
) noexcept nogil:
    """Note a few examples near the cuts."""
    cdef Py_ssize_t k = 0
    cdef double response = 0.0
    cdef int s = 0
    for s in range(2):
        basins.n_marks[s] = 0
        basins.marks_sum[s] = 0.0
        for k in range(min(sizes[s], <Py_ssize_t> LOOKED_AT)):
            response = c[members[k]]
            if fabs(response - basins.cut[s]) <= basins.reach:
                basins.marks[s][basins.n_marks[s]] = members[k]
                basins.marks_sum[s] += response
                basins.n_marks[s] += 1
                if basins.n_marks[s] == MARKS:
                    break
        members += sizes[s]


cdef void settle_basins(
    const double* c, const float* signs, const int64_t* members, const Py_ssize_t* sizes, double volume,
    Basins* basins, double* scratch
) noexcept nogil:
    cdef double[2] centre
    cdef bint found = False
    cdef int k = 0
    if basins.covered > 0:
        centre = [expected_cut(c, basins, 0), expected_cut(c, basins, 1)]
        found = within(c, signs, sizes, volume, centre, basins, scratch)
        if found:
            basins.reach *= NARROWER
        while not found and k < WIDENINGS:
            basins.reach *= 2.0
            found = within(c, signs, sizes, volume, centre, basins, scratch)
            k += 1
    if not found:
        find_basins(c, members, sizes, volume, basins, scratch)
    mark(c, members, sizes, basins)


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
    """Return the same, looked for within ``reach`` of the responses of two examples first.

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
    cdef double[::1] scratch = np.empty(2 * responses.shape[0] + 16)
    cdef Basins basins
    basins.cut = [responses[marks[0]], responses[marks[1]]]
    basins.n_marks = [0, 0]
    basins.marks_sum = [0.0, 0.0]
    basins.covered = 1
    basins.reach = reach
    settle_basins(&responses[0], &signs[0], &members[0], sizes, volume, &basins, &scratch[0])
    return basins.level, basins.bias, basins.covered
