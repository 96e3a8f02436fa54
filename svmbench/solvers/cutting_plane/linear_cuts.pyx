r"""Common code of linear cutting-plane methods: cuts of the mean hinge loss and the reduced problem.

For any set V of examples, :math:`\frac{1}{n} \sum_{i \in V} (1 - y_i \langle w, x_i \rangle)` is a lower
bound of the mean hinge loss, with equality if V are the examples with a loss. As a cut it has :math:`\delta =
|V|/n` and :math:`g = \frac{1}{n} \sum_{i \in V} y_i x_i`. The reduced problem over the cuts is that of
`OneSlack` with B = 1/λ, so that λ times its dual objective is a lower bound of :math:`P_\lambda`. The
reported bound is recomputed from the coefficients and lowered by the largest possible rounding error
(`bound`).
"""

import math

import numpy as np

from svmbench.solvers.run import Uninterrupted

from libc.float cimport DBL_EPSILON
from libc.math cimport INFINITY, isfinite
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from svmbench.solvers.cutting_plane.one_slack cimport OneSlack
from svmbench.solvers.run cimport WORK_BETWEEN_SIGNALS, LinearRun
from svmbench.solvers.stall cimport Record, stuck

cdef enum:
    FIRST_ROOM = 16         # initial capacity for cuts; doubled when it is exhausted
    STANDSTILL = 20         # consecutive iterations without a gain after which it has stalled


cdef class CuttingRun(LinearRun):
    """A started linear cutting-plane method; parameters as for `LinearRun`, with n inner products."""

    def __init__(self, problem, examples):
        super().__init__(problem, examples, examples.n)
        self.work = WORK_BETWEEN_SIGNALS
        self.lam = problem.lam
        self.cuts = OneSlack(1.0 / problem.lam)
        self.w = np.zeros(max(examples.d, 1))
        self.directions = np.empty((FIRST_ROOM, self.w.shape[0]))
        self.products = np.empty(FIRST_ROOM)
        self.kept = np.empty(FIRST_ROOM, dtype=np.int64)
        self.dual = Record(-INFINITY, 0)
        self.mean_norm = -1.0

    cdef int respond(self, const double* w, double* c) except -1 nogil:
        cdef double total = 0.0
        cdef Py_ssize_t i = 0
        for i in range(self.n):
            c[i] = self.y[i] * self.examples.dot(i, w)
            total += c[i]
        if not isfinite(total):
            self.overflowed()
        return 0

    cdef int add_cut(self, const double* c, double below) except -1 nogil:
        cdef Py_ssize_t i = 0, k = 0, last = self.cuts.count, found = 0, d = self.w.shape[0]
        cdef double* g = NULL
        if last == self.directions.shape[0]:
            with gil:
                with Uninterrupted():
                    self.grow()
        g = &self.directions[last, 0]
        memset(g, 0, d * sizeof(double))
        for i in range(self.n):
            if c[i] < below:
                found += 1
                self.examples.add(i, self.y[i], g)
        for k in range(d):
            g[k] /= self.n
        for k in range(last + 1):
            self.products[k] = self.examples.between(&self.directions[k, 0], g)
        return self.cuts.add(<double> found / self.n, &self.products[0])

    cdef int grow(self) except -1:
        """Double the capacity."""
        m = self.directions.shape[0]
        # Its length defines the capacity: last, so that after a failure no other array is shorter.
        directions = np.concatenate([self.directions, np.empty((m, self.w.shape[0]))])
        self.products, self.kept = np.empty(2 * m), np.empty(2 * m, dtype=np.int64)
        self.directions = directions
        return 0

    cdef void solve(self, double absolute, double relative) noexcept nogil:
        cdef Py_ssize_t j = 0, k = 0
        cdef double a = 0.0
        self.cuts.solve(absolute, relative)
        memset(&self.w[0], 0, self.w.shape[0] * sizeof(double))
        for k in range(self.cuts.count):
            a = self.cuts.alpha[k]
            if a > 0.0:
                for j in range(self.w.shape[0]):
                    self.w[j] += a * self.directions[k, j]

    cdef bint stands(self, double gap) noexcept nogil:
        return stuck(&self.dual, self.cuts.dual, gap, STANDSTILL)

    def bound(self, weights):
        r"""Return a lower bound of the optimum of P_λ that holds despite rounding.

        Let :math:`\varepsilon` be 2^-52 and r the mean of :math:`|x_i|`. The vectors :math:`g_k` are sums of
        n terms and w one of m, the number of cuts, so that the error of w is at most :math:`e = (n + m + 4)
        \varepsilon r \sum_k a_k`, twice the bound of N. J. Higham (Accuracy and Stability of Numerical
        Algorithms, SIAM 2002, section 3.1). If rounding has taken the sum of the coefficients above 1/λ, they
        are scaled by s. The bound is

        .. math:: \lambda \left( s \, \delta^\top a - \tfrac12 s^2 (|w| + e)^2 \right)

        minus the rounding errors of the sums and of the loss of the reported weights, so that their objective
        is not below it either.

        Parameters
        ----------
        weights : ndarray of float64, shape (d,)
            The weights reported with it.
        """
        cdef Py_ssize_t m = self.cuts.count, d = self.w.shape[0]
        if self.mean_norm < 0.0:
            self.mean_norm = self.examples.mean_norm()
        a = np.asarray(self.cuts.alpha[:m])
        total = math.fsum(a)
        scale = min(1.0, self.cuts.bound / total) if total > 0.0 else 1.0
        gained = scale * math.fsum(a * np.asarray(self.cuts.offset[:m]))
        off = (self.n + m + 4) * DBL_EPSILON * self.mean_norm * total
        norm = scale * (float(np.linalg.norm(self.w)) + off)
        size = gained + 0.5 * norm * norm
        seen = float(np.linalg.norm(weights)) * self.mean_norm
        rounding = DBL_EPSILON * ((d + 16) * (self.lam * size + seen) + 2.0)
        return self.lam * (gained - 0.5 * norm * norm) - rounding

    cdef void drop(self, int64_t limit) noexcept nogil:
        cdef Py_ssize_t k = 0, d = self.w.shape[0]
        for k in range(self.cuts.drop(limit, &self.kept[0])):
            if self.kept[k] != k:
                memcpy(&self.directions[k, 0], &self.directions[self.kept[k], 0], d * sizeof(double))
