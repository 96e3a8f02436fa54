"""What users may want of a method, and what each method of the comparison of the field costs for it.

Advice (`svmbench.papers.advice`) and the page on choosing a solver (``cmake/site_field.py``) choose
methods by these costs. They were defined before it was known how often such choices are right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from svmbench.analysis.arrivals import stays_below
from svmbench.figures.series import Steps
from svmbench.papers.estimate import NotAttempted
from svmbench.papers.evidence import Evidence
from svmbench.papers.fronts import FRONT
from svmbench.papers.material import Material
from svmbench.run_config import RunConfig
from svmbench.solvers import registry
from svmbench.store import StoredRun

#: Distance in points from the test error of the optimum that a method must keep.
NEAR = 0.5

#: Test error of the certified optimum, in percent, from which a data set counts as noisy.
NOISY = 5.0

#: A line whose first rounds are the answer of another method, and the line that this answer is credited to.
#: RandSVM begins with SMO on a random sample of some 10,000 examples, or on all if there are no more.
FIRST_ROUND = {"randsvm": "sample"}

#: Data set -> method -> cost, and the run that has it.
Measured = Mapping[str, Mapping[str, tuple[float, str]]]


@dataclass(frozen=True)
class Wish:
    """What a user may want.

    Attributes
    ----------
    counter : str
        Cost of a run's observations; empty: that of its budget.
    cost : callable
        Returns the cost of a run from its observations and the test error in percent that it must keep;
        infinite if it does not get there.
    unit : str
        Unit of the cost.
    measure : str
        Description of the cost.
    """

    counter: str
    cost: Callable[[Steps, float], float]
    unit: str
    measure: str


def _end(steps: Steps, target: float) -> float:
    there = steps.run.status == "converged" and _seeks_optimum(steps.run.config)
    return float(steps.cost[-1]) if there else np.inf


def _arrival(steps: Steps, target: float) -> float:
    return stays_below(steps, target)[1]


def _size(steps: Steps, target: float) -> float:
    return float(steps.cost[-1]) if steps.value[-1] <= target else np.inf


def _memory(steps: Steps, target: float) -> float:
    if steps.value[-1] > target:
        return np.inf
    memory = memory_of(steps.run)
    return np.nan if memory is None else memory


def memory_of(run: StoredRun) -> float | None:
    """Return the peak memory of a process that made only this run, in MiB.

    None if its process made others before: it may have kept some of their memory.
    """
    return None if run.manifest.get("runs_before") else run.peak_memory


OPTIMUM, EARLY = "the optimum", "a low test error early"

_NEARBY = f"within {NEAR:g} points of the optimum's test error"

WISHES: Mapping[str, Wish] = {
    OPTIMUM: Wish("cpu_seconds", _end, "s", "CPU seconds until an exact method ends by its own rule"),
    EARLY: Wish("cpu_seconds", _arrival, "s", f"CPU seconds until a run stays {_NEARBY}"),
    "few kernel evaluations": Wish(
        "kev_ondemand",
        _arrival,
        "evaluations",
        f"kernel evaluations, counted on demand, until a run stays {_NEARBY}",
    ),
    "a small model": Wish(
        "prediction",
        _size,
        "support vectors or features",
        f"support vectors or features of a model at the end of a run, {_NEARBY}",
    ),
    "little memory": Wish("", _memory, "MiB", f"peak memory of a run that ends {_NEARBY}"),
}


def measured(material: Material, wish: str, near: float = NEAR) -> Measured:
    """Return what each method costs on each data set with its best setting, and the run that shows it.

    A cost is the median over seeds. Data sets are left out if the test error of their optimum is unknown, or
    if fewer than half of the methods have it. What RandSVM costs in its first round is credited to SMO on
    a sample, not to RandSVM.
    """
    names = [line.name for line in material.artifact.runs.lines]
    if wish == OPTIMUM:
        exact = {match.planned.solver for match in material.matches if _seeks_optimum(match.planned.config)}
        names = [name for name in names if name in exact]
    found = {}
    for panel in material.artifact.runs.panels:
        evidence = material.evidence(panel.name, WISHES[wish].counter)
        error = evidence.reference().record.get("test_error")
        if error is None:
            continue
        there = {name: _least(evidence, name, WISHES[wish].cost, 100.0 * error + near) for name in names}
        known = {name: cost for name, cost in there.items() if cost is not None}
        for name in FIRST_ROUND.keys() & known.keys():
            if _in_first_round(evidence, name, wish, known[name][0]):
                known[FIRST_ROUND[name]] = known.pop(name)
            elif WISHES[wish].cost is _arrival:  # the first round ended too far away
                known[FIRST_ROUND[name]] = np.inf, known[name][1]
        if known and 2 * len(known) >= len(names):
            found[panel.name] = known
    return found


def by_noise(errors: Mapping[str, float | None]) -> dict[str, list[str]]:
    """Return the data sets whose optimum has a large test error, in percent, and those where it is small."""
    known = {name: error for name, error in errors.items() if error is not None}
    return {
        f"optimum's test error at least {NOISY:g} %": [name for name in known if known[name] >= NOISY],
        f"optimum's test error below {NOISY:g} %": [name for name in known if known[name] < NOISY],
    }


def _least(
    evidence: Evidence, name: str, cost: Callable[[Steps, float], float], target: float
) -> tuple[float, str] | None:
    """Return the cost of a method with its best setting, and the first run of it; None if it is unknown."""
    settings = dict.fromkeys(match.planned.over for match in evidence.matches if match.planned.solver == name)
    try:
        curves = [evidence.curve(name, FRONT, dict(over)) for over in settings]
    except NotAttempted:
        return None
    found = []
    for curve in curves:
        known = [one for steps in curve.steps if not np.isnan(one := cost(steps, target))]
        if not known:
            return None
        found.append((float(np.median(known)), curve.steps[0].run.id))
    return min(found, default=None)


def _in_first_round(evidence: Evidence, name: str, wish: str, cost: float) -> bool:
    """Return whether a method of `FIRST_ROUND` has this cost by the answer of its first round."""
    if name not in FIRST_ROUND or np.isinf(cost):
        return False
    rounds = evidence.curve(name, "rounds")
    arrives = WISHES[wish].cost is _arrival
    seen = rounds.values(np.array([cost])) if arrives else [steps.value[-1] for steps in rounds.steps]
    return float(np.nanmedian(seen)) == 0.0


def _seeks_optimum(config: RunConfig) -> bool:
    """Return whether the rule by which a run ends is a tolerance of the optimum on all examples."""
    parameters = config.solver.parameters
    if config.features or config.subset or parameters.get("early"):
        return False
    if parameters.get("finishing", "all") != "all":  # LASVM as in its paper: a tolerance on its expansion set
        return False
    return registry.get(config.solver.name).exact


def costs(found: Measured) -> dict[str, dict[str, float]]:
    """Return the costs alone."""
    return {panel: {name: cost for name, (cost, _) in one.items()} for panel, one in found.items()}
