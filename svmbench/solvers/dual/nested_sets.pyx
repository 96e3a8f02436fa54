r"""Decomposition of the dual by nested working sets.

A `Level` has the dual over n examples,
:math:`v_i = y_i - \sum_j \alpha_j y_j K(x_j, x_i)` for all of them, and a working set of at most `most`.
`round`
updates the set and solves the dual in its coefficients with the others fixed::

    entering: of those outside the set, the h highest v > low that can move up and the h lowest v < high that
        can move down, or without bias v > 0 and v < 0; into an empty set while all α are 0, and so the v of
        a class are equal, h of each class evenly spaced. h is half the size of the set at first, then a
        quarter
    they replace members of the set: first those at C leave, then those at 0, then free ones, the oldest
        first; the extrema, with the values high and low, never leave
    solve the dual in the α_i of the set to a fraction of the violation over all examples
    v_t -= Σ over the changed α_i of their change y_i K(x_i, x_t), for all t

The violation is high - low, or max(high, -low) without bias.

A set of a thousand (`Flat`) is solved by SMO on its kernel matrix: a step only touches vectors of its size. A
set of many thousands (`Nested`) is solved by such rounds over it alone, which begin with all its examples
outside. The fraction is a tenth in the first case and, in the other, half the fraction of entering variables
in the set, from 0.01 to 0.2. Thereby most rounds compute and add rows of the length of the set, and rows of
all n are needed once for all rounds within it.

With a bias only differences of values matter. SMO treats values as equal that agree in their first 32 bits,
as those of all free variables do near the optimum; then the midpoint of high and low is subtracted first.

Each round is charged the values of the entering variables with all members, where the matrix needs them, and
n for each changed coefficient, with n the number of examples of that level.
"""

import numpy as np

from svmbench.simd.targets import aligned_zeros
from svmbench.solvers.run import Uninterrupted

from libc.math cimport fabs, fmax, fmin
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from svmbench.solvers.dual.working_pair cimport midpoint
from svmbench.solvers.dual.working_set cimport WORKING_SET_PAD, bind, offer, put
from svmbench.solvers.dual.working_set cimport solve as solve_working_set

cdef enum:
    OUTSIDE = -1            # place of an example that is not in the set
    COMING = -2             # place of an entering example
    STEPS_PER_MEMBER = 100  # limits of the time of a round: steps within the smallest set
    MOST_ROUNDS = 64        # and rounds within a set
    SETS = 8                # size of the set around the working sets, in working sets
    FEW_FEATURES = 128      # with more, rows are expensive: one for all examples serves every round

#: Accuracy to which the dual is solved in a set, relative to the violation over all examples. The fewer
#: examples enter a large set, the more likely they are the last ones, and the more accurately it is solved.
cdef double INNER = 0.1
cdef double PER_ENTERING = 0.5
cdef double LEAST = 0.01
cdef double LARGEST = 0.2

#: Relative violation below which the midpoint of the extrema is subtracted from the values.
cdef double CLOSE = 2.0 ** -20


cdef class Level(BoxDual):
    """A level; a subclass solves its set.

    Parameters
    ----------
    oracle : Oracle
        Over the examples.
    problem : Problem
        In its C-form.
    labels, diagonal : ndarray of float64, shape (n,)
        Labels and K(x, x) of the examples.
    most : int
        Size of the set.
    bounds : ndarray of float64, shape (n,), optional
        As in `BoxDual`.
    """

    def __init__(self, oracle, problem, labels, diagonal, most, bounds=None):
        super().__init__(oracle, problem, labels, diagonal, bounds)
        self.place = np.full(self.n, OUTSIDE, dtype=np.int64)
        self.untouched = True
        self.most = most
        self.members, self.since, self.entering, self.places, self.changed = np.zeros(
            (5, most), dtype=np.int64
        )
        self.changes = np.empty(most)
        self.keys, self.owners = np.empty((2, most)), np.empty((2, most), dtype=np.int64)

    def keep(self, kept):
        """Declare the point and the set to a `Kept`."""
        BoxDual.keep(self, kept)
        self.untouched = kept.number("untouched", self.untouched)
        self.rounds = kept.number("rounds", self.rounds)
        self.size = kept.number("size", self.size)
        kept.vectors(place=self.place, members=self.members[:self.size], since=self.since[:self.size])

    cdef int64_t round(self) except -1 nogil:
        cdef int64_t evaluations = 0
        self.coming = self.choose()
        self.make_room(self.coming)
        evaluations = self.take_in(self.coming)
        evaluations += self.solve()
        self.find_extrema()
        self.rounds += 1
        return evaluations

    cdef Top top(self, Py_ssize_t which, Py_ssize_t capacity) noexcept nogil:
        cdef Top result
        result.capacity = capacity
        result.size = 0
        result.keys = &self.keys[which, 0]
        result.owners = &self.owners[which, 0]
        return result

    cdef Py_ssize_t choose(self) noexcept nogil:
        """List the entering variables in ascending order; return their number."""
        cdef Py_ssize_t each = max(1, self.most // 4) if self.size else max(1, self.most // 2)
        cdef Py_ssize_t i = 0, count = 0
        if self.untouched and self.size == 0:
            self.mark_spread(each, 1.0)
            self.mark_spread(each, -1.0)
        else:
            self.mark_worst(each)
        for i in range(self.n):
            if self.place[i] == COMING:
                self.entering[count] = i
                count += 1
        return count

    cdef void mark_worst(self, Py_ssize_t each) noexcept nogil:
        """Mark as entering the highest that can move up and the lowest that can move down."""
        cdef Top highest = self.top(0, each), lowest = self.top(1, each)
        cdef double floor = self.extrema.M_low if self.balanced else 0.0
        cdef double ceiling = self.extrema.m_up if self.balanced else 0.0
        cdef Py_ssize_t i = 0
        for i in range(self.n):
            if self.place[i] == OUTSIDE:
                if self.v[i] + self.up[i] > floor:
                    offer(&highest, self.v[i], i)
                if self.v[i] + self.down[i] < ceiling:
                    offer(&lowest, -self.v[i], i)
        for i in range(highest.size):
            self.place[highest.owners[i]] = COMING
        for i in range(lowest.size):
            self.place[lowest.owners[i]] = COMING

    cdef void mark_spread(self, Py_ssize_t each, double label) noexcept nogil:
        """Mark as entering this many of one class, evenly spaced: those at floor(k count / each)."""
        cdef int64_t count = 0, seen = 0, taken = 0
        cdef Py_ssize_t i = 0
        for i in range(self.n):
            count += self.y[i] == label
        each = min(each, count)
        for i in range(self.n):
            if self.y[i] == label:
                if taken < each and seen == taken * count // each:
                    self.place[i] = COMING
                    taken += 1
                seen += 1

    cdef void make_room(self, Py_ssize_t coming) noexcept nogil:
        """Assign a place to each entering variable, in ascending order, first those of leaving members."""
        cdef Top leaving = self.top(0, max(<Py_ssize_t> 0, self.size + coming - self.most))
        cdef double rank = 0.0
        cdef Py_ssize_t s = 0, count = 0
        cdef int64_t i = 0
        for s in range(self.size):
            i = self.members[s]
            if i != self.extrema.i_up and i != self.extrema.i_low:
                rank = 0.0 if self.up[i] == self.down[i] else 1.0 if self.alpha[i] == 0.0 else 2.0
                offer(&leaving, 1e15 * rank + (self.rounds - self.since[s]), s)
        for s in range(leaving.size):
            self.place[self.members[leaving.owners[s]]] = OUTSIDE
        for s in range(self.size):
            if self.place[self.members[s]] == OUTSIDE and count < coming:
                self.places[count] = s
                count += 1
        while count < coming:
            self.places[count] = self.size
            self.size += 1
            count += 1
        for count in range(coming):
            s = self.places[count]
            self.members[s] = self.entering[count]
            self.place[self.entering[count]] = s
            self.since[s] = self.rounds

    cdef int64_t take_in(self, Py_ssize_t coming) except -1 nogil:
        return 0

    cdef int64_t solve(self) except -1 nogil:
        return 0

    cdef Py_ssize_t accept(self, Py_ssize_t s, double beta, Py_ssize_t count) noexcept nogil:
        cdef int64_t i = self.members[s]
        cdef double before = self.alpha[i] * self.y[i]
        if beta == before:
            return count
        self.alpha[i] = fabs(beta)
        self.mark(i, i)
        self.changed[count] = i
        self.changes[count] = before - beta
        return count + 1

    cdef int64_t apply(self, Py_ssize_t count) except -1 nogil:
        """Update all values for the changed coefficients; return the values charged for it."""
        self.untouched = self.untouched and count == 0
        self.oracle.add_rows(&self.changed[0], &self.changes[0], count, &self.v[0])
        return self.n * count


cdef class Flat(Level):
    """A level whose set is solved on its kernel matrix; see `Level`."""

    def __init__(self, oracle, problem, labels, diagonal, most, bounds=None):
        super().__init__(oracle, problem, labels, diagonal, most, bounds)
        self.stride = -(-most // WORKING_SET_PAD) * WORKING_SET_PAD
        self.matrix, self.rows = aligned_zeros((2, most * self.stride), np.float32)
        self.vectors = aligned_zeros((7, self.stride))
        self.vectors[0] = 1.0
        self.inner.stride = self.stride
        self.inner.kernel = &self.matrix[0]
        bind(&self.inner, &self.vectors[0, 0], self.stride)

    def keep(self, kept):
        """Declare the point and the set to a `Kept`; when restoring, the matrix is computed again."""
        cdef Py_ssize_t s = 0
        Level.keep(self, kept)
        if self.size == 0 or not kept.taking_back:
            return
        self.oracle.pairs(
            &self.members[0], self.size, &self.members[0], self.size, &self.rows[0], self.stride
        )
        for s in range(self.size):
            memcpy(
                &self.matrix[s * self.stride], &self.rows[s * self.stride], <size_t> self.size * sizeof(float)
            )

    cdef int load(self, Level outer) except -1:
        cdef Py_ssize_t p = 0
        cdef int64_t i = 0
        self.n = self.n_active = outer.size
        self.oracle.take(&outer.members[0], self.n)
        for p in range(self.n):
            i = outer.members[p]
            self.y[p] = outer.y[i]
            self.diagonal[p] = outer.diagonal[i]
            self.bound[p] = outer.bound[i]
            self.alpha[p] = outer.alpha[i]
            self.v[p] = outer.v[i]
            self.place[p] = OUTSIDE
            self.mark(p, p)
        # Unused places contain remains of the previous set: their boxes are empty.
        self.vectors[1:, :] = 0.0
        self.untouched = outer.untouched
        self.rounds = self.size = 0
        self.find_extrema()
        return 0

    cdef int64_t take_in(self, Py_ssize_t coming) except -1 nogil:
        """Write the kernel values of entering variables with all members to the matrix."""
        if coming == 0:
            return 0
        with gil:
            with Uninterrupted():
                self.oracle.pairs(
                    &self.entering[0], coming, &self.members[0], self.size, &self.rows[0], self.stride
                )
        put(
            &self.matrix[0], self.stride, self.size, &self.rows[0], &self.places[0], coming,
            self.oracle.layout.threads,
        )
        return coming * self.size

    cdef int64_t solve(self) except -1 nogil:
        cdef working_set* inner = &self.inner
        cdef Py_ssize_t s = 0, count = 0
        cdef int64_t i = 0
        cdef double origin = self.origin()
        inner.size = self.size
        for s in range(self.size):
            i = self.members[s]
            self.vectors[0, s] = self.diagonal[i]
            self.vectors[1, s] = 0.0 if self.y[i] > 0.0 else -self.bound[i]
            self.vectors[2, s] = self.bound[i] if self.y[i] > 0.0 else 0.0
            inner.beta[s] = self.alpha[i] * self.y[i]
            inner.values[s] = self.v[i] - origin
        solve_working_set(
            self.oracle.layout.level, inner, self.balanced, INNER * self.violation(),
            STEPS_PER_MEMBER * self.most,
        )
        for s in range(self.size):
            count = self.accept(s, inner.beta[s], count)
        return self.apply(count)

    cdef double origin(self) noexcept nogil:
        """Return the value that is subtracted from all values."""
        cdef double center = midpoint(&self.extrema)
        return center if self.balanced and self.violation() < CLOSE * fabs(center) else 0.0


cdef class Nested(Level):
    """A level whose set is solved by nested sets; see `Level`.

    Parameters
    ----------
    least : int
        Size of the nested sets, at most `most`.
    """

    def __init__(self, oracle, problem, labels, diagonal, most, least, bounds=None):
        super().__init__(oracle, problem, labels, diagonal, most, bounds)
        part = self.oracle.part(most)
        self.inner = Flat(part, problem, np.ones(most), np.ones(most), least, np.ones(most))

    cdef int64_t solve(self) except -1 nogil:
        cdef double part = fmin(LARGEST, fmax(LEAST, PER_ENTERING * self.coming / self.most))
        cdef double enough = part * self.violation()
        cdef int64_t evaluations = 0
        cdef Py_ssize_t s = 0, count = 0
        with gil:
            with Uninterrupted():
                self.inner.load(self)
        while self.inner.violation() >= enough and self.inner.rounds < MOST_ROUNDS:
            evaluations += self.inner.round()
        for s in range(self.size):
            count = self.accept(s, self.inner.alpha[s] * self.inner.y[s], count)
        return evaluations + self.apply(count)


def level_over(oracle, problem, labels, diagonal, Py_ssize_t working_set, bounds=None):
    """Return the level over all examples: `Nested` if they are many and their rows cheap, else `Flat`.

    Parameters as for `Level`; ``working_set`` is the size of the sets that are solved on their kernel matrix.
    """
    cdef Py_ssize_t most = SETS * working_set
    if oracle.n > most and oracle.d <= FEW_FEATURES:
        return Nested(oracle, problem, labels, diagonal, most, working_set, bounds)
    return Flat(oracle, problem, labels, diagonal, min(working_set, <Py_ssize_t> oracle.n), bounds)
