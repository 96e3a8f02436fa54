"""The ten predicates that test claims; `svmbench.papers.vocabulary` names them.

Each predicate computes one number with its uncertainty from stored runs, and the range in which it must lie
for the claim to hold; `svmbench.papers.estimate.Estimate.decide` does the rest. Ranges of axes do not matter:
curves are compared where both are known, from costs that the runs determine.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from svmbench.analysis.arrivals import stays_below
from svmbench.errors import UserError
from svmbench.figures.series import METRICS, OVERSHOOT, Steps
from svmbench.figures.tables import count
from svmbench.papers import fields
from svmbench.papers.estimate import (
    Draw,
    Floats,
    NotAttempted,
    Rows,
    discordance_error,
    log_slope,
    paired_error,
    two_sets_error,
)
from svmbench.papers.quantities import Evidence
from svmbench.papers.samples import Sample

Arguments = Mapping[str, Any]

#: A tolerance that equals the noise of the test sets.
NOISE = "noise"

#: The smallest positive number, which makes a range open at 0.
_TINY = float(np.nextafter(0.0, 1.0))


@dataclass(frozen=True)
class Tested:
    """Result of a predicate.

    Attributes
    ----------
    rows : Rows
        The number and its repetitions, shape (1 + R,) (`svmbench.papers.estimate`).
    least, most : float
        The range in which the claim holds.
    unit : str
        Unit of the number.
    text : str
        Description of the number.
    ratio : bool
        Whether it is a ratio, so that means are logarithmic.
    """

    rows: Rows
    least: float
    most: float
    unit: str
    text: str
    ratio: bool = False


def order(evidence: Evidence, given: Arguments) -> Tested:
    """Test whether one quantity is less than another, by difference or ratio."""
    less, than = evidence.sample(given["less"]), evidence.sample(given["than"])
    text = f"{less.shown} against {than.shown}"
    if given.get("as") == "ratio":
        most = 1.0 - float(given.get("margin", 1e-12))
        return Tested(less.rows.over(than.rows), 0.0, most, "", text, ratio=True)
    rows = _difference(evidence.draw, less, than)
    return Tested(rows, -np.inf, -float(given.get("margin", _TINY)), _points(less), text)


def ratio(evidence: Evidence, given: Arguments) -> Tested:
    """Test whether the ratio of two quantities lies in a range."""
    top, bottom = evidence.sample(given["of"]), evidence.sample(given["to"])
    least, most = fields.interval(given["within"], "within")
    text = f"{top.shown} over {bottom.shown}"
    return Tested(top.rows.over(bottom.rows), least, most, "", text, ratio=True)


def near(evidence: Evidence, given: Arguments) -> Tested:
    """Test whether a quantity is within a tolerance of a printed number, or of a range of numbers.

    The uncertainty of a test error always includes the noise of two test sets: ours, and that of the printed
    number. A tolerance of ``noise`` is what they allow: four standard errors of the difference of two errors
    of the printed size, two for the interval to lie inside and two for chance. With a smaller tolerance,
    equal errors would seldom be found equal.
    """
    value = evidence.sample(given["value"])
    printed = given["printed"]
    low, high = fields.interval(printed, "printed") if isinstance(printed, list) else (printed, printed)
    rows = value.rows
    if given["within"] == NOISE:
        if not value.tests:
            raise UserError("within=noise is not allowed: only a test error has the noise of a test set")
        within = 4.0 * two_sets_error(high, value.tests)
    else:
        within = float(given["within"])
    if value.tests:
        rows = rows.noisy(evidence.draw, two_sets_error(float(rows.at[0]), value.tests), value.tests)
    away = rows.each(lambda y: np.where(y < low, y - low, np.where(y > high, y - high, 0.0)))
    shown = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    return Tested(away, -within, within, _points(value), f"{value.shown}, printed {shown}")


def slope(evidence: Evidence, given: Arguments) -> Tested:
    """Test whether the slope of log y against log x, over a key or along a curve, lies in a range.

    With ``against``, it is the slope of the ratio of two quantities over a key.
    """
    x, rows = _series(evidence, given)
    if "against" in given:
        others, other = _series(evidence, {**given, "of": given["against"]})
        if not np.array_equal(x, others):
            raise NotAttempted("the two quantities are not known at the same places")
        rows = rows.over(other)
    least, most = fields.interval(given["within"], "within")
    text = f"{x.size} places from {count(x[0])} to {count(x[-1])}"
    return Tested(log_slope(x, rows), least, most, "", text)


def flat(evidence: Evidence, given: Arguments) -> Tested:
    """Test whether the greatest value over a key is at most a factor times the least."""
    x, rows = _series(evidence, given)
    text = f"{x.size} places from {count(x[0])} to {count(x[-1])}"
    greatest, least = rows.each(lambda y: y.max(axis=1)), rows.each(lambda y: y.min(axis=1))
    return Tested(greatest.over(least), 1.0, float(given["factor"]), "", text, ratio=True)


def below(evidence: Evidence, given: Arguments) -> Tested:
    """Test whether the logarithmic mean ratio of two curves over shared costs lies in a range."""
    names = [str(given["curve"]), str(given["other"])]
    metric = str(given.get("metric", "test_error"))
    curve, other = (evidence.curve(name, metric, given.get("where")) for name in names)
    since = evidence.cost(given["since"]) if "since" in given else 0.0
    until = evidence.cost(given["until"]) if "until" in given else np.inf
    costs = evidence.shared(curve, other, since=since, until=until)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = evidence.repeated(curve, costs) / evidence.repeated(other, costs)
        rows = Rows.of(np.exp(np.mean(np.log(np.maximum(ratios, 1e-12)), axis=1)))
    least, most = fields.interval(given.get("within", [0.0, 1.0]), "within")
    share = float(np.mean(ratios[0] < 1.0))
    text = f"from {count(costs[0])} to {count(costs[-1])}, the lower one at {share:.0%} of the costs"
    return Tested(rows, least, most, "", text, ratio=True)


def late(evidence: Evidence, given: Arguments) -> Tested:
    """Test whether the best value up to a fraction of the critical cost is still far above the last one.

    The critical cost is that from which the curve stays within ``arrived`` of its last value. The lower
    envelope is used, since otherwise a single checkpoint would decide for methods that fluctuate. With
    ``within`` instead of ``far``, the opposite is tested: that the value is near the last one by then.
    """
    if ("far" in given) == ("within" in given):
        raise UserError("late needs either far or within")
    metric = str(given.get("metric", "test_error"))
    curve = evidence.curve(str(given["curve"]), metric, given.get("where"))
    part, arrived = float(given["part"]), float(given["arrived"])
    if not curve.settled and not given.get("unfinished"):
        raise NotAttempted(f"{curve.label} has not converged")
    finals, befores, criticals = [], [], []
    for steps in curve.steps:
        final = float(steps.value[-1])
        between = stays_below(steps, final + arrived)
        finals.append(final)
        befores.append([_least_until(steps, part * critical, curve.label) for critical in between])
        criticals.append(between[1])
    seeds = [steps.run.seed for steps in curve.steps]
    rows = curve.steps[0].run.manifest["dataset"]["rows"]
    tests = rows.get("test") if metric == "test_error" else None
    single = len(seeds) == 1
    earlier, later = (evidence.draw.medians(values, seeds) for values in np.array(befores).T)
    before = Sample(Rows.hull(earlier, later), "", single, tests)
    after = Sample(Rows.of(evidence.draw.medians(np.array(finals), seeds)), "", single, tests)
    text = (
        f"at best {float(later[0]):.2f} until {count(part * float(np.median(criticals)))}, "
        f"{np.median(finals):.2f} at the end, reached at {count(float(np.median(criticals)))}"
    )
    least = float(given.get("far", -np.inf))
    most = float(given.get("within", np.inf))
    return Tested(_difference(evidence.draw, before, after), least, most, _unit(metric), text)


def _least_until(steps: Steps, cost: float, label: str) -> float:
    """Return the least value of a run up to a cost."""
    until = steps.value[steps.cost <= cost * OVERSHOOT]
    if until.size == 0:
        raise NotAttempted(f"{label} was not observed at {count(cost)}")
    return float(until.min())


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
    return Tested(Rows.of(means[0] - best), float(given["by"]), np.inf, _unit(metric), text)


def ended(evidence: Evidence, given: Arguments) -> Tested:
    """Test whether the fraction of runs whose end has a reason with these words lies in a range."""
    runs = evidence.runs(str(given["solver"]), given.get("where") or {})
    hits = np.array(
        [re.search(str(given["because"]), f"{run.status}: {run.reason}") is not None for run in runs]
    )
    rows = Rows.of(evidence.draw.means(hits.astype(float), [run.seed for run in runs]))
    least, most = fields.interval(given.get("share", [1.0, 1.0]), "share")
    return Tested(rows, least, most, "of the runs", f"{int(hits.sum())} of {len(runs)}: {runs[0].reason}")


def exact(evidence: Evidence, given: Arguments) -> Tested:
    """Test whether a quantity equals a number, up to the stated rounding."""
    value, equals = evidence.sample(given["value"]), evidence.sample(given["equals"])
    within = float(given.get("within", 0.0))
    rows = value.rows.less(equals.rows)
    return Tested(rows, -within, within, "", f"{value.shown}, expected {equals.shown}")


def _series(evidence: Evidence, given: Arguments) -> tuple[Floats, Rows]:
    """Return x and repetitions of y, over a key or along the curve of a line."""
    of = given["of"]
    since = evidence.cost(given["since"]) if "since" in given else 0.0
    until = evidence.cost(given["until"]) if "until" in given else np.inf
    if "over" in of or "measure" in of:
        x, rows = evidence.series(of)
        inside = (x >= since) & (x <= until)
        if not inside.any():
            raise NotAttempted(f"no place lies between {since:g} and {until:g}")
        return x[inside], rows.each(lambda y: y[:, inside])
    curve = evidence.curve(str(of["solver"]), str(of["metric"]), of.get("where"))
    costs = evidence.shared(curve, since=since, until=until)
    return costs, Rows.of(evidence.repeated(curve, costs))


def _difference(draw: Draw, one: Sample, other: Sample) -> Rows:
    """Return the difference of two quantities, with the test-set noise that seeds do not show."""
    rows = one.rows.less(other.rows)
    if one.tests is None or other.tests is None:
        return rows
    if one.wrong and other.wrong and one.tests == other.tests:
        return rows.noisy(draw, paired_error(one.wrong, other.wrong), one.tests)
    if one.single or other.single:
        for salt, sample in enumerate((one, other)):
            rows = rows.noisy(draw, sample.noise, salt)
        return rows
    return rows.noisy(draw, discordance_error(float(rows.at[0]), one.tests), one.tests)


def _points(sample: Sample) -> str:
    return "points" if sample.tests else ""


def _unit(metric: str) -> str:
    """Return the unit of a difference in a metric; errors are drawn in percent."""
    return "points" if METRICS[metric][1] == 100.0 else ""
