r"""The dual over an expansion set, to which online methods add examples, and which they shrink (`lasvm`).

An example outside has :math:`\alpha = 0` and cannot move. Its value :math:`v_i = y_i - f(x_i)` is known in
one of two ways. Either the values of all examples are maintained, and steps read whole rows. Or the set is
compact: only members have positions, in the order of entering, with gaps filled by the last one; rows cover
the members only, and the value of an example outside is computed from its row on demand. The sums are then
added in another order, so that values differ by rounding in double precision.

Values within `TIE` of each other are equal, and gains within `GAIN_TIE` of the larger; of equals the first
example is taken, so that neither rounding nor the order of positions matters.
"""

import numpy as np

from libc.math cimport INFINITY, fmax, fmin

from svmbench.kernels._oracle cimport Oracle
from svmbench.solvers.dual.working_pair cimport best_partner, curvature, move_values

cdef extern from "svmbench/simd/csrc/lanes.h" nogil:
    double largest(const double* x, Py_ssize_t n, double start)
    double inner_product(const double* weights, const float* x, Py_ssize_t n)

cdef double GAIN_TIE = 1e-9

cdef enum:
    BLOCK = 256             # values per inner loop, compared on the stack


cdef class ExpansionSet(BoxDual):
    """The dual at α = 0 without members; see `BoxDual`.

    Parameters
    ----------
    compact : bool
        Whether only the values of members are maintained.
    """

    def __init__(self, Oracle oracle not None, problem, labels, diagonal, compact):
        n = len(labels)
        self.examples = np.arange(n)
        super().__init__(oracle, problem, labels, diagonal)
        self.position = self.examples
        self.everywhere, self.own = self.v, self.diagonal
        self.inside, self.listed = np.zeros((2, n), dtype=np.int8)
        self.zeros = np.zeros(n, dtype=np.int64)
        self.up[:], self.down[:] = -np.inf, np.inf
        self.compact = compact
        if compact:
            self.n_active = 0
            self.members = oracle.part(n)
            self.position, self.changed = np.zeros((2, n), dtype=np.int64)
            self.v, self.own, self.beta, self.known, self.changes = np.zeros((5, n))
        self.find_extrema()

    def keep(self, kept):
        """Declare the point and the members to a `Kept`."""
        cdef Py_ssize_t p = 0
        BoxDual.keep(self, kept)
        self.count = kept.number("count", self.count)
        self.n_zeros = kept.number("n_zeros", self.n_zeros)
        kept.vectors(inside=self.inside, listed=self.listed, zeros=self.zeros[:self.n_zeros])
        if not self.compact:
            return
        kept.vectors(
            examples=self.examples, position=self.position, own=self.own, beta=self.beta, known=self.known,
            everywhere=self.everywhere,
        )
        if kept.taking_back:
            for p in range(self.n_active):
                self.members.place(p, self.examples[p])

    cdef void move(self, const float* row_i, const float* row_j, double delta) noexcept nogil:
        cdef Extrema* extrema = &self.extrema
        cdef double* v = &self.v[0]
        extrema.i_up = extrema.i_low = NOBODY
        move_values(
            v, row_i, row_j, delta, &self.up[0], &self.down[0], self.n_active, 0.0 if self.compact else TIE,
            extrema,
        )
        if not self.compact:
            return
        if extrema.i_up != NOBODY:
            extrema.i_up = self.first_at(&self.up[0], 1.0, extrema.m_up - TIE)
            extrema.m_up = v[extrema.i_up]
        if extrema.i_low != NOBODY:
            extrema.i_low = self.first_at(&self.down[0], -1.0, -extrema.M_low - TIE)
            extrema.M_low = v[extrema.i_low]

    cdef Py_ssize_t first_at(self, const double* shift, double sign, double least) noexcept nogil:
        """Return the position of the first example with sign (v + shift) of at least this."""
        cdef double[BLOCK] scores
        cdef Py_ssize_t begin = 0, count = 0, k = 0, found = NOBODY
        while begin < self.n_active:
            count = min(<Py_ssize_t> BLOCK, self.n_active - begin)
            for k in range(count):
                scores[k] = sign * (self.v[begin + k] + shift[begin + k])
            found = self.earliest(scores, begin, count, least, found)
            begin += count
        return found

    cdef Py_ssize_t earliest(
        self, const double* scores, Py_ssize_t begin, Py_ssize_t count, double least, Py_ssize_t found
    ) noexcept nogil:
        """Return the first example, of those found and of the positions, whose score is at least this."""
        cdef Py_ssize_t k = 0
        if largest(scores, count, -INFINITY) >= least:
            for k in range(count):
                if scores[k] >= least and (
                    found == NOBODY or self.examples[begin + k] < self.examples[found]
                ):
                    found = begin + k
        return found

    cdef double look(self, Py_ssize_t k) noexcept nogil:
        cdef Py_ssize_t p = self.n_active
        if not self.compact:
            return self.v[k]
        # It gets the position of the next member, so that its row can be used for its step.
        self.members.place(p, k)
        self.members.resize(p + 1)
        cdef const float* row = self.members.get_row(p)
        self.members.resize(p)
        return self.y[k] - inner_product(&self.beta[0], row, p)

    cdef Py_ssize_t enter(self, Py_ssize_t k, double value) noexcept nogil:
        cdef Py_ssize_t p = self.n_active
        self.inside[k] = True
        self.count += 1
        if not self.compact:
            self.note(k)
            return k
        self.n_active = p + 1
        self.examples[p] = k
        self.position[k] = p
        self.v[p] = value
        self.own[p] = self.diagonal[k]
        self.members.resize(p + 1)
        self.note(p)
        return p

    cdef void note(self, Py_ssize_t p) noexcept nogil:
        """Update the feasible directions of a member, and whether it may be removed."""
        cdef Py_ssize_t i = self.examples[p]
        self.mark(p, i)
        if self.compact:
            self.beta[p] = self.alpha[i] * self.y[i]
        if self.alpha[i] == 0.0 and not self.listed[i]:
            self.listed[i] = True
            self.zeros[self.n_zeros] = i
            self.n_zeros += 1

    cdef void take_over(self) noexcept nogil:
        cdef Py_ssize_t k = 0, p = 0
        for k in range(self.n):
            if self.alpha[k] != 0.0 and not self.inside[k]:
                if self.compact:
                    self.members.place(self.n_active, k)
                self.enter(k, self.everywhere[k])
            elif self.inside[k]:
                self.note(self.position[k])
        if self.compact:
            self.known[:] = self.alpha
            for p in range(self.n_active):
                self.v[p] = self.everywhere[self.examples[p]]
        self.find_extrema()

    cdef Extrema worst(self) noexcept nogil:
        cdef Extrema extrema = self.extrema
        if not self.balanced:
            if fmax(extrema.m_up, 0.0) >= -fmin(extrema.M_low, 0.0) - TIE:
                extrema.M_low = 0.0
                extrema.i_low = NOBODY
                extrema.m_up = fmax(extrema.m_up, 0.0)
            else:
                extrema.m_up = 0.0
                extrema.i_up = NOBODY
        return extrema

    cdef Py_ssize_t second_order_partner(self, const Extrema* extrema) noexcept nogil:
        cdef const float* row = NULL
        cdef double[BLOCK] gains
        cdef double below = 0.0, least = 0.0
        cdef Py_ssize_t p = extrema.i_up, q = 0, begin = 0, count = 0, k = 0, found = NOBODY
        row = self.members.get_row(p) if self.compact else self.oracle.get_row(p)
        q = best_partner(&self.v[0], &self.down[0], &self.own[0], row, self.n_active, extrema)
        below = extrema.m_up - self.v[q]
        least = (1.0 - GAIN_TIE) * below * below / curvature(self.own[p], self.own[q], row[q])
        while begin < self.n_active:
            count = min(<Py_ssize_t> BLOCK, self.n_active - begin)
            for k in range(count):
                below = fmax(extrema.m_up - (self.v[begin + k] + self.down[begin + k]), 0.0)
                gains[k] = below * below / curvature(self.own[p], self.own[begin + k], row[begin + k])
            found = self.earliest(gains, begin, count, least, found)
            begin += count
        return found

    cdef bint settled(self, Py_ssize_t k, double value, const Extrema* extrema) noexcept nogil:
        cdef double bound = extrema.M_low if self.y[k] > 0.0 else extrema.m_up
        if self.balanced:
            return extrema.M_low < extrema.m_up and self.y[k] * (value - bound) < -TIE
        return self.y[k] * value < -TIE

    cdef void improve(
        self, Py_ssize_t p, Py_ssize_t q, const float* row_p, const float* row_q
    ) noexcept nogil:
        cdef double both = row_p[q] if p != NOBODY and q != NOBODY else 0.0
        cdef double own = row_p[p] if p != NOBODY else 0.0
        cdef double other = row_q[q] if q != NOBODY else 0.0
        cdef double step = (self.rise(p) - self.rise(q)) / curvature(own, other, both)
        if p != NOBODY:
            step = fmin(step, self.slack(self.examples[p], 1.0))
        if q != NOBODY:
            step = fmin(step, self.slack(self.examples[q], -1.0))
        if p != NOBODY:
            self.change(p, self.examples[p], step)
            self.note(p)
        if q != NOBODY:
            self.change(q, self.examples[q], -step)
            self.note(q)
        if p == NOBODY:
            self.move(row_q, NULL, -step)
        else:
            self.move(row_p, row_q, step)

    cdef double rise(self, Py_ssize_t p) noexcept nogil:
        return self.v[p] if p != NOBODY else 0.0

    cdef void remove(self, double high, double low) noexcept nogil:
        cdef Py_ssize_t kept = 0, t = 0, s = 0, before = self.count
        cdef double value = 0.0
        cdef bint settled = False, extreme = False
        for t in range(self.n_zeros):
            s = self.zeros[t]
            value = self.v[self.position[s]]
            settled = value <= low + TIE if self.y[s] > 0.0 else value >= high - TIE
            if self.alpha[s] == 0.0 and not settled:
                self.zeros[kept] = s
                kept += 1
                continue
            self.listed[s] = False
            if self.alpha[s] == 0.0:
                extreme = extreme or self.position[s] == self.extrema.i_up \
                    or self.position[s] == self.extrema.i_low
                self.leave(s)
        self.n_zeros = kept
        if extreme or (self.compact and self.count < before):
            self.find_extrema()

    cdef void leave(self, Py_ssize_t s) noexcept nogil:
        cdef Py_ssize_t p = self.position[s], last = self.n_active - 1, i = 0
        self.inside[s] = False
        self.count -= 1
        if not self.compact:
            self.up[s] = -INFINITY
            self.down[s] = INFINITY
            return
        i = self.examples[last]
        self.examples[p] = i
        self.position[i] = p
        self.v[p] = self.v[last]
        self.own[p] = self.own[last]
        self.n_active = last
        self.members.place(p, i)
        self.members.resize(last)
        if p < last:
            self.mark(p, i)
            self.beta[p] = self.beta[last]

    cdef int update_everywhere(self) except -1 nogil:
        """Update the values of all examples to the current coefficients."""
        cdef Py_ssize_t count = 0, k = 0
        if not self.compact:
            return 0
        for k in range(self.n):
            if self.alpha[k] != self.known[k]:
                self.changed[count] = k
                self.changes[count] = (self.known[k] - self.alpha[k]) * self.y[k]
                count += 1
        self.known[:] = self.alpha
        return self.oracle.add_rows(&self.changed[0], &self.changes[0], count, &self.everywhere[0])

    cdef int admit_violators(self, double eps, double* worst, double* bounds) except -1 nogil:
        cdef Extrema extrema = self.worst()
        cdef double high = extrema.m_up if self.balanced else 0.0
        cdef double low = extrema.M_low if self.balanced else 0.0
        cdef double found = 0.0
        cdef Py_ssize_t k = 0
        self.update_everywhere()
        worst[0] = extrema.m_up - extrema.M_low
        if self.balanced:
            for k in range(self.n):
                if not self.inside[k]:
                    if self.y[k] > 0.0:
                        high = fmax(high, self.everywhere[k])
                    else:
                        low = fmin(low, self.everywhere[k])
        bounds[0] = fmin(high, low)
        bounds[1] = fmax(high, low)
        for k in range(self.n):
            if not self.inside[k]:
                found = self.everywhere[k] - low if self.y[k] > 0.0 else high - self.everywhere[k]
                worst[0] = fmax(worst[0], found)
                if found > eps:
                    if self.compact:
                        self.members.place(self.n_active, k)
                    self.enter(k, self.everywhere[k])
        self.find_extrema()
        return 0
