r"""The dual of two groups of examples, solved at once: for the many small problems of one against one.

Problem, the dual of the regularised form in its C-form: :math:`\max_\alpha \sum_i \alpha_i - \frac12 |\sum_i
\alpha_i y_i \Phi(x_i)|^2`, :math:`0 \le \alpha_i \le C_i`, and with a bias :math:`\sum_i \alpha_i y_i = 0`.
The first group has the labels -1, the second one +1.

Method: SMO over all examples, the steps of `svmbench.solvers.dual.working_set`. A step reads the kernel rows
of two examples. A row is made when it is first read, so that most rows of examples whose coefficients stay
at 0 are never made. Its part within the example's own group is kept for the other problems in which the group
takes part: of k classes that is k - 1. The gap that the values show is looked at after some steps. It is made
of kernel values in single precision: whoever needs a bound makes it from the coefficients.

Everything is done without the interpreter and its lock, so that threads solve several problems at once, each
with a `TwoGroups` of its own.
"""

import numpy as np

from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from svmbench.kernels._oracle cimport Oracle
from svmbench.kernels.layouts._layout cimport TILE, Layout
from svmbench.simd.targets cimport isa_level
from svmbench.solvers.dual.working_set cimport (
    WORKING_SET_PAD, bind, make_row, solve as solve_set, working_set
)

cdef enum:
    STEPS_BETWEEN = 32      # steps between two looks at the gap, at least
    SHARE_BETWEEN = 16      # and as a part of the examples
    GROUPS = 2


cdef class TwoGroups:
    """The problems of pairs of groups, one after the other.

    Parameters
    ----------
    groups : list of Oracle
        Over the examples of each group; subsets of one oracle, for which `possible` holds.
    """

    cdef readonly int64_t steps             # of the last problem
    cdef readonly int64_t evaluations       # kernel values made for it
    cdef list groups
    cdef bint balanced
    cdef double eps                         # of the values: below, the optimality conditions hold
    # Of all groups, from their first use on: values within them, and which rows are there.
    cdef list within
    cdef list held
    # Of the two groups: layouts, where their examples begin and how many there are, what is kept of them.
    cdef Layout first
    cdef Layout second
    cdef Py_ssize_t[2] begin
    cdef Py_ssize_t[2] size
    cdef float *kept[2]
    cdef unsigned char *there[2]
    # By place: examples of a group stand together, padded to whole tiles.
    cdef working_set inner
    cdef float[::1] matrix
    cdef unsigned char[::1] made
    cdef double[:, ::1] vectors
    cdef char[::1] query

    def __init__(self, groups):
        cdef Oracle group = None
        cdef Py_ssize_t widest = 0, wider = 0, most = 0, query = 1
        self.groups = list(groups)
        for group in self.groups:
            query = max(query, group.layout.query_size())
            wider = max(wider, min(widest, group.layout.stride))
            widest = max(widest, group.layout.stride)
        self.within = [None] * len(self.groups)
        self.held = [None] * len(self.groups)
        most = widest + wider
        # Zeros: memory that is not written to is not taken. Rows that are not made yet must be finite.
        self.matrix = np.zeros(most * most, dtype=np.float32)
        self.made = np.zeros(most, dtype=np.uint8)
        self.vectors = np.zeros((7, most))
        self.query = np.zeros(query, dtype=np.int8)
        self.inner.kernel = &self.matrix[0]
        self.inner.made = &self.made[0]
        self.inner.maker = <void*>self
        self.inner.make = <make_row>make
        bind(&self.inner, &self.vectors[0, 0], most)

    @staticmethod
    def possible(Oracle oracle not None):
        """Return whether the layout of an oracle makes rows of examples of one group over another."""
        return TILE % WORKING_SET_PAD == 0 and oracle.layout.can_cross()

    def start(self, Py_ssize_t i, Py_ssize_t j, bounds, bint balanced, double eps):
        """Begin the problem of groups i and j at α = 0.

        Parameters
        ----------
        i, j : int
            Numbers of the groups, those of the labels -1 and +1.
        bounds : list of two ndarrays of float64
            Upper bounds of α for the examples of each group.
        balanced : bool
            Whether there is a bias.
        eps : float
            Violation of the optimality conditions below which no further step is made.
        """
        cdef Oracle group = None
        cdef Py_ssize_t which = 0, at = 0, size = 0
        self.balanced, self.eps = balanced, eps
        self.steps = self.evaluations = 0
        self.first, self.second = (<Oracle>self.groups[i]).layout, (<Oracle>self.groups[j]).layout
        self.inner.size = self.inner.stride = self.first.stride + self.second.stride
        vectors = np.asarray(self.vectors)
        vectors[:, : self.inner.stride] = 0.0
        for which, number in enumerate((i, j)):
            group = self.groups[number]
            size, label = group.n, 2.0 * which - 1.0
            self.begin[which], self.size[which] = at, size
            vectors[0, at : at + size] = group.diagonal()
            vectors[2 if which else 1, at : at + size] = label * np.asarray(bounds[which])
            vectors[4, at : at + size] = label
            self.hold(which, number, group.layout.stride)
            at += group.layout.stride
        memset(&self.made[0], 0, <size_t>self.inner.stride)

    cdef int hold(self, Py_ssize_t which, Py_ssize_t number, Py_ssize_t stride) except -1:
        """Point to what is kept of a group, from its first use on."""
        cdef float[::1] values
        cdef unsigned char[::1] there
        if self.within[number] is None:
            self.within[number] = np.zeros(self.size[which] * stride, dtype=np.float32)
            self.held[number] = np.zeros(self.size[which], dtype=np.uint8)
        values, there = self.within[number], self.held[number]
        self.kept[which], self.there[which] = &values[0], &there[0]
        return 0

    def advance(self, double goal, int64_t most):
        """Make steps until the gap seems to be at most a part of the primal objective, or nothing is gained.

        Parameters
        ----------
        goal : float
            That part.
        most : int
            Steps at most.

        Returns
        -------
        bool
            Whether the goal is reached.
        """
        cdef int64_t some = max(<int64_t>STEPS_BETWEEN, <int64_t>self.inner.stride // SHARE_BETWEEN), now = 0
        cdef int64_t end = self.steps + most
        cdef bint reached = False
        with nogil:
            while not reached and self.steps < end:
                now = min(some, end - self.steps)
                now = solve_set(isa_level(), &self.inner, self.balanced, self.eps, now)
                self.steps += now
                reached = self.relative_gap() <= goal
                if now < some:
                    break
        return reached

    cdef double bias(self) noexcept nogil:
        """Return the mean value of the free coefficients, or the middle between those that can move."""
        cdef double total = 0.0, high = -1e300, low = 1e300
        cdef const double* beta = self.inner.beta
        cdef const double* v = self.inner.values
        cdef Py_ssize_t free = 0, k = 0
        if not self.balanced:
            return 0.0
        for k in range(self.inner.stride):
            if self.inner.least[k] < beta[k] < self.inner.most[k]:
                total += v[k]
                free += 1
            if beta[k] < self.inner.most[k]:
                high = max(high, v[k])
            if beta[k] > self.inner.least[k]:
                low = min(low, v[k])
        return total / free if free else 0.5 * high + 0.5 * low

    cdef double relative_gap(self) noexcept nogil:
        """Return the relative gap as the values show it."""
        cdef double b = self.bias(), norm2 = 0.0, loss = 0.0, total = 0.0, below = 0.0, label = -1.0
        cdef Py_ssize_t which = 0, k = 0
        for which in range(GROUPS):
            label = 2.0 * which - 1.0
            for k in range(self.begin[which], self.begin[which] + self.size[which]):
                total += label * self.inner.beta[k]
                norm2 += self.inner.beta[k] * (label - self.inner.values[k])
                below = label * (self.inner.values[k] - b)
                if below > 0.0:
                    loss += below * (self.inner.most[k] if which else -self.inner.least[k])
        return 1.0 - (total - 0.5 * norm2) / (0.5 * norm2 + loss) if 0.5 * norm2 + loss > 0.0 else 0.0

    def point(self):
        """Return α and y_i f(x_i), f without bias, float64, of the first group and then the second."""
        groups = zip(self.begin, self.size, strict=True)
        places = np.concatenate([np.arange(begin, begin + size) for begin, size in groups])
        beta, v = np.asarray(self.vectors[3])[places], np.asarray(self.vectors[4])[places]
        y = np.repeat([-1.0, 1.0], [self.size[0], self.size[1]])
        return np.abs(beta), 1.0 - y * v


cdef void make(TwoGroups given, Py_ssize_t k) noexcept nogil:
    """Make the row of the example in place k."""
    if k < given.begin[1]:
        fill(given, given.first, given.second, 0, k)
    else:
        fill(given, given.second, given.first, 1, k)


cdef void fill(TwoGroups given, Layout mine, Layout other, Py_ssize_t own, Py_ssize_t k) noexcept nogil:
    """Make the row of an example of one group, whose layout is `mine`; what is kept of it is copied."""
    cdef int64_t e = k - given.begin[own]
    cdef float* row = &given.matrix[k * given.inner.stride]
    cdef float* values = given.kept[own] + e * mine.stride
    other.cross(mine, e, &given.query[0], row + given.begin[1 - own])
    given.evaluations += given.size[1 - own]
    if not given.there[own][e]:
        mine.cross(mine, e, &given.query[0], values)
        given.evaluations += given.size[own]
        given.there[own][e] = True
    memcpy(row + given.begin[own], values, <size_t>mine.stride * sizeof(float))
