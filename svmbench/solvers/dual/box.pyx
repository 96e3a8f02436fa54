r"""The box-constrained dual: state of methods that change a few coefficients at a time.

With f the predictor without bias, the value :math:`v_i = y_i - f(x_i)` is :math:`-y_i` times the gradient of
the dual. The signed coefficient :math:`\alpha_i y_i` can move up, down, both or, if both bounds are 0,
neither. The feasible directions are stored in vectors of 0 and ∓∞, so that one pass updates all values and
finds the extrema m_up, the largest value that can move up, and M_low, the smallest that can move down
(`working_pair`).

Shrinking (C.-C. Chang and C.-J. Lin, LIBSVM, ACM Trans. Intell. Syst. Technol. 2, 2011, section 5) and
chunking fix most coefficients and optimise the others. `ActiveDual` packs the data of these at the front of
its vectors, in ascending order of the examples.
"""

import numpy as np

from libc.math cimport INFINITY, fabs, fmax, fmin

from svmbench.solvers.dual.working_pair cimport best_partner, curvature, midpoint, move_values


cdef class BoxDual:
    """The dual at α = 0.

    Parameters
    ----------
    oracle : Oracle
        Over the n examples.
    problem : Problem
        In its C-form.
    labels, diagonal : ndarray of float64, shape (n,)
        Labels and K(x, x).
    bounds : ndarray of float64, shape (n,), optional
        Upper bounds of α. Default: those of the problem.
    """

    def __init__(self, Oracle oracle not None, problem, labels, diagonal, bounds=None):
        self.oracle = oracle
        self.n = self.n_active = len(labels)
        self.bound = np.array(problem.bounds if bounds is None else bounds)
        self.balanced = problem.bias == "unregularised"
        self.y, self.v = np.array(labels), np.array(labels)
        self.diagonal = np.array(diagonal)
        self.alpha, self.up, self.down = np.zeros((3, self.n))
        self.mark_all()

    cdef void mark_all(self) noexcept nogil:
        cdef Py_ssize_t i = 0
        for i in range(self.n):
            self.mark(i, i)
        self.find_extrema()

    cdef double slack(self, Py_ssize_t i, double direction) noexcept nogil:
        return self.bound[i] - self.alpha[i] if direction == self.y[i] else self.alpha[i]

    cdef void mark(self, Py_ssize_t p, Py_ssize_t i) noexcept nogil:
        self.up[p] = 0.0 if self.slack(i, 1.0) > 0.0 else -INFINITY
        self.down[p] = 0.0 if self.slack(i, -1.0) > 0.0 else INFINITY

    cdef void change(self, Py_ssize_t p, Py_ssize_t i, double delta) noexcept nogil:
        cdef double growth = self.y[i] * delta
        cdef double slack = self.bound[i] - self.alpha[i] if growth > 0.0 else self.alpha[i]
        if fabs(growth) >= slack:
            self.alpha[i] = self.bound[i] if growth > 0.0 else 0.0
        else:
            self.alpha[i] += growth
        self.mark(p, i)

    cdef void move(self, const float* row_i, const float* row_j, double delta) noexcept nogil:
        move_values(
            &self.v[0], row_i, row_j, delta, &self.up[0], &self.down[0], self.n_active, 0.0, &self.extrema
        )

    cdef void find_extrema(self) noexcept nogil:
        self.move(NULL, NULL, 0.0)

    cdef double violation(self) noexcept nogil:
        if self.balanced:
            return self.extrema.m_up - self.extrema.M_low
        return fmax(self.extrema.m_up, -self.extrema.M_low)

    cdef double mean_free(self, const int64_t* positions, Py_ssize_t count) noexcept nogil:
        cdef double total = 0.0
        cdef Py_ssize_t free = 0, k = 0, p = 0
        for k in range(count):
            p = positions[k] if positions != NULL else k
            if self.up[p] == self.down[p]:
                total += self.v[p]
                free += 1
        return total / free if free > 0 else midpoint(&self.extrema)

    def keep(self, kept):
        """Declare the point, its values and which ways it can move to a `Kept`."""
        self.n_active = kept.number("n_active", self.n_active)
        kept.vectors(alpha=self.alpha, v=self.v, up=self.up, down=self.down)
        self.extrema.m_up = kept.number("m_up", self.extrema.m_up)
        self.extrema.M_low = kept.number("M_low", self.extrema.M_low)
        self.extrema.i_up = kept.number("i_up", self.extrema.i_up)
        self.extrema.i_low = kept.number("i_low", self.extrema.i_low)

    def bias(self) -> float:
        """Return the mean value of the free coefficients, or the midpoint of the extrema; 0 without bias."""
        if not self.balanced:
            return 0.0
        n = self.n_active
        v, up, down = np.asarray(self.v)[:n], np.asarray(self.up)[:n], np.asarray(self.down)[:n]
        free = up == down
        if free.any():
            return float(v[free].mean())
        ends = [end for end in ((v + up).max(), (v + down).min()) if np.isfinite(end)]
        return float(np.mean(ends))


cdef class ActiveDual(BoxDual):
    """The dual at α = 0, all coefficients active; see `BoxDual`."""

    def __init__(self, oracle, problem, labels, diagonal):
        super().__init__(oracle, problem, labels, diagonal)
        self.active = np.arange(self.n, dtype=np.int64)
        self.own = np.array(self.diagonal)
        self.row_i, self.row_j = np.empty((2, self.n), dtype=np.float32)

    def keep(self, kept):
        """Declare the point and which of its coefficients are active to a `Kept`."""
        BoxDual.keep(self, kept)
        kept.vectors(active=self.active, own=self.own)

    cdef void activate_all(self) noexcept nogil:
        cdef Py_ssize_t i = 0
        self.n_active = 0
        for i in range(self.n):
            self.activate(i, self.v[i])
        self.find_extrema()

    cdef void activate(self, Py_ssize_t i, double value) noexcept nogil:
        self.active[self.n_active] = i
        self.v[self.n_active] = value
        self.own[self.n_active] = self.diagonal[i]
        self.mark(self.n_active, i)
        self.n_active += 1

    cdef void shrink(self) noexcept nogil:
        cdef Py_ssize_t kept = 0, p = 0
        for p in range(self.n_active):
            if self.up[p] < 0.0 and self.v[p] > self.extrema.m_up:
                continue
            if self.down[p] > 0.0 and self.v[p] < self.extrema.M_low:
                continue
            self.active[kept] = self.active[p]
            self.v[kept] = self.v[p]
            self.up[kept] = self.up[p]
            self.down[kept] = self.down[p]
            self.own[kept] = self.own[p]
            kept += 1
        self.n_active = kept
        self.find_extrema()

    cdef const float* packed(self, const float* row, float[::1] buffer) noexcept nogil:
        cdef Py_ssize_t p = 0
        if self.n_active == self.n:
            return row
        for p in range(self.n_active):
            buffer[p] = row[self.active[p]]
        return &buffer[0]

    cdef Pair choose_pair(self, bint second_order) noexcept nogil:
        cdef Pair pair
        pair.p, pair.q = self.extrema.i_up, self.extrema.i_low
        pair.i = self.active[pair.p]
        pair.row_i = self.oracle.get_row(pair.i)
        if second_order:
            pair.q = best_partner(
                &self.v[0], &self.down[0], &self.own[0], self.packed(pair.row_i, self.row_i), self.n_active,
                &self.extrema,
            )
        pair.j = self.active[pair.q]
        pair.row_j = self.oracle.get_row(pair.j)    # the cache keeps two rows
        return pair

    cdef Pair improve_pair(self, bint second_order) noexcept nogil:
        cdef Pair pair = self.choose_pair(second_order)
        cdef const float* near_i = &self.row_i[0]
        cdef double delta = (self.extrema.m_up - self.v[pair.q]) / curvature(
            pair.row_i[pair.i], pair.row_j[pair.j], pair.row_i[pair.j]
        )
        if self.n_active == self.n:
            near_i = pair.row_i
        elif not second_order:
            near_i = self.packed(pair.row_i, self.row_i)
        delta = fmin(delta, fmin(self.slack(pair.i, 1.0), self.slack(pair.j, -1.0)))
        self.change(pair.p, pair.i, delta)
        self.change(pair.q, pair.j, -delta)
        self.move(near_i, self.packed(pair.row_j, self.row_j), delta)
        return pair
