"""Iterations and kernel values a second of every kernel solver on one data set, and the part of the limit."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from typing import Any

from svmbench.kernels._oracle import Oracle
from svmbench.kernels.layouts import make_layout
from svmbench.problem import Problem
from svmbench.solvers import registry
from svmbench.solvers.base import Run, Solver
from svmbench.solvers.parts.random import Generator
from svmbench.speed.machine import Limits
from svmbench.speed.rows import limit_of

#: Slack budget of the forms that need one; near that of Adult's optimum, and without much effect on the cost.
NU = 0.01

#: Radius of a norm-bounded problem, about |w*| of Adult; what an iteration costs hardly depends on it.
RADIUS = 30.0

#: Iterations that are made before the clock runs.
WARM_UP = 10

HEADER = ("solver", "bias", "iterations", "iterations/s", "million values/s", "limit", "of the limit")


@dataclasses.dataclass(frozen=True)
class Pace:
    """How fast a solver was in its first seconds.

    Attributes
    ----------
    solver, bias : str
        The method, and the bias of its problem.
    iterations : int
        How many were timed; fewer than there was time for where it had converged.
    iterations_per_second, values_per_second : float
        Of CPU time; values are those that were really evaluated, no row being kept.
    limit : float
        Values a second that the machine allows the storage layout, one row at a time.
    """

    solver: str
    bias: str
    iterations: int
    iterations_per_second: float
    values_per_second: float
    limit: float

    @property
    def fraction(self) -> float:
        """The part of the limit that is reached."""
        return self.values_per_second / self.limit

    def line(self) -> tuple[object, ...]:
        """Return the cells of `HEADER`."""
        return (
            *(self.solver, self.bias, self.iterations, self.iterations_per_second),
            *(self.values_per_second / 1e6, self.limit / 1e6, f"{100 * self.fraction:.0f} %"),
        )


def measure(
    config: dict[str, Any], X: Any, y: Any, limits: Limits, say: Callable[[str], None], seconds: float = 2.0
) -> list[Pace]:
    """Time the first iterations of every kernel solver with every bias it knows, on one thread.

    Parameters
    ----------
    config : dict
        Resolved; its kernel and its λ or C are taken.
    X : ndarray or csr_array, shape (n, d)
        Training examples.
    y : ndarray of float64, shape (n,)
        Their labels.
    limits : Limits
        What the rates are held against.
    say : callable
        Receives a line for each solver.
    seconds : float
        CPU time of each.
    """
    limit = limit_of(make_layout(X, config["kernel"]), X, 1, limits)
    paces = []
    for name in registry.names():
        solver = registry.get(name)
        usable = solver.kernels is None or config["kernel"]["name"] in solver.kernels
        if solver.access != "kernel" or not usable:
            continue
        for bias in solver.biases:
            say(f"{name}, bias {bias}")
            nu = NU if solver.form == "slack-constrained" else None
            radius = RADIUS if solver.form == "norm-bounded" else None
            asked = config["problem"]
            problem = Problem.build(y, lam=asked["lam"], C=asked["C"], bias=bias, nu=nu, radius=radius)
            paces.append(_pace(solver, problem, Oracle(X, config["kernel"]), limit, seconds))
    return paces


def _pace(solver: type[Solver], problem: Problem, oracle: Oracle, limit: float, seconds: float) -> Pace:
    run = solver(solver.Params()).start(problem, oracle, Generator(0))
    run.advance("iterations", WARM_UP)
    if run.converged:  # a few large iterations: all of them are timed
        run = solver(solver.Params()).start(problem, oracle, Generator(0))
    before, computed = run.iterations, oracle.ledger.kev_computed
    spent = timed(run, seconds)
    made = run.iterations - before
    values = oracle.ledger.kev_computed - computed
    return Pace(solver.name, problem.bias, made, made / spent, values / spent, limit)


def timed(run: Run, seconds: float) -> float:
    """Advance for about so many seconds of CPU time, at least one iteration, and return what it was."""
    begin = time.process_time()
    most = 1
    while not run.converged:
        run.advance("iterations", run.iterations + most)
        spent = time.process_time() - begin
        if spent >= seconds:
            break
        # Twice as many while that is sure to end in time.
        most = most * 2 if 3.0 * spent < seconds else max(1, most // 2)
    return max(time.process_time() - begin, 1e-9)
