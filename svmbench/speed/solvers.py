"""Iterations and kernel values per second of all kernel solvers on one data set, relative to the limit."""

from __future__ import annotations

import dataclasses
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from svmbench.kernels._cache import LEAST
from svmbench.kernels._oracle import Oracle
from svmbench.kernels.layouts.choice import make_layout
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.run_config import RunConfig
from svmbench.solvers import registry
from svmbench.solvers.base import Run, Solver
from svmbench.speed.machine import Limits
from svmbench.speed.rows import limit_of
from svmbench.speed.timing import stamp

#: Slack budget of the forms that need one, near that of Adult's optimum; it hardly affects the cost of an
#: iteration.
NU = 0.01

#: Radius of a norm-bounded problem, about |w*| of Adult; it hardly affects the cost of an iteration.
RADIUS = 30.0

#: Iterations before the clock starts.
WARM_UP = 10

HEADER = ("solver", "bias", "rows", "iterations", "iterations/s", "million values/s", "limit", "of the limit")


@dataclasses.dataclass(frozen=True)
class Pace:
    """Speed of a solver in its first seconds.

    Attributes
    ----------
    solver, bias : str
        The method, and the bias of its problem.
    rows : str
        ``made``: no rows were cached; ``cached``: all rows that the iterations need were in the cache.
    pieces : tuple of (int, float)
        Iterations and CPU seconds of each timed piece: consecutive pieces of one run if rows are made, the
        same iterations again and again if they are cached.
    warm_up : tuple of (int, float)
        Iterations and CPU seconds of the warm-up, which does not count.
    computed : int
        Kernel values evaluated in the pieces.
    limit : float
        Values per second that the machine allows for the layout, one row at a time.
    begun : str
        Start of the first piece, in UTC.
    load : float
        One-minute load average of the machine at that time.
    """

    solver: str
    bias: str
    rows: str
    pieces: tuple[tuple[int, float], ...]
    warm_up: tuple[tuple[int, float], ...]
    computed: int
    limit: float
    begun: str
    load: float

    @property
    def iterations(self) -> int:
        """Number of iterations timed."""
        return sum(iterations for iterations, _ in self.pieces)

    @property
    def seconds(self) -> float:
        """CPU seconds of all pieces."""
        return sum(seconds for _, seconds in self.pieces)

    @property
    def iterations_per_second(self) -> float:
        """The rate over all pieces if they are consecutive; the median if they are the same iterations."""
        if self.rows == "made":
            return self.iterations / self.seconds
        return statistics.median(iterations / seconds for iterations, seconds in self.pieces)

    @property
    def values_per_second(self) -> float:
        """Kernel values per second of CPU time."""
        return self.computed / self.seconds

    @property
    def fraction(self) -> float:
        """The fraction of the limit that is reached."""
        return self.values_per_second / self.limit

    def line(self) -> tuple[object, ...]:
        """Return the cells for `HEADER`."""
        return (
            *(self.solver, self.bias, self.rows, self.iterations, self.iterations_per_second),
            *(self.values_per_second / 1e6, self.limit / 1e6, f"{100 * self.fraction:.0f} %"),
        )


def measure(
    config: RunConfig,
    X: Any,
    y: Any,
    limits: Limits,
    say: Callable[[str], None],
    cache: int = 0,
    seconds: float = 2.0,
) -> list[Pace]:
    """Time the first iterations of all kernel solvers with each bias they support, on one thread.

    If there is a cache, and the layout uses one, they are timed again with cached rows.

    Parameters
    ----------
    config : RunConfig
        Provides the kernel and λ or C.
    X : ndarray or csr_array, shape (n, d)
        Training examples.
    y : ndarray of float64, shape (n,)
        Their labels.
    limits : Limits
        Limits to which the rates are compared.
    say : callable
        Receives a line per solver.
    cache : int
        Size of the row cache in bytes; 0: none.
    seconds : float
        CPU time per solver.
    """
    kernel, asked = config.kernel_document(), config.problem
    limit = limit_of(make_layout(X, kernel), X, 1, limits)
    paces = []
    for name in registry.names():
        solver = registry.get(name)
        usable = solver.kernels is None or config.kernel.name in solver.kernels
        if solver.access != "kernel" or not usable:
            continue
        for bias in solver.biases:
            say(f"{name}, bias {bias}")
            problem = posed(solver, y, bias, lam=asked.lam, C=asked.C)
            pace = _pace(solver, problem, Oracle(X, kernel), limit, seconds)
            paces.append(pace)
            oracle = Oracle(X, kernel, cache, prefetch=False)
            if oracle.cache_rows > LEAST:
                paces.append(_pace_cached(solver, problem, oracle, limit, seconds, pace.iterations))
    return paces


def posed(
    solver: type[Solver], y: Any, bias: str, *, lam: float | None = None, C: float | None = None
) -> Problem:
    """Return a problem with the parameters that the form of a solver needs besides λ or C."""
    nu = NU if solver.form == "slack-constrained" else None
    radius = RADIUS if solver.form == "norm-bounded" else None
    return Problem.build(y, lam=lam, C=C, bias=bias, nu=nu, radius=radius)


def _pace(solver: type[Solver], problem: Problem, oracle: Oracle, limit: float, seconds: float) -> Pace:
    run = _started(solver, problem, oracle)
    warm_up = (_piece(run, WARM_UP),)
    if run.converged or run.stalled:  # its iterations are few and large: start again and time all of them
        run = _started(solver, problem, oracle)
    computed, (begun, load) = oracle.ledger.kev_computed, stamp()
    pieces = timed(run, seconds)
    values = oracle.ledger.kev_computed - computed
    return Pace(solver.name, problem.bias, "made", pieces, warm_up, values, limit, begun, load)


def _pace_cached(
    solver: type[Solver], problem: Problem, oracle: Oracle, limit: float, seconds: float, iterations: int
) -> Pace:
    """Make first iterations, at most half as many as rows fit into the cache, then time them again."""
    most = min(iterations, oracle.cache_rows // 2)
    warm_up = (_piece(_started(solver, problem, oracle), most),)
    computed, (begun, load) = oracle.ledger.kev_computed, stamp()
    pieces: list[tuple[int, float]] = []
    while sum(spent for _, spent in pieces) < seconds:
        pieces.append(_piece(_started(solver, problem, oracle), most))
    values = oracle.ledger.kev_computed - computed
    return Pace(solver.name, problem.bias, "cached", tuple(pieces), warm_up, values, limit, begun, load)


def _started(solver: type[Solver], problem: Problem, oracle: Oracle) -> Run:
    return solver(solver.Params()).start(problem, oracle, Generator(0))


def _piece(run: Run, most: int) -> tuple[int, float]:
    """Make at most `most` iterations; return their number and CPU seconds."""
    begin, before = time.process_time(), run.iterations
    run.advance("iterations", sys.maxsize, most)
    return run.iterations - before, max(time.process_time() - begin, 1e-9)


def timed(run: Run, seconds: float) -> tuple[tuple[int, float], ...]:
    """Advance for about this many seconds of CPU time, at least one iteration, and return the pieces.

    Pieces double at first, and then take half of the remaining time, so that few are too short to time.
    """
    pieces: list[tuple[int, float]] = []
    spent, most = 0.0, 1
    while not (run.converged or run.stalled) and spent < seconds:
        pieces.append(_piece(run, most))
        spent += pieces[-1][1]
        each = pieces[-1][1] / max(1, pieces[-1][0])
        most = min(2 * most, max(1, int(0.5 * (seconds - spent) / each)))
    return tuple(pieces)
