r"""SVM-light for linear kernels: decomposition with a working set of q examples.

T. Joachims, Making Large-Scale SVM Learning Practical, Advances in Kernel Methods, 1999, chapter 11.

Problem, the dual of the regularised form in its C-form, C = 1/(λn), without bias and so without an equality:
:math:`\min_\alpha \frac12 |w|^2 - \sum_i \alpha_i`, :math:`w = \sum_i \alpha_i y_i x_i`,
:math:`0 \le \alpha_i \le C`, with gradient :math:`g_i = y_i \langle w, x_i \rangle - 1`.

Method, from α = 0 and w = 0; an iteration is::

    B = the q active examples with the largest violation, -g_i where α_i < C or g_i where α_i > 0, if above
        eps: the steepest feasible direction with q entries. At most ``entering`` of them were not in the
        previous B, whose examples fill the remaining places
    α_B = solution of the dual in these variables only, to a violation of 1e-4 eps
    update w and the g_i of all active examples
    with shrinking: an example that is at its bound in the second consecutive iteration, with g_i > eps at 0
        or g_i < -eps at C, is no longer active
    no violation above eps: stop if all were active, else compute the g_i of the others and activate all

The dual objective is checked every 100 iterations. If 10 consecutive checks together have raised it by less
than 1e-9 of the gap of the active examples, all examples become active. If it does not rise then either, the
gap decides, as in `dcd`: the method has stalled if, three times in a row, the gap of 10 checks together has
not decreased by 0.1 % from its minimum. Then changes of α are lost in the rounding of w, or nearly so.

Answer: the last iterate, a dual point. An iteration takes q(q+1)/2 inner products for the small problem, and
one per active example. When all examples become active again, one more is taken per example that was not.
"""

from dataclasses import dataclass

import numpy as np

from svmbench.option import option
from svmbench.solvers.base import LinearModel, LinearSolver, Snapshot

from libc.math cimport fmax, isfinite
from libc.stdint cimport int8_t, int64_t

from svmbench.solvers.dual.small_qp cimport SmallQP, solve_small, violation
from svmbench.solvers.run cimport WORK_BETWEEN_SIGNALS, LinearRun
from svmbench.solvers.stall cimport (
    LOOK_AT_ALL, NONE, Progress, Standstill, at_first, keep_standstill, progress
)

cdef enum:
    PATIENCE = 2            # iterations at a bound after which an example is shrunk, as in SVM-light
    SPACING = 100           # iterations between two checks of the dual objective
    STANDSTILL = 10         # consecutive checks without a gain before it may stall
    STEPS = 1000            # most steps of the small problem per variable

# Violation to which the small problem is solved, relative to eps.
cdef double EXACT = 1e-4


@dataclass(frozen=True)
class Params:
    """Parameters of SVM-light for linear kernels."""

    q: int = option(10, "Examples of the working set. The default of SVM-light.", min=1)
    entering: int = option(
        10,
        "Most examples of a working set that were not in the previous one, at most q. The default of "
        "SVM-light is q; fewer avoid zigzagging.",
        min=1,
    )
    shrinking: bool = option(
        True,
        "Shrink examples that were at their bound in two consecutive iterations, and check all in the end.",
    )
    eps: float = option(
        1e-3,
        "Stop when no optimality condition is violated by more than this. The default of SVM-light.",
        above=0,
    )


cdef class Run(LinearRun):
    """A started SVM-light."""

    cdef Py_ssize_t q
    cdef Py_ssize_t entering
    cdef bint shrinking
    cdef double C
    cdef Standstill standstill
    cdef double[::1] alpha
    cdef double[::1] g
    cdef double[::1] w
    cdef double[::1] row            # one example, dense; zero between two uses
    cdef int64_t[::1] items         # the active examples, ascending
    cdef Py_ssize_t active
    cdef int8_t[::1] shrunk         # whether an example is not active
    cdef int8_t[::1] member         # whether an example is in B
    cdef int8_t[::1] settled        # consecutive iterations at a bound
    cdef Py_ssize_t size            # number of examples in B
    cdef int64_t[::1] B
    cdef int64_t[::1] stay          # members of B with the largest violations
    cdef int64_t[::1] enter         # others with the largest violations
    cdef double[::1] Q
    cdef double[::1] diagonal
    cdef double[::1] bounds
    cdef double[::1] z
    cdef double[::1] gradient

    def __init__(self, problem, examples, params):
        super().__init__(problem, examples, examples.n)
        self.work = WORK_BETWEEN_SIGNALS
        self.q = min(params.q, self.n)
        self.entering = min(params.entering, self.q)
        self.shrinking = params.shrinking
        self.eps = params.eps
        self.C = problem.C
        self.standstill = at_first()
        self.alpha, self.g = np.zeros(self.n), np.full(self.n, -1.0)
        self.w, self.row = np.zeros(max(examples.d, 1)), np.zeros(max(examples.d, 1))
        self.items = np.arange(self.n, dtype=np.int64)
        self.active = self.n
        self.shrunk, self.member, self.settled = (np.zeros(self.n, dtype=np.int8) for _ in range(3))
        self.B, self.stay, self.enter = (np.zeros(self.q, dtype=np.int64) for _ in range(3))
        self.Q = np.zeros(self.q * self.q)
        self.bounds = np.full(self.q, self.C)
        self.diagonal, self.z, self.gradient = np.zeros(self.q), np.zeros(self.q), np.zeros(self.q)

    cdef int step(self) except -1 nogil:
        self.select()
        self.pose()
        self.move()
        self.follow()
        if (self.iterations + 1) % SPACING == 0:
            self.look()
        self.ledger.iteration(0)
        return 0

    cdef int look(self) except -1 nogil:
        """Check for progress."""
        cdef Progress found = progress(
            &self.standstill, self.objective(), self.gap(), self.shrinking, STANDSTILL
        )
        if self.converged:
            return 0
        if found == LOOK_AT_ALL:
            self.converged = self.reopen() == 0.0
        self.stalled = found == NONE
        return 0

    cdef inline double off(self, Py_ssize_t i) noexcept nogil:
        """Return the violation of an example; 0 if at most eps, so that rounding does not affect ranks."""
        cdef double result = violation(self.alpha[i], self.g[i], self.C)
        return result if result > self.eps else 0.0

    cdef Py_ssize_t rank(
        self, int64_t* best, Py_ssize_t count, Py_ssize_t capacity, int64_t i
    ) noexcept nogil:
        """Insert an example into a list by descending violation, after equal ones; return its new length."""
        cdef double off = self.off(i)
        cdef Py_ssize_t k = count
        if count < capacity:
            count += 1
        elif off > self.off(best[count - 1]):
            k -= 1
        else:
            return count
        while k > 0 and self.off(best[k - 1]) < off:
            best[k] = best[k - 1]
            k -= 1
        best[k] = i
        return count

    cdef void select(self) noexcept nogil:
        """Choose B."""
        cdef Py_ssize_t k = 0, stays = 0, enters = 0, s = 0, e = 0
        cdef int64_t i = 0
        for k in range(self.active):
            i = self.items[k]
            if self.member[i]:
                stays = self.rank(&self.stay[0], stays, self.q, i)
            elif self.off(i) > 0.0:
                enters = self.rank(&self.enter[0], enters, self.entering, i)
        for k in range(self.size):
            self.member[self.B[k]] = 0
        self.size = min(self.q, stays + enters)
        for k in range(self.size):
            if s == stays or (e < enters and self.off(self.enter[e]) > self.off(self.stay[s])):
                self.B[k] = self.enter[e]
                e += 1
            else:
                self.B[k] = self.stay[s]
                s += 1
            self.member[self.B[k]] = 1

    cdef void pose(self) noexcept nogil:
        """Compute the small problem: the inner products within B, and the gradient."""
        cdef Py_ssize_t a = 0, b = 0, q = self.size
        cdef int64_t i = 0
        for a in range(q):
            i = self.B[a]
            self.examples.add(i, self.y[i], &self.row[0])
            for b in range(a + 1):
                self.Q[a * q + b] = self.y[self.B[b]] * self.examples.dot(self.B[b], &self.row[0])
                self.Q[b * q + a] = self.Q[a * q + b]
            self.examples.add(i, -self.y[i], &self.row[0])
            self.diagonal[a] = self.Q[a * q + a]
            self.z[a] = self.alpha[i]
            self.gradient[a] = self.g[i]

    cdef void move(self) noexcept nogil:
        """Solve the small problem and adopt its solution."""
        cdef SmallQP problem
        cdef Py_ssize_t a = 0
        cdef int64_t i = 0
        problem.q = self.size
        problem.Q = &self.Q[0]
        problem.diagonal = &self.diagonal[0]
        problem.y = NULL
        problem.bound = &self.bounds[0]
        problem.z = &self.z[0]
        problem.gradient = &self.gradient[0]
        solve_small(&problem, EXACT * self.eps, STEPS * self.size)
        for a in range(self.size):
            i = self.B[a]
            if self.z[a] != self.alpha[i]:
                self.examples.add(i, (self.z[a] - self.alpha[i]) * self.y[i], &self.w[0])
                self.alpha[i] = self.z[a]

    cdef double respond(self, int64_t i) noexcept nogil:
        """Compute the gradient of an example; return its violation."""
        self.g[i] = self.y[i] * self.examples.dot(i, &self.w[0]) - 1.0
        return self.off(i)

    cdef int follow(self) except -1 nogil:
        """Compute the gradients of the active examples, shrink settled ones, and check convergence."""
        cdef Py_ssize_t k = 0, kept = 0, looked_at = self.active
        cdef double worst = 0.0, surplus = 0.0
        cdef int64_t i = 0
        for k in range(looked_at):
            i = self.items[k]
            worst = fmax(worst, self.respond(i))
            surplus = self.g[i] if self.alpha[i] == 0.0 else -self.g[i] if self.alpha[i] == self.C else 0.0
            if surplus > self.eps:
                self.settled[i] = min(self.settled[i] + 1, PATIENCE)
            else:
                self.settled[i] = 0
            if self.shrinking and self.settled[i] == PATIENCE:
                self.shrunk[i] = 1
            else:
                self.items[kept] = i
                kept += 1
        self.active = kept
        if not isfinite(worst):
            self.overflowed()
        if worst == 0.0:
            self.converged = looked_at == self.n or self.reopen() == 0.0
        return 0

    cdef double objective(self) noexcept nogil:
        """Return the dual objective, in the C-form, with the current w."""
        cdef double result = 0.0, square = 0.0
        cdef Py_ssize_t k = 0
        for k in range(self.n):
            result += self.alpha[k]
        for k in range(self.w.shape[0]):
            square += self.w[k] * self.w[k]
        return result - 0.5 * square

    cdef double gap(self) noexcept nogil:
        """Return the contribution of the active examples to the duality gap, in the C-form."""
        cdef double result = 0.0
        cdef Py_ssize_t k = 0
        cdef int64_t i = 0
        for k in range(self.active):
            i = self.items[k]
            result += self.C * fmax(-self.g[i], 0.0) + self.alpha[i] * self.g[i]
        return result

    cdef double reopen(self) noexcept nogil:
        """Activate all examples and compute their gradients; return the largest violation."""
        cdef double worst = 0.0
        cdef int64_t i = 0
        for i in range(self.n):
            if self.shrunk[i]:
                self.respond(i)
            worst = fmax(worst, self.off(i))
            self.shrunk[i] = 0
            self.settled[i] = 0
            self.items[i] = i
        self.active = self.n
        return worst

    def keep(self, kept):
        """Declare the state of the run."""
        kept.vectors(alpha=self.alpha, g=self.g, w=self.w, items=self.items, settled=self.settled, B=self.B)
        kept.vectors(shrunk=self.shrunk, member=self.member)
        self.active, self.size = kept.number("active", self.active), kept.number("size", self.size)
        keep_standstill(kept.part("standstill"), &self.standstill)

    def snapshot(self):
        """Return the last iterate."""
        return Snapshot(LinearModel(np.array(self.w[: self.examples.d])), alpha=np.array(self.alpha))


class SVMLightLinear(LinearSolver):
    """SVM-light for linear kernels; see the module."""

    name = "svm_light_linear"
    title = "SVM-light (linear)"
    exact = True
    counting = "inner products: q(q+1)/2 and 1 per active example; 1 per other one where all become active"
    stochastic = False
    resumable = True
    version = 2
    Params = Params
    Run = Run
