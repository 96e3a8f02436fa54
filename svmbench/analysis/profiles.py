"""Data profiles and performance profiles: the fraction of problems solved against cost.

A case is a problem with a target. A data profile shows, for each method, the fraction of cases solved up to a
cost. A performance profile shows the fraction solved up to a multiple of the least cost that any method paid
on the case.

E. D. Dolan, J. J. Moré: Benchmarking optimization software with performance profiles, 2002, section 2;
J. J. Moré, S. M. Wild: Benchmarking derivative-free optimization algorithms, 2009, section 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from svmbench.analysis.costs import Key, Observed, median, observe, scaled, unscaled
from svmbench.errors import UserError
from svmbench.figures.series import COUNTERS, Floats, Steps
from svmbench.store import SETTLED, StoredRun

#: Tolerances of the convergence test of Moré and Wild.
TOLERANCES = (0.1, 0.01, 0.001)

#: Costs that a data profile divides by the number of training examples: the unit is then one kernel row.
PER_ROW = tuple(name for name in COUNTERS if name.startswith(("kev_", "inner_products")))


@dataclass(frozen=True)
class Profiles:
    """Costs of all methods on all cases.

    Attributes
    ----------
    cases : list of (str, float)
        Problem, and target in stored units: errors are fractions.
    methods : list of (str, str)
        Label, and name of the solver.
    costs : ndarray of float64, shape (methods, cases)
        Median over seeds of the cost from which a run stays at or below the target; infinite if it ends
        above it.
    units : ndarray of float64, shape (cases,)
        Divisors of the costs in a data profile.
    cost, metric : str
        Keys of `COUNTERS` and `TARGETS`.
    left_out : list of (str, str)
        Run, method or problem, and why it is not counted.
    """

    cases: list[tuple[str, float]]
    methods: list[tuple[str, str]]
    costs: Floats
    units: Floats
    cost: str
    metric: str
    left_out: list[tuple[str, str]]

    @property
    def ratios(self) -> Floats:
        """Costs as multiples of the least cost on the case, shape as `costs`; infinite if not solved."""
        best = self.costs.min(axis=0)
        with np.errstate(invalid="ignore"):
            return np.asarray(np.where(np.isfinite(self.costs), self.costs / best, np.inf))

    @property
    def scaled_costs(self) -> Floats:
        """Costs in units of the data profile, shape as `costs`."""
        return self.costs / self.units


def share(values: Floats, at: Floats) -> Floats:
    """Return, for each number in `at`, the fraction of values that are at most this number."""
    return np.searchsorted(np.sort(values), at, side="right") / values.size


def profiles(
    runs: Iterable[StoredRun],
    cost: str,
    metric: str,
    targets: Sequence[float] = (),
    tolerances: Sequence[float] = TOLERANCES,
) -> Profiles:
    """Return the costs of all methods on all cases.

    Parameters
    ----------
    runs : iterable of StoredRun
        Any runs. All methods must have been run on all problems, so the subsets of methods and problems with
        the largest product are used, and the others are listed.
    cost, metric : str
        Keys of `COUNTERS` and `TARGETS`.
    targets : sequence of float, optional
        Targets in stored units, the same for all problems. Default: f_L + τ (f_0 - f_L) for each tolerance τ,
        where f_L is the best end value of the methods (`_least_end`) and f_0 the greatest initial value of a
        run.
    tolerances : sequence of float
        Tolerances of the default.

    Raises
    ------
    UserError
        If fewer than two methods have a problem in common.
    """
    observed = observe(runs, cost, metric)
    problems, methods = _largest(observed)
    cases, units, columns = [], [], []
    for problem in problems:
        own = [scaled(metric, target) for target in targets] or relative_targets(
            observed, problem, tolerances
        )
        for target in own:
            cases.append((observed.problems[problem], unscaled(metric, target)))
            units.append(float(observed.rows[problem]) if cost in PER_ROW else 1.0)
            columns.append([median(observed.arrivals(problem, m, target).values()) for m in methods])
    return Profiles(
        cases,
        [(observed.methods[method], observed.solvers[method]) for method in methods],
        np.array(columns).T,
        np.array(units),
        cost,
        metric,
        observed.left_out + _left_out(observed, problems, methods),
    )


def relative_targets(observed: Observed, problem: Key, tolerances: Sequence[float]) -> list[float]:
    """Return the default targets of `profiles` on a problem, in the units of the axis."""
    groups = [list(seeds.values()) for (key, _), seeds in observed.steps.items() if key == problem]
    least = min(map(_least_end, groups))
    first = max(float(steps.value[0]) for seeds in groups for steps in seeds)
    return [least + tolerance * (first - least) for tolerance in tolerances]


def _least_end(seeds: Sequence[Steps]) -> float:
    """Return the end value of a method: the upper median, over its seeds, of the end values of its runs.

    The end value of a run is the greatest value over the last factor of two of its cost, or the last value if
    it converged or stalled. So a dip of a noisy curve does not set a target. Every run stays at or below its
    end value, and more than half of the seeds stay at or below the result.
    """
    ends = []
    for steps in seeds:
        settled = steps.run.status in SETTLED
        # The costs are sorted.
        first = -1 if settled else int(steps.cost.searchsorted(0.5 * steps.cost[-1]))
        ends.append(float(steps.value[first:].max()))
    return sorted(ends)[len(ends) // 2]


def _largest(observed: Observed) -> tuple[list[Key], list[Key]]:
    """Return problems and methods with a run of each combination, as many combinations as possible."""
    run_on: dict[Key, set[Key]] = {}
    for problem, method in observed.steps:
        run_on.setdefault(method, set()).add(problem)
    best: tuple[set[Key], list[Key]] = (set(), [])
    sets = [frozenset(own) for own in run_on.values()]
    for wanted in dict.fromkeys([*sets, *(one & other for one in sets for other in sets)]):
        methods = [method for method, own in run_on.items() if wanted <= own]
        if len(methods) > 1 and len(wanted) * len(methods) > len(best[0]) * len(best[1]):
            best = (set(wanted), methods)
    if not best[0]:
        names = ", ".join(sorted(observed.methods.values())) or "none"
        raise UserError(f"a profile needs two methods that were run on the same problem (methods: {names})")
    problems = sorted(best[0], key=observed.problems.__getitem__)
    return problems, sorted(best[1], key=observed.methods.__getitem__)


def _left_out(observed: Observed, problems: Sequence[Key], methods: Sequence[Key]) -> list[tuple[str, str]]:
    found = [
        (observed.methods[method], f"not run on {observed.problems[missing[0]]}")
        for method in observed.methods
        if (missing := [p for p in problems if (p, method) not in observed.steps])
    ]
    for problem, name in observed.problems.items():
        missing = [method for method in methods if (problem, method) not in observed.steps]
        if problem not in problems and missing:
            found.append((name, f"not a problem of {observed.methods[missing[0]]}"))
    return found
