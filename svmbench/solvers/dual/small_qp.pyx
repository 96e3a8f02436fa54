r"""Quadratic programs in few variables, solved to any tolerance, as in a step of decomposition methods.

Problem: :math:`\min_z \frac12 z'Qz + h'z`, :math:`0 \le z \le u`, Q symmetric positive semidefinite up to
rounding; with an equality constraint :math:`y'z = e`, :math:`y_i \in \{-1, +1\}`, or without.

Method, from a feasible z, which fixes e; g = Qz + h::

    with y:    steps in the pair chosen to second order, as in `smo_pair`; the violation is the largest
               -y_i g_i that can move up minus the smallest that can move down
    without:   steps in the variable that gains most, as in `smo`, and in the partner with which it gains
               most, if that is more than alone: the partner goes to its coordinate of the best point for
               both, clipped to its box, and the variable to its best for that; the violation is the
               largest projected |g_i|

(R.-E. Fan, P.-H. Chen and C.-J. Lin, JMLR 6, 2005; I. Steinwart, D. Hush and C. Scovel, JMLR 12, 2011.) It
ends when the violation is below the tolerance. A step that reaches a bound ends exactly on it. Nothing is
allocated, and of equals the first is chosen: the same input gives the same output.
"""

import numpy as np

from libc.math cimport INFINITY, fabs, fmin
from libc.stdint cimport int64_t

from svmbench.solvers.dual.working_pair cimport curvature

# Determinant of two variables, relative to the product of their curvatures, up to which values in single
# precision cannot distinguish their joint gain from that of one.
cdef double PARALLEL = 1e-6


cdef double solve_small(SmallQP* qp, double tol, int64_t most) noexcept nogil:
    cdef double left = violation_of(qp)
    while left >= tol and most > 0:
        if qp.y != NULL:
            improve_pair(qp)
        else:
            improve_two(qp)
        left = violation_of(qp)
        most -= 1
    return left


cdef double violation_of(const SmallQP* qp) noexcept nogil:
    cdef double high = -INFINITY, low = INFINITY, worst = 0.0, value = 0.0
    cdef Py_ssize_t t = 0
    if qp.y == NULL:
        for t in range(qp.q):
            value = qp.gradient[t]
            if -value > worst and qp.z[t] < qp.bound[t] or value > worst and qp.z[t] > 0.0:
                worst = fabs(value)
        return worst
    for t in range(qp.q):
        value = -qp.y[t] * qp.gradient[t]
        if value > high and slack(qp, t, qp.y[t]) > 0.0:
            high = value
        if value < low and slack(qp, t, -qp.y[t]) > 0.0:
            low = value
    return high - low


cdef void improve_pair(SmallQP* qp) noexcept nogil:
    """Make a step in the highest variable that can move up and the partner that gains most."""
    cdef const double* y = qp.y
    cdef const double* g = qp.gradient
    cdef const double* row = NULL
    cdef double high = -INFINITY, below = 0.0, gain = 0.0, best = -1.0, length = 0.0
    cdef Py_ssize_t i = 0, j = 0, t = 0
    for t in range(qp.q):
        if -y[t] * g[t] > high and slack(qp, t, y[t]) > 0.0:
            high = -y[t] * g[t]
            i = t
    row = qp.Q + i * qp.q
    for t in range(qp.q):
        below = high + y[t] * g[t]
        if below > 0.0 and slack(qp, t, -y[t]) > 0.0:
            gain = below * below / curvature(qp.diagonal[i], qp.diagonal[t], y[i] * y[t] * row[t])
            if gain > best:
                best = gain
                j = t
    length = (high + y[j] * g[j]) / curvature(qp.diagonal[i], qp.diagonal[j], y[i] * y[j] * row[j])
    length = fmin(length, fmin(slack(qp, i, y[i]), slack(qp, j, -y[j])))
    change(qp, i, y[i] * length)
    change(qp, j, -y[j] * length)


cdef void improve_two(SmallQP* qp) noexcept nogil:
    """Make a step in the variable that gains most, and in its partner if there is one that adds to it."""
    cdef double step = 0.0, gain = 0.0, best = -1.0, length = 0.0
    cdef Py_ssize_t i = 0, t = 0
    for t in range(qp.q):
        step = best_step(qp.z[t], qp.gradient[t], qp.diagonal[t], qp.bound[t])
        gain = -step * (qp.gradient[t] + 0.5 * qp.diagonal[t] * step)
        if gain > best:
            best = gain
            length = step
            i = t
    if qp.diagonal[i] > 0.0:
        length = add_partner(qp, i, length, best)
    change(qp, i, length)


cdef double add_partner(SmallQP* qp, Py_ssize_t i, double length, double gain) noexcept nogil:
    """Move the partner with which a variable gains more than alone; return the step of the variable."""
    cdef const double* row = qp.Q + i * qp.q
    cdef double own = qp.diagonal[i], g = qp.gradient[i]
    cdef double step = 0.0, mine = 0.0, total = 0.0, determinant = 0.0, partners = 0.0
    cdef Py_ssize_t j = i, t = 0
    for t in range(qp.q):
        determinant = own * qp.diagonal[t] - row[t] * row[t]
        if t == i or not determinant > PARALLEL * own * qp.diagonal[t]:
            continue
        step = best_step(qp.z[t], own * qp.gradient[t] - g * row[t], determinant, qp.bound[t])
        mine = best_step(qp.z[i], g + row[t] * step, own, qp.bound[i])
        total = -mine * (g + 0.5 * own * mine)
        total -= step * (qp.gradient[t] + 0.5 * qp.diagonal[t] * step + row[t] * mine)
        if total > gain:
            gain = total
            j = t
            length = mine
            partners = step
    if j != i:
        change(qp, j, partners)
    return length


cdef inline double slack(const SmallQP* qp, Py_ssize_t t, double direction) noexcept nogil:
    """Return the distance of a variable to its bound in that direction."""
    return qp.bound[t] - qp.z[t] if direction > 0.0 else qp.z[t]


cdef void change(SmallQP* qp, Py_ssize_t i, double step) noexcept nogil:
    """Change one variable, exactly onto its bound if it gets there, and update the gradient."""
    cdef const double* row = qp.Q + i * qp.q
    cdef double bound = qp.bound[i] if step > 0.0 else 0.0
    cdef Py_ssize_t t = 0
    qp.z[i] = bound if fabs(step) >= slack(qp, i, step) else qp.z[i] + step
    for t in range(qp.q):
        qp.gradient[t] += step * row[t]


def minimise(Q, h, C, y=None, start=None, double tol=1e-10, int64_t most=10_000_000):
    """Return the solution z, float64 (q,), and the remaining violation.

    For tests: solvers call `solve_small`.

    Parameters
    ----------
    Q : array_like of float64, shape (q, q)
        Symmetric, positive semidefinite.
    h : array_like of float64, shape (q,)
        Linear term; q of at least 1.
    C : float or array_like of float64, shape (q,)
        Upper bound of each variable, positive.
    y : array_like of float64, shape (q,), optional
        Labels in {-1, +1}; y'z keeps its initial value.
    start : array_like of float64, shape (q,), optional
        Starting point within the box. Default: 0.
    tol : float, default 1e-10
        Violation of the optimality conditions to reach.
    most : int, optional
        Most steps.
    """
    cdef const double[:, ::1] matrix = np.ascontiguousarray(Q, dtype=np.float64)
    cdef const double[::1] diagonal = np.ascontiguousarray(np.diagonal(Q), dtype=np.float64)
    cdef double[::1] labels = np.ascontiguousarray([] if y is None else y, dtype=np.float64)
    cdef double[::1] z = np.zeros(len(h)) if start is None else np.array(start, dtype=np.float64)
    cdef double[::1] gradient = np.asarray(matrix) @ np.asarray(z) + np.asarray(h)
    cdef double[::1] bounds = np.array(np.broadcast_to(C, z.shape[0]), dtype=np.float64)
    cdef SmallQP qp
    qp.q = z.shape[0]
    qp.Q = &matrix[0, 0]
    qp.diagonal = &diagonal[0]
    qp.y = NULL if y is None else &labels[0]
    qp.bound = &bounds[0]
    qp.z = &z[0]
    qp.gradient = &gradient[0]
    left = solve_small(&qp, tol, most)
    return np.asarray(z), left
