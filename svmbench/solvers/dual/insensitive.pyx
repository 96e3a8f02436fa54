r"""The dual of ε-insensitive regression, by rounds of the dual of classification.

Problem, with targets :math:`t_i` and bounds :math:`C_i`: :math:`\max_\beta \sum_i t_i \beta_i - \varepsilon
\sum_i |\beta_i| - \frac12 |\sum_i \beta_i \Phi(x_i)|^2`, :math:`-C_i \le \beta_i \le C_i`, and with a bias
:math:`\sum_i \beta_i = 0`.

With f the predictor without bias and the residual :math:`r_i = t_i - f(x_i)`, raising :math:`\beta_i` gains
:math:`r_i - \varepsilon`, or :math:`r_i + \varepsilon` below 0; lowering it gains the negative, with the
kink at 0 on the other side. The kink divides the box into two sides, :math:`s_i \beta_i \in [0, C_i]` with
:math:`s_i = \pm 1`. If the sides are fixed, the dual is that of classification in :math:`\alpha_i = s_i
\beta_i` with the labels :math:`s_i`, except that the values are :math:`v_i = t_i - s_i \varepsilon - f(x_i)`.
From β = 0::

    for all i with β_i = 0: s_i = 1 if r_i >= c, else -1, where c is the midpoint of the extrema of the
        values, over both sides of such i, or 0 without bias
    a round of `svmbench.solvers.dual.nested_sets` over all examples

A round ends a coefficient that would change its sign at 0, and the next one may continue on the other side.
While the conditions are violated, c lies between the extrema. The side that is not chosen has the value
:math:`r_i - \varepsilon < c`, which cannot be the largest that can move up, or :math:`r_i + \varepsilon \ge
c`, which cannot be the smallest that can move down. So the violation of the sides is that of the problem.

Each round is charged as in `nested_sets`. The caller computes residuals in double precision where rows in
single precision are too coarse.
"""

import numpy as np

from svmbench.errors import UserError
from svmbench.solvers.dual.nested_sets import level_over
from svmbench.solvers.run import checked_diagonal

from libc.math cimport INFINITY, fmax, fmin
from libc.stdint cimport int64_t

from svmbench.kernels._oracle cimport Oracle
from svmbench.solvers.dual.nested_sets cimport Level


cdef class InsensitiveDual:
    """The dual at β = 0.

    Parameters
    ----------
    oracle : Oracle
        Over the n examples.
    problem : Problem
        Bounds and bias; its labels are not read.
    targets : ndarray of float64, shape (n,)
        t.
    epsilon : float
        Half the width of the tube, at least 0.
    working_set : int
        As of `decomposition`.

    Attributes
    ----------
    rounds : int
        Number of rounds.
    violation : float
        Violation of the optimality conditions by the maintained residuals; 0 or less if they hold.
    """

    cdef readonly int64_t rounds
    cdef readonly double violation
    cdef Oracle oracle
    cdef Level level
    cdef double epsilon

    def __init__(self, Oracle oracle not None, problem, targets, double epsilon, Py_ssize_t working_set):
        if problem.n != oracle.n or len(targets) != oracle.n:
            raise UserError(
                f"{len(targets)} targets do not fit {oracle.n} examples: give as many of both, at least one"
            )
        self.oracle, self.epsilon = oracle, epsilon
        self.level = level_over(oracle, problem, np.ones(oracle.n), checked_diagonal(oracle), working_set)
        # The values differ from the start: the worst ones enter the first set.
        self.level.untouched = False
        self.renew(targets)

    def round(self):
        """Change the coefficients of one working set."""
        cdef int64_t evaluations = 0
        with nogil:
            evaluations = self.level.round()
            self.violation = choose_sides(self.level, self.epsilon)
        self.rounds += 1
        self.oracle.ledger.iteration(evaluations)
        self.oracle.ledger.charge_both(evaluations)

    def coefficients(self):
        """Return β, float64, shape (n,)."""
        return np.asarray(self.level.alpha) * np.asarray(self.level.y)

    def residuals(self):
        """Return the maintained t_i - f(x_i), f without bias, float64, shape (n,)."""
        return np.asarray(self.level.v) + self.epsilon * np.asarray(self.level.y)

    def renew(self, residuals):
        """Replace the maintained residuals, float64, shape (n,)."""
        np.asarray(self.level.v)[:] = residuals - self.epsilon * np.asarray(self.level.y)
        self.violation = choose_sides(self.level, self.epsilon)


cdef double choose_sides(Level level, double epsilon) noexcept nogil:
    """Choose the side of each coefficient at 0; return the violation."""
    cdef double high = -INFINITY, low = INFINITY, residual = 0.0, center = 0.0
    cdef Py_ssize_t i = 0
    for i in range(level.n):
        if level.alpha[i] == 0.0:
            residual = level.v[i] + epsilon * level.y[i]
            high = fmax(high, residual - epsilon)
            low = fmin(low, residual + epsilon)
        else:
            high = fmax(high, level.v[i] + level.up[i])
            low = fmin(low, level.v[i] + level.down[i])
    if level.balanced:
        center = 0.5 * high + 0.5 * low
    for i in range(level.n):
        residual = level.v[i] + epsilon * level.y[i]
        if level.alpha[i] == 0.0 and (residual >= center) != (level.y[i] > 0.0):
            level.y[i] = -level.y[i]
            level.v[i] = residual - epsilon * level.y[i]
            level.mark(i, i)
    level.find_extrema()
    return high - low if level.balanced else fmax(high, -low)
