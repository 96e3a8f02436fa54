r"""BSCA: dual coordinate ascent with at most a given number of support vectors.

S. Qaadan, M. Schüler and T. Glasmachers, Dual SVM Training on a Budget, ICPRAM 2019 (arXiv 1806.10182): the
algorithm BSCA, without the adaptive coordinate frequencies that the authors' program also has. Without bias.

Problem, the dual of the regularised form in its C-form, C = 1/(λn), as of `sdca`:
:math:`\max_\alpha \sum_i \alpha_i - \frac12 |\sum_i \alpha_i y_i \Phi(x_i)|^2`, :math:`0 \le \alpha_i \le C`.
Gaussian kernel, so K(x, x) = 1.

Method, from α = 0 and w = 0, which is a sum over at most `budget` points::

    i   = uniform draw from all examples
    δ   = clip(α_i + 1 - y_i <w, Φ(x_i)>, 0, C) - α_i
    α_i = α_i + δ
    w   = w + δ y_i Φ(x_i)
    if w has more than `budget` points: merge two of them, as `bsgd` does by default

After the first merge, w is no longer Σ α_i y_i Φ(x_i): a merged point belongs to no example, and α keeps
what was merged. As in the paper, α then only says how far a coordinate may still move, steps follow w, and
w is the answer. So α proves no bound of its objective, and the dual objective need not grow.

If the example is a point of w, its coefficient changes; it is removed when it returns to 0, and enters anew
when its sign changes, which it can after a part of α_i was merged. A step of at most 1e-14 of α_i, or a
coefficient of at most 1e-14 of C, is due to rounding: it is not made, or is 0. With a budget of n, or before
the budget is reached, the iterates are those of `sdca`.

Counting: as `bsgd`. Answer: the last iterate, over points that need not be training examples. It does not end
by itself. Memory: budget × d float64, and the examples.
"""

from dataclasses import dataclass

import numpy as np

from svmbench.option import option
from svmbench.solvers.base import Solver
from svmbench.solvers.kernel.bsgd import Params as BSGDParams

from libc.math cimport fabs, fmax, fmin

from svmbench.rng cimport Generator
from svmbench.solvers.kernel.bsgd cimport Run as BSGDRun

# Steps of at most this, relative to the coefficient, are not made.
cdef double ROUNDING = 1e-14


@dataclass(frozen=True)
class Params:
    """Parameters of BSCA."""

    budget: int = option(
        500,
        "Most support vectors. 500 is the larger of the two budgets of Glasmachers and Qaadan (2018), as for "
        "bsgd.",
        min=1,
        max=1_000_000,
    )


cdef class Run(BSGDRun):
    """A started BSCA."""

    cdef double C
    cdef double[::1] alpha

    def __init__(self, problem, oracle, Generator rng not None, params):
        super().__init__(problem, oracle, rng, BSGDParams(budget=params.budget))
        self.C = problem.C
        self.alpha = np.zeros(self.n)

    cdef int step(self) except -1 nogil:
        cdef Py_ssize_t i = self.rng.below(<unsigned int> self.n)
        cdef double old = self.alpha[i]
        cdef double new = fmin(fmax(old + 1.0 - self.y[i] * self.score(i), 0.0), self.C)
        if fabs(new - old) > ROUNDING * fmax(new, old):
            self.alpha[i] = new
            self.ledger.charge_row_update(self.n)
            self.change(i, old, new)
        return 0

    cdef void change(self, Py_ssize_t i, double old, double new) noexcept nogil:
        """Add the change of a coordinate to w."""
        cdef Py_ssize_t k = self.place[i]
        cdef double before = self.y[i] * self.a[k] if k >= 0 else 0.0
        # The difference of α_i and its point was merged: none as long as both are equal, to the last bit.
        cdef double after = new - (old - before)
        if fabs(after) <= ROUNDING * self.C:
            after = 0.0
        if before * after > 0.0:
            self.a[k] = self.y[i] * after
            return
        if k >= 0:
            self.remove(k)
        if after != 0.0:
            self.add(i, self.y[i] * after)

    def keep(self, kept):
        """Declare the state of the run."""
        super().keep(kept)
        kept.vectors(alpha=self.alpha)

    def snapshot(self):
        """Return the last iterate, which after a merge is not that of α."""
        return self.answer(1.0)


class BSCA(Solver):
    """Dual coordinate ascent on a budget of support vectors; see the module."""

    name = "bsca"
    title = "BSCA"
    counting = (
        "on demand: the points; rows kept: n per coefficient that changes; iterations: n each; and the "
        "search for a merge to each"
    )
    kernels = ("gaussian",)
    resumable = True
    Params = Params
    Run = Run
