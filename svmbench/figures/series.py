"""Curves from the traces of stored runs: one per solver, the median over its seeds and their spread.

A run is observed at checkpoints. Its value at a cost is that of its last checkpoint up to this cost (last
observation carried forward), so a curve never shows a value that had not yet been reached.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.counters import LABELS
from svmbench.store import SETTLED, StoredRun, opened

Floats = NDArray[np.float64]

#: Quantities on the x axis, columns of the trace or derived from one -> axis label.
COUNTERS = {
    **LABELS,
    "epochs": "epochs (iterations / training examples)",
    "prediction": "kernel evaluations or inner products of one prediction",
    "wall_seconds": "training time (wall seconds)",
    "cpu_seconds": "training time (CPU seconds)",
}

#: Derived quantities, and the columns from which they are computed.
_COLUMN = {"epochs": "iterations", "prediction": "support_vectors"}

#: Quantities on the y axis: column of the trace -> (axis label, factor).
METRICS = {
    "test_error": ("test error (%)", 100.0),
    "least_test_error": ("least test error so far (%)", 100.0),
    "validation_error": ("validation error (%)", 100.0),
    "train_error": ("training error (%)", 100.0),
    "primal_objective": ("primal objective", 1.0),
    "suboptimality": ("suboptimality (P - P*) / P*", 1.0),
    "primal_suboptimality": ("primal suboptimality P - P*", 1.0),
    "slack_suboptimality": ("suboptimality (f* - f) / f*", 1.0),
    "dual_guarantee": ("(P - P*) / √(118 (P* - D) / λ)", 1.0),
    "relative_gap": ("relative duality gap", 1.0),
    "support_vectors": ("support vectors", 1.0),
    "mistake_bound": ("mistakes / (tL + |u| √(tL) + |u|²)", 1.0),
    "rounds": ("rounds", 1.0),
    "candidates": ("examples in the candidate set", 1.0),
    "norm": ("norm of w", 1.0),
    "mean_hinge": ("mean hinge loss", 1.0),
    "nanoseconds": ("CPU nanoseconds per unit of the cost", 1e9),
    **{name: (label, 1.0) for name, label in COUNTERS.items() if name not in _COLUMN},
}

#: Metrics relative to a certified optimum.
CERTIFIED = (
    "suboptimality",
    "primal_suboptimality",
    "slack_suboptimality",
    "dual_guarantee",
    "mistake_bound",
)

#: Columns of errors, which a model without terms has not.
_ERRORS = ("test_error", "validation_error", "train_error")

#: Trace columns from which derived metrics are computed.
_READ = {
    **{name: (name, "support_vectors") for name in _ERRORS},
    "least_test_error": ("test_error", "support_vectors"),
    "suboptimality": ("primal_objective",),
    "primal_suboptimality": ("primal_objective",),
    "slack_suboptimality": ("native_objective",),
    "dual_guarantee": ("primal_objective", "dual_objective", "objective_error"),
    "mistake_bound": ("iterations", "kev_rowupdate"),
    "nanoseconds": ("cpu_seconds",),
}

#: Columns of a certified optimum for each metric.
OPTIMUM_COLUMNS = {
    "test_error": "test_error",
    "least_test_error": "test_error",
    "primal_objective": "primal",
    "support_vectors": "support_vectors",
    "norm": "norm",
    "mean_hinge": "mean_hinge",
}

#: Checkpoints of different seeds whose costs differ by at most this factor share one point of the curve.
SAME_COST = 1.03

#: A jump is a rise followed by a fall, each by more than the first factor. Each jump counts as at most the
#: second factor. If the product of all jumps reaches the third, a single run is drawn pale until it stops
#: jumping.
JUMP, MOST_JUMP, JUMPING = 1.5, 4.0, 8.0

#: A checkpoint follows the iteration that passes its mark. Up to this factor beyond it, it counts as at the
#: mark.
OVERSHOOT = 1.001


@dataclass(frozen=True)
class Steps:
    """Observations of one run: values at increasing positive costs.

    Attributes
    ----------
    run : StoredRun
        The run.
    cost, value : ndarray of float64, shape (k,)
        Cost in units of the counter and value in units of the metric's axis (errors in percent).
    """

    run: StoredRun
    cost: Floats
    value: Floats

    @functools.cached_property
    def end(self) -> float:
        """Cost up to which the value is known: that of the last observation, infinite for a settled run."""
        return np.inf if self.run.status in SETTLED else float(self.cost[-1])

    def at(self, costs: Floats) -> Floats:
        """Return the value of the last observation up to each of some ascending costs.

        NaN before the first observation and after `end`.
        """
        return carried([self], costs).ravel()


def keep_longer(seeds: dict[int, Steps], steps: Steps, left_out: list[tuple[str, str]]) -> None:
    """Add a run to those of a method by seed; of two with one seed, leave out the shorter."""
    other = seeds.get(steps.run.seed)
    if other is not None:
        steps, shorter = (steps, other) if steps.cost[-1] > other.cost[-1] else (other, steps)
        left_out.append((shorter.run.id, f"{steps.run.id} is the same run with a larger budget"))
    seeds[steps.run.seed] = steps


def carried(family: Sequence[Steps], costs: Floats) -> Floats:
    """Return what `Steps.at` returns for several runs, shape (runs, len(costs)), much faster."""
    lengths = [steps.cost.size for steps in family]
    shape = len(lengths), costs.size + 1
    # The index of the first cost at which each observation has been made, or `costs.size` beyond all costs.
    since = np.searchsorted(costs * OVERSHOOT, np.concatenate([steps.cost for steps in family]))
    rows = np.repeat(np.arange(shape[0]) * shape[1], lengths)
    made = np.bincount(rows + since, minlength=shape[0] * shape[1]).reshape(shape)[:, :-1].cumsum(axis=1)
    ends = np.array([[steps.end * OVERSHOOT] for steps in family])
    last = np.maximum(made - 1, 0) + (np.cumsum(lengths) - lengths)[:, np.newaxis]
    values = np.concatenate([steps.value for steps in family])[last]
    return np.where((made > 0) & (costs <= ends), values, np.nan)


@dataclass(frozen=True)
class Curve:
    """Runs of one solver with one set of parameters on one data set, one per seed.

    Attributes
    ----------
    solver : str
        Name of the solver.
    label : str
        The name and, if two curves of a panel share it, the parameters in which they differ.
    steps : tuple of Steps
        One per seed, ascending.
    """

    solver: str
    label: str
    steps: tuple[Steps, ...]

    @functools.cached_property
    def start(self) -> float:
        """Least cost at which every seed has been observed."""
        return max(float(steps.cost[0]) for steps in self.steps)

    @functools.cached_property
    def known_until(self) -> float:
        """Greatest cost at which the value of every seed is known; infinite if all have settled."""
        return min(steps.end for steps in self.steps)

    @property
    def end(self) -> float:
        """`known_until`, or the cost of the last observation if all have settled."""
        end = self.known_until
        return end if np.isfinite(end) else max(float(steps.cost[-1]) for steps in self.steps)

    @property
    def settled(self) -> bool:
        """Whether every seed has converged or stalled, so that the value no longer changes."""
        return all(steps.run.status in SETTLED for steps in self.steps)

    def costs(self) -> Floats:
        """Return the costs at which the seeds were observed, merged, from `start` to `end`."""
        every = np.unique(np.concatenate([steps.cost for steps in self.steps]))
        inside = every[(every >= self.start) & (every <= self.end)]
        if not inside.size:
            return inside  # one seed ended before the first checkpoint of another
        return inside[np.append(inside[1:] > SAME_COST * inside[:-1], True)]

    def values(self, costs: Floats) -> Floats:
        """Return the values of all seeds at ascending costs, shape (seeds, len(costs)); NaN where unknown."""
        return carried(self.steps, costs)

    def median(self, costs: Floats) -> Floats:
        """Return the median over seeds at the costs; NaN unless the values of all seeds are known."""
        return np.asarray(np.median(self.values(costs), axis=0))


@dataclass(frozen=True)
class Bound:
    """A certified lower bound of an optimum, λ-form, and a description of its source."""

    value: float
    origin: str


@dataclass(frozen=True)
class Reference:
    """Certified optimum of one problem.

    Attributes
    ----------
    bound : Bound or None
        The greatest lower bound.
    record : mapping
        The stored optimum; empty if it is not stored.
    """

    bound: Bound | None = None
    record: Mapping[str, Any] = field(default_factory=dict)

    @property
    def lower(self) -> float | None:
        """The greatest lower bound of the λ-form objective."""
        return None if self.bound is None else self.bound.value


def steps_of(
    run: StoredRun,
    counter: str,
    metric: str = "test_error",
    reference: Reference | None = None,
    *,
    each: bool = False,
) -> Steps | str:
    """Return the observations of a run, or the reason why they are missing.

    Parameters
    ----------
    run : StoredRun
        The run.
    counter, metric : str
        Keys of `COUNTERS` and `METRICS`.
    reference : Reference, optional
        Reference for the metrics in `CERTIFIED`.
    each : bool
        Whether fits from scratch are ordered by their costs. Otherwise one that costs more than a later one
        is left out.
    """
    counted = _COLUMN.get(counter, counter)
    names = list(dict.fromkeys((counted, *_READ.get(metric, (metric,)))))
    columns = dict(zip(names, run.numbers(names), strict=True))
    cost = _derived(run, counter, columns[counted])
    value = _rate(columns, cost) if metric == "nanoseconds" else _values(run, columns, metric, reference)
    if isinstance(value, str):
        return value
    if cost.size == 0:
        return (
            f"no checkpoint was made ({run.status}: {run.reason})"
            if run.reason
            else f"no checkpoint ({run.status})"
        )
    if metric in (*_ERRORS, "least_test_error"):
        value = _answered(columns, value)
    known = (value == value) & (cost > 0.0)  # False for NaN
    if not _all(known):
        if not known.any():
            return _why_unknown(run, counter, metric, cost, value)
        cost, value = cost[known], value[known]
    if not _all(cost[1:] > cost[:-1]):
        # Baselines that fit from scratch may have a checkpoint that costs more than a later one.
        if each:
            order = np.argsort(cost, kind="stable")
            cost, value = cost[order], value[order]
        # Of equal costs, the last one stays.
        last = cost < np.append(np.minimum.accumulate(cost[::-1])[::-1][1:], np.inf)
        cost, value = cost[last], value[last]
    return Steps(run, cost, value)


def _answered(columns: Mapping[str, Floats], value: Floats) -> Floats:
    """Return errors without those before the first model with terms, unless a run has no other.

    Older runs store 1 for a model without terms.
    """
    empty = np.logical_and.accumulate((value == 100.0) & ~(columns["support_vectors"] > 0.0))
    return value if not empty.any() or empty.all() else np.where(empty, np.nan, value)


def _all(true: NDArray[np.bool_]) -> bool:
    """Return what ``true.all()`` returns, which takes ten times as long for a few values."""
    return 0 not in true.tobytes()


def _why_unknown(run: StoredRun, counter: str, metric: str, cost: Floats, value: Floats) -> str:
    """Explain why a run has no value at a positive cost."""
    if np.isnan(cost).all():
        return f"{counter} cannot be observed for this solver"
    if np.isnan(value).all():
        if metric == "validation_error" and run.facts["validation"] is not None:
            return "its validation_error is one number from folds, not a curve: draw it with --heat"
        return f"{metric} was never observed"
    return f"no checkpoint lies at a positive {counter}"


def last_value(run: StoredRun, counter: str, metric: str, reference: Reference | None = None) -> float | str:
    """Return the last value of a run, in the units of the axis, or why it is unknown; see `steps_of`."""
    if metric == "validation_error" and (error := run.facts["validation"]) is not None:
        return METRICS[metric][1] * float(error)
    steps = steps_of(run, counter, metric, reference)
    return steps if isinstance(steps, str) else float(steps.value[-1])


def calm_since(values: Floats) -> int:
    """Return the index from which a line no longer jumps up and down; 0 if it hardly ever does.

    A single run that jumps constantly, as the test error of SMO does at first, would hide the others. A line
    that only rises or falls, or has one hump, is calm. A jump may span several checkpoints, so the result
    hardly depends on how many there are.
    """
    low = turn = float(values[0])
    rising, jumps, calm = False, 1.0, 0
    for place, value in enumerate(map(float, values)):
        onwards = value > turn if rising else value < turn
        if onwards:
            turn = value
        elif not rising and value > JUMP * turn:
            rising, low, turn = True, turn, value
        elif rising and JUMP * value < turn:
            rising, jumps, calm, turn = False, jumps * _capped(turn, low), place, value
    if rising:
        jumps, calm = jumps * _capped(turn, low), len(values) - 1
    return calm if jumps >= JUMPING else 0


def _capped(high: float, low: float) -> float:
    return MOST_JUMP if high > MOST_JUMP * low else high / low


def costs_of(run: StoredRun, counter: str) -> Floats:
    """Return the costs of a run at its checkpoints; NaN if unknown."""
    return _derived(run, counter, run.numbers([_COLUMN.get(counter, counter)])[0])


def _derived(run: StoredRun, counter: str, cost: Floats) -> Floats:
    if counter == "epochs":
        return cost / float(run.manifest["dataset"]["rows"]["train"])
    if counter == "prediction" and run.document["solver"].get("early"):
        return np.full(cost.size, np.nan)  # DC-SVM predicts with one cluster, whose size is not observed
    features = run.document.get("features", {}) if counter == "prediction" else {}
    size = features.get("s", features.get("frequencies"))  # size of the sample, or number of frequencies
    return cost if size is None else np.full(cost.size, float(size))


def _rate(columns: Mapping[str, Floats], cost: Floats) -> Floats:
    """Return the CPU time of training so far, divided by the cost so far; NaN while either is 0."""
    seconds = columns["cpu_seconds"].copy()
    seconds[(seconds <= 0.0) | (cost <= 0.0)] = np.nan
    return np.asarray(METRICS["nanoseconds"][1] * seconds / cost)


def _values(
    run: StoredRun, columns: Mapping[str, Floats], metric: str, reference: Reference | None
) -> Floats | str:
    """Return a metric at the checkpoints, in the units of its axis, or why it is unknown."""
    column = columns.__getitem__
    if metric == "least_test_error":
        return np.asarray(100.0 * np.fmin.accumulate(column("test_error")))
    if metric in ("suboptimality", "primal_suboptimality"):
        if reference is None or reference.lower is None:
            return "no bound of the optimum is certified"
        above = column("primal_objective") - reference.lower
        return above / reference.lower if metric == "suboptimality" else above
    if metric == "dual_guarantee":
        best = None if reference is None else reference.record.get("primal")
        if best is None or not any(row["dual_source"] == "solver" for row in run.rows()):
            return "the certified optimum is not stored, or the solver has no dual point"
        # Theorem E.2 of the SBP paper: at most 1 for any solver. Within 1e-5 the optimum itself is uncertain.
        behind = best - (column("dual_objective") - np.nan_to_num(column("objective_error")))
        behind[behind < 1e-5 * best] = np.nan
        lam = float(run.facts["about"]["problem"]["lam"])
        return np.asarray((column("primal_objective") - best) / np.sqrt(118.0 * behind / lam))
    if metric == "slack_suboptimality":
        norm = None if reference is None else reference.record.get("norm")
        # The optimum of the slack-constrained problem is 1/|w*| (SBP paper, Lemma 2.1).
        return 1.0 - column("native_objective") * norm if norm else "the certified optimum is not stored"
    if metric == "mistake_bound":
        if reference is None or not {"norm", "mean_hinge"} <= reference.record.keys():
            return "the certified optimum is not stored"
        # (D.7) of the SBP paper, where u is the optimum. The Perceptron counts n row updates per mistake.
        n = int(run.facts["about"]["dataset"]["rows"]["train"])
        norm, loss = reference.record["norm"], column("iterations") * reference.record["mean_hinge"]
        return np.asarray(column("kev_rowupdate") / n / (loss + norm * np.sqrt(loss) + norm**2))
    return column(metric) * METRICS[metric][1]


def optimum_of(run: StoredRun) -> dict[str, Any] | None:
    """Return the certified optimum that a run refers to, from the store that contains the run, or None."""
    name = run.facts["about"]["optimum"]
    if name is None:
        return None
    found = (opened(root).optimum(name) for root in run.homes)
    return next((record for record in found if record is not None), None)
