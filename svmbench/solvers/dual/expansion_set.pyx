r"""The dual over an expansion set: online methods take examples in and remove them again (`lasvm`).

An example outside has :math:`\alpha = 0` and cannot move. Its value :math:`v_i = y_i - f(x_i)` is known all
the same, because the program keeps the values of all examples. Values within `TIE` of each other are equal,
and of equals the first example is taken.
"""

import numpy as np

from libc.math cimport INFINITY, fmax, fmin

from svmbench.solvers.dual.working_pair cimport best_partner, curvature, move_values_with_ties


cdef class ExpansionSet(BoxDual):
    """The dual at α = 0 without members; see `BoxDual`."""

    def __init__(self, oracle, problem, labels, diagonal):
        super().__init__(oracle, problem, labels, diagonal)
        self.inside, self.listed = np.zeros((2, self.n), dtype=np.int8)
        self.zeros = np.zeros(self.n, dtype=np.int64)
        self.up[:], self.down[:] = -np.inf, np.inf
        self.find_extrema()

    def keep(self, kept):
        """Name the point and the members to a `Kept`."""
        BoxDual.keep(self, kept)
        self.count = kept.number("count", self.count)
        self.n_zeros = kept.number("n_zeros", self.n_zeros)
        kept.vectors(inside=self.inside, listed=self.listed, zeros=self.zeros[:self.n_zeros])

    cdef void move(self, const float* row_i, const float* row_j, double delta) noexcept nogil:
        self.extrema.i_up = self.extrema.i_low = NOBODY
        move_values_with_ties(
            &self.v[0], row_i, row_j, delta, &self.up[0], &self.down[0], self.n, TIE, &self.extrema
        )

    cdef void enter(self, Py_ssize_t k) noexcept nogil:
        self.inside[k] = True
        self.count += 1
        self.note(k)

    cdef void note(self, Py_ssize_t i) noexcept nogil:
        """Note which ways a member can move, and whether it may be removed."""
        self.mark(i, i)
        if self.alpha[i] == 0.0 and not self.listed[i]:
            self.listed[i] = True
            self.zeros[self.n_zeros] = i
            self.n_zeros += 1

    cdef void mark_members(self) noexcept nogil:
        cdef Py_ssize_t k = 0
        for k in range(self.n):
            if self.alpha[k] != 0.0 and not self.inside[k]:
                self.enter(k)
            elif self.inside[k]:
                self.note(k)
        self.find_extrema()

    cdef Extrema worst(self) noexcept nogil:
        cdef Extrema extrema = self.extrema
        if not self.balanced:
            if fmax(extrema.m_up, 0.0) >= -fmin(extrema.M_low, 0.0):
                extrema.M_low = 0.0
                extrema.i_low = NOBODY
                extrema.m_up = fmax(extrema.m_up, 0.0)
            else:
                extrema.m_up = 0.0
                extrema.i_up = NOBODY
        return extrema

    cdef Py_ssize_t second_order_partner(self, const Extrema* extrema) noexcept nogil:
        cdef const float* row = self.oracle.get_row(extrema.i_up)
        return best_partner(&self.v[0], &self.down[0], &self.diagonal[0], row, self.n, extrema)

    cdef bint settled(self, Py_ssize_t k, const Extrema* extrema) noexcept nogil:
        cdef double bound = extrema.M_low if self.y[k] > 0.0 else extrema.m_up
        if self.balanced:
            return extrema.M_low < extrema.m_up and self.y[k] * (self.v[k] - bound) < -TIE
        return self.y[k] * self.v[k] < -TIE

    cdef void improve(
        self, Py_ssize_t i, Py_ssize_t j, const float* row_i, const float* row_j
    ) noexcept nogil:
        cdef double both = row_i[j] if i != NOBODY and j != NOBODY else 0.0
        cdef double own = row_i[i] if i != NOBODY else 0.0
        cdef double other = row_j[j] if j != NOBODY else 0.0
        cdef double step = (self.rise(i) - self.rise(j)) / curvature(own, other, both)
        if i != NOBODY:
            step = fmin(step, self.slack(i, 1.0))
        if j != NOBODY:
            step = fmin(step, self.slack(j, -1.0))
        if i != NOBODY:
            self.change(i, i, step)
            self.note(i)
        if j != NOBODY:
            self.change(j, j, -step)
            self.note(j)
        if i == NOBODY:
            self.move(row_j, NULL, -step)
        else:
            self.move(row_i, row_j, step)

    cdef double rise(self, Py_ssize_t i) noexcept nogil:
        return self.v[i] if i != NOBODY else 0.0

    cdef void remove(self, double high, double low) noexcept nogil:
        cdef Py_ssize_t kept = 0, p = 0, s = 0
        cdef bint settled = False, extreme = False
        for p in range(self.n_zeros):
            s = self.zeros[p]
            settled = self.v[s] <= low + TIE if self.y[s] > 0.0 else self.v[s] >= high - TIE
            if self.alpha[s] == 0.0 and not settled:
                self.zeros[kept] = s
                kept += 1
                continue
            self.listed[s] = False
            if self.alpha[s] == 0.0:
                self.inside[s] = False
                self.up[s] = -INFINITY
                self.down[s] = INFINITY
                self.count -= 1
                extreme = extreme or s == self.extrema.i_up or s == self.extrema.i_low
        self.n_zeros = kept
        if extreme:
            self.find_extrema()

    cdef double admit_violators(self, double eps) noexcept nogil:
        cdef Extrema extrema = self.worst()
        cdef double high = extrema.m_up if self.balanced else 0.0
        cdef double low = extrema.M_low if self.balanced else 0.0
        cdef double found = 0.0, worst = extrema.m_up - extrema.M_low
        cdef Py_ssize_t k = 0
        if self.balanced:
            for k in range(self.n):
                if not self.inside[k]:
                    if self.y[k] > 0.0:
                        high = fmax(high, self.v[k])
                    else:
                        low = fmin(low, self.v[k])
        for k in range(self.n):
            if not self.inside[k]:
                found = self.v[k] - low if self.y[k] > 0.0 else high - self.v[k]
                worst = fmax(worst, found)
                if found > eps:
                    self.enter(k)
        self.find_extrema()
        return worst
