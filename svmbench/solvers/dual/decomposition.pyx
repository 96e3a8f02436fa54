r"""Decomposition: minimising the dual over a small working set at a time, with other coefficients fixed.

Problem, the dual of the regularised form in its C-form, C = 1/(λn):
:math:`\max_\alpha \sum_i \alpha_i - \frac12 |\sum_i \alpha_i y_i \Phi(x_i)|^2`, :math:`0 \le \alpha_i \le C`,
and :math:`\sum_i \alpha_i y_i = 0` if there is a bias.

Common code of `svm_light` and `gpdt` (T. Joachims, Making Large-Scale SVM Learning Practical, 1999; T.
Serafini, G. Zanghirati and L. Zanni, Gradient Projection Methods for Quadratic Programs and Applications in
Training Support Vector Machines, Optim. Methods Softw. 20, 2005). From α = 0, with :math:`v_i = y_i - \sum_j
\alpha_j
y_j K(x_j, x_i)`, which is :math:`-y_i` times the gradient::

    B = the steepest feasible direction with at most q non-zeros: pairs of the highest v that can move up and
        the lowest that can move down, while they differ by more than ``eps``; without bias the largest
        violations above ``eps``, alternating between the two directions. At most ``fresh`` of B were not in
        the last B, whose members fill the rest: free coefficients first, then those at 0, then those at C,
        the most recent ones of each kind first
    α_B = the solution with the other coefficients fixed
    v_t -= y_i (change of α_i) K(x_i, x_t) for all t and the i of B
    b = mean v over the free coefficients of B, the midpoint of the extrema if there are none; without
        bias 0

It converges when no v that can move up exceeds b + ``eps`` and none that can move down is below b - ``eps``.

One iteration is one working set. Its rows are needed to solve it, whether or not a coefficient changes: each
is charged n, once, under every convention. A row is used twice, for the values within B and for the update;
it is not copied but left to the cache.

Answer: the last iterate, a dual point; its bias is the mean v over all free coefficients, or the midpoint of
the extrema if there are none.
"""

import numpy as np

from svmbench.solvers.base import KernelExpansion, Snapshot
from svmbench.solvers.run import checked_diagonal

from libc.math cimport INFINITY, fmax
from libc.stdint cimport INT64_MAX, int64_t

from svmbench.solvers.dual.box cimport BoxDual
from svmbench.solvers.dual.small_qp cimport SmallQP
from svmbench.solvers.dual.working_set cimport leading

# Larger than any number of iterations.
cdef int64_t OLDER_THAN_ALL = 1 << 60


cdef class DecompositionRun(SteppedRun):
    """A started decomposition method.

    Parameters
    ----------
    problem, oracle
        As in `SteppedRun`.
    eps : float
        Tolerance of the optimality conditions.
    most : int
        Size of the working set, at least 2.
    fresh : int
        Most new members, at least 2.
    """

    def __init__(self, problem, oracle, double eps, Py_ssize_t most, Py_ssize_t fresh):
        super().__init__(problem, oracle)
        diagonal = checked_diagonal(oracle)
        self.dual = BoxDual(oracle, problem, self.labels, diagonal)
        self.eps = eps
        self.active = self.n
        self.members = np.arange(self.n, dtype=np.int64)
        self.most = self.limit = min(most, max(self.n, 2))
        self.fresh = fresh
        self.size = 0
        self.batch = np.empty(self.most, dtype=np.int64)
        self.before = np.empty(self.most, dtype=np.int64)
        self.entered = np.full(self.n, -1, dtype=np.int64)
        self.chosen = np.zeros(self.n, dtype=np.uint8)
        self.risen = np.empty(self.most, dtype=np.int64)
        self.fallen = np.empty(self.most, dtype=np.int64)
        self.up_keys = np.empty(self.n)
        self.down_keys = np.empty(self.n)
        self.Q = np.empty(self.most * self.most)
        self.own = np.empty(self.most)
        self.bounds = np.empty(self.most)
        self.signs = np.empty(self.most)
        self.z = np.empty(self.most)
        self.gradient = np.empty(self.most)
        self.work = self.most * self.n
        self.refinement = Refinement(oracle, problem, self.labels, diagonal, self.dual.alpha, self.most)
        self.update_extrema()

    cdef int step(self) except -1 nogil:
        cdef SmallQP qp
        self.choose()
        self.gather(&qp)
        self.solve(&qp)
        self.apply()
        self.update_extrema()
        self.ledger.iteration(self.size * self.n)
        self.ledger.charge_both(self.size * self.n)
        return 0

    cdef int refine(self) except -1 nogil:
        if not self.refinement.due(self.violation_left(), self.eps, self.converged):
            return 0
        self.refinement.renew(&self.dual.v[0])
        self.activate()
        if not self.converged and self.refinement.stalled(self.violation_left(), &self.dual.v[0]):
            self.activate()
            self.stalled = True
        return 0

    cdef double violation_left(self) noexcept nogil:
        return fmax(self.dual.extrema.m_up - self.b, self.b - self.dual.extrema.M_low)

    cdef void activate(self) noexcept nogil:
        """Unshrink all coefficients; their values are known."""
        cdef Py_ssize_t t = 0
        self.active = self.n
        for t in range(self.n):
            self.members[t] = t
            self.dual.mark(t, t)
        self.update_extrema()

    cdef void solve(self, SmallQP* qp) noexcept nogil:
        """Minimise over the working set; of the subclass."""

    cdef bint is_shrunk(self, Py_ssize_t i) noexcept nogil:
        return self.dual.up[i] < 0.0 and self.dual.down[i] > 0.0

    cdef bint is_free(self, Py_ssize_t i) noexcept nogil:
        return 0.0 < self.dual.alpha[i] < self.dual.bound[i]

    cdef void update_extrema(self) noexcept nogil:
        """Find the extrema of the active examples and b; check convergence."""
        cdef const double* v = &self.dual.v[0]
        cdef const double* up = &self.dual.up[0]
        cdef const double* down = &self.dual.down[0]
        cdef double high = -INFINITY, low = INFINITY, key = 0.0
        cdef Py_ssize_t p = 0, t = 0
        for p in range(self.active):
            t = self.members[p]
            key = v[t] + up[t]
            self.up_keys[p] = key
            high = key if key > high else high
            key = v[t] + down[t]
            self.down_keys[p] = -key
            low = key if key < low else low
        self.dual.extrema.m_up = high
        self.dual.extrema.M_low = low
        self.b = self.dual.mean_free(&self.batch[0], self.size) if self.dual.balanced else 0.0
        self.converged = high - self.b <= self.eps and self.b - low <= self.eps

    cdef void choose(self) noexcept nogil:
        """Choose the working set."""
        cdef Py_ssize_t count = self.size, k = 0
        for k in range(count):
            self.before[k] = self.batch[k]
        self.size = 0
        self.added = 0
        if self.dual.balanced:
            self.choose_pairs()
        else:
            self.choose_ones()
        self.refill(count)
        for k in range(count):
            if not self.chosen[self.before[k]]:
                self.entered[self.before[k]] = -1
        for k in range(self.size):
            self.chosen[self.batch[k]] = False
            if self.entered[self.batch[k]] < 0:
                self.entered[self.batch[k]] = self.iterations

    cdef void choose_pairs(self) noexcept nogil:
        """Pair the highest that can move up with the lowest that can move down."""
        cdef Py_ssize_t half = self.limit // 2, k = 0
        cdef Py_ssize_t risen = leading(&self.up_keys[0], self.active, -INFINITY, half, &self.risen[0])
        cdef Py_ssize_t fallen = leading(
            &self.down_keys[0], self.active, -INFINITY, half, &self.fallen[0]
        )
        cdef int64_t[2] pair
        for k in range(min(risen, fallen)):
            pair = [self.members[self.risen[k]], self.members[self.fallen[k]]]
            if self.dual.v[pair[0]] - self.dual.v[pair[1]] <= self.eps or not self.join(pair, 2):
                return

    cdef void choose_ones(self) noexcept nogil:
        """Take the largest violations, alternating between the two directions.

        The q largest violations are often in one direction and similar, and the next set would undo their
        gains.
        """
        cdef Py_ssize_t risen = leading(
            &self.up_keys[0], self.active, self.eps, self.limit, &self.risen[0]
        )
        cdef Py_ssize_t fallen = leading(
            &self.down_keys[0], self.active, self.eps, self.limit, &self.fallen[0]
        )
        cdef Py_ssize_t k = 0, f = 0
        cdef int64_t one = 0
        while k < risen or f < fallen:
            if f == fallen or (k <= f and k < risen):
                one = self.members[self.risen[k]]
                k += 1
            else:
                one = self.members[self.fallen[f]]
                f += 1
            if not self.join(&one, 1):
                return

    cdef bint join(self, const int64_t* examples, Py_ssize_t count) noexcept nogil:
        """Add the examples to the working set if they fit and not too many are new."""
        cdef Py_ssize_t added = self.added, k = 0
        for k in range(count):
            added += self.entered[examples[k]] < 0
        if self.size + count > self.limit or added > self.fresh:
            return False
        for k in range(count):
            self.batch[self.size] = examples[k]
            self.chosen[examples[k]] = True
            self.size += 1
        self.added = added
        return True

    cdef void refill(self, Py_ssize_t count) noexcept nogil:
        """Fill the working set with members of the previous one."""
        cdef int64_t[1] best
        cdef int64_t rank = 0, least = 0
        cdef Py_ssize_t k = 0
        while self.size < self.limit:
            least = INT64_MAX
            for k in range(count):
                rank = self.rank(self.before[k])
                if rank < least:
                    least = rank
                    best = [self.before[k]]
            if least == INT64_MAX:
                return
            self.join(best, 1)

    cdef int64_t rank(self, Py_ssize_t i) noexcept nogil:
        """Return the priority of members of the previous set: free, at 0, at C; the most recent first."""
        cdef int64_t kind = 0 if self.is_free(i) else 1 if self.dual.alpha[i] <= 0.0 else 2
        if self.chosen[i] or self.is_shrunk(i):
            return INT64_MAX
        return kind * OLDER_THAN_ALL - self.entered[i]

    cdef void gather(self, SmallQP* qp) noexcept nogil:
        """Set up the problem of the working set."""
        cdef Py_ssize_t size = self.size, k = 0, other = 0
        cdef const float* row = NULL
        cdef int64_t i = 0, j = 0
        for k in range(size):
            i = self.batch[k]
            row = self.oracle.get_row(i)
            for other in range(size):
                j = self.batch[other]
                self.Q[k * size + other] = self.y[i] * self.y[j] * row[j]
            self.own[k] = row[i]
            self.bounds[k] = self.dual.bound[i]
            self.signs[k] = self.y[i]
            self.z[k] = self.dual.alpha[i]
            self.gradient[k] = -self.y[i] * self.dual.v[i]
        qp.q = size
        qp.Q = &self.Q[0]
        qp.diagonal = &self.own[0]
        qp.y = &self.signs[0] if self.dual.balanced else NULL
        qp.bound = &self.bounds[0]
        qp.z = &self.z[0]
        qp.gradient = &self.gradient[0]

    cdef void apply(self) noexcept nogil:
        """Adopt the solution and update all values by the rows of the changed coefficients."""
        cdef Py_ssize_t k = 0
        cdef int64_t i = 0
        cdef double step = 0.0
        # In reverse order, since the last rows are most likely to be cached.
        for k in range(self.size - 1, -1, -1):
            i = self.batch[k]
            step = self.z[k] - self.dual.alpha[i]
            if step != 0.0:
                self.dual.alpha[i] = self.z[k]
                self.dual.mark(i, i)
                self.subtract(self.oracle.get_row(i), self.y[i] * step)

    cdef void subtract(self, const float* row, double factor) noexcept nogil:
        """Subtract a multiple of a row from the values of the active examples."""
        cdef double* v = &self.dual.v[0]
        cdef const int64_t* members = &self.members[0]
        cdef Py_ssize_t p = 0
        if self.active == self.n:
            for p in range(self.n):
                v[p] -= factor * row[p]
        else:
            for p in range(self.active):
                v[members[p]] -= factor * row[members[p]]

    def keep(self, kept):
        """Declare the state of the run."""
        self.dual.keep(kept.part("dual"))
        self.active = kept.number("active", self.active)
        self.size = kept.number("size", self.size)
        kept.vectors(members=self.members, batch=self.batch[:self.size], entered=self.entered)
        self.refinement.keep(kept.part("refinement"))
        self.update_extrema()

    def snapshot(self):
        """Return the last iterate, a dual point, with responses unless examples are shrunk."""
        alpha, y = np.array(self.dual.alpha), np.asarray(self.labels)
        return Snapshot(
            KernelExpansion.from_alpha(alpha, y, self.dual.bias()),
            responses=1.0 - y * np.asarray(self.dual.v) if self.active == self.n else None,
            alpha=alpha,
            exact_at=self.refinement.last_exact(),
        )
