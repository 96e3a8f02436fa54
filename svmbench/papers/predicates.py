"""The ten ways in which a claim can be put to the test; `svmbench.papers.vocabulary` names them.

Each predicate turns stored runs into one number with its uncertainty and says in which range it must lie for
the claim to hold; `svmbench.papers.estimate.Estimate.decide` does the rest. A range of an axis has no part in
any of them: curves are compared where both are known, and from costs that the runs themselves determine.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from svmbench.papers import fields
from svmbench.papers.estimate import (
    RESAMPLES,
    Floats,
    NotAttempted,
    discordance_error,
    log_slope,
    paired_error,
    repeated,
    with_noise,
)
from svmbench.papers.quantities import Evidence
from svmbench.papers.samples import Sample, stays_below
from svmbench.report.series import METRICS
from svmbench.report.tables import count

Arguments = Mapping[str, Any]

#: The smallest positive number: in front of a range it makes it open at 0.
_TINY = float(np.nextafter(0.0, 1.0))


@dataclass(frozen=True)
class Tested:
    """What a predicate found.

    Attributes
    ----------
    rows : ndarray of float64, shape (1 + RESAMPLES,)
        The number and its repetitions (`svmbench.papers.estimate`).
    least, most : float
        The range in which the claim holds.
    unit : str
        Of the number.
    text : str
        What the number is made of.
    ratio : bool
        Whether it is a ratio, so that several are averaged in the logarithm.
    """

    rows: Floats
    least: float
    most: float
    unit: str
    text: str
    ratio: bool = False


def order(evidence: Evidence, given: Arguments) -> Tested:
    """Test whether one quantity is less than another: by difference, or as a ratio."""
    less, than = evidence.sample(given["less"]), evidence.sample(given["than"])
    text = f"{less.shown} against {than.shown}"
    if given.get("as") == "ratio":
        return Tested(_ratio(less.rows, than.rows), 0.0, 1.0 - _margin(given), "", text, ratio=True)
    rows = _difference(less, than)
    return Tested(rows, -np.inf, -float(given.get("margin", _TINY)), _points(less), text)


def ratio(evidence: Evidence, given: Arguments) -> Tested:
    """Test whether the ratio of two quantities lies in a range."""
    top, bottom = evidence.sample(given["of"]), evidence.sample(given["to"])
    least, most = fields.interval(given["within"], "within")
    text = f"{top.shown} over {bottom.shown}"
    return Tested(_ratio(top.rows, bottom.rows), least, most, "", text, ratio=True)


def near(evidence: Evidence, given: Arguments) -> Tested:
    """Test whether a quantity is within a tolerance of a printed number, or of a range of them.

    The noise of the test set is always part of a test error's uncertainty: the printed number was measured
    on one of its own.
    """
    value = evidence.sample(given["value"])
    printed = given["printed"]
    low, high = fields.interval(printed, "printed") if isinstance(printed, list) else (printed, printed)
    within = float(given["within"])
    rows = value.rows
    if value.tests:
        rows = with_noise(rows, Sample(rows, "", True, value.tests).noise, value.tests)
    away = np.where(rows < low, rows - low, np.where(rows > high, rows - high, 0.0))
    shown = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    return Tested(away, -within, within, _points(value), f"{value.shown}, printed {shown}")


def slope(evidence: Evidence, given: Arguments) -> Tested:
    """Test whether the slope of log y against log x, over a key or along a curve, lies in a range."""
    x, rows = _series(evidence, given)
    least, most = fields.interval(given["within"], "within")
    text = f"{x.size} places from {count(x[0])} to {count(x[-1])}"
    return Tested(log_slope(x, rows), least, most, "", text)


def flat(evidence: Evidence, given: Arguments) -> Tested:
    """Test whether the greatest of the values over a key is at most a factor times the least."""
    x, rows = _series(evidence, given)
    text = f"{x.size} places from {count(x[0])} to {count(x[-1])}"
    return Tested(
        _ratio(rows.max(axis=1), rows.min(axis=1)), 1.0, float(given["factor"]), "", text, ratio=True
    )


def below(evidence: Evidence, given: Arguments) -> Tested:
    """Test whether the mean ratio of two curves, in the logarithm over shared costs, lies in a range."""
    names = [str(given["curve"]), str(given["other"])]
    metric = str(given.get("metric", "test_error"))
    curve, other = (evidence.curve(name, metric, given.get("where")) for name in names)
    since = evidence.cost(given["since"]) if "since" in given else 0.0
    until = evidence.cost(given["until"]) if "until" in given else np.inf
    costs = evidence.shared(curve, other, since=since, until=until)
    ratios = _ratio(evidence.repeated(curve, costs), evidence.repeated(other, costs))
    with np.errstate(divide="ignore"):
        rows = np.exp(np.mean(np.log(np.maximum(ratios, 1e-12)), axis=1))
    least, most = fields.interval(given.get("within", [0.0, 1.0]), "within")
    share = float(np.mean(ratios[0] < 1.0))
    text = f"from {count(costs[0])} to {count(costs[-1])}, the lower one at {share:.0%} of the costs"
    return Tested(rows, least, most, "", text, ratio=True)


def late(evidence: Evidence, given: Arguments) -> Tested:
    """Test whether the best value until a part of the critical cost is still far above the last one.

    The critical cost is that from which the curve stays within ``arrived`` of its last value. The lower
    envelope is taken, because a method that jumps would else be judged by one checkpoint.
    """
    metric = str(given.get("metric", "test_error"))
    curve = evidence.curve(str(given["curve"]), metric, given.get("where"))
    part, arrived, far = float(given["part"]), float(given["arrived"]), float(given["far"])
    if not curve.settled and not given.get("unfinished"):
        raise NotAttempted(f"{curve.label} has not converged")
    finals, befores, criticals = [], [], []
    for steps in curve.steps:
        final = float(steps.value[-1])
        critical = stays_below(steps, final + arrived)
        until = steps.value[steps.cost <= part * critical * 1.001]
        if until.size == 0:
            raise NotAttempted(f"{curve.label} was not observed at {part:g} of {count(critical)}")
        finals.append(final)
        befores.append(float(until.min()))
        criticals.append(critical)
    seeds = [steps.run.seed for steps in curve.steps]
    rows = curve.steps[0].run.manifest["dataset"]["rows"]
    tests = rows.get("test") if metric == "test_error" else None
    single = len(seeds) == 1
    before, after = (Sample(repeated(np.array(v), seeds), "", single, tests) for v in (befores, finals))
    text = (
        f"at best {np.median(befores):.2f} until {count(part * float(np.median(criticals)))}, "
        f"{np.median(finals):.2f} at the end, reached at {count(float(np.median(criticals)))}"
    )
    return Tested(_difference(before, after), far, np.inf, _unit(metric), text)


def rises(evidence: Evidence, given: Arguments) -> Tested:
    """Test whether the mean over the last doubling of the cost is above that of the best earlier one.

    Doublings are counted back from the end, as long as they begin after the cost ``since``.
    """
    metric = str(given.get("metric", "test_error"))
    curve = evidence.curve(str(given["curve"]), metric, given.get("where"))
    since = evidence.cost(given["since"]) if "since" in given else curve.start
    costs = evidence.shared(curve, since=max(since, curve.start))
    edges = [float(costs[-1])]
    while edges[-1] / 2.0 >= costs[0] * 0.999:
        edges.append(edges[-1] / 2.0)
    if len(edges) < 3:
        raise NotAttempted(f"the runs end at {count(edges[0])}, too soon after {count(since)}")
    rows = evidence.repeated(curve, costs)
    means = np.stack(
        [rows[:, (costs > low) & (costs <= high * 1.001)].mean(axis=1) for high, low in pairwise(edges)]
    )
    best = means[1:].min(axis=0)
    text = (
        f"{means[0, 0]:.2f} over the last doubling, {best[0]:.2f} over the best earlier one, "
        f"from {count(since)} on"
    )
    return Tested(means[0] - best, float(given["by"]), np.inf, _unit(metric), text)


def ended(evidence: Evidence, given: Arguments) -> Tested:
    """Test whether the share of runs that ended for a reason, by its words, lies in a range."""
    runs = evidence.runs(str(given["solver"]), given.get("where") or {})
    hits = np.array(
        [re.search(str(given["because"]), f"{run.status}: {run.reason}") is not None for run in runs]
    )
    rows = _mean(hits.astype(float), [run.seed for run in runs])
    least, most = fields.interval(given.get("share", [1.0, 1.0]), "share")
    return Tested(rows, least, most, "of the runs", f"{int(hits.sum())} of {len(runs)}: {runs[0].reason}")


def exact(evidence: Evidence, given: Arguments) -> Tested:
    """Test whether a quantity equals a number, up to the rounding that is stated."""
    value, equals = evidence.sample(given["value"]), evidence.sample(given["equals"])
    within = float(given.get("within", 0.0))
    return Tested(value.rows - equals.rows, -within, within, "", f"{value.shown}, expected {equals.shown}")


def _series(evidence: Evidence, given: Arguments) -> tuple[Floats, Floats]:
    """Return x and repetitions of y: over a key, or along the curve of a line."""
    of = given["of"]
    since = evidence.cost(given["since"]) if "since" in given else 0.0
    until = evidence.cost(given["until"]) if "until" in given else np.inf
    if "over" in of or "measure" in of:
        x, rows = evidence.series(of)
        inside = (x >= since) & (x <= until)
        if not inside.any():
            raise NotAttempted(f"no place lies between {since:g} and {until:g}")
        return x[inside], rows[:, inside]
    curve = evidence.curve(str(of["solver"]), str(of["metric"]), of.get("where"))
    costs = evidence.shared(curve, since=since, until=until)
    return costs, evidence.repeated(curve, costs)


def _ratio(top: Floats, bottom: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(top / bottom)


def _difference(one: Sample, other: Sample) -> Floats:
    """Return the difference of two quantities with the noise of the test set that seeds do not show."""
    with np.errstate(invalid="ignore"):
        rows = one.rows - other.rows
    if one.tests is None or other.tests is None:
        return rows
    if one.wrong and other.wrong and one.tests == other.tests:
        return with_noise(rows, paired_error(one.wrong, other.wrong), one.tests)
    if one.single or other.single:
        for salt, sample in enumerate((one, other)):
            rows = with_noise(rows, sample.noise, salt)
        return rows
    return with_noise(rows, discordance_error(rows[0], one.tests), one.tests)


def _mean(values: Floats, seeds: list[int]) -> Floats:
    """Return the mean over seeds with its repetitions."""
    generator = np.random.default_rng([0, *seeds])
    drawn = generator.integers(len(seeds), size=(RESAMPLES, len(seeds)))
    return np.concatenate([[values.mean()], values[drawn].mean(axis=1)])


def _margin(given: Arguments) -> float:
    return float(given.get("margin", 1e-12))


def _points(sample: Sample) -> str:
    return "points" if sample.tests else ""


def _unit(metric: str) -> str:
    """Return the unit of a difference in a metric: errors are drawn in percent."""
    return "points" if METRICS[metric][1] == 100.0 else ""
