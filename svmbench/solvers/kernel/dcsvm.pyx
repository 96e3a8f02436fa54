r"""DC-SVM: divide and conquer, with decomposition for the parts and the whole.

C.-J. Hsieh, S. Si and I. S. Dhillon, A Divide-and-Conquer Solver for Kernel Support Vector Machines, ICML
2014, Algorithm 1.

Problem, the dual of the regularised form in its C-form, C = 1/(λn), without bias:
:math:`\max_\alpha \sum_i \alpha_i - \frac12 |\sum_i \alpha_i y_i \Phi(x_i)|^2`,
:math:`0 \le \alpha_i \le C`. Gaussian kernel.

Method, from α = 0::

    for l = levels, ..., 1: cluster the examples by k-means of a sample into 4^l parts, and solve the dual
        over each part from the α of the level before
        stop if l = early
    solve the dual over the support vectors alone, then over all examples

each to a violation of ``eps``, by decomposition (`svmbench.solvers.kernel.decomposition`) in place of the
paper's coordinate descent. Samples after the first are of support vectors. The paper clusters by kernel
k-means. Its program uses k-means in the input space where the kernel depends on the distance, as here: with
the γ of the paper on Covertype, 32, kernel k-means of a sample puts most of the other examples into one part.
See `svmbench.solvers.dual.division`.

Counting, under every convention: the m² inner products of a sample, and one for each example and each centre,
as one evaluation each; in a part the charges of `decomposition`, with the number of its examples in place of
n; and for the initial gradients of a part one value for each pair of its examples and its support vectors.

Answer: the last iterate, a dual point; within the levels, coefficients of parts that are not solved yet are
those of the level before. With ``early`` > 0 it ends as an expansion for each part (early prediction, section
4.2): a row belongs to the part with the nearest centre, and only the support vectors of this part vote. That
is the optimum of the problem in which kernel values between parts are 0, not of the problem.
"""

from dataclasses import dataclass

import numpy as np

from svmbench.errors import UserError
from svmbench.option import option
from svmbench.solvers.base import LocalExpansion, Snapshot, Solver
from svmbench.solvers.dual.division import Division

from svmbench.solvers.kernel.decomposition cimport Run as DecompositionRun

#: Parts into which each part of the level above is divided, on average.
BRANCHES = 4


@dataclass(frozen=True)
class Params:
    """Parameters of DC-SVM."""

    eps: float = option(
        1e-3,
        "Stop when the optimality conditions are violated by less than this; also in each part. The default "
        "of LIBSVM.",
        above=0.0,
    )
    levels: int = option(
        3,
        "Number of levels. Level l has 4^l clusters; the highest level is solved first, level 1 last. "
        "Unconfirmed: 3, so 64 clusters at first.",
        min=1,
        max=8,
    )
    sample: int = option(
        1000,
        "Examples that are clustered by k-means; the others go to the nearest centre. Unconfirmed: 1000.",
        min=2,
        max=20_000,
    )
    early: int = option(
        0,
        "Stop after this level, from 1 to solver.levels, and predict by its 4^early parts. 0: continue to "
        "the optimum.",
        min=0,
        max=8,
    )
    working_set: int = option(1024, "Coefficients that change at a time, as in decomposition.", min=4)

    def __post_init__(self):
        if self.early > self.levels:
            raise UserError(
                f"solver.early={self.early} is above solver.levels={self.levels}: give one of 0 to "
                f"{self.levels}"
            )


cdef class Run(DecompositionRun):
    """A started DC-SVM."""

    cdef readonly object reason
    cdef int early
    cdef object division            # `growth`, also after its end

    def __init__(self, problem, oracle, rng, params):
        super().__init__(problem, oracle, params)
        self.reason = ""
        self.early = params.early
        levels = range(params.levels, max(params.early, 1) - 1, -1)
        clusters = [min(BRANCHES**level, self.n) for level in levels]
        self.growth = self.division = Division(
            oracle, problem, self.diagonal, self.level, self.least, self.eps, clusters, params.sample,
            params.early > 0, rng,
        )

    cdef int go_on(self) except -1 nogil:
        if self.early > 0 and self.growth.finished:
            self.converged = True
            with gil:
                self.reason = f"the parts of level {self.early} are solved"
            return 0
        return DecompositionRun.go_on(self)

    def snapshot(self):
        """Return the last iterate, a dual point; after an early end, the expansion of each part."""
        if self.early == 0 or not self.converged:
            return super().snapshot()
        alpha, (centres, clusters, norms) = self.division.alpha, self.division.centres
        at = np.flatnonzero(alpha)
        coefficients = (alpha * self.problem.y)[at]
        model = LocalExpansion(
            at, coefficients, self.division.regions[at], centres.copy(), clusters.copy(), norms.copy()
        )
        return Snapshot(model, inside=False)


class DCSVM(Solver):
    """Divide and conquer; see the module."""

    name = "dcsvm"
    title = "DC-SVM"
    kernels = ("gaussian",)
    exact = True
    weighted = True
    counting = "the k-means, then as decomposition, within the parts and over all examples; under all"
    version = 2
    Params = Params
    Run = Run
