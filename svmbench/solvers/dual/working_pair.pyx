r"""Selection of a violating pair for duals with the constraint :math:`\sum_i \alpha_i y_i = 0`.

With f the predictor without bias, the value :math:`v_i = y_i - f(x_i)` is :math:`-y_i` times the gradient of
the dual (to be minimised). A pair (i, j) moves :math:`\alpha_i` by :math:`y_i \delta` and :math:`\alpha_j` by
:math:`-y_j \delta`, δ > 0, and gains where :math:`v_i > v_j`. An example can move up if :math:`y_i = 1,
\alpha_i < C` or :math:`y_i = -1, \alpha_i > 0`, and down in the other two cases; that is kept as vectors of 0
and ∓∞ to be added, so that one pass does without branches. At the optimum no value that can move up is above
one that can move down (S. S. Keerthi et al., Neural Computation 13, 2001).

The second-order choice (R.-E. Fan, P.-H. Chen, C.-J. Lin, JMLR 6, 2005) gives the highest i the partner with
the largest :math:`(v_i - v_t)^2 / A_t`, :math:`A_t = K_{ii} + K_{tt} - 2 K_{it}`, twice what the dual would
gain without the box. Of equals the first is chosen.
"""

import numpy as np

from libc.math cimport INFINITY

cdef extern from "svmbench/simd/csrc/lanes.h" nogil:
    double largest(const double* x, Py_ssize_t n, double start)

cdef enum:
    BLOCK = 256             # values per inner loop; what is compared lies on the stack


cdef inline Py_ssize_t first(const double* x, double value) noexcept nogil:
    """Return where a value of at least this, which is there, stands first."""
    cdef Py_ssize_t k = 0
    while not x[k] >= value:
        k += 1
    return k


cdef void move_values(
    double* values, const float* a, const float* b, double step, const double* up, const double* down,
    Py_ssize_t n, Extrema* extrema
) noexcept nogil:
    move_values_with_ties(values, a, b, step, up, down, n, 0.0, extrema)


cdef void move_values_with_ties(
    double* values, const float* a, const float* b, double step, const double* up, const double* down,
    Py_ssize_t n, double tie, Extrema* extrema
) noexcept nogil:
    cdef double[BLOCK] ups
    cdef double[BLOCK] downs
    cdef double high = -INFINITY
    cdef double low = -INFINITY         # of the negated values
    cdef double found = 0.0
    cdef Py_ssize_t begin = 0, count = 0, k = 0
    while begin < n:
        count = min(<Py_ssize_t> BLOCK, n - begin)
        if b != NULL:
            for k in range(count):
                values[begin + k] -= step * (<double> a[begin + k] - <double> b[begin + k])
        elif a != NULL:
            for k in range(count):
                values[begin + k] -= step * <double> a[begin + k]
        for k in range(count):
            ups[k] = values[begin + k] + up[begin + k]
        for k in range(count):
            downs[k] = -(values[begin + k] + down[begin + k])
        found = largest(ups, count, high)
        if found > high + tie:
            k = first(ups, found - tie)
            high = ups[k]
            extrema.i_up = begin + k
        found = largest(downs, count, low)
        if found > low + tie:
            k = first(downs, found - tie)
            low = downs[k]
            extrema.i_low = begin + k
        begin += count
    extrema.m_up = high
    extrema.M_low = -low


cdef Py_ssize_t best_partner(
    const double* values, const double* down, const double* diagonal, const float* row, Py_ssize_t n,
    const Extrema* extrema
) noexcept nogil:
    cdef double[BLOCK] gains
    cdef double own = diagonal[extrema.i_up]
    cdef double high = extrema.m_up
    cdef double below = 0.0, found = 0.0
    cdef double best = 0.0
    cdef Py_ssize_t partner = extrema.i_low
    cdef Py_ssize_t begin = 0, count = 0, k = 0
    while begin < n:
        count = min(<Py_ssize_t> BLOCK, n - begin)
        for k in range(count):
            below = high - (values[begin + k] + down[begin + k])
            below = below if below > 0.0 else 0.0
            gains[k] = below * below / curvature(own, diagonal[begin + k], <double> row[begin + k])
        found = largest(gains, count, best)
        if found > best:
            best = found
            partner = begin + first(gains, found)
        begin += count
    return partner


def bias_between(v, up, down):
    """Return the mean value of the free coefficients, or the midpoint of the extrema where none is free.

    Parameters
    ----------
    v : ndarray of float64, shape (n,)
        Values; one at least can move up or down.
    up, down : ndarray of float64, shape (n,)
        0, or -inf where it cannot move up; 0, or +inf where it cannot move down.
    """
    free = up == down
    if free.any():
        return float(v[free].mean())
    ends = [end for end in ((v + up).max(), (v + down).min()) if np.isfinite(end)]
    return float(np.mean(ends))
