r"""Greedy dual coordinate ascent, without bias.

Problem, the dual of the regularised form, C = 1/(λn):
:math:`\max_\alpha \sum_i \alpha_i - \frac12 |w|^2`, :math:`w = \sum_i \alpha_i y_i \Phi(x_i)`,
:math:`0 \le \alpha_i \le C`.

Method, from α = 0, with the responses c_j = y_j <w, Φ(x_j)> of all examples kept::

    end if the mean of  max(0, 1 - c_j) - α_j (1 - c_j) / C,  the duality gap, is at most eps
    i   = the example whose α_i would change most by  α_i <- clip(α_i + (1 - c_i) / K_ii, 0, C)
    α_i = that value;  c_j += (change of α_i) y_i y_j K_ij  for all j
"""

from dataclasses import dataclass, field

import numpy as np

from svmbench.solvers.base import Solver
from svmbench.solvers.plain import ExpansionRun


@dataclass(frozen=True)
class Params:
    """Parameters of greedy coordinate ascent: the keys ``solver.KEY`` of a run, checked before it starts."""

    eps: float = field(
        default=1e-3,
        metadata={"above": 0, "help": "stop at this duality gap, in units of the mean hinge loss"},
    )


class Run(ExpansionRun):
    """A started greedy ascent, which looks at the responses of all examples in each iteration."""

    maintains = True

    def __init__(self, problem, oracle, eps):
        super().__init__(problem, oracle)
        self.eps = eps
        # An example with K(x, x) = 0 has the response 0 whatever happens, so that its best coefficient is C.
        self.alpha[self.diagonal == 0.0] = problem.C
        self.curvature = np.where(self.diagonal > 0.0, self.diagonal, np.inf)

    def improve(self):
        """Change the coefficient that changes most; return whether the gap is small enough instead."""
        C, missing = self.problem.C, 1.0 - self.responses
        if np.mean(np.maximum(missing, 0.0) - self.alpha / C * missing) <= self.eps:
            return True
        best = np.clip(self.alpha + missing / self.curvature, 0.0, C)
        i = int(np.argmax(np.abs(best - self.alpha)))
        if best[i] == self.alpha[i]:
            self.stall()  # no coefficient can be improved in this arithmetic
        else:
            self.change(i, best[i])
        return False


class GreedySolver(Solver):
    """Greedy dual coordinate ascent; see the module."""

    name = "greedy"
    title = "Greedy"
    citation = "An example of svmbench's documentation, docs/add-a-solver.md."
    counting = "n under every convention"
    stochastic = False
    Params = Params

    def start(self, problem, oracle, rng):
        """Return a run at iteration 0; the generator is not needed."""
        return Run(problem, oracle, self.params.eps)
