"""Fronts: the least error that a method has reached by a cost with any of its settings.

A method with a setting that trades cost for error, such as a budget or a number of features, is a family of
runs. Its front is the lower envelope of their curves. The fronts of several methods are compared over a
common window of costs: which has the least error where, and the mean error of each.

The setting and the checkpoint are chosen by the test error, which is optimistic, but equally so for all
methods, or by an error on examples kept for this. The comparison follows Horn, Demircioğlu, Bischl,
Glasmachers, Weihs: A comparative study on large scale kernelized support vector machines, Advances in Data
Analysis and Classification 12, 2018, which compares Pareto fronts of error and seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from svmbench.analysis.ranks import holm, signed_rank, twice_ranks
from svmbench.figures.series import Curve, Floats, Steps
from svmbench.store import SETTLED

#: Factors of ten of the cost over which fronts are compared, and the costs per factor of ten at which their
#: errors are compared.
DECADES, PER_DECADE = 3.0, 20

#: Costs per factor of ten at which a front is drawn. Costs closer than `SAME_COST` would be merged.
DRAWN = 60

#: Costs whose fronts are known at any larger cost: a small model can be used wherever a larger one can.
_SIZES = ("prediction",)


def lower(family: Sequence[Steps], judges: Sequence[Steps] = ()) -> Steps:
    """Return the least value, up to each cost, of several runs with one seed.

    The result is known up to the end of its `run`. This is the unsettled run that went furthest, or the
    furthest of all if all have settled.

    Parameters
    ----------
    family : sequence of Steps
        The runs of one method and seed, one per setting.
    judges : sequence of Steps
        Another error of the same runs at the same checkpoints. If given, the setting and checkpoint are those
        with the least of it, and the result is the value there.
    """
    cost, value, judged = (
        np.concatenate(one)
        for one in (
            [steps.cost for steps in family],
            [steps.value for steps in family],
            [steps.value for steps in judges or family],
        )
    )
    order = np.argsort(cost, kind="stable")
    cost, value, judged = cost[order], value[order], judged[order]
    better = np.append(True, judged[1:] < np.minimum.accumulate(judged)[:-1])
    value = value[np.maximum.accumulate(np.where(better, np.arange(cost.size), 0))]
    last = np.append(cost[1:] > cost[:-1], True)
    cost, value = cost[last], value[last]
    falls = np.append(True, value[1:] != value[:-1])
    falls[-1] = True  # how far the runs went
    furthest = max(family, key=lambda steps: (steps.run.status not in SETTLED, steps.cost[-1]))
    return Steps(furthest.run, cost[falls], value[falls])


def stairs(curve: Curve, empty: float) -> Curve:
    """Return a front for drawing, with values at closely spaced costs, so that its steps show.

    Straight lines between checkpoints would lie below the front. Errors above `empty`, that of the empty
    model, are drawn as this one, as `Window` counts them.
    """
    low = min(float(steps.cost[0]) for steps in curve.steps)
    high = max(float(steps.cost[-1]) for steps in curve.steps)
    count = max(2, round(DRAWN * np.log10(high / low)) + 1)
    places = np.geomspace(low, high, count)
    drawn = []
    for steps in curve.steps:
        own = places[(places >= steps.cost[0]) & (places <= steps.cost[-1])]
        cost = np.unique(np.concatenate([own, steps.cost[[0, -1]]]))
        index = np.searchsorted(steps.cost, cost, side="right") - 1
        drawn.append(Steps(steps.run, cost, np.minimum(steps.value[index], empty)))
    return Curve(curve.solver, curve.label, tuple(drawn))


def front(solver: str, label: str, runs: Iterable[Steps], judges: Iterable[Steps] = ()) -> Curve:
    """Return the fronts of a method, one per seed, as a curve; `judges` as for `lower`."""
    families = [_by_seed(runs), _by_seed(judges)]
    return Curve(
        solver,
        label,
        tuple(lower(*(family.get(seed, []) for family in families)) for seed in sorted(families[0])),
    )


def _by_seed(runs: Iterable[Steps]) -> dict[int, list[Steps]]:
    seeds: dict[int, list[Steps]] = {}
    for steps in runs:
        seeds.setdefault(steps.run.seed, []).append(steps)
    return seeds


@dataclass(frozen=True)
class Window:
    """The costs over which fronts are compared, and the answer that every method has before its first.

    This is the empty model, which names the larger class of the training set for every example. It is the
    checkpoint at a cost of zero: a method has its error before its first checkpoint, and no larger one later.
    So a method that answers early is not worse off than one that does not answer yet.

    Attributes
    ----------
    low, high : float
        Least and greatest cost.
    empty : float
        Error of the empty model.
    """

    low: float
    high: float
    empty: float

    @classmethod
    def of(cls, fronts: Iterable[Curve], counter: str, empty: float) -> Window:
        """Return the window that ends at the greatest cost up to which all fronts are known.

        Settled fronts do not limit it. If all have settled, or for the cost of a prediction, it ends at the
        last checkpoint of all.

        Parameters
        ----------
        fronts : iterable of Curve
            The fronts of all methods on one problem.
        counter : str
            The cost.
        empty : float
            Error of the empty model.
        """
        fronts = list(fronts)
        ends = [curve.known_until for curve in fronts]
        high = np.inf if counter in _SIZES else min(ends)
        if np.isinf(high):
            high = max(float(steps.cost[-1]) for curve in fronts for steps in curve.steps)
        return cls(high / 10.0**DECADES, high, empty)

    def means(self, curve: Curve) -> Floats:
        """Return the error of each seed averaged over the logarithm of the cost, shape (S,)."""
        return np.array([self._mean(steps) for steps in curve.steps])

    def _mean(self, steps: Steps) -> float:
        inside = (steps.cost > self.low) & (steps.cost < self.high)
        earlier = steps.value[steps.cost <= self.low]
        values = np.append(earlier[-1] if earlier.size else self.empty, steps.value[inside])
        ends = np.log(np.concatenate([[self.low], steps.cost[inside], [self.high]]))
        # Below the empty model, so that methods that answer it throughout have exactly equal errors.
        below = float(np.diff(ends) @ np.maximum(self.empty - values, 0.0)) / float(ends[-1] - ends[0])
        return self.empty - below

    @property
    def places(self) -> Floats:
        """Costs of the window, with equal ratios, shape (K,)."""
        return np.geomspace(self.low, self.high, round(DECADES * PER_DECADE) + 1)

    def medians(self, curve: Curve) -> Floats:
        """Return the median error over seeds at `places`, shape (K,)."""
        places, values = self.places, []
        for steps in curve.steps:
            index = np.searchsorted(steps.cost, places, side="right") - 1
            values.append(np.where(index >= 0, steps.value[np.maximum(index, 0)], self.empty))
        return np.asarray(np.median(np.minimum(values, self.empty), axis=0))


def ahead(window: Window, fronts: Mapping[str, Curve], tests: int) -> dict[str, float]:
    """Return the fraction of the window in which each method is on the common front.

    A method is on the front where its error exceeds the least one by at most a standard error: that of the
    least error, as a proportion of the test examples.

    Parameters
    ----------
    window : Window
        Where the fronts are compared.
    fronts : mapping of str to Curve
        Fronts by method, of errors in percent.
    tests : int
        Number of test examples.
    """
    errors = np.stack([window.medians(curve) for curve in fronts.values()])
    # Costs at which no method is better than the empty model do not count.
    there = (errors < window.empty).any(axis=0)
    if not there.any():
        return dict.fromkeys(fronts, 0.0)
    errors = errors[:, there]
    least = errors.min(axis=0)
    share = least / 100.0
    near = least + 100.0 * np.sqrt(share * (1.0 - share) / tests)
    parts = (errors <= near).mean(axis=1)
    return dict(zip(fronts, (float(part) for part in parts), strict=True))


def mean_ranks(means: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return the mean rank of each method over the problems on which all were run; 1 is the best.

    Parameters
    ----------
    means : mapping of str to mapping of str to float
        Problem -> method -> mean error.
    """
    first = next(iter(means.values()), {})
    methods = [name for name in first if all(name in found for found in means.values())]
    ranks = [twice_ranks(np.array([found[name] for name in methods])) / 2.0 for found in means.values()]
    average = np.mean(ranks, axis=0) if ranks else []
    return dict(zip(methods, (float(rank) for rank in average), strict=True))


def against_best(means: Mapping[str, Mapping[str, float]]) -> tuple[str, dict[str, float]]:
    """Return the method with the best mean rank, and corrected p-values of the others against it.

    The test is Wilcoxon's signed-rank test over problems, with Holm's correction for the number of methods.
    """
    ranks = mean_ranks(means)
    best = min(ranks, key=ranks.__getitem__)
    others = [name for name in ranks if name != best]
    values = [
        signed_rank(np.array([found[name] - found[best] for found in means.values()])) for name in others
    ]
    return best, dict(zip(others, holm(values), strict=True))


def agreement(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return Kendall's rank correlation (tau-b) of the mean errors, over the methods that both have."""
    from scipy.stats import kendalltau

    both = [name for name in one if name in other]
    return float(kendalltau([one[name] for name in both], [other[name] for name in both]).statistic)
