"""Base class for kernel solvers in plain Python: coefficients, responses and their charges.

A solver derives its run from `ExpansionRun` and implements one iteration; see docs/add-a-solver.md.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.solvers.base import KernelExpansion, Snapshot
from svmbench.solvers.run import PlainRun, checked_diagonal


class ExpansionRun(PlainRun, metaclass=ABCMeta):
    r"""A started kernel method that changes the coefficients of :math:`w = \sum_i \alpha_i y_i \Phi(x_i)`.

    A subclass implements `improve`: one iteration, which reads `alpha` and, by `response` or `responses`, the
    responses, changes coefficients by `change`, and returns whether the method has converged. These are
    charged by the rules of docs/counting.md. Call ``self.stall()`` if no further progress is possible in
    floating point.

    Parameters
    ----------
    problem : Problem
        The training problem, with at least one example.
    oracle : Oracle
        Over the same examples.

    Attributes
    ----------
    maintains : bool
        Class attribute: whether an iteration needs the responses of all examples. Then they are maintained,
        and a change is also charged n on demand. Otherwise only single responses may be read.
    problem : Problem
        The problem; its ``C`` bounds the coefficients of a dual point.
    diagonal : ndarray of float64, shape (n,)
        K(x_i, x_i).
    alpha : ndarray of float64, shape (n,)
        The coefficients, initially 0.

    Raises
    ------
    UserError
        If the problem has another number of examples, or a value K(x, x) is negative or not finite.
    """

    maintains: ClassVar[bool] = False

    def __init__(self, problem: Problem, oracle: Oracle) -> None:
        super().__init__(problem, oracle)
        self.problem = problem
        self._rows = oracle
        self._ledger = oracle.ledger
        self.diagonal: NDArray[np.float64] = checked_diagonal(oracle)
        self.alpha = np.zeros(problem.n)
        self._responses = np.zeros(problem.n)

    @property
    def responses(self) -> NDArray[np.float64]:
        """The responses y_i <w, Φ(x_i)> of all examples, shape (n,), if the method maintains them."""
        if not self.maintains:
            raise TypeError(
                f"{type(self).__name__} looks at all responses: set maintains = True in its class"
            )
        return self._responses

    def response(self, i: int) -> float:
        """Return the response of one example; charged the number of non-zero coefficients."""
        if not self.maintains:
            self._ledger.charge(lookups=int(np.count_nonzero(self.alpha)))
        return float(self._responses[i])

    def change(self, i: int, value: float) -> None:
        """Set a coefficient and update all responses; charged n.

        Raises
        ------
        FloatingPointError
            If the responses are no longer finite.
        """
        y, step = self.problem.y, value - self.alpha[i]
        self._responses += step * y[i] * (y * self._rows.row(i))
        self.alpha[i] = value
        kind = "maintained_changes" if self.maintains else "changes"
        self._ledger.charge(**{kind: 1}, n=self.problem.n)
        if not np.isfinite(self._responses).all():
            raise FloatingPointError(
                f"the responses are no longer finite after {self.iterations} iterations: scale the data, or "
                "choose a kernel with smaller values or smaller steps"
            )

    def iterate(self) -> bool:
        """Make one iteration, charged n to ``kev_iter``, and return whether the method has converged."""
        converged = self.improve()
        self._ledger.charge(iterations=1, n=self.problem.n)
        return converged

    @abstractmethod
    def improve(self) -> bool:
        """Make one iteration and return whether the method has converged; implemented by a subclass."""

    def snapshot(self) -> Snapshot:
        """Return the coefficients as a dual point; override it for other solutions."""
        model = KernelExpansion.from_alpha(self.alpha, self.problem.y)
        return Snapshot(model, self._responses.copy(), self.alpha.copy())
