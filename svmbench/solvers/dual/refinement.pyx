r"""Refinement in mixed precision: how a dual solver gets beyond the single precision of its kernel rows.

A dual solver keeps the scores :math:`f(x_t) = \sum_j \beta_j K(x_j, x_t)`, β the signed coefficients, along
rows that are rounded to single precision. The errors of the values are fixed, so that the error of a score
depends on how far the coefficients have come, not on the way: since the last recomputation it is
:math:`\sum_j \Delta\beta_j\, \delta K_{jt}` with :math:`|\delta K_{jt}| \le u \sqrt{K_{jj} K_{tt}}`.
Roundings being independent, it is about

.. math:: \text{noise} = 4 u \sqrt{\max_t K_{tt} \sum_j K_{jj} \Delta\beta_j^2}, \qquad u = 2^{-24}.

At C = 1 that is far below any usual tolerance; at C = 1e6 it is 0.2 for a single coefficient. As iterative
refinement does for linear systems (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
2002, chapter 12), the scores are recomputed in double precision and the solver goes on from there, so that
rows in single precision serve the changes only. They are recomputed

- when the solver is about to say that it has converged and the noise is above half of its tolerance;
- when the violation of the optimality conditions that it sees is below the noise, but not before each
  coefficient may have changed once;
- when the violation has not halved for a hundred changes of each coefficient.

What is recomputed is the share of the coefficients that have changed since the last time, n evaluations for
each: they are part of ``kev_computed`` and of no published convention. Each time the dual objective is known
exactly. When several recomputations in succession have brought neither a larger one nor a smaller violation
the method has stalled, and goes back to the best of these points. A gain so small that the rest of the way to
the primal objective would take a million times as many changes as the violation has to halve in is none.

Whether the method has converged is decided by the extrema alone. Where few values are within four times the
noise of these or free, which the bias is made from, `decomposition` recomputes them only: if it has converged
by them it ends, and the other values stay as they were.
"""

import numpy as np

from svmbench.solvers.run import Uninterrupted

from libc.math cimport INFINITY, fabs, fmax, fmin, sqrt
from libc.string cimport memcpy

from svmbench.kernels._oracle cimport Oracle
from svmbench.solvers.dual.box cimport BoxDual

# Four standard deviations, or less, of a value rounded to single precision, relative to it.
cdef double ROW_ERROR = 4.0 * 2.0 ** -24
# Of the tolerance: noise up to which a solver may say that it has converged.
cdef double SHARE = 0.5
# Of the noise: how far from the extrema a value may be that decides, recomputed, whether it has converged.
cdef double REACH = 4.0
# Share of the examples that may be so near: of more, all are recomputed at once.
cdef double FEW = 0.25
# Relative growth of the dual objective, and fall of the violation, that count as progress.
cdef double GAIN = 1e-14
cdef double FALL = 0.9
# Windows in which the violation should halve: when more than these are left at the present gain, it is none.
cdef double ENDLESS = 1e6

cdef enum:
    CHANGES_BETWEEN = 64    # changes of coefficients between two looks at the noise, which cost a pass over n
    CHANGES_PER_HALF = 100  # of each coefficient, within which the violation should halve
    PATIENCE = 20           # recomputations without progress before the method is said to have stalled


cdef class Refinement:
    """Scores in double precision for a dual solver.

    Parameters
    ----------
    oracle : Oracle
        Over the n examples.
    problem : Problem or None
        What it solves; None for a method that solves it for a part of the examples at a time, of which the
        gap over all says nothing.
    labels, diagonal : ndarray of float64, shape (n,)
        Labels and K(x, x).
    alpha : memoryview of float64, shape (n,)
        The solver's coefficients themselves, not a copy.
    changes : int
        Coefficients that change between two calls of `due`, at most.
    """

    def __init__(
        self, Oracle oracle not None, problem, labels, diagonal, double[::1] alpha not None, changes
    ):
        self.oracle = oracle
        self.whole = problem is not None
        self.C = problem.C if self.whole else 0.0
        self.bound = problem.bounds if self.whole else np.zeros(alpha.shape[0])
        self.importance = np.ones(alpha.shape[0])
        if self.whole and problem.weights is not None:
            self.importance = np.array(problem.weights)
        self.balanced = self.whole and problem.bias == "unregularised"
        self.n = alpha.shape[0]
        self.labels = np.array(labels)
        self.weights = np.asarray(diagonal) * np.max(diagonal)
        self.alpha = alpha
        self.known, self.scores, self.best_alpha, self.best_scores = np.zeros((4, self.n))
        self.best_objective = -INFINITY
        self.best_violation = INFINITY
        self.halved = INFINITY
        self.stride = max(1, CHANGES_BETWEEN // changes)
        self.spacing = max(1, self.n // changes)
        self.window = max(CHANGES_BETWEEN, CHANGES_PER_HALF * self.n // changes)

    def keep(self, kept):
        """Name the scores, the best point and when either was last seen to a `Kept`."""
        kept.vectors(
            known=self.known, scores=self.scores, best_alpha=self.best_alpha, best_scores=self.best_scores
        )
        self.objective = kept.number("objective", self.objective)
        self.best_objective = kept.number("best_objective", self.best_objective)
        self.best_violation = kept.number("best_violation", self.best_violation)
        self.failures = kept.number("failures", self.failures)
        self.calls = kept.number("calls", self.calls)
        self.renewed = kept.number("renewed", self.renewed)
        self.span = kept.number("span", self.span)
        self.improved = kept.number("improved", self.improved)
        self.halved = kept.number("halved", self.halved)
        self.rounds = kept.number("rounds", self.rounds)
        self.evaluations = kept.number("evaluations", self.evaluations)

    def last_exact(self):
        """Return the coefficients, float64, shape (n,), whose scores were recomputed last; 0 if none were."""
        return np.array(self.known)

    cdef bint due(self, double violation, double eps, bint converged) noexcept nogil:
        self.calls += 1
        if converged:
            return self.noise() > SHARE * eps
        if self.calls % self.stride != 0:
            return False
        if violation < 0.5 * self.halved:
            self.halved = violation
            self.improved = self.calls
        # Once nothing was gained it is looked at again sooner.
        if self.calls - self.improved > self.window >> (2 * self.failures):
            self.improved = self.calls
            return True
        return self.drowned(violation)

    cdef bint blurred(self, double violation) noexcept nogil:
        self.calls += 1
        return self.drowned(violation)

    cdef bint drowned(self, double violation) noexcept nogil:
        return self.calls - self.renewed >= self.spacing and violation < self.noise()

    cdef void restart(self) noexcept nogil:
        self.halved = self.best_violation = INFINITY
        self.improved = self.calls
        self.failures = 0

    cdef double noise(self) noexcept nogil:
        cdef double total = 0.0, moved = 0.0
        cdef Py_ssize_t t = 0
        for t in range(self.n):
            moved = self.alpha[t] - self.known[t]
            total += moved * moved * self.weights[t]
        return ROW_ERROR * sqrt(total)

    cdef int renew(self, double* values) except -1 nogil:
        cdef Py_ssize_t t = 0
        with gil:
            with Uninterrupted():
                self.recompute()
        self.objective = 0.0
        for t in range(self.n):
            self.objective += self.alpha[t] * self.labels[t] * (self.labels[t] - 0.5 * self.scores[t])
        self.write(values)
        self.rounds += 1
        self.span = self.calls - self.renewed
        self.renewed = self.calls
        return 0

    cdef int recompute(self) except -1:
        """Bring the scores up to the present coefficients."""
        changed, moved = self.changes()
        scores = np.asarray(self.scores)
        scores += self.oracle.exact_responses(changed, moved)
        self.known[:] = self.alpha
        self.evaluations += changed.size * self.n
        return 0

    cdef tuple changes(self):
        """Return which coefficients have changed since the last recomputation, and by how much, signed."""
        alpha, known = np.asarray(self.alpha), np.asarray(self.known)
        changed = np.flatnonzero(alpha != known)
        return changed, ((alpha - known) * np.asarray(self.labels))[changed]

    cdef int sharpen(self, BoxDual dual) except -1 nogil:
        cdef bint few = False
        with gil:
            with Uninterrupted():
                few = self.recompute_near(dual)
        dual.find_extrema()
        return few

    cdef bint recompute_near(self, BoxDual dual) except -1:
        """Put recomputed values in the place of those near the extrema and of the free ones, if few."""
        v, up, down = np.asarray(dual.v), np.asarray(dual.up), np.asarray(dual.down)
        reach = REACH * self.noise()
        near = (v + up >= dual.extrema.m_up - reach) | (v + down <= dual.extrema.M_low + reach)
        at = np.flatnonzero(near | (up == down))
        if at.size > FEW * self.n:
            return False
        changed, moved = self.changes()
        scores = np.asarray(self.scores)[at] + self.oracle.exact_responses(changed, moved, cols=at)
        v[at] = np.asarray(self.labels)[at] - scores
        self.evaluations += changed.size * at.size
        return True

    cdef void write(self, double* values) noexcept nogil:
        cdef Py_ssize_t t = 0
        for t in range(self.n):
            values[t] = self.labels[t] - self.scores[t]

    cdef double gap(self) noexcept nogil:
        """Return how far the primal objective is above the dual one, at the recomputed scores."""
        cdef double high = -INFINITY, low = INFINITY, b = 0.0, norm = 0.0, loss = 0.0, value = 0.0
        cdef Py_ssize_t t = 0
        if self.balanced:
            for t in range(self.n):
                value = self.labels[t] - self.scores[t]
                if (self.alpha[t] < self.bound[t]) if self.labels[t] > 0.0 else (self.alpha[t] > 0.0):
                    high = fmax(high, value)
                if (self.alpha[t] > 0.0) if self.labels[t] > 0.0 else (self.alpha[t] < self.bound[t]):
                    low = fmin(low, value)
            b = 0.5 * (high + low)
            if not -INFINITY < b < INFINITY:
                b = high if high > -INFINITY else low
        for t in range(self.n):
            norm += self.alpha[t] * self.labels[t] * self.scores[t]
            loss += self.importance[t] * fmax(0.0, 1.0 - self.labels[t] * (self.scores[t] + b))
        return 0.5 * norm + self.C * loss - self.objective

    cdef bint stalled(self, double violation, double* values) noexcept nogil:
        cdef size_t bytes = self.n * sizeof(double)
        cdef bint nearer = violation < FALL * self.best_violation
        cdef double gain = self.objective - self.best_objective
        cdef bint higher = gain > GAIN * fabs(self.objective)
        if higher and self.whole:
            higher = gain * ENDLESS * self.window > self.gap() * self.span
        if nearer:
            self.best_violation = violation
        if self.objective > self.best_objective:
            self.best_objective = self.objective
            memcpy(&self.best_alpha[0], &self.alpha[0], bytes)
            memcpy(&self.best_scores[0], &self.scores[0], bytes)
        self.failures = 0 if nearer or higher else self.failures + 1
        if self.failures < PATIENCE:
            return False
        memcpy(&self.alpha[0], &self.best_alpha[0], bytes)
        memcpy(&self.known[0], &self.best_alpha[0], bytes)
        memcpy(&self.scores[0], &self.best_scores[0], bytes)
        self.write(values)
        return True
