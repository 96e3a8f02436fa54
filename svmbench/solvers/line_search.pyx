r"""Exact line search for the hinge loss and its square.

Along w + t (w' - w), with :math:`r_i = 1 - o_i` and :math:`s_i = o_i' - o_i` from the responses o at w and o'
at w', the objective is

.. math:: \varphi(t) = \tfrac12 A t^2 + B t + C \sum_i \max(0, r_i - t s_i)^p, \qquad p = 1, 2,

which is convex. Between two of the points :math:`t_i = r_i / s_i > 0` its derivative is linear: an example
with :math:`s_i > 0` contributes before its :math:`t_i`, one with :math:`s_i < 0` after it (V. Franc and S.
Sonnenburg, ICML 2008, for p = 1; S. S. Keerthi and D. DeCoste, JMLR 6, 2005, for p = 2).

Both papers sort the points. Here they are partitioned at a random one, and the sign of the derivative there
determines which part to continue with, so that the exact minimum is found in expected O(n).
"""

import numpy as np

from libc.math cimport INFINITY, fmax, fmin
from libc.stdint cimport int32_t, uint64_t


cdef struct Line:
    # The derivative K t + L of the examples that are known to contribute.
    double K
    double L


cdef inline void enter(Line* line, int power, double C, double r, double s) noexcept nogil:
    if power == 1:
        line.L -= C * s
    else:
        line.K += 2.0 * C * s * s
        line.L -= 2.0 * C * s * r


cdef inline void join(Line* line, Line other) noexcept nogil:
    line.K += other.K
    line.L += other.L


cdef double line_minimum(
    int power, double A, double B, double C, const double* start, const double* end, Py_ssize_t n,
    int32_t* items
) noexcept nogil:
    cdef Line known = Line(A, B)
    cdef Line before, here_leaving, here_entering, after
    cdef Py_ssize_t lo = 0, hi = 0, less = 0, greater = 0, k = 0
    cdef double low = 0.0, high = INFINITY, pivot = 0.0, r = 0.0, s = 0.0, at = 0.0
    cdef uint64_t random = 0x9E3779B97F4A7C15
    cdef int32_t i = 0
    for k in range(n):
        r = 1.0 - start[k]
        s = end[k] - start[k]
        if r * s > 0.0:
            items[hi] = <int32_t> k
            hi += 1
        elif s < 0.0:
            enter(&known, power, C, r, s)     # contributes for all t > 0
    while lo < hi:
        # The generator of the pivots is seeded in each call: the result depends on the arguments only.
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        i = items[lo + <Py_ssize_t> (random % <uint64_t> (hi - lo))]
        pivot = (1.0 - start[i]) / (end[i] - start[i])
        # Contributions just before the pivot of examples before, at and after it, and just after it.
        before = Line(0.0, 0.0)
        here_leaving = Line(0.0, 0.0)
        here_entering = Line(0.0, 0.0)
        after = Line(0.0, 0.0)
        less = lo
        greater = hi
        k = lo
        while k < greater:
            i = items[k]
            r = 1.0 - start[i]
            s = end[i] - start[i]
            at = r / s
            if at < pivot:
                if s < 0.0:
                    enter(&before, power, C, r, s)
                items[k], items[less] = items[less], i
                less += 1
                k += 1
            elif at > pivot:
                if s > 0.0:
                    enter(&after, power, C, r, s)
                greater -= 1
                items[k], items[greater] = items[greater], i
            else:
                enter(&here_leaving if s > 0.0 else &here_entering, power, C, r, s)
                k += 1
        at = (known.K + before.K + after.K) * pivot + known.L + before.L + after.L
        if at + here_leaving.K * pivot + here_leaving.L >= 0.0:
            join(&known, after)
            join(&known, here_leaving)
            hi = less
            high = pivot
        elif at + here_entering.K * pivot + here_entering.L < 0.0:
            join(&known, before)
            join(&known, here_entering)
            lo = greater
            low = pivot
        else:
            return pivot
    return fmin(fmax(-known.L / known.K, low), high)


def minimum_on_ray(int power, double A, double B, double C, start, end):
    """Return the minimising t.

    For tests: solvers call `line_minimum`.

    Parameters
    ----------
    power : int
        1 for the hinge loss, 2 for its square.
    A, B, C : float
        Of the objective; A and C positive.
    start, end : array_like of float64, shape (n,)
        Responses at t = 0 and at t = 1.
    """
    cdef const double[::1] o = np.ascontiguousarray(start, dtype=np.float64)
    cdef const double[::1] p = np.ascontiguousarray(end, dtype=np.float64)
    cdef int32_t[::1] items = np.empty(o.shape[0], dtype=np.int32)
    return line_minimum(power, A, B, C, &o[0], &p[0], o.shape[0], &items[0])
