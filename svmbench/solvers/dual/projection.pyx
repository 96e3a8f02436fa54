r"""Projection onto :math:`\{z : 0 \le z \le u,\; y'z = e\}`, :math:`y_i \in \{-1, +1\}`.

The nearest point to x is :math:`z(\mu) = \mathrm{clip}(x + \mu y, 0, u)` for a root of :math:`r(\mu) =
y'z(\mu) - e`, which is piecewise linear and nondecreasing. The root is bracketed by growing steps from an
estimate and then found by secants through the ends of the bracket, which are exact once the bracket lies in
one linear piece. If an end remains twice, its residual is halved, so that the other end moves (Y.-H. Dai and
R. Fletcher, New Algorithms for Singly Linearly Constrained Quadratic Programs Subject to Lower and Upper
Bounds, Math. Programming 106, 2006, section 3). If an end outlasts several secants, as across a long flat
piece, or rounding puts one onto an end, the bracket is bisected. The best multiplier found is returned.
"""

import numpy as np

from libc.math cimport fabs, fmax, fmin

cdef enum:
    MOST = 200              # evaluations of r; a few suffice
    PATIENCE = 3            # consecutive secants that one end outlasts

# Tolerance of r relative to q max u, about the rounding error of the sum.
cdef double TOLERANCE = 1e-16


cdef double residual(
    const double* x, const double* y, double e, const double* bound, Py_ssize_t q, double mu, double* z
) noexcept nogil:
    """Compute z(μ) and return r(μ)."""
    cdef double sum = 0.0
    cdef Py_ssize_t i = 0
    for i in range(q):
        z[i] = fmin(fmax(x[i] + mu * y[i], 0.0), bound[i])
        sum += y[i] * z[i]
    return sum - e


cdef double largest_of(const double* bound, Py_ssize_t q) noexcept nogil:
    cdef double largest = 0.0
    cdef Py_ssize_t i = 0
    for i in range(q):
        largest = fmax(largest, bound[i])
    return largest


cdef double project(
    const double* x, const double* y, double e, const double* bound, Py_ssize_t q, double guess, double* z
) noexcept nogil:
    cdef double largest = largest_of(bound, q)
    cdef double mu = guess, r = residual(x, y, e, bound, q, guess, z), enough = TOLERANCE * q * largest
    cdef double step = largest if r < 0.0 else -largest
    cdef double near = mu, at_near = r, far = mu, at_far = r, best = mu, at_best = r
    cdef int left = MOST, stayed = 0
    # The ends of the bracket; near is the one evaluated last.
    while fabs(r) > enough and (r < 0.0) == (step > 0.0) and left > 0:
        far = mu
        at_far = r
        mu += step
        step *= 2.0
        r = residual(x, y, e, bound, q, mu, z)
        left -= 1
        if fabs(r) < fabs(at_best):
            best = mu
            at_best = r
    near = mu
    at_near = r
    while fabs(r) > enough and left > 0 and near != far:
        mu = near - at_near * (far - near) / (at_far - at_near)
        if stayed >= PATIENCE or mu == near or mu == far:
            mu = 0.5 * (near + far)
        if mu == near or mu == far:
            break
        r = residual(x, y, e, bound, q, mu, z)
        left -= 1
        if fabs(r) < fabs(at_best):
            best = mu
            at_best = r
        if (r < 0.0) == (at_near < 0.0):
            at_far *= 0.5
            stayed += 1
        else:
            stayed = 0
            far = near
            at_far = at_near
        near = mu
        at_near = r
    residual(x, y, e, bound, q, best, z)
    return best


def projected(x, y, double e, C, double guess=0.0):
    """Return the nearest point to x, float64 (q,), of 0 <= z <= C with y'z = e, and its multiplier.

    For tests: solvers call `project`.

    Parameters
    ----------
    x, y : array_like of float64, shape (q,)
        A point, and labels in {-1, +1}; q of at least 1.
    e : float
        Value of y'z, feasible within the box.
    C : float or array_like of float64, shape (q,)
        Upper bound of each variable, positive.
    guess : float, default 0
        Initial estimate of the multiplier; it affects the result only by rounding.
    """
    cdef double[::1] point = np.array(x, dtype=np.float64)
    cdef double[::1] labels = np.array(y, dtype=np.float64)
    cdef double[::1] z = np.empty(point.shape[0])
    cdef double[::1] bounds = np.array(np.broadcast_to(C, point.shape[0]), dtype=np.float64)
    mu = project(&point[0], &labels[0], e, &bounds[0], point.shape[0], guess, &z[0])
    return np.asarray(z), mu
