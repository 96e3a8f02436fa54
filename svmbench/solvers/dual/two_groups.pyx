r"""The dual of two groups of examples: for the many small problems of one-vs-one classification.

Problem, the dual of the regularised form in its C-form: :math:`\max_\alpha \sum_i \alpha_i - \frac12 |\sum_i
\alpha_i y_i \Phi(x_i)|^2`, :math:`0 \le \alpha_i \le C_i`, and with a bias :math:`\sum_i \alpha_i y_i = 0`.
The first group has the labels -1, the second one +1. In a regression both groups are all examples, and
:math:`g_i \alpha_i` with given gains replaces :math:`\alpha_i`.

Method: SMO over all examples. A step reads the kernel rows of two examples. A row is computed when it is
first read, so most rows of examples whose coefficients stay at 0 are never computed. If a block of rows takes
far less time than the same rows one by one, those of the worst violators of the group are computed with it,
with a bias. The part of a row within the example's own group is stored for the other problems of the group;
with k classes there are k - 1.

Without a bias, the steps are those of `svmbench.solvers.dual.working_set`. With a bias they select nearly the
same pairs, but by values :math:`v_i = y_i g_i - f(x_i)` in single precision, and partners by gains to three
digits. As in iterative refinement, that costs no accuracy. When the violation of the optimality
conditions has fallen by the factor `ROUND`, or the gap seems to be reached, the values are computed again in
double precision from the rows, which all exist. The next steps start from their differences from the bias,
which are tiny for free coefficients near the optimum.

Most coefficients stay at a bound. With a bias, those that will hardly change any more are left out later, as
in shrinking: the others are packed, with their parts of the rows, so that steps touch short vectors. This is
undone before the values are computed again. Until then, what is left out is taken to add nothing to the
gap, and the dual objective is followed by the gain of each step.

The gap is estimated from kernel values in single precision: a bound must be computed from the coefficients.
With large coefficients the rounding of the rows matters. Then `refine` takes the values of a point from
outside, and rows only add what changes from there.

A further problem of the same two groups, with other bounds, may begin at a point near its solution: the rows
are there.

No step needs the interpreter or its lock, so threads can solve several problems in parallel, each with its
own `TwoGroups`.
"""

import numpy as np

from svmbench.simd.targets import aligned_zeros

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from svmbench.kernels._oracle cimport Oracle
from svmbench.kernels.layouts._layout cimport TILE, Layout
from svmbench.simd.targets cimport isa_level
from svmbench.solvers.dual.working_set cimport WORKING_SET_PAD, bind, leading, solve as solve_set

cdef enum:
    STEPS_BETWEEN = 64      # least number of steps between two checks of the gap
    SHARE_BETWEEN = 16      # and as a fraction of the number of variables
    GROUPS = 2
    LEAST_TOGETHER = 4      # rows that are made together
    MOST_TOGETHER = 32

#: Fraction of the violation to which steps are made before the values are recomputed.
cdef double ROUND = 1e-4

#: Largest fraction of the variables that is worth packing, and distance of the values of those left out from
#: the extrema, relative to the violation.
cdef double FEWER = 0.6
cdef double BEYOND = 0.25

#: Largest fraction of the violation, or of the gap, that may remain after a round that makes progress.
cdef double LESS = 0.9


cdef class TwoGroups:
    """The problems of pairs of groups, one after the other.

    Parameters
    ----------
    groups : list of Layout
        The examples of each group: `Oracle.stored` of an oracle for which `possible` holds.
    diagonal : ndarray of float64, shape (n,)
        K(x, x) of all of them, one group after the other.
    """

    def __init__(self, groups, diagonal):
        cdef Layout group = None
        cdef Py_ssize_t widest = 0, wider = 0, most = 0, query = 1, number = 0
        self.layouts, self.diagonal = list(groups), diagonal
        self.starts, self.blocks = np.zeros((2, len(groups) + 1), dtype=np.int64)
        self.most = 1
        for number, group in enumerate(groups):
            self.most = max(self.most, min(group.ahead, <Py_ssize_t>MOST_TOGETHER))
            query = max(query, group.query_size())
            wider = max(wider, min(widest, group.stride))
            widest = max(widest, group.stride)
            self.starts[number + 1] = self.starts[number] + group.n
            self.blocks[number + 1] = self.blocks[number] + group.n * group.stride
        self.within = np.zeros(self.blocks[len(groups)] if len(groups) > GROUPS else 0, dtype=np.float32)
        self.held = np.zeros(self.starts[len(groups)], dtype=np.uint8)
        self.pair[0] = self.pair[1] = -1
        most = widest + wider
        # Zeros: memory that is not written to is not taken. Rows that are not made yet must be finite.
        self.matrix = aligned_zeros(most * most, np.float32)
        self.made, self.slots = np.zeros(most, dtype=np.uint8), np.zeros(most, dtype=np.int32)
        self.vectors = aligned_zeros((7, most))
        self.gains, self.sums, self.excess = np.zeros((3, most))
        self.singles = aligned_zeros((3, most), np.float32)
        self.places = np.zeros(most, dtype=np.int64)
        self.runs = np.zeros((2 + PICKED, most), dtype=np.int32)
        self.packed.from_, self.packed.to = &self.runs[0, 0], &self.runs[1, 0]
        self.packed.lanes = &self.runs[2, 0]
        packed = <Py_ssize_t>(FEWER * most) + TWO_GROUPS_PAD
        self.few_matrix = np.empty(0, dtype=np.float32)
        self.few_made, self.few_slots = np.zeros(packed, dtype=np.uint8), np.zeros(packed, dtype=np.int32)
        self.few_vectors = np.zeros((7, packed))
        self.query = np.zeros(self.most * query, dtype=np.int8)
        self.planned = np.zeros(self.most, dtype=np.int64)
        self.inner.kernel = &self.matrix[0]
        self.inner.made = &self.made[0]
        self.inner.maker = <void*>self
        self.inner.make = <make_row>make
        bind(&self.inner, &self.vectors[0, 0], most)
        self.single.diagonal = &self.singles[0, 0]
        self.single.rising, self.single.falling = &self.singles[1, 0], &self.singles[2, 0]
        self.single.maker = self.inner.maker

    @staticmethod
    def possible(Oracle oracle not None):
        """Return whether the layout of an oracle makes rows of examples of one group over another."""
        return TILE % WORKING_SET_PAD == 0 == TILE % TWO_GROUPS_PAD and oracle.layout.can_cross()

    def start(self, Py_ssize_t i, Py_ssize_t j, const double[::1] bounds not None, bint balanced, double eps,
              const double[::1] alpha=None, const double[::1] gains=None):
        """Begin the problem of groups i and j.

        Parameters
        ----------
        i, j : int
            Numbers of the groups, those of the labels -1 and +1.
        bounds : ndarray of float64, shape (n,)
            Upper bounds of α for the n examples of the first group, then of the second.
        balanced : bool
            Whether there is a bias.
        eps : float
            Violation of the optimality conditions below which no further step is made.
        alpha : ndarray of float64, shape (n,), optional
            A feasible point to begin at, default 0.
        gains : ndarray of float64, shape (n,), optional
            Factors g of α in the linear term, default 1.
        """
        cdef Py_ssize_t n = self.starts[i + 1] - self.starts[i] + self.starts[j + 1] - self.starts[j]
        if min(bounds.shape[0], n if alpha is None else alpha.shape[0],
               n if gains is None else gains.shape[0]) < n:
            raise ValueError(f"{bounds.shape[0]} bounds for the {n} examples of two groups")
        self.begin_pair(i, j, &bounds[0], balanced, eps, NULL if alpha is None else &alpha[0],
                        NULL if gains is None else &gains[0])

    cdef void begin_pair(self, Py_ssize_t i, Py_ssize_t j, const double* bounds, bint balanced, double eps,
                         const double* alpha, const double* gains) noexcept:
        cdef Py_ssize_t which = 0, at = 0, begin = 0, k = 0, number = 0
        cdef double label = 0.0
        self.eps = eps
        self.steps = self.evaluations = 0
        self.first, self.second = <Layout>self.layouts[i], <Layout>self.layouts[j]
        self.inner.size = self.inner.stride = self.first.stride + self.second.stride
        for k in range(self.vectors.shape[0]):
            memset(&self.vectors[k, 0], 0, <size_t>self.inner.stride * sizeof(double))
        memset(&self.excess[0], 0, <size_t>self.inner.stride * sizeof(double))
        memset(&self.gains[0], 0, <size_t>self.inner.stride * sizeof(double))
        for which in range(GROUPS):
            number, label = j if which else i, 2.0 * which - 1.0
            self.begin[which] = at
            self.size[which] = self.starts[number + 1] - self.starts[number]
            for k in range(self.size[which]):
                self.vectors[0, at + k] = self.diagonal[self.starts[number] + k]
                self.vectors[2 if which else 1, at + k] = label * bounds[begin + k]
                self.vectors[3, at + k] = 0.0 if alpha == NULL else label * alpha[begin + k]
                self.gains[at + k] = label if gains == NULL else label * gains[begin + k]
                self.vectors[4, at + k] = self.gains[at + k]
            at += self.second.stride if which else self.first.stride
            self.kept[which] = &self.within[self.blocks[number]] if self.within.shape[0] else NULL
            self.there[which] = &self.held[self.starts[number]]
            begin += self.size[which]
        if self.pair[0] != i or self.pair[1] != j or self.balanced != balanced:
            memset(&self.made[0], 0, <size_t>self.inner.stride)
            self.slots[: self.inner.stride] = -1
            self.filled = 0
        self.window, self.guessed = min(<Py_ssize_t>LEAST_TOGETHER, self.most) if balanced else 1, 0
        self.pair[0], self.pair[1], self.balanced = i, j, balanced
        if alpha != NULL:
            with nogil:
                for k in range(self.inner.stride):
                    if self.inner.beta[k] != 0.0 and self.slots[k] < 0:
                        which = k >= self.begin[1]
                        self.planned[0] = k - self.begin[which]
                        self.fill_group(which, 1)
                        self.made[k] = True
                self.sum_up()

    def refine(self, const double[::1] responses not None):
        """Set y_i f(x_i) at the point, f without bias, shape (n,), computed in double precision."""
        cdef Py_ssize_t which = 0, at = 0, k = 0
        cdef double value = 0.0
        for which in range(GROUPS):
            for k in range(self.begin[which], self.begin[which] + self.size[which]):
                value = self.gains[k] - (2.0 * which - 1.0) * responses[at]
                self.excess[k] += self.inner.values[k] - value
                self.inner.values[k] = value
                at += 1

    def advance(self, double goal, int64_t most):
        """Make steps until the estimated relative gap is at most `goal`, or there is no further progress.

        Parameters
        ----------
        goal : float
            Relative duality gap.
        most : int
            Most steps.

        Returns
        -------
        bool
            Whether the goal is reached.
        """
        cdef bint reached = False
        with nogil:
            reached = self.step_to(goal, most)
        return reached

    cdef bint step_to(self, double goal, int64_t most) noexcept nogil:
        cdef int64_t end = self.steps + most
        cdef double violation = self.violation(), gap = INFINITY, last_violation = 0.0, last_gap = 0.0
        while True:
            last_violation, last_gap = violation, gap
            if self.balanced:
                self.make_single(goal, end, ROUND * violation)
            else:
                self.make_double(goal, end)
            self.sum_up()
            violation, gap = self.violation(), self.relative_gap(&self.inner, self.dual())
            if gap <= goal or self.steps >= end or violation < self.eps:
                break
            if violation > LESS * last_violation and gap > LESS * last_gap:
                break
        return gap <= goal

    cdef int64_t between(self, Py_ssize_t stride) noexcept nogil:
        """Return the number of steps in so many variables between two checks of the gap."""
        return max(<int64_t>STEPS_BETWEEN, <int64_t>stride // SHARE_BETWEEN)

    cdef void make_double(self, double goal, int64_t end) noexcept nogil:
        """Make steps without a bias until the estimated gap is small enough, or there is no progress."""
        cdef int64_t asked = self.between(self.inner.stride), made = asked
        while self.steps < end and made == asked:
            asked = min(asked, end - self.steps)
            made = solve_set(isa_level(), &self.inner, False, self.eps, asked)
            self.steps += made
            if self.relative_gap(&self.inner, self.dual()) <= goal:
                break

    cdef void make_single(self, double goal, int64_t end, double enough) noexcept nogil:
        """Make steps with a bias until the violation or the estimated gap is small enough."""
        cdef int64_t asked = 1, made = 1
        cdef Py_ssize_t k = 0
        self.take_all()
        while self.steps < end and made == asked:
            asked = min(self.between(self.few.stride), end - self.steps)
            made = svmbench_two_groups_make(isa_level(), &self.single, max(enough, self.eps), asked)
            self.steps += made
            svmbench_two_groups_read(isa_level(), &self.single, self.center, self.few.values)
            if self.relative_gap(&self.few, self.single.dual) <= goal:
                break
            self.pack()
        for k in range(self.count):
            self.inner.beta[self.places[k]] = self.few.beta[k]

    cdef void take_all(self) noexcept nogil:
        """Make steps in all variables from now on."""
        cdef Py_ssize_t k = 0
        self.few, self.single.dual = self.inner, self.dual()
        self.count = self.inner.stride
        for k in range(self.count):
            self.places[k] = k
            self.singles[0, k] = <float>self.inner.diagonal[k]
            self.singles[1, k] = <float>(self.inner.values[k] - self.center)
        self.single.slots = &self.slots[0]
        self.step_in_few()
        svmbench_two_groups_mark(&self.single)

    cdef void step_in_few(self) noexcept nogil:
        self.single.stride, self.single.kernel = self.few.stride, self.few.kernel
        self.single.least, self.single.most, self.single.beta = self.few.least, self.few.most, self.few.beta
        self.single.made, self.single.make = self.few.made, self.few.make

    cdef void pack(self) noexcept nogil:
        """Make steps in the variables that may still change from now on, if they are few enough."""
        cdef working_set last = self.few
        cdef float reach = <float>BEYOND * (self.single.high - self.single.low)
        cdef Py_ssize_t count = 0, stride = 0, which = 0, k = 0
        count = svmbench_two_groups_count(isa_level(), &self.single, reach)
        stride = (count + TWO_GROUPS_PAD - 1) // TWO_GROUPS_PAD * TWO_GROUPS_PAD
        if stride > FEWER * last.stride or not self.can_pack():
            return
        bind(&self.few, &self.few_vectors[0, 0], self.few_vectors.shape[1])
        count = 0
        for k in range(self.count):
            if svmbench_two_groups_may_change(&self.single, k, reach):
                # Their new places are never behind the old ones.
                self.places[count] = self.places[k]
                for which in range(3):
                    self.singles[which, count] = self.singles[which, k]
                self.few_vectors[1, count] = last.least[k]
                self.few_vectors[2, count] = last.most[k]
                self.few_vectors[3, count] = last.beta[k]
                count += 1
            else:
                self.inner.beta[self.places[k]] = last.beta[k]
        self.count = count
        for k in range(count, stride):
            self.singles[0, k], self.singles[1, k], self.singles[2, k] = 0.0, -INFINITY, INFINITY
            self.few_vectors[1, k] = self.few_vectors[2, k] = self.few_vectors[3, k] = 0.0
        self.packed.count, self.packed.stride = count, stride
        svmbench_two_groups_arrange(&self.packed, &self.places[0])
        self.few.stride, self.few.kernel = stride, &self.few_matrix[0]
        self.few.made, self.few.make = &self.few_made[0], <make_row>copy
        self.few_filled, self.single.slots = 0, &self.few_slots[0]
        memset(self.few.made, 0, <size_t>stride)
        self.step_in_few()

    cdef bint can_pack(self) noexcept nogil:
        """Return whether there is memory for packed rows, which is taken when it is first needed."""
        cdef Py_ssize_t packed = self.few_vectors.shape[1]
        if self.few_matrix.shape[0] == 0:
            with gil:
                try:
                    self.few_matrix = aligned_zeros(packed * packed, np.float32)
                except MemoryError:
                    return False
        return True

    cdef void sum_up(self) noexcept nogil:
        """Recompute the values from the rows."""
        cdef Py_ssize_t which = 0, k = 0
        cdef two_groups every = self.single
        every.stride, every.kernel, every.beta = self.inner.stride, self.inner.kernel, self.inner.beta
        every.slots = &self.slots[0]
        svmbench_two_groups_sum(isa_level(), &every, &self.sums[0])
        for which in range(GROUPS):
            for k in range(self.begin[which], self.begin[which] + self.size[which]):
                self.inner.values[k] = self.gains[k] - self.sums[k] - self.excess[k]

    cdef double violation(self) noexcept nogil:
        """Return the violation of the optimality conditions by the values, and set `center`."""
        cdef double high = -INFINITY, low = INFINITY
        cdef const double* beta = self.inner.beta
        cdef const double* v = self.inner.values
        cdef Py_ssize_t k = 0
        for k in range(self.inner.stride):
            if beta[k] < self.inner.most[k]:
                high = max(high, v[k] if self.balanced else max(v[k], 0.0))
            if beta[k] > self.inner.least[k]:
                low = min(low, v[k] if self.balanced else min(v[k], 0.0))
        self.center = 0.5 * high + 0.5 * low if self.balanced else 0.0
        return high - low if self.balanced else max(high, -low)

    cdef double dual(self) noexcept nogil:
        """Return the dual objective by the values."""
        return svmbench_two_groups_dual(isa_level(), &self.inner, &self.gains[0])

    cdef double relative_gap(self, const working_set* part, double dual) noexcept nogil:
        """Return the relative gap estimated from the values; variables left out add nothing to it."""
        return svmbench_two_groups_gap(isa_level(), part, dual, self.balanced)

    def point(self):
        """Return α and y_i f(x_i), f without bias, float64, of the first group and then the second.

        The responses are sums in double precision of the solver's rows.
        """
        cdef double[::1] alpha = np.empty(self.size[0] + self.size[1]), responses = np.empty_like(alpha)
        self.write(&alpha[0], &responses[0])
        return np.asarray(alpha), np.asarray(responses)

    cdef Py_ssize_t plan(self, Py_ssize_t k) noexcept nogil:
        """List the example in place k and others of its group whose rows are likely needed; return how many.

        The others are the worst violators. As in `svmbench.kernels._prefetch`, their number depends on how
        many of the last ones were read.
        """
        cdef Py_ssize_t own = k >= self.begin[1], count = 1, t = 0
        cdef double floor = self.single.low if own else -self.single.high
        cdef int64_t place = 0
        cdef bint here = False
        if self.guessed > 0:
            self.window = min(self.most, 2 * self.window) if 2 * self.right >= self.guessed \
                else max(<Py_ssize_t>LEAST_TOGETHER, self.window // 2)
        self.guessed = self.right = 0
        self.planned[0] = k - self.begin[own]
        if self.window == 1:
            return 1
        for t in range(self.count):
            place = self.places[t]
            here = self.begin[own] <= place < self.begin[own] + self.size[own] and place != k
            self.sums[t] = -INFINITY
            if here and self.slots[place] < 0:      # its coefficient is 0
                self.sums[t] = self.single.rising[t] if own else -self.single.falling[t]
        count += leading(&self.sums[0], self.count, floor, self.window - 1, &self.planned[1])
        for t in range(1, count):
            self.planned[t] = self.places[self.planned[t]] - self.begin[own]
        self.guessed = count - 1
        return count

    cdef void fill_group(self, Py_ssize_t own, Py_ssize_t count) noexcept nogil:
        """Compute the rows of the planned examples of a group."""
        if own:
            self.fill(self.second, self.first, 1, count)
        else:
            self.fill(self.first, self.second, 0, count)

    cdef void fill(self, Layout mine, Layout other, Py_ssize_t own, Py_ssize_t count) noexcept nogil:
        """Do the same for a group whose layout is `mine`; what is known of its rows is copied."""
        cdef Py_ssize_t stride = self.inner.stride, missing = 0, r = 0
        cdef size_t width = <size_t>mine.stride * sizeof(float)
        cdef int64_t e = 0
        cdef float* begin = NULL
        cdef float* row = NULL
        for r in range(count):
            e = self.planned[r]
            if not self.known(mine, other, own, e):
                self.planned[r], self.planned[missing] = self.planned[missing], e
                missing += 1
        for r in range(count):      # steps without a bias find a row in its place
            self.slots[self.begin[own] + self.planned[r]] = self.filled + r if self.balanced \
                else self.begin[own] + self.planned[r]
        self.filled += count
        begin = self.row(self.begin[own] + self.planned[0])
        self.compute(mine, mine, missing, begin + self.begin[own])
        if mine is not other:
            self.compute(mine, other, count, begin + self.begin[1 - own])
        for r in range(count):
            e, row = self.planned[r], begin + r * stride
            if mine is other and r < missing:
                memcpy(row + self.begin[1 - own], row + self.begin[own], width)
            elif mine is other:     # a regression: the same examples
                memcpy(row, self.row(self.begin[1 - own] + e), 2 * width)
            elif self.kept[own] != NULL and r < missing:
                memcpy(self.kept[own] + e * mine.stride, row + self.begin[own], width)
                self.there[own][e] = True
            elif self.kept[own] != NULL:
                memcpy(row + self.begin[own], self.kept[own] + e * mine.stride, width)

    cdef bint known(self, Layout mine, Layout other, Py_ssize_t own, int64_t example) noexcept nogil:
        """Return whether the values between an example and those of its own group were made before."""
        if mine is other:
            return self.slots[self.begin[1 - own] + example] >= 0
        return self.kept[own] != NULL and self.there[own][example]

    cdef void compute(self, Layout mine, Layout columns, Py_ssize_t count, float* out) noexcept nogil:
        """Write the values between the first planned examples and all of a group to consecutive rows."""
        if count > 0:
            columns.cross(mine, &self.planned[0], count, &self.query[0], out, self.inner.stride)
        self.evaluations += count * columns.n

    cdef float* row(self, Py_ssize_t place) noexcept nogil:
        return &self.matrix[self.slots[place] * self.inner.stride]

    cdef void write(self, double* alpha, double* responses) noexcept nogil:
        cdef Py_ssize_t which = 0, at = 0, k = 0
        for which in range(GROUPS):
            for k in range(self.begin[which], self.begin[which] + self.size[which]):
                alpha[at] = fabs(self.inner.beta[k])
                responses[at] = (2.0 * which - 1.0) * (self.gains[k] - self.inner.values[k])
                at += 1


cdef void make(TwoGroups given, Py_ssize_t k) noexcept nogil:
    """Compute the row of the example in place k, and perhaps others of its group with it."""
    if given.slots[k] >= 0:
        given.right += 1
        return
    given.fill_group(k >= given.begin[1], given.plan(k))


cdef void copy(TwoGroups given, Py_ssize_t k) noexcept nogil:
    """Copy the row of the packed variable k, which is computed if it is missing."""
    cdef int64_t place = given.places[k]
    if not given.made[place]:
        make(given, place)
        given.made[place] = True
    given.few_slots[k] = given.few_filled
    given.few_filled += 1
    svmbench_two_groups_pick(isa_level(), &given.packed, given.row(place),
                             &given.few_matrix[given.few_slots[k] * given.few.stride])
