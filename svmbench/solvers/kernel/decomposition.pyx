r"""Decomposition with a large working set: the fastest exact solver of the dual here.

E. Osuna, R. Freund and F. Girosi, 1997, and T. Joachims, Making Large-Scale SVM Learning Practical, 1999, for
the scheme; G. Zanghirati and L. Zanni, A Parallel Solver for Large Quadratic Programs in Training Support
Vector Machines, Parallel Computing 29, 2003, for large working sets and which variables stay; Z. Wen, J. Shi,
Q. Li, B. He and J. Chen, ThunderSVM, JMLR 19, 2018, for SMO within a set of a thousand variables.

Problem, the dual of the regularised form in its C-form, C = 1/(λn):
:math:`\max_\alpha \sum_i \alpha_i - \frac12 |\sum_i \alpha_i y_i \Phi(x_i)|^2`, :math:`0 \le \alpha_i \le C`,
and with a bias :math:`\sum_i \alpha_i y_i = 0`.

Method, from α = 0 and an empty set B; :math:`v_i = y_i - \sum_j \alpha_j y_j K(x_j, x_i)`; I_up and I_low,
where α_i y_i can grow and fall, are those of `smo_pair`; high = max v over I_up, low = min v over I_low::

    newcomers: of those outside B, the h highest v > low in I_up and the h lowest v < high in I_low, where
        there is no bias v > 0 and v < 0; h is a half of the size of B at first, then a quarter
    they take the places of others in B: first those at C leave, then those at 0, then the free, the longest
        there first; the ends, where v is high and low, never do
    the kernel matrix of B gets the rows and columns of the newcomers
    solve the dual in the α_i of B, the others fixed, to a tenth of the violation of all
    v_t -= Σ over the α_i that changed of their change y_i K(x_i, x_t), for all t

The violation is high - low, or max(high, -low) without a bias; it converges when that is below ``eps``. A
step within B touches vectors of its size only, and what is made for all n is made in blocks. That is why this
is fast: iterations are few, and each row is used for many steps. v is kept in double precision, however large
C. The bias is the mean of v over the free coefficients, or the middle between the ends where none is
free.

Counting. Newcomers are charged their kernel values with all members of B, each change of a coefficient n, to
every convention: the values of all examples are needed to choose the newcomers.

Answer: the last iterate, a dual point.
"""

from dataclasses import dataclass, field

import numpy as np

from svmbench.solvers.base import KernelExpansion, Snapshot, Solver
from svmbench.solvers.parts.stepping import checked_diagonal
from svmbench.solvers.parts.violating_pair import bias_between

from libc.math cimport INFINITY, fabs, fmax
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from svmbench.solvers.parts.stepping cimport SteppedRun
from svmbench.solvers.parts.violating_pair cimport Ends, move_values
from svmbench.solvers.parts.working_set cimport WORKING_SET_PAD, Top, offer, solve, working_set

cdef enum:
    OUTSIDE = -1            # the place in the set of an example that is not in it
    COMING = -2             # and of one that is to come
    STEPS_PER_MEMBER = 100  # bound on the steps within the set, so that no iteration takes long

#: How exactly the dual is solved in the set, as a part of the violation of all.
cdef double INNER = 0.1


@dataclass(frozen=True)
class Params:
    """Parameters of decomposition."""

    eps: float = field(
        default=1e-3,
        metadata={"above": 0.0, "help": "stop when the optimality conditions are violated by less than this"},
    )
    working_set: int = field(default=1024, metadata={"min": 4, "help": "coefficients that change at a time"})


cdef class Run(SteppedRun):
    """A started decomposition."""

    cdef double C
    cdef double eps
    cdef bint balanced
    # Of all examples.
    cdef double[::1] alpha
    cdef double[::1] diagonal
    cdef double[::1] v
    cdef double[::1] up                 # 0, or -inf where α y cannot grow
    cdef double[::1] down               # 0, or +inf where it cannot fall
    cdef int64_t[::1] place             # in the set, or OUTSIDE
    cdef Ends ends
    # Of the set, by place.
    cdef Py_ssize_t most                # places
    cdef Py_ssize_t stride              # of a row of the matrix
    cdef int64_t[::1] members
    cdef int64_t[::1] since             # iteration of coming
    cdef float[::1] matrix
    cdef double[:, ::1] vectors         # what `solve` works on
    cdef working_set inner
    # Scratch: the newcomers and their places and rows; the two heaps.
    cdef int64_t[::1] newcomers
    cdef int64_t[::1] places
    cdef float[::1] rows
    cdef double[::1] changes
    cdef double[:, ::1] keys
    cdef int64_t[:, ::1] owners

    def __init__(self, problem, oracle, params):
        cdef Py_ssize_t i = 0
        super().__init__(problem, oracle)
        self.C = problem.C
        self.eps = params.eps
        self.balanced = problem.bias == "unregularised"
        self.diagonal = checked_diagonal(oracle)
        self.alpha = np.zeros(self.n)
        self.v = np.array(self.labels)
        self.up = np.empty(self.n)
        self.down = np.empty(self.n)
        self.place = np.full(self.n, OUTSIDE, dtype=np.int64)
        self.reserve(min(params.working_set, self.n))
        self.work = self.n * self.most
        for i in range(self.n):
            self.mark(i)
        self.look()

    def reserve(self, most):
        """Make room for a set of that size."""
        self.most = most
        self.stride = -(-most // WORKING_SET_PAD) * WORKING_SET_PAD
        self.members, self.since, self.newcomers, self.places = np.zeros((4, most), dtype=np.int64)
        self.matrix, self.rows = np.zeros((2, most * self.stride), dtype=np.float32)
        self.changes = np.empty(most)
        self.keys, self.owners = np.empty((2, most)), np.empty((2, most), dtype=np.int64)
        self.vectors = np.zeros((7, self.stride))
        self.vectors[0] = 1.0
        self.inner.size = 0
        self.inner.stride = self.stride
        self.inner.kernel = &self.matrix[0]
        self.inner.diagonal = &self.vectors[0, 0]
        self.inner.least = &self.vectors[1, 0]
        self.inner.most = &self.vectors[2, 0]
        self.inner.beta = &self.vectors[3, 0]
        self.inner.values = &self.vectors[4, 0]
        self.inner.up = &self.vectors[5, 0]
        self.inner.down = &self.vectors[6, 0]

    cdef int step(self) except -1 nogil:
        cdef Py_ssize_t coming = self.choose()
        cdef int64_t evaluations = 0
        self.make_room(coming)
        self.bring_in(coming)
        evaluations = coming * self.inner.size + self.n * self.change()
        self.look()
        self.ledger.iteration(evaluations)
        self.ledger.maintained_change(evaluations)
        return 0

    cdef Top top(self, Py_ssize_t which, Py_ssize_t room) noexcept nogil:
        cdef Top result
        result.room = room
        result.size = 0
        result.keys = &self.keys[which, 0]
        result.owners = &self.owners[which, 0]
        return result

    cdef Py_ssize_t choose(self) noexcept nogil:
        """List the newcomers, in ascending order; return how many."""
        cdef Py_ssize_t each = max(1, self.most // 4) if self.inner.size else max(1, self.most // 2)
        cdef Top highest = self.top(0, each), lowest = self.top(1, each)
        cdef double floor = self.ends.low if self.balanced else 0.0
        cdef double ceiling = self.ends.high if self.balanced else 0.0
        cdef Py_ssize_t i = 0, count = 0
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
        for i in range(self.n):
            if self.place[i] == COMING:
                self.newcomers[count] = i
                count += 1
        return count

    cdef void make_room(self, Py_ssize_t coming) noexcept nogil:
        """Give each newcomer a place, in ascending order: first those of members that leave."""
        cdef Top leaving = self.top(0, max(<Py_ssize_t> 0, self.inner.size + coming - self.most))
        cdef double rank = 0.0
        cdef Py_ssize_t s = 0, count = 0
        cdef int64_t i = 0
        for s in range(self.inner.size):
            i = self.members[s]
            if i != self.ends.highest and i != self.ends.lowest:
                rank = 0.0 if self.up[i] == self.down[i] else 1.0 if self.alpha[i] == 0.0 else 2.0
                offer(&leaving, 1e15 * rank + (self.iterations - self.since[s]), s)
        for s in range(leaving.size):
            self.place[self.members[leaving.owners[s]]] = OUTSIDE
        for s in range(self.inner.size):
            if self.place[self.members[s]] == OUTSIDE and count < coming:
                self.places[count] = s
                count += 1
        while count < coming:
            self.places[count] = self.inner.size
            self.inner.size += 1
            count += 1

    cdef int bring_in(self, Py_ssize_t coming) except -1 nogil:
        """Put the newcomers into their places, and their kernel values with all members into the matrix."""
        cdef Py_ssize_t size = self.inner.size, r = 0, s = 0
        cdef const float* row = NULL
        for r in range(coming):
            s = self.places[r]
            self.members[s] = self.newcomers[r]
            self.place[self.newcomers[r]] = s
            self.since[s] = self.iterations
        if coming:
            with gil:
                self.oracle.pairs(
                    &self.newcomers[0], coming, &self.members[0], size, &self.rows[0], self.stride
                )
        for s in range(size):
            for r in range(coming):
                self.matrix[s * self.stride + self.places[r]] = self.rows[r * self.stride + s]
        for r in range(coming):
            row = &self.rows[r * self.stride]
            memcpy(&self.matrix[self.places[r] * self.stride], row, <size_t> size * sizeof(float))
        return 0

    cdef Py_ssize_t change(self) except -1 nogil:
        """Solve the dual in the set and move all values along; return how many coefficients changed."""
        cdef working_set* inner = &self.inner
        cdef Py_ssize_t s = 0, count = 0
        cdef double before = 0.0
        cdef int64_t i = 0
        for s in range(inner.size):
            i = self.members[s]
            self.vectors[0, s] = self.diagonal[i]
            self.vectors[1, s] = 0.0 if self.y[i] > 0.0 else -self.C
            self.vectors[2, s] = self.C if self.y[i] > 0.0 else 0.0
            inner.beta[s] = self.alpha[i] * self.y[i]
            inner.values[s] = self.v[i]
        solve(
            self.oracle.layout.level, inner, self.balanced, INNER * self.violation(),
            STEPS_PER_MEMBER * self.most,
        )
        for s in range(inner.size):
            i = self.members[s]
            before = self.alpha[i] * self.y[i]
            if inner.beta[s] != before:
                self.alpha[i] = fabs(inner.beta[s])
                self.mark(i)
                self.newcomers[count] = i
                self.changes[count] = before - inner.beta[s]
                count += 1
        self.oracle.add_rows(&self.newcomers[0], &self.changes[0], count, &self.v[0])
        return count

    cdef void mark(self, Py_ssize_t i) noexcept nogil:
        """Note which ways the signed coefficient of an example can move."""
        cdef bint can_grow = self.alpha[i] < self.C, can_fall = self.alpha[i] > 0.0
        self.up[i] = 0.0 if (can_grow if self.y[i] > 0.0 else can_fall) else -INFINITY
        self.down[i] = 0.0 if (can_fall if self.y[i] > 0.0 else can_grow) else INFINITY

    cdef double violation(self) noexcept nogil:
        if self.balanced:
            return self.ends.high - self.ends.low
        return fmax(self.ends.high, -self.ends.low)

    cdef int look(self) except -1 nogil:
        """Find the ends of the values, and whether they are near enough."""
        move_values(&self.v[0], NULL, NULL, 0.0, &self.up[0], &self.down[0], self.n, &self.ends)
        if self.violation() == INFINITY:
            self.overflowed()
        self.converged = self.violation() < self.eps
        return 0

    def snapshot(self):
        """Return the last iterate, a dual point."""
        alpha, y, v = np.array(self.alpha), np.asarray(self.labels), np.asarray(self.v)
        bias = bias_between(v, np.asarray(self.up), np.asarray(self.down)) if self.balanced else 0.0
        return Snapshot(KernelExpansion.from_alpha(alpha, y, bias), responses=1.0 - y * v, alpha=alpha)


class Decomposition(Solver):
    """Decomposition with a large working set; see the module."""

    name = "decomposition"
    title = "decomposition"
    citation = (
        "T. Joachims. Making Large-Scale SVM Learning Practical. 1999. Large sets: G. Zanghirati, L. Zanni. "
        "Parallel Computing 29, 2003. SMO within the set: Z. Wen, J. Shi, Q. Li, B. He, J. Chen. ThunderSVM. "
        "JMLR 19, 2018."
    )
    biases = ("none", "unregularised")
    counting = "n per coefficient changed, and newcomers times working set, under every convention"
    stochastic = False
    Params = Params

    def start(self, problem, oracle, rng):
        """Return a run at iteration 0; the generator is not used."""
        return Run(problem, oracle, self.params)
