r"""Greedy dual coordinate ascent, without bias.

Problem, the dual of the regularised form, C = 1/(λn):
:math:`\max_\alpha \sum_i \alpha_i - \frac12 |w|^2`, :math:`w = \sum_i \alpha_i y_i \Phi(x_i)`,
:math:`0 \le \alpha_i \le C`.

Method, from α = 0, with the responses c_j = y_j <w, Φ(x_j)>::

    end if the mean of  max(0, 1 - c_j) - α_j (1 - c_j) / C,  the duality gap, is at most eps
    i   = the example whose α_i would change most by  α_i <- clip(α_i + (1 - c_i) / K_ii, 0, C)
    α_i = that value
"""

import numpy as np

from svmbench.option import option
from svmbench.solvers.plain import ExpansionRun


class GreedySolver(ExpansionRun):
    """An example of svmbench's documentation, docs/add-a-solver.md."""

    eps = option(1e-3, "stop at this duality gap, in units of the mean hinge loss", above=0)

    def improve(self):
        """Change the coefficient that changes most; return whether the gap is small enough instead."""
        alpha, C, missing = self.alpha, self.problem.C, 1.0 - self.responses
        if np.mean(np.maximum(missing, 0.0) - alpha / C * missing) <= self.eps:
            return True
        best = np.clip(alpha + missing / np.maximum(self.diagonal, 1e-300), 0.0, C)  # C where K(x, x) = 0
        i = int(np.argmax(np.abs(best - alpha)))
        if best[i] == alpha[i]:
            self.stall()  # no coefficient can be improved in this arithmetic
        else:
            self.change(i, best[i])
        return False
