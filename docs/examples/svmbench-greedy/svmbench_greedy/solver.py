r"""Greedy dual coordinate ascent, without bias.

Problem, the dual of the regularised form, C = 1/(λn):
:math:`\max_\alpha \sum_i \alpha_i - \frac12 |w|^2`, :math:`w = \sum_i \alpha_i y_i \Phi(x_i)`,
:math:`0 \le \alpha_i \le C`.

Method, from α = 0, with the responses c_j = y_j <w, Φ(x_j)> of all examples kept::

    i   = the example whose α_i would change most by  α_i <- clip(α_i + (1 - c_i) / K_ii, 0, C)
    α_i = that value;  c_j += (change of α_i) y_i y_j K_ij  for all j

It ends where no coefficient would change by more than ``eps`` C. All responses are needed in every iteration,
so that one is charged n under every convention (docs/counting.md).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

import numpy as np

from svmbench.errors import UserError, nearest
from svmbench.solvers.base import COUNTERS, KernelExpansion, Snapshot, Solver


@dataclass(frozen=True)
class Params:
    """Parameters of greedy coordinate ascent: the keys ``solver.KEY`` of a run, checked before it starts."""

    eps: float = field(
        default=1e-3,
        metadata={"above": 0, "help": "stop where no coefficient changes by more, in units of C"},
    )


class Run:
    """A started solver: everything that `advance` changes is in here, and nothing else changes it."""

    def __init__(self, problem, oracle, params):
        if problem.n != oracle.n or problem.n == 0:
            raise UserError(
                f"{problem.n} labels do not fit {oracle.n} examples: give as many of both, at least one"
            )
        self.problem, self.oracle, self.params = problem, oracle, params
        diagonal = oracle.diagonal()  # charged once, unless the kernel is Gaussian
        if not np.all((diagonal >= 0.0) & np.isfinite(diagonal)):
            raise UserError("a value K(x, x) is negative or not finite: change the kernel or scale the data")
        self.iterations = 0
        self.converged = False
        # An example with K(x, x) = 0 has the response 0 whatever happens, so that its best coefficient is C.
        self.curvature = np.where(diagonal > 0.0, diagonal, np.inf)
        self.alpha = np.where(diagonal > 0.0, 0.0, problem.C)
        self.responses = np.zeros(problem.n)
        self.look()

    def look(self):
        """Find the next coefficient and its value; no kernel is evaluated for that."""
        best = np.clip(self.alpha + (1.0 - self.responses) / self.curvature, 0.0, self.problem.C)
        self.next = int(np.argmax(np.abs(best - self.alpha)))
        self.value = best[self.next]
        self.converged = bool(abs(self.value - self.alpha[self.next]) <= self.params.eps * self.problem.C)

    def step(self):
        """Make one iteration and charge it."""
        i, y = self.next, self.problem.y
        row = self.oracle.row(i)  # kev_computed is counted in there
        self.responses += (self.value - self.alpha[i]) * y[i] * y * row
        self.alpha[i] = self.value
        self.iterations += 1
        self.oracle.ledger.charge(iterations=1, maintained_changes=1, n=self.problem.n)
        if not np.isfinite(self.responses).all():
            raise FloatingPointError(f"the responses are no longer finite after {self.iterations} iterations")
        self.look()

    def advance(self, counter, until, most=sys.maxsize):
        """Continue until the counter has reached the mark, in whole iterations."""
        if counter not in COUNTERS:
            raise UserError(
                f"counter '{counter}' is unknown{nearest(counter, COUNTERS) or ':'} "
                f"the counters are {', '.join(COUNTERS)}"
            )
        last = self.iterations + most
        while not self.converged and self.iterations < last and self.oracle.ledger.as_dict()[counter] < until:
            self.step()

    def snapshot(self):
        """Return the answer of this moment: copies, so that nobody can change the run through it."""
        model = KernelExpansion.from_alpha(self.alpha, self.problem.y)
        return Snapshot(model, self.responses.copy(), self.alpha.copy())


class Greedy(Solver):
    """Greedy dual coordinate ascent; see the module."""

    name = "greedy"
    title = "Greedy"
    citation = "An example of svmbench's documentation, docs/add-a-solver.md."
    counting = "n under every convention"
    stochastic = False
    Params = Params

    def start(self, problem, oracle, rng):
        """Return a run at iteration 0; the generator is not needed."""
        return Run(problem, oracle, self.params)
