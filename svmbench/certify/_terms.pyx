"""Passes over the examples for `svmbench.certify.gap_bounds`.

In numpy each would be a dozen calls, which on a thousand examples cost more than the numbers.
"""

import math

import numpy as np

cdef enum:
    BLOCK = 256     # examples summed before their sum is added to the others, to keep rounding small
    SUMS = 5


def near(const double[:] alpha, const double[:] bounds, const double[:] responses, const double[:] y,
         double b, const double[:] off):
    """Return which examples are not certain to have a term of 0, bool, shape (n,).

    Parameters
    ----------
    alpha, bounds, responses, y : ndarray of float64, shape (n,)
        α, its upper bounds, y_i f(x_i) and the labels.
    b : float
        The bias.
    off : ndarray of float64, shape (n,)
        Bounds of the errors of the responses.
    """
    found = np.empty(alpha.shape[0], dtype=np.bool_)
    cdef unsigned char[::1] at = found.view(np.uint8)
    cdef Py_ssize_t i = 0
    cdef double above = 0.0
    with nogil:
        for i in range(alpha.shape[0]):
            above = responses[i] + y[i] * b - 1.0
            if alpha[i] <= 0.0:
                at[i] = not above >= off[i]
            else:
                at[i] = not (alpha[i] >= bounds[i] and -above >= off[i])
    return found


def excess(const double[:] alpha, const double[:] y):
    """Return Σ_i α_i y_i, rounded once, and the index of the largest α of the class with the larger sum."""
    cdef Py_ssize_t i = 0, most = -1
    cdef double total = math.fsum([alpha[i] * y[i] for i in range(alpha.shape[0]) if alpha[i] != 0.0])
    for i in range(alpha.shape[0]):
        if y[i] * total > 0.0 and (most < 0 or alpha[i] > alpha[most]):
            most = i
    return total, most


def sums(const double[:] alpha, const double[:] bounds, const double[:] weights, const double[:] responses,
         const double[:] y, double b, const double[:] off):
    """Return sums over the examples, each with its weight s_i; a_i = α_i / C_i.

    Parameters
    ----------
    alpha, bounds, responses, y, b, off
        As for `near`.
    weights : ndarray of float64, shape (n,)
        s_i.

    Returns
    -------
    terms, doubt, slope, loss, norm2 : float
        Σ s_i t_i; the most that errors of the responses add to it; Σ s_i a_i y_i; the sum of the hinge
        losses; Σ α_i y_i f(x_i), without weights.
    """
    cdef double[SUMS] total = [0.0, 0.0, 0.0, 0.0, 0.0]
    cdef double[SUMS] part
    cdef Py_ssize_t n = alpha.shape[0], begin = 0, i = 0, k = 0
    cdef double a = 0.0, below = 0.0, s = 0.0
    with nogil:
        while begin < n:
            for k in range(SUMS):
                part[k] = 0.0
            for i in range(begin, min(n, <Py_ssize_t>(begin + BLOCK))):
                a, s = min(alpha[i] / bounds[i], 1.0), weights[i]
                below = 1.0 - responses[i] - y[i] * b
                # The larger of the two expressions. If `below` is NaN, so are this term and the loss.
                part[0] += s * ((1.0 - a) * below if below > 0.0 else -a * below)
                part[1] += s * off[i] * max(a, 1.0 - a)
                part[2] += s * a * y[i]
                part[3] += s * (0.0 if below <= 0.0 else below)
                part[4] += alpha[i] * responses[i]
            for k in range(SUMS):
                total[k] += part[k]
            begin += BLOCK
    return total[0], total[1], total[2], total[3], total[4]
