r"""Duality gaps of problems of few examples, in one compiled pass.

The bound is that of `svmbench.certify.gap_bounds`, kind ``rounding``: the terms of the *near* examples, from
responses in double precision, and 0 for the others, whose side of the margin is certain. Here the error of a
response is bounded by its worst case only, and no far example is checked: a near response that is off by more
than that bound shows a mistake, and then all are computed. The bias is the mean of :math:`y_i - f(x_i)` over
the free coefficients, without a search for the best one.
"""

import numpy as np

from svmbench import problem
from svmbench.kernels.decisions import largest_error

from libc.float cimport DBL_EPSILON
from libc.math cimport INFINITY, fabs, fmax
from libc.stdint cimport int64_t

from svmbench.kernels._oracle cimport Oracle
from svmbench.kernels.layouts._double_expansion cimport FewSums

#: Change of the bias that the choice of near examples allows for, and fraction of the examples above which
#: all are near. Most values of few examples, and features above which sums in whole numbers are faster.
cdef double SHIFT = 1e-4, MOST_NEAR = 0.5
cdef enum:
    VALUES = 1 << 22
    WHOLE = 128

#: Largest imbalance of coefficients that counts as rounding, relative to their sum; see `problem.balanced`.
cdef double LEVEL = 1e-9
cdef double WITHIN = 1.0 + 1e-15
cdef double ROUNDED = problem.ROUNDING_MATTERS


cdef class FewGaps:
    """Gaps of problems over few examples, or over parts of them, with a Gaussian kernel.

    Parameters
    ----------
    oracle : Oracle
        Over the examples, for which `possible` holds.
    """

    cdef FewSums sums
    cdef double most                # error of a kernel value
    cdef int64_t[::1] points        # examples with coefficients, and those evaluated
    cdef int64_t[::1] at
    cdef int64_t[::1] near          # places of the latter
    cdef double[::1] weights
    cdef double[::1] scores

    def __init__(self, Oracle oracle not None):
        n = oracle.n
        rows = np.ascontiguousarray(oracle.given_rows(np.arange(n)))
        self.sums = FewSums(oracle.layout, rows)
        self.most = largest_error(oracle.value_error) + oracle.feature_error
        self.points, self.at, self.near = np.zeros((3, n), dtype=np.int64)
        self.weights, self.scores = np.zeros((2, n))

    @staticmethod
    def possible(Oracle oracle not None):
        """Return whether an oracle has few dense examples and a Gaussian kernel."""
        few = oracle.value_error is not None and 0 < oracle.n * oracle.d <= VALUES
        whole = oracle.layout.unit_squared > 0.0 and oracle.d > WHOLE
        return few and not whole and oracle.layout_name in ("dense", "bytes", "bits")

    def certified(self, const int64_t[::1] rows not None, const double[::1] y not None,
                  const double[::1] alpha not None, const double[::1] responses not None,
                  const double[::1] bounds not None, double moved, bint balanced):
        """Return b and a bound of the relative gap of a dual point; infinite if it is not feasible.

        Parameters
        ----------
        rows : ndarray of int64, shape (m,)
            The examples of the problem.
        y, alpha, responses, bounds : ndarray of float64, shape (m,)
            Labels, coefficients, y_i f(x_i) as maintained, and upper bounds of the coefficients.
        moved : float
            Sum of the changes of the coefficients since the responses were exact.
        balanced : bool
            Whether there is a bias.
        """
        cdef double[::1] exact = np.array(responses)
        cdef double b = 0.0, gap = 0.0
        with nogil:
            gap = self.bound(
                &rows[0], &y[0], &alpha[0], &exact[0], &bounds[0], alpha.shape[0], moved, balanced, &b
            )
        return b, gap

    cdef double bound(self, const int64_t* rows, const double* y, const double* alpha, double* r,
                      const double* bounds, Py_ssize_t n, double moved, bint balanced,
                      double* bias) noexcept nogil:
        """Return the bound, and set the bias; the near responses are replaced."""
        cdef Py_ssize_t i = 0, size = 0, count = 0
        cdef double total = 0.0, box = 0.0, excess = 0.0, off = 0.0, b = 0.0, better = 0.0, above = 0.0
        cdef double term = 0.0, carry = 0.0, sum = 0.0, doubt = 0.0
        cdef bint wrong = False
        for i in range(n):
            if not 0.0 <= alpha[i] <= WITHIN * bounds[i]:
                return INFINITY
            total += alpha[i]
            box += bounds[i]
            # Σ α_i y_i with the rounding of each addition carried along.
            term = alpha[i] * y[i]
            sum = excess + term
            carry += (excess - sum) + term if fabs(excess) >= fabs(term) else (term - sum) + excess
            excess = sum
            if alpha[i] > 0.0:
                self.points[size] = rows[i]
                self.weights[size] = term
                size += 1
        excess += carry
        if balanced and fabs(excess) > LEVEL * total:
            return INFINITY
        if size == 0:
            return 1.0
        off = moved * self.most + (2.0 + size) * (1.0 + box) * 2.0**-53 + total * 2.0**-46
        b = middle(y, alpha, r, bounds, n) if balanced else 0.0
        for i in range(n):
            above = r[i] + y[i] * b - 1.0
            if alpha[i] <= 0.0:
                if above >= off + SHIFT:
                    continue
            elif alpha[i] >= bounds[i] and -above >= off + SHIFT:
                doubt += bounds[i]
                continue
            self.near[count] = i
            count += 1
        if count > MOST_NEAR * n:
            count = self.take_all(n, &doubt)
        wrong = self.renew(rows, y, r, size, count, off)
        if wrong and count < n:
            count = self.take_all(n, &doubt)
            self.renew(rows, y, r, size, count, INFINITY)
        better = middle(y, alpha, r, bounds, n) if balanced else 0.0
        b = better if count == n or fabs(better - b) <= SHIFT else b
        bias[0] = b
        return relative(y, alpha, r, bounds, n, b, excess if balanced else 0.0, off if count < n else 0.0,
                        0.5 * off * doubt)

    cdef Py_ssize_t take_all(self, Py_ssize_t n, double* doubt) noexcept nogil:
        cdef Py_ssize_t i = 0
        for i in range(n):
            self.near[i] = i
        doubt[0] = 0.0
        return n

    cdef bint renew(self, const int64_t* rows, const double* y, double* r, Py_ssize_t size, Py_ssize_t count,
                    double off) noexcept nogil:
        """Compute the near responses in double precision; return whether one was off by more than `off`."""
        cdef Py_ssize_t k = 0
        cdef double fresh = 0.0
        cdef bint wrong = False
        for k in range(count):
            self.at[k] = rows[self.near[k]]
            self.scores[k] = 0.0
        self.sums.add(&self.points[0], &self.weights[0], size, &self.at[0], count, &self.scores[0])
        for k in range(count):
            fresh = y[self.near[k]] * self.scores[k]
            wrong |= not fabs(fresh - r[self.near[k]]) <= off
            r[self.near[k]] = fresh
        return wrong


cdef double middle(const double* y, const double* alpha, const double* r, const double* bounds,
                   Py_ssize_t n) noexcept nogil:
    """Return the mean of y_i - f(x_i) over the free coefficients, or the middle of those that can move."""
    cdef double total = 0.0, high = -INFINITY, low = INFINITY, value = 0.0
    cdef Py_ssize_t i = 0, free = 0
    for i in range(n):
        value = y[i] * (1.0 - r[i])
        if 0.0 < alpha[i] < bounds[i]:
            total += value
            free += 1
        if (alpha[i] < bounds[i]) if y[i] > 0.0 else (alpha[i] > 0.0):
            high = max(high, value)
        if (alpha[i] > 0.0) if y[i] > 0.0 else (alpha[i] < bounds[i]):
            low = min(low, value)
    return total / free if free else 0.5 * high + 0.5 * low


cdef double relative(const double* y, const double* alpha, const double* r, const double* bounds,
                     Py_ssize_t n, double b, double excess, double farthest, double error) noexcept nogil:
    """Return the gap of the C-form relative to its primal objective, known to within `error`."""
    cdef double terms = 0.0, slope = 0.0, loss = 0.0, norm2 = 0.0, total = 0.0, box = 0.0, t = fabs(excess)
    cdef double below = 0.0, primal = 0.0, gap = 0.0, rounding = 0.0
    cdef Py_ssize_t i = 0, heaviest = -1
    for i in range(n):
        below = 1.0 - r[i] - y[i] * b
        terms += (bounds[i] - alpha[i]) * below if below > 0.0 else -alpha[i] * below
        loss += bounds[i] * below if not below <= 0.0 else 0.0
        slope += alpha[i] * y[i]
        norm2 += alpha[i] * r[i]
        total += alpha[i]
        box += bounds[i]
        if y[i] * excess > 0.0 and (heaviest < 0 or alpha[i] > alpha[heaviest]):
            heaviest = i
    primal = 0.5 * fmax(norm2, 0.0) + loss
    gap = terms - b * slope
    if heaviest >= 0:
        gap += t * (1.0 - r[heaviest] + farthest) + 0.5 * t * t
    rounding = DBL_EPSILON * total * (box + total)
    gap += rounding if rounding > ROUNDED * primal else 0.0
    return gap / (primal - error) if primal > error else INFINITY
