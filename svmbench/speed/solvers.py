"""Iterations and kernel values a second of every kernel solver on one data set, and the part of the limit."""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Callable
from typing import Any

from svmbench.kernels._cache import LEAST
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

HEADER = ("solver", "bias", "rows", "iterations", "iterations/s", "million values/s", "limit", "of the limit")


@dataclasses.dataclass(frozen=True)
class Pace:
    """How fast a solver was in its first seconds.

    Attributes
    ----------
    solver, bias : str
        The method, and the bias of its problem.
    rows : str
        ``made``: no row was kept; ``at hand``: all rows, as far as they fit, were in the cache.
    iterations : int
        How many were timed; fewer than there was time for where it had converged.
    iterations_per_second, values_per_second : float
        Of CPU time; values are those that were really evaluated.
    limit : float
        Values a second that the machine allows the storage layout, one row at a time.
    """

    solver: str
    bias: str
    rows: str
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
            *(self.solver, self.bias, self.rows, self.iterations, self.iterations_per_second),
            *(self.values_per_second / 1e6, self.limit / 1e6, f"{100 * self.fraction:.0f} %"),
        )


def measure(
    config: dict[str, Any],
    X: Any,
    y: Any,
    limits: Limits,
    say: Callable[[str], None],
    cache: int = 0,
    seconds: float = 2.0,
) -> list[Pace]:
    """Time the first iterations of every kernel solver with every bias it knows, on one thread.

    With a cache, where the storage layout keeps rows at all, they are timed again with their rows at hand.

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
    cache : int
        Bytes of rows that are kept; 0: none are.
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
            pace = _pace(solver, problem, Oracle(X, config["kernel"]), limit, seconds)
            paces.append(pace)
            oracle = Oracle(X, config["kernel"], cache, prefetch=False)
            if oracle.cache_rows > LEAST:
                paces.append(_pace_at_hand(solver, problem, oracle, limit, seconds, pace.iterations))
    return paces


def _pace(solver: type[Solver], problem: Problem, oracle: Oracle, limit: float, seconds: float) -> Pace:
    run = _started(solver, problem, oracle)
    run.advance("iterations", WARM_UP)
    if run.converged:  # a few large iterations: all of them are timed
        run = _started(solver, problem, oracle)
    before, computed = run.iterations, oracle.ledger.kev_computed
    spent = timed(run, seconds)
    made = run.iterations - before
    values = oracle.ledger.kev_computed - computed
    return Pace(solver.name, problem.bias, "made", made, made / spent, values / spent, limit)


def _pace_at_hand(
    solver: type[Solver], problem: Problem, oracle: Oracle, limit: float, seconds: float, iterations: int
) -> Pace:
    """Make the first iterations, as many as the cache has two rows for each of, then time them again."""
    most = min(iterations, oracle.cache_rows // 2)
    _started(solver, problem, oracle).advance("iterations", sys.maxsize, most)
    computed, made, spent = oracle.ledger.kev_computed, 0, 0.0
    while spent < seconds:
        run = _started(solver, problem, oracle)
        begin = time.process_time()
        run.advance("iterations", sys.maxsize, most)
        spent += max(time.process_time() - begin, 1e-9)
        made += run.iterations
    values = oracle.ledger.kev_computed - computed
    return Pace(solver.name, problem.bias, "at hand", made, made / spent, values / spent, limit)


def _started(solver: type[Solver], problem: Problem, oracle: Oracle) -> Run:
    return solver(solver.Params()).start(problem, oracle, Generator(0))


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
