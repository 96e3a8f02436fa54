"""Curves that are made up, and the verdict on them."""

import numpy as np

from svmbench.papers.claims import judge
from svmbench.papers.quantities import Arrival
from svmbench.papers.runs import Group

from .written import artifact, material, store

COSTS = 1000 * 2 ** np.arange(8)


def judged(root, test, *, over=None, seeds=3, measures=None, counter="kev_ondemand", **curves):
    """The verdict on curves: by solver a function from seed (and place) to the errors at the checkpoints."""
    groups = [Group(seeds, over=over or {})]
    paper = artifact(list(curves) or ["smo"], groups=groups)
    for run in paper.runs.planned():
        if run.solver in curves:
            made = curves[run.solver]
            percent = made(run.seed, *(value for _, value in run.over)) if callable(made) else made
            status = "converged" if run.solver == "smo" else "budget"
            rows = [{"test_error": value / 100.0, "primal_objective": value} for value in percent]
            store(root, run, rows, status=status)
    return on_board(test, material(paper, root), counter, measures)


def on_board(test, found, counter="kev_ondemand", measures=None):
    """The verdict on what is stored of an artifact."""
    evidence = found.evidence("board", counter)
    if measures is not None:
        evidence._measures = measures
    (finding,) = judge(test, {counter: {"board": evidence}})
    return finding


def flat_at(level, spread=0.0):
    return lambda seed, *_: np.full(COSTS.size, level + spread * (seed - 1))


NEVER = flat_at(30)


def arrives(place):
    """Errors that stay at 9 from a checkpoint on, and are above 10 before."""
    return lambda seed, *_: np.where(np.arange(COSTS.size) < place, 50.0, 9.0)


ARRIVAL = Arrival("sbp", level=10)
