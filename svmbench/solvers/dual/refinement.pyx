r"""Iterative refinement in mixed precision, for dual solvers with kernel rows in single precision.

A dual solver maintains the scores :math:`f(x_t) = \sum_j \beta_j K(x_j, x_t)`, with signed coefficients β, by
rows rounded to single precision. The errors of kernel values are fixed, so the error of a score depends on
the distance of the coefficients from their last recomputation, not on the path: it is :math:`\sum_j
\Delta\beta_j\, \delta K_{jt}` with :math:`|\delta K_{jt}| \le u \sqrt{K_{jj} K_{tt}}`. For independent
rounding errors, it is about

.. math:: \text{noise} = 4 u \sqrt{\max_t K_{tt} \sum_j K_{jj} \Delta\beta_j^2}, \qquad u = 2^{-24}.

At C = 1 this is far below any usual tolerance; at C = 1e6 it is 0.2 for a single coefficient. As in iterative
refinement for linear systems (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 2002,
chapter 12), the scores are recomputed in double precision and the solver continues from there, so that rows
in single precision are used for changes only. They are recomputed

- when the solver is about to declare convergence and the noise is above half of its tolerance;
- when the violation of the optimality conditions is below the noise, but not before each coefficient may have
  changed once;
- when the violation has not halved for a hundred changes of each coefficient.

A recomputation covers the coefficients that have changed since the last one, n evaluations for each, which
are part of ``kev_computed`` and of no published convention. It also gives the exact dual objective. If
several consecutive recomputations bring neither a larger objective nor a smaller violation, the method has
stalled and returns to the best of these points. A gain is ignored if closing the gap at that rate would take
10⁶ halving windows.

Convergence is decided by the extrema alone. If few values are free, from which the bias is computed, or
within four times the noise of the extrema, `decomposition` recomputes only these: if it has converged by them
it ends, and the other values remain unchanged.
"""

import numpy as np

from svmbench.solvers.run import Uninterrupted

from libc.math cimport INFINITY, fabs, fmax, fmin, sqrt
from libc.string cimport memcpy

from svmbench.kernels._oracle cimport Oracle
from svmbench.solvers.dual.box cimport BoxDual

# Four standard deviations, or less, of a value rounded to single precision, relative to it.
cdef double ROW_ERROR = 4.0 * 2.0 ** -24
# Largest noise at which a solver may declare convergence, relative to the tolerance.
cdef double SHARE = 0.5
# Distance from the extrema of the values that decide convergence, relative to the noise.
cdef double REACH = 4.0
# Largest fraction of such examples; with more, all are recomputed.
cdef double FEW = 0.25
# Relative growth of the dual objective, and decrease of the violation, that count as progress.
cdef double GAIN = 1e-14
cdef double FALL = 0.9
# Number of halving windows needed at the current rate above which a gain is ignored.
cdef double ENDLESS = 1e6

cdef enum:
    CHANGES_BETWEEN = 64    # changes of coefficients between two evaluations of the noise, a pass over n
    CHANGES_PER_HALF = 100  # of each coefficient, within which the violation should halve
    PATIENCE = 20           # recomputations without progress before the method has stalled


cdef class Refinement:
    """Scores in double precision for a dual solver.

    Parameters
    ----------
    oracle : Oracle
        Over the n examples.
    problem : Problem or None
        The problem; None for a method that solves it for a part of the examples at a time, so that the gap
        over all examples is meaningless.
    labels, diagonal : ndarray of float64, shape (n,)
        Labels and K(x, x).
    alpha : memoryview of float64, shape (n,)
        The solver's coefficients, not a copy.
    changes : int
        Most coefficients that change between two calls of `due`.
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
        """Declare the scores, the best point and when either was last seen to a `Kept`."""
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

    def begin(self, double[::1] values not None):
        """Compute values[t] = y_t - f(x_t) of a first point, as `renew`; all conventions are charged for it.

        This does not replace recomputations: a method that reconstructs values by its own rows, and charges
        them, still does so.

        Parameters
        ----------
        values : memoryview of float64, shape (n,)
            Overwritten.
        """
        cdef int64_t before = self.evaluations
        self.renew(&values[0])
        self.rounds -= 1
        self.oracle.ledger.setup(self.evaluations - before)

    def last_exact(self):
        """Return the coefficients, float64, shape (n,), at the last recomputation of scores; 0 if none."""
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
        # After a recomputation without a gain, the next one is sooner.
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

    cdef void forget(self) noexcept nogil:
        cdef Py_ssize_t t = 0
        for t in range(self.n):
            self.known[t] = self.scores[t] = 0.0

    cdef int recompute(self) except -1:
        """Update the scores to the current coefficients."""
        changed, moved = self.changes()
        scores = np.asarray(self.scores)
        scores += self.oracle.exact_responses(changed, moved)
        self.known[:] = self.alpha
        self.evaluations += changed.size * self.n
        return 0

    cdef tuple changes(self):
        """Return which coefficients have changed since the last recomputation, and their signed changes."""
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
        """Recompute the values near the extrema and of free coefficients, if few."""
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
        """Return the primal minus the dual objective at the recomputed scores."""
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
