"""Cost of an iteration as the number of examples, then of threads, grows, on generated data."""

from __future__ import annotations

import dataclasses
import math
import os
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from svmbench.errors import UserError
from svmbench.kernels._oracle import Oracle
from svmbench.rng import Generator
from svmbench.run_config import KernelDocument
from svmbench.runner.environment import peak_memory
from svmbench.solvers import registry
from svmbench.solvers.base import Run
from svmbench.speed.solvers import posed
from svmbench.speed.timing import Timings, stamp

#: As in dataset=twonorm: two Gaussian classes in 20 dimensions, and its kernel width.
DIMENSIONS = 20
KERNEL: KernelDocument = {"name": "gaussian", "gamma": 0.02}

#: Fewest rows.
LEAST = 10_000

HEADER = ("rows", "threads", "iterations", "µs/iteration", "ns/row", "of the first", "data MiB", "peak MiB")


@dataclasses.dataclass(frozen=True)
class Cost:
    """Cost of an iteration at one size.

    Attributes
    ----------
    n, threads : int
        Number of examples, and of threads that compute kernel rows.
    timings : Timings
        Time of one iteration, measured over groups of iterations: CPU time on one thread, else wall time.
    first : float
        Seconds per iteration and example at the first size.
    data, peak : int
        Bytes of the examples, and peak memory of the process in bytes.
    """

    n: int
    threads: int
    timings: Timings
    first: float
    data: int
    peak: int

    @property
    def seconds(self) -> float:
        """Seconds per iteration, the median over groups of iterations."""
        return self.timings.median

    @property
    def iterations(self) -> int:
        """Number of iterations timed."""
        return self.timings.calls * len(self.timings.values)

    @property
    def growth(self) -> float:
        """Cost per iteration and example, relative to the first size; 1 on one thread means linear growth."""
        return self.seconds / self.n / self.first

    def line(self) -> tuple[object, ...]:
        """Return the cells for `HEADER`."""
        return (
            *(self.n, self.threads, self.iterations, 1e6 * self.seconds, 1e9 * self.seconds / self.n),
            *(self.growth, self.data / 2**20, self.peak / 2**20),
        )


def sizes(most: int) -> list[int]:
    """Return numbers of rows growing by factors of ten from `LEAST`, up to and including ``most``."""
    if most < LEAST:
        raise UserError(f"--most {most} is not allowed: give at least {LEAST} rows")
    return [LEAST * 10**k for k in range(math.ceil(math.log10(most / LEAST)))] + [most]


def measure(
    name: str, most: int, say: Callable[[str], None], seconds: float = 1.0, cores: int | None = None
) -> list[Cost]:
    """Time iterations for growing numbers of rows on one thread, then for the largest on more threads.

    Parameters
    ----------
    name : str
        A kernel solver.
    most : int
        Most rows.
    say : callable
        Receives a line per size.
    seconds : float
        Time per size.
    cores : int, optional
        Most threads. Default: all cores.
    """
    solver = registry.get(name)
    if solver.access != "kernel":
        names = [each for each in registry.names() if registry.get(each).access == "kernel"]
        raise UserError(f"--solver {name} makes no kernel rows: give one of {', '.join(names)}")
    costs: list[Cost] = []
    cases = [(n, 1) for n in sizes(most)]
    cases += [(most, threads) for threads in range(2, (cores or os.cpu_count() or 1) + 1)]
    made: tuple[NDArray[np.float32], NDArray[np.float64]] | None = None
    for n, threads in cases:
        say(f"{n:,} rows, {threads} thread{'s' * (threads > 1)}")
        if made is None or len(made[1]) != n:
            made = None  # free the memory before the next ones are generated
            made = twonorm(n)
        X, y = made
        problem = posed(solver, y, solver.biases[0], C=1.0)
        run = solver(solver.Params()).start(problem, Oracle(X, KERNEL, 0, threads), Generator(0))
        timings = _timings(run, max(1, 200_000 // n), seconds, "cpu" if threads == 1 else "wall")
        first = costs[0].first if costs else timings.median / n
        costs.append(Cost(n, threads, timings, first, X.nbytes, round(peak_memory() * 2**20)))
    return costs


def _timings(run: Run, group: int, seconds: float, clock: str) -> Timings:
    """Time groups of iterations for about this many seconds, after one group to warm up."""
    now = time.process_time if clock == "cpu" else time.perf_counter

    def mean() -> float:
        start, before = now(), run.iterations
        run.advance("iterations", before + group)
        return (now() - start) / max(1, run.iterations - before)

    warm_up, (begun, load) = (mean(),), stamp()
    begin = now()
    values: list[float] = []
    while not values or (now() - begin < seconds and not run.converged):
        values.append(mean())
    return Timings(tuple(values), group, warm_up, clock, begun, load)


def twonorm(n: int) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Return n examples, float32 (n, 20), and their labels, (n,), without copying the examples."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    X = np.empty((n, DIMENSIONS), dtype=np.float32)
    rng.standard_normal(out=X, dtype=np.float32)
    X += (y * (2.0 / math.sqrt(DIMENSIONS))).astype(np.float32)[:, None]
    return X, y
