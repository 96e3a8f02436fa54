r"""Average of the iterates of a method with an expansion over the training examples.

The iterate after iteration t is :math:`w_t = \omega_t \sum_i a_i(t) y_i \Phi(x_i)` with a weight ω_t that
depends on t alone. Its average over the iterations s < t ≤ T is

.. math:: \bar w = \frac{1}{T - s} \sum_{t=s+1}^{T} w_t.

Coefficients change one at a time, so the sum is stored as a difference: a change δ of a coefficient in
iteration τ is part of the iterates from τ on, a total of δ (W_T - W_{τ-1}), with W_t the sum of the weights
up to t. A change costs one more addition of an available row, and no kernel evaluation.

The window has all iterates (s = 0), or their *suffix*, those since the last but one power of two: T/4 ≤ s ≤
T/2, so that between half and three quarters of the iterates are averaged. A window of a constant fraction of
the iterates at each T would need all of them; windows of doubling length need two sums (A. Rakhlin, O. Shamir
and K. Sridharan, Making Gradient Descent Optimal for Strongly Convex Stochastic Optimization, ICML 2012,
average suffixes).
"""

import numpy as np

from svmbench.solvers.run cimport add_row


cdef class IterateAverage:
    """Average of the iterates so far, or of their suffix.

    Parameters
    ----------
    n : int
        Number of examples.
    on : bool
        Whether to average; otherwise nothing is stored.
    suffix : bool
        Whether to leave out early iterates.
    """

    def __init__(self, Py_ssize_t n, bint on, bint suffix):
        self.on = on
        self.suffix = on and suffix
        self.n = n
        self.a_late = np.zeros(n if on else 0)
        self.c_late = np.zeros(n if on else 0)
        self.a_before = np.zeros((2, n if self.suffix else 0))
        self.c_before = np.zeros((2, n if self.suffix else 0))

    cdef void change(self, SteppedRun run, Py_ssize_t i, double change) noexcept nogil:
        if self.on:
            self.a_late[i] += change * self.weight
            add_row(run, i, run.y[i] * (change * self.weight), &self.c_late[0])

    cdef void take(self, const double* a, const double* c, double weight) noexcept nogil:
        if not self.on:
            return
        self.count += 1
        self.weight += weight
        if self.suffix and self.count & (self.count - 1) == 0:
            self.mark(a, c)

    cdef void mark(self, const double* a, const double* c) noexcept nogil:
        cdef Py_ssize_t i = 0
        self.marks[0], self.marks[1] = self.marks[1], self.count
        for i in range(self.n):
            self.a_before[0, i] = self.a_before[1, i]
            self.a_before[1, i] = self.weight * a[i] - self.a_late[i]
            self.c_before[0, i] = self.c_before[1, i]
            self.c_before[1, i] = self.weight * c[i] - self.c_late[i]

    def of(self, a, c):
        """Return the averages of coefficients and responses, from the current ones, each shape (n,)."""
        cdef int64_t count = max(self.count - self.marks[0], 1)
        found = []
        for now, late, before in ((a, self.a_late, self.a_before), (c, self.c_late, self.c_before)):
            lacking = np.asarray(late) + np.asarray(before)[0] if self.suffix else np.asarray(late)
            found.append(np.asarray(now) * (self.weight / count) - lacking / count)
        return found

    def keep(self, kept):
        """Name the arrays that a continued run starts from."""
        if self.on:
            kept.vectors(a_late=self.a_late, c_late=self.c_late)
            self.count = kept.number("averaged", self.count)
            self.weight = kept.number("weight", self.weight)
        if self.suffix:
            kept.vectors(
                a_first=self.a_before[0], a_second=self.a_before[1],
                c_first=self.c_before[0], c_second=self.c_before[1],
            )
            self.marks[0] = kept.number("first_mark", self.marks[0])
            self.marks[1] = kept.number("second_mark", self.marks[1])
