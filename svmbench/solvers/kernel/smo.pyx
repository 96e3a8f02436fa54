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

A pass over the coordinates updates the gradient and records the best gain of each block of 256. If rows are
computed in blocks ahead of need, those of the best coordinates of the blocks are requested.

Answer: the last iterate, a dual point. An example with K(x, x) = 0 is set to C at the start, where it is
optimal, and never changed. A value that underflows in rows in single precision (below 1.2e-38) counts as 0.
"""

from dataclasses import dataclass

import numpy as np

from svmbench.option import option
from svmbench.solvers.base import KernelExpansion, Snapshot, Solver
from svmbench.solvers.run import checked_diagonal

from libc.float cimport FLT_MIN
from libc.string cimport memcpy

from svmbench.simd.targets cimport isa_level
from svmbench.solvers.dual.refinement cimport Refinement
from svmbench.solvers.run cimport SteppedRun

cdef extern from "smo.h" nogil:
    enum: SMO_BLOCK
    enum: SMO_AT_C
    enum: SMO_FREE
    enum: SMO_NEGATIVE
    ctypedef struct smo_pass:
        ptrdiff_t n
        double C
        int clipped
        double* gradient
        const double* alpha
        const double* diagonal
        const double* inverse
        const signed char* marks
        double* highest
    double svmbench_smo_move(int level, const smo_pass*, const float* row, double factor, ptrdiff_t* best)
    ptrdiff_t svmbench_smo_best_of(int level, const smo_pass*, ptrdiff_t block)


@dataclass(frozen=True)
class Params:
    """Parameters of SMO."""

    eps: float = option(
        1e-3,
        "Stop when the largest projected gradient of the dual is below this. The default of LIBSVM.",
        above=0.0,
    )
    selection: str = option(
        "gain",
        "Choice of the coordinate: by the gain of the step clipped to the box, or of the unclipped step.",
        choices=("gain", "unclipped"),
    )


cdef class Run(SteppedRun):
    """A started SMO."""

    cdef double C
    cdef int level
    cdef ptrdiff_t best             # the next coordinate to change
    cdef double[::1] diagonal
    cdef double[::1] inverse        # 1/K_ii, 0 where K_ii is 0
    cdef double[::1] alpha
    cdef double[::1] gradient
    cdef signed char[::1] marks     # position at bounds and label of each coordinate
    cdef double[::1] highest        # largest gain of a step in each block of coordinates
    cdef double[::1] left           # of these, scratch
    cdef smo_pass coordinates       # all this, for the pass
    cdef double violation           # the largest projected gradient
    cdef readonly Refinement refinement

    def __init__(self, problem, oracle, params):
        super().__init__(problem, oracle)
        self.C = problem.C
        self.eps = params.eps
        self.level = isa_level()
        diagonal = checked_diagonal(oracle)
        diagonal[diagonal < FLT_MIN] = 0.0
        self.diagonal = diagonal
        self.inverse = np.divide(1.0, diagonal, out=np.zeros(self.n), where=diagonal > 0.0)
        self.alpha = np.where(diagonal > 0.0, 0.0, self.C)
        self.gradient = np.full(self.n, -1.0)
        self.marks = np.zeros(self.n, dtype=np.int8)
        self.highest, self.left = np.zeros((2, (self.n + SMO_BLOCK - 1) // SMO_BLOCK))
        self.refinement = Refinement(oracle, problem, self.labels, self.diagonal, self.alpha, 1)
        self.coordinates = smo_pass(
            n=self.n, C=self.C, clipped=params.selection == "gain", gradient=&self.gradient[0],
            alpha=&self.alpha[0], diagonal=NULL, inverse=NULL, marks=&self.marks[0], highest=&self.highest[0]
        )
        if np.any(diagonal != 1.0):
            self.coordinates.diagonal = &self.diagonal[0]
            self.coordinates.inverse = &self.inverse[0]
        self.choose()

    cdef int step(self) except -1 nogil:
        cdef Py_ssize_t i = self.best
        cdef double old = self.alpha[i]
        cdef double new = clip(old - self.gradient[i] * self.inverse[i], self.C)
        cdef const float* row = self.row(i)
        self.alpha[i] = new
        self.mark(i)
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
        """Compute the gradient from the recomputed y - f, and choose the next coordinate."""
        cdef Py_ssize_t t = 0
        for t in range(self.n):
            self.gradient[t] *= -self.y[t]
        self.choose()

    cdef void choose(self) noexcept nogil:
        """Choose the next coordinate from the coefficients and the gradient."""
        cdef Py_ssize_t t = 0
        for t in range(self.n):
            self.mark(t)
        self.update(NULL, 0.0)

    cdef void update(self, const float* row, double factor) noexcept nogil:
        """Add a row to the gradient; in the same pass choose the next coordinate and check convergence."""
        self.violation = svmbench_smo_move(self.level, &self.coordinates, row, factor, &self.best)
        self.converged = self.violation < self.eps

    cdef void mark(self, Py_ssize_t i) noexcept nogil:
        cdef signed char place = SMO_AT_C if self.alpha[i] >= self.C else SMO_FREE
        if self.alpha[i] <= 0.0:
            place = 0
        self.marks[i] = place if self.y[i] > 0.0 else place | SMO_NEGATIVE

    cdef void prefetch_hints(self) noexcept nogil:
        """Request the best coordinates of other blocks, those with the largest gains first."""
        cdef Py_ssize_t blocks = self.highest.shape[0], k = 0, first = 0
        cdef bint useful = True
        memcpy(&self.left[0], &self.highest[0], blocks * sizeof(double))
        self.left[self.best // SMO_BLOCK] = 0.0
        while useful:
            for k in range(blocks):
                if self.left[k] > self.left[first]:
                    first = k
            useful = self.left[first] > 0.0
            if useful:
                useful = self.oracle.prefetch.request(
                    svmbench_smo_best_of(self.level, &self.coordinates, first)
                )
                self.left[first] = 0.0

    def begin(self, alpha):
        """Begin at a feasible point, float64 (n,), instead of 0."""
        np.asarray(self.alpha)[:] = np.where(np.asarray(self.diagonal) > 0.0, alpha, self.C)
        self.refinement.begin(self.gradient)
        self.take_over()

    def keep(self, kept):
        """Declare the state of the run."""
        kept.vectors(alpha=self.alpha, gradient=self.gradient)
        self.refinement.keep(kept.part("refinement"))
        if kept.taking_back:
            self.choose()

    def snapshot(self):
        """Return the last iterate, a dual point."""
        alpha = np.array(self.alpha)
        return Snapshot(
            KernelExpansion.from_alpha(alpha, np.asarray(self.labels)),
            responses=np.asarray(self.gradient) + 1.0,
            alpha=alpha,
            exact_at=self.refinement.last_exact(),
        )


cdef inline double clip(double x, double C) noexcept nogil:
    x = x if x > 0.0 else 0.0
    return x if x < C else C


class SMO(Solver):
    """Sequential minimal optimisation without bias; see the module."""

    name = "smo"
    title = "SMO"
    exact = True
    counting = "n under every convention"
    stochastic = False
    resumable = True
    startable = True
    Params = Params
    Run = Run
