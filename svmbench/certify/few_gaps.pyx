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

#: Largest error of a value of at most 1 in single precision.
cdef double ROUNDED_ONCE = 2.0**-24

#: See `problem.share_of_most`.
cdef double OUTLYING = problem.OUTLYING, MOSTLY = problem.MOSTLY


cdef class FewGaps:
    """Gaps of problems over few examples, or over parts of them, with a Gaussian kernel.

    If the kernel is given by the matrix of its values in double precision, these are not computed again.

    Parameters
    ----------
    oracle : Oracle
        Over the examples, for which `possible` holds.
    """

    def __init__(self, Oracle oracle not None):
        n = oracle.n
        rows = oracle.given_rows(np.arange(n))
        self.matrix = oracle.kernel.matrix
        if self.matrix is None:
            self.sums = FewSums(oracle.layout, np.ascontiguousarray(rows))
            self.members = np.arange(n)
            self.most = largest_error(oracle.value_error) + oracle.feature_error
        else:
            self.members = oracle.kernel.numbers(rows)
            self.most = ROUNDED_ONCE
        self.points, self.at, self.near = np.zeros((3, n), dtype=np.int64)
        self.weights, self.scores, self.losses = np.zeros((3, n))

    @staticmethod
    def possible(Oracle oracle not None):
        """Return whether an oracle has few dense examples and a Gaussian kernel, or the matrix of one."""
        if oracle.kernel.matrix is not None:
            return bool(oracle.kernel.normalised and oracle.n)
        few = oracle.value_error is not None and 0 < oracle.n * oracle.d <= VALUES
        whole = oracle.layout.unit_squared > 0.0 and oracle.d > WHOLE
        return few and not whole and oracle.layout_name in ("dense", "bytes", "bits")

    def certified(self, const int64_t[::1] rows not None, const double[::1] y not None,
                  const double[::1] alpha not None, const double[::1] responses not None,
                  const double[::1] bounds not None, bint balanced, const double[::1] known=None):
        """Return b, a bound of the relative gap of a dual point, and the factor of the gap to reach.

        The gap is infinite if the point is not feasible. The factor is `problem.share_of_most`.

        Parameters
        ----------
        rows : ndarray of int64, shape (m,)
            The examples of the problem.
        y, alpha, responses, bounds : ndarray of float64, shape (m,)
            Labels, coefficients, y_i f(x_i) as maintained, and upper bounds of the coefficients.
        balanced : bool
            Whether there is a bias.
        known : ndarray of float64, shape (m,), optional
            The coefficients when the responses were exact, default 0.
        """
        cdef double[::1] exact = np.array(responses)
        cdef double b = 0.0, share = 1.0, gap = 0.0
        with nogil:
            gap = self.gap(&rows[0], &y[0], &alpha[0], &exact[0], &bounds[0], alpha.shape[0], balanced,
                           NULL if known is None else &known[0], &b, &share)
        return b, gap, share

    cdef double gap(self, const int64_t* rows, const double* y, const double* alpha, double* r,
                    const double* bounds, Py_ssize_t n, bint balanced, const double* known, double* b,
                    double* share) noexcept nogil:
        cdef double gap = 0.0, norm2 = 0.0, moved = 0.0
        cdef Py_ssize_t i = 0
        for i in range(n):
            moved += fabs(alpha[i] - (0.0 if known == NULL else known[i]))
        b[0] = 0.0
        gap = self.bound(rows, y, alpha, r, bounds, n, moved, balanced, b)
        for i in range(n):
            norm2 += alpha[i] * r[i]
        share[0] = share_of_most(y, r, bounds, n, b[0], 0.5 * norm2, &self.losses[0])
        return gap

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
                self.points[size] = self.members[rows[i]]
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
            self.at[k] = self.members[rows[self.near[k]]]
            self.scores[k] = 0.0
        if self.matrix is None:
            self.sums.add(&self.points[0], &self.weights[0], size, &self.at[0], count, &self.scores[0])
        else:
            self.read(size, count)
        for k in range(count):
            fresh = y[self.near[k]] * self.scores[k]
            wrong |= not fabs(fresh - r[self.near[k]]) <= off
            r[self.near[k]] = fresh
        return wrong

    cdef void read(self, Py_ssize_t size, Py_ssize_t count) noexcept nogil:
        """Set the scores from values of the matrix; sums of four rows do not wait for each other."""
        cdef const double* rows[4]
        cdef double[4] sums
        cdef double weight = 0.0
        cdef int64_t place = 0
        cdef Py_ssize_t k = 0, j = 0
        cdef int r = 0
        for k in range(0, count, 4):
            for r in range(4):
                rows[r] = &self.matrix[self.at[min(k + r, count - 1)], 0]
                sums[r] = 0.0
            for j in range(size):
                weight, place = self.weights[j], self.points[j]
                sums[0] += weight * rows[0][place]
                sums[1] += weight * rows[1][place]
                sums[2] += weight * rows[2][place]
                sums[3] += weight * rows[3][place]
            for r in range(min(<Py_ssize_t>4, count - k)):
                self.scores[k + r] = sums[r]


cdef double share_of_most(const double* y, const double* r, const double* bounds, Py_ssize_t n, double b,
                          double regularisation, double* losses) noexcept nogil:
    """Return `problem.share_of_most` of the losses, which are written to memory for n of them."""
    cdef double whole = regularisation, kept = regularisation, most = 0.0, cut = 0.0
    cdef Py_ssize_t i = 0, count = 0, high = 0
    for i in range(n):
        losses[count] = bounds[i] * (1.0 - r[i] - y[i] * b)
        if losses[count] > 0.0:
            whole += losses[count]
            most = fmax(most, losses[count])
            count += 1
    if count == 0 or not whole < INFINITY:
        return 1.0
    for i in range(count):
        high += OUTLYING * losses[i] >= most
    if 2 * high > count:    # the median is so large that none is cut
        return 1.0
    cut = 0.5 * OUTLYING * smallest(losses, count, (count - 1) // 2)
    cut += 0.5 * OUTLYING * smallest(losses, count, count // 2)
    for i in range(count):
        kept += min(losses[i], cut)
    return min(1.0, MOSTLY * kept / whole)


cdef double smallest(double* numbers, Py_ssize_t count, Py_ssize_t k) noexcept nogil:
    """Return the k-th smallest number, counted from 0; the numbers are rearranged (quickselect)."""
    cdef Py_ssize_t low = 0, high = count - 1, i = 0, j = 0
    cdef double pivot = 0.0
    while low < high:
        pivot, i, j = numbers[(low + high) // 2], low, high
        while i <= j:
            while numbers[i] < pivot:
                i += 1
            while pivot < numbers[j]:
                j -= 1
            if i <= j:
                numbers[i], numbers[j] = numbers[j], numbers[i]
                i += 1
                j -= 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            break
    return numbers[k]


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
