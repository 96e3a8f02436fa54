"""Time to score a test set with the same coefficients: our oracle against the baseline that trained them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from threadpoolctl import threadpool_limits

from svmbench import config as configuration
from svmbench import data
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers import registry
from svmbench.solvers.baselines._baseline import BaselineExpansionRun
from svmbench.solvers.baselines._data import BaselineData
from svmbench.speed.baselines import called
from svmbench.speed.jobs import Job
from svmbench.speed.race import Fit, Race
from svmbench.speed.timing import stamp

#: Size of the row cache in training, bytes.
_CACHE = 1 << 31


def measure(name: str, job: Job, repeats: int, say: Callable[[str], None]) -> list[Race]:
    """Train each baseline once, then time in alternation how it and our oracle score the test set.

    Parameters
    ----------
    name : str
        Name of the job.
    job : Job
        The job, with the goal ``prediction``. Its data must have a test set, and its baselines must return
        kernel expansions.
    repeats : int
        Number of turns.
    say : callable
        Receives a line per baseline.
    """
    with threadpool_limits(1):
        return [_race(name, job, baseline, repeats, say) for baseline in job.baselines]


def _race(name: str, job: Job, baseline: Sequence[str], repeats: int, say: Callable[[str], None]) -> Race:
    config = configuration.resolve([*job.problem, *baseline])
    solver = registry.get(config.solver.name)
    solver.release()  # reports a missing package before the data are loaded
    parts = data.load(config.dataset.document(), say=say)
    kernel, asked = config.kernel_document(), config.problem
    problem = Problem.build(parts.train.y, lam=asked.lam, C=asked.C, bias=asked.bias)
    examples = BaselineData(parts.train.X, kernel, _CACHE)
    run = solver(solver.Params(**config.solver.parameters)).start(problem, examples, Generator(0))
    if parts.test is None or not isinstance(run, BaselineExpansionRun):
        raise TypeError(f"job {name} has no test set, or {solver.name} no expansion")
    say(f"{name}: {solver.name} is trained once")
    run.advance("iterations", 1)
    model, X = run.snapshot().model, parts.test.X
    rows, oracle = run.form(BaselineData(X, kernel)), Oracle(parts.train.X, kernel)
    theirs, ours = [], []
    for turn in range(repeats + 1):  # the first one warms the caches
        theirs.append(_timed(turn - 1, lambda: run.estimator.decision_function(rows)))
        ours.append(_timed(turn - 1, lambda: model.scores(oracle, X)))
    return Race(
        job=name,
        baseline=called(baseline),
        release=str(solver.release()),
        ours="oracle",
        goal=f"{oracle.ledger.kev_prediction // (repeats + 1) / 1e6:.4g} million values",
        baseline_fits=tuple(theirs[1:]),
        our_fits=tuple(ours[1:]),
        warm_ups=(theirs[0], ours[0]),
    )


def _timed(turn: int, work: Callable[[], object]) -> Fit:
    """Time one call."""
    begun, load = stamp()
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return Fit(turn, 1, cpu, wall, None, begun, load)
