r"""Sequential minimal optimisation without bias: greedy dual coordinate ascent (SMO).

J. Platt, Fast Training of Support Vector Machines using Sequential Minimal Optimization, 1998; without the
bias there is no equality constraint and one coordinate is the smallest working set (I. Steinwart, D. Hush and
C. Scovel, Training SVMs without offset, JMLR 12, 2011). Selection of second order as in R.-E. Fan, P.-H. Chen
and C.-J. Lin, JMLR 6, 2005.

Problem, the dual of the regularised form in its C-form, C = 1/(λn):
:math:`\max_\alpha \sum_i \alpha_i - \frac12 |\sum_i \alpha_i y_i \Phi(x_i)|^2`, :math:`0 \le \alpha_i \le C`.

Method, from α = 0; :math:`G_i = y_i \sum_j \alpha_j y_j K(x_j, x_i) - 1` is the gradient to descend::

    d_i    = clip(α_i - G_i / K(x_i, x_i), 0, C) - α_i
    gain_i = -G_i d_i - K(x_i, x_i) d_i² / 2                # what the dual gains by this step
    i      = argmax gain_i, the first of equals;  α_i += d_i;  G_t += y_t y_i d_i K(x_i, x_t) for all t

``selection=unclipped`` takes the argmax of G_i² / K(x_i, x_i) over the coordinates that can move. It
converges when the largest projected gradient is below ``eps``.

Answer: the last iterate, a dual point. An example with K(x, x) = 0 is put to C at the start, where it is
best, and left alone. A value that rows in single precision cannot hold (below 1.2e-38) counts as 0.
"""

from dataclasses import dataclass, field

import numpy as np

from svmbench.solvers.base import KernelExpansion, Snapshot, Solver
from svmbench.solvers.run import checked_diagonal

from libc.float cimport FLT_MIN
from libc.math cimport fabs

from svmbench.solvers.dual.refinement cimport Refinement
from svmbench.solvers.run cimport SteppedRun

cdef extern from "svmbench/simd/csrc/lanes.h" nogil:
    double largest(const double* x, Py_ssize_t n, double start)

cdef enum:
    BLOCK = 256             # values per inner loop; their scores lie on the stack


@dataclass(frozen=True)
class Params:
    """Parameters of SMO."""

    eps: float = field(
        default=1e-3,
        metadata={"above": 0.0, "help": (
                "Stop when the largest projected gradient of the dual is below this. The default of "
                "LIBSVM."
            )},
    )
    selection: str = field(
        default="gain",
        metadata={
            "choices": ("gain", "unclipped"),
            "help": (
                "Which coordinate is next: by the gain of the step clipped to the box, or of the "
                "unclipped one."
            ),
        },
    )


cdef class Run(SteppedRun):
    """A started SMO."""

    cdef double C
    cdef double eps
    cdef bint clipped
    cdef Py_ssize_t best            # the coordinate to change next
    cdef double[::1] diagonal
    cdef double[::1] inverse        # 1/K_ii, 0 where K_ii is 0
    cdef double[::1] alpha
    cdef double[::1] gradient
    cdef double violation           # the largest projected gradient
    cdef readonly Refinement refinement

    def __init__(self, problem, oracle, params):
        super().__init__(problem, oracle)
        self.C = problem.C
        self.eps = params.eps
        self.clipped = params.selection == "gain"
        diagonal = checked_diagonal(oracle)
        diagonal[diagonal < FLT_MIN] = 0.0
        self.diagonal = diagonal
        self.inverse = np.divide(1.0, diagonal, out=np.zeros(self.n), where=diagonal > 0.0)
        self.alpha = np.where(diagonal > 0.0, 0.0, self.C)
        self.gradient = np.full(self.n, -1.0)
        self.refinement = Refinement(oracle, self.labels, self.diagonal, self.alpha, 1)
        self.update(NULL, 0.0)

    cdef int step(self) except -1 nogil:
        cdef Py_ssize_t i = self.best
        cdef double old = self.alpha[i]
        cdef double new = clip(old - self.gradient[i] * self.inverse[i], self.C)
        cdef const float* row = NULL
        self.alpha[i] = new
        row = self.oracle.get_row(i)
        self.update(row, self.y[i] * (new - old))
        self.ledger.iteration(self.n)
        self.ledger.charge_both(self.n)
        if self.refinement.due(self.violation, self.eps, self.converged):
            self.refine()
        return 0

    cdef int refine(self) except -1 nogil:
        """Recompute the gradient."""
        cdef double* gradient = &self.gradient[0]
        self.refinement.renew(gradient)
        self.take_over()
        if not self.converged and self.refinement.stalled(self.violation, gradient):
            self.take_over()
            self.stalled = True
        return 0

    cdef void take_over(self) noexcept nogil:
        """Make the gradient of the recomputed y - f, and choose the next coordinate."""
        cdef Py_ssize_t t = 0
        for t in range(self.n):
            self.gradient[t] *= -self.y[t]
        self.update(NULL, 0.0)

    cdef void update(self, const float* row, double factor) noexcept nogil:
        """Add a row to the gradient; in the same pass choose the next coordinate and look for convergence."""
        cdef double[BLOCK] scores
        cdef double[BLOCK] violations
        cdef double best = -1.0
        cdef double worst = 0.0
        cdef double highest = 0.0
        cdef Py_ssize_t begin = 0
        cdef Py_ssize_t count = 0
        cdef Py_ssize_t k = 0
        while begin < self.n:
            count = min(<Py_ssize_t> BLOCK, self.n - begin)
            if row != NULL:
                for k in range(count):
                    self.gradient[begin + k] += factor * self.y[begin + k] * row[begin + k]
            self.score(begin, count, scores, violations)
            worst = largest(violations, count, worst)
            highest = largest(scores, count, best)
            if highest > best:
                best = highest
                for k in range(count):
                    if scores[k] == best:
                        self.best = begin + k
                        break
            begin += count
        self.violation = worst
        self.converged = worst < self.eps

    cdef void score(
        self, Py_ssize_t begin, Py_ssize_t count, double* scores, double* violations
    ) noexcept nogil:
        """Fill the selection scores and the absolute projected gradients of one block."""
        cdef const double* alpha = &self.alpha[begin]
        cdef const double* gradient = &self.gradient[begin]
        cdef const double* diagonal = &self.diagonal[begin]
        cdef const double* inverse = &self.inverse[begin]
        cdef double C = self.C
        cdef double g = 0.0, d = 0.0
        cdef Py_ssize_t k = 0
        for k in range(count):
            g = gradient[k]
            g = 0.0 if (alpha[k] <= 0.0) & (g > 0.0) else g
            g = 0.0 if (alpha[k] >= C) & (g < 0.0) else g
            violations[k] = fabs(g)
        if self.clipped:
            for k in range(count):
                g = gradient[k]
                d = clip(alpha[k] - g * inverse[k], C) - alpha[k]
                scores[k] = -d * (g + 0.5 * diagonal[k] * d)
        else:
            for k in range(count):
                scores[k] = violations[k] * violations[k] * inverse[k]

    def keep(self, kept):
        """Name what the run goes on from."""
        kept.vectors(alpha=self.alpha, gradient=self.gradient)
        self.best = kept.number("best", self.best)
        self.violation = kept.number("violation", self.violation)
        self.refinement.keep(kept.part("refinement"))

    def snapshot(self):
        """Return the last iterate, a dual point."""
        alpha = np.array(self.alpha)
        return Snapshot(
            KernelExpansion.from_alpha(alpha, np.asarray(self.labels)),
            responses=np.asarray(self.gradient) + 1.0,
            alpha=alpha,
        )


cdef inline double clip(double x, double C) noexcept nogil:
    x = x if x > 0.0 else 0.0
    return x if x < C else C


class SMO(Solver):
    """Sequential minimal optimisation without bias; see the module."""

    name = "smo"
    title = "SMO"
    citation = (
        "J. Platt. Fast Training of Support Vector Machines using Sequential Minimal Optimization. 1998. "
        "Selection: R.-E. Fan, P.-H. Chen, C.-J. Lin. JMLR 6, 2005. One coordinate: I. Steinwart, D. Hush, "
        "C. Scovel. JMLR 12, 2011."
    )
    exact = True
    counting = "n under every convention"
    stochastic = False
    resumable = True
    Params = Params

    def start(self, problem, oracle, rng):
        """Return a run at iteration 0; the generator is not used."""
        return Run(problem, oracle, self.params)
