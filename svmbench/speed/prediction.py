"""Scores of a test set by the same coefficients: our oracle against the rivals that trained them."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Sequence

from threadpoolctl import threadpool_limits

from svmbench import config as configuration
from svmbench import data
from svmbench.kernels._oracle import Oracle
from svmbench.kernels.raw import RawExamples
from svmbench.problem import Problem
from svmbench.solvers import registry
from svmbench.solvers.parts.random import Generator
from svmbench.solvers.peers._peer import ExpansionRun
from svmbench.speed.jobs import Job
from svmbench.speed.rivals import Race, called

#: Row cache of the training in bytes.
_CACHE = 1 << 31


def measure(name: str, job: Job, repeats: int, say: Callable[[str], None]) -> list[Race]:
    """Train every rival once and time the scores of the test set, taking turns.

    Parameters
    ----------
    name : str
        Of the job.
    job : Job
        With the goal ``prediction``; its data have a test set, and its rivals answer with kernel expansions.
    repeats : int
        Turns.
    say : callable
        Receives a line for each rival.
    """
    with threadpool_limits(1):
        return [_race(name, job, rival, repeats, say) for rival in job.rivals]


def _race(name: str, job: Job, rival: Sequence[str], repeats: int, say: Callable[[str], None]) -> Race:
    config = configuration.resolve([*job.problem, *rival])
    parameters = {key: value for key, value in config["solver"].items() if key != "name"}
    solver = registry.get(config["solver"]["name"])
    solver.release()  # an absent package is told before the data are loaded
    parts, kernel, asked = data.load(config["dataset"], say=say), config["kernel"], config["problem"]
    problem = Problem.build(parts.train.y, lam=asked["lam"], C=asked["C"], bias=asked["bias"])
    examples = RawExamples(parts.train.X, kernel, _CACHE)
    run = solver(solver.Params(**parameters)).start(problem, examples, Generator(0))
    if parts.test is None or not isinstance(run, ExpansionRun):
        raise TypeError(f"job {name} has no test set, or {solver.name} no expansion")
    say(f"{name}: {solver.name} is trained once")
    load = os.getloadavg()[0]
    run.advance("iterations", 1)
    model, X = run.snapshot().model, parts.test.X
    rows, oracle = run.form(RawExamples(X, kernel)), Oracle(parts.train.X, kernel)
    theirs, ours = [], []
    for _ in range(repeats):
        theirs.append(_timed(lambda: run.estimator.decision_function(rows)))
        ours.append(_timed(lambda: model.scores(oracle, X)))
    (cpu, wall), (our_cpu, our_wall) = (map(statistics.median, zip(*each)) for each in (theirs, ours))
    return Race(
        job=name,
        rival=called(rival),
        release=str(solver.release()),
        ours="oracle",
        goal=f"{oracle.ledger.kev_prediction // repeats / 1e6:.4g} million values",
        rival_seconds=cpu,
        our_seconds=our_cpu,
        rival_wall=wall,
        our_wall=our_wall,
        rival_error=None,
        our_error=None,
        load=load,
        repeats=repeats,
    )


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    """Return CPU and wall seconds of a call."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall
