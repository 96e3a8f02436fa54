"""The ten predicates that test claims.

Each predicate computes one number with its uncertainty from stored runs, and the range in which it must lie
for the claim to hold; `svmbench.papers.estimate.Estimate.decide` does the rest. Ranges of axes do not matter:
curves are compared where both are known, from costs that the runs determine.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from svmbench.analysis.arrivals import stays_below
from svmbench.errors import UserError
from svmbench.figures.series import METRICS, OVERSHOOT, Curve, Steps
from svmbench.figures.tables import count
from svmbench.papers.estimate import (
    Draw,
    Floats,
    NotAttempted,
    Rows,
    detectable,
    discordance_error,
    log_slope,
    paired_error,
    two_sets_error,
)
from svmbench.papers.evidence import Evidence
from svmbench.papers.keys import Axis, ByPanel, axis_words
from svmbench.papers.quantities import (
    Number,
    OfLine,
    Quantity,
    cost_of,
    cost_words,
    number_words,
    sample_of,
    spaced,
    words_of,
)
from svmbench.papers.runs import check_types
from svmbench.papers.samples import Sample

#: Parts of a printed test error: the difference that counts as none, and the greatest one that a test may
#: miss.
SAME, SEEN = 0.1, 0.2

#: Two ends of a range, the smaller one first; None: no bound on that side.
Range: TypeAlias = tuple[float | None, float | None]

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
    weak : bool
        Whether the test would have missed a difference that matters, so that it cannot reproduce a claim.
    """

    rows: Rows
    least: float
    most: float
    unit: str
    text: str
    ratio: bool = False
    weak: bool = False


@dataclass(frozen=True)
class Test(ABC):
    """One test of a claim: a predicate with its thresholds.

    Attributes
    ----------
    name : str
        A few words.
    panels, counters : str
        Data sets and conventions named by the document, separated by spaces; empty: all.
    together : bool
        Whether to judge it once, by the mean over the data sets.
    by_construction : str
        Why the test can only fail if the program is wrong: a theorem, the definition of a counter, a number
        copied from the document. Empty if it can fail.
    convention : str
        Conventions that the document itself uses for this comparison, separated by spaces. They decide the
        claim; findings under others are listed beside it. Empty: all decide.
    """

    name: str
    panels: str = field(default="", kw_only=True)
    counters: str = field(default="", kw_only=True)
    together: bool = field(default=False, kw_only=True)
    by_construction: str = field(default="", kw_only=True)
    convention: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        check_types(self)

    @property
    def definition(self) -> str:
        """The test with its thresholds, as a sentence."""
        text = self._words()
        over = ", in the mean over the data sets" if self.together else ""
        return f"{text[0].upper()}{text[1:]}{over}."

    @abstractmethod
    def tested(self, evidence: Evidence) -> Tested:
        """Return the number, and the range in which the claim holds."""

    @abstractmethod
    def _words(self) -> str: ...


@dataclass(frozen=True)
class Order(Test):
    """Whether one quantity is less than another by a margin, in their difference or their ratio."""

    less: Number
    than: Number
    margin: float | None = field(default=None, kw_only=True)
    ratio: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ratio and isinstance(self.margin, int | float) and not 0.0 <= self.margin < 1.0:
            raise UserError(
                f"Order: margin={self.margin:g} of a ratio is not allowed: give the part by which it must be "
                "less than 1, from 0 to below 1"
            )

    def _words(self) -> str:
        margin = "" if self.margin is None else f" by at least {number_words(self.margin)}"
        margin += " of it" if margin and self.ratio else ""
        return f"{words_of(self.less)} is less than {words_of(self.than)}{margin}"

    def tested(self, evidence: Evidence) -> Tested:
        """Return the difference or the ratio."""
        less, than = sample_of(self.less, evidence), sample_of(self.than, evidence)
        text = f"{less.shown} against {than.shown}"
        if self.ratio:
            most = 1.0 - (1e-12 if self.margin is None else self.margin)
            return Tested(_ratio(evidence.draw, less, than), 0.0, most, "", text, ratio=True)
        rows = _difference(evidence.draw, less, than)
        return Tested(rows, -np.inf, -(_TINY if self.margin is None else self.margin), _points(less), text)


@dataclass(frozen=True)
class Ratio(Test):
    """Whether the ratio of two quantities lies in a range."""

    of: Number
    to: Number
    within: Range

    def _words(self) -> str:
        return f"{words_of(self.of)} divided by {words_of(self.to)} is {_region(self.within)}"

    def tested(self, evidence: Evidence) -> Tested:
        """Return the ratio."""
        top, bottom = sample_of(self.of, evidence), sample_of(self.to, evidence)
        text = f"{top.shown} over {bottom.shown}"
        return Tested(_ratio(evidence.draw, top, bottom), *ends_of(self.within), "", text, ratio=True)


@dataclass(frozen=True)
class Near(Test):
    """Whether a quantity is within a tolerance of a printed number, or of a range of numbers.

    Without ``within``, the tolerance of a test error is a tenth of the printed one, whatever its noise. If
    the printed error was measured on other test examples, the noise is that of two test sets. On the same
    ones (``same_set``), the runs differ only by their training: the printed one is a draw like one of our
    seeds, and the noise is their standard deviation, but at least that of the examples on which two runs with
    these errors must disagree.

    The text says which true difference the test would have seen in four of five repetitions. If this is more
    than a fifth of the printed error, the test cannot reproduce the claim.
    """

    value: Number
    printed: float | Range
    within: float | None = None
    same_set: bool = field(default=False, kw_only=True)

    def _words(self) -> str:
        within = "a tenth" if self.within is None else number_words(self.within)
        where = ", measured on the same test examples" if self.same_set else ""
        return f"{words_of(self.value)} is within {within} of the printed {number_words(self.printed)}{where}"

    def tested(self, evidence: Evidence) -> Tested:
        """Return how far the quantity is from the printed number."""
        value = sample_of(self.value, evidence)
        rows = value.rows
        low, high = (
            ends_of(self.printed) if isinstance(self.printed, Sequence) else (self.printed, self.printed)
        )
        if value.tests:
            rows = rows.noisy(evidence.draw, self._noise(value, low), value.tests)
        elif self.within is None:
            raise UserError(f"test '{self.name}' needs within: only a test error has a tolerance of its own")
        within = SAME * low if self.within is None else float(self.within)
        away = rows.each(lambda y: np.where(y < low, y - low, np.where(y > high, y - high, 0.0)))
        text = f"{value.shown}, printed {low:g}" + (f" to {high:g}" if high > low else "")
        if self.within is not None:
            return Tested(away, -within, within, _points(value), text)
        seen = within + detectable(rows)
        weak = seen > SEEN * low
        return Tested(
            away, -within, within, "points", f"{text}; would have seen {seen:.3g} points", weak=weak
        )

    def _noise(self, value: Sample, printed: float) -> float:
        """Return the standard error, in points, of the difference from the printed error."""
        assert value.tests is not None
        ours = float(value.rows.at[0])
        if not self.same_set:
            return two_sets_error(ours, value.tests)
        return max(value.spread, discordance_error(ours - printed, value.tests))


@dataclass(frozen=True)
class _Series(Test):
    """A predicate on a quantity over the values of a key or, without one, along the curve of a line."""

    of: Quantity

    over: Axis | None = field(default=None, kw_only=True)
    since: Number | None = field(default=None, kw_only=True)
    until: Number | None = field(default=None, kw_only=True)

    def _series(self, evidence: Evidence, of: Quantity) -> tuple[Floats, Rows]:
        """Return x and repetitions of y."""
        since, until = _span(self, evidence)
        if self.over is not None or not isinstance(of, OfLine):
            x, rows = of.series(evidence, self.over)
            inside = (x >= since) & (x <= until)
            if not inside.any():
                raise NotAttempted(f"no place lies between {since:g} and {until:g}")
            return x[inside], rows.each(lambda y: y[:, inside])
        curve = evidence.curve(of.solver, of.metric, of.where)
        costs = evidence.shared(curve, since=since, until=until)
        return costs, Rows.of(evidence.repeated(curve, costs))

    def _over_words(self, what: str) -> str:
        along = "cost" if isinstance(self.of, OfLine) else "its places"
        place = along if self.over is None else axis_words(self.over)
        return f"{what} over {place}{_span_words(self).replace(' cost ', ' ')}"


@dataclass(frozen=True)
class Slope(_Series):
    """Whether the slope of log y against log x lies in a range, y being ``of`` or ``of`` / ``against``."""

    within: Range
    against: Quantity | None = field(default=None, kw_only=True)

    def _words(self) -> str:
        what = self.of.words()
        if self.against is not None:
            what = f"the ratio of {what} to {self.against.words()}"
        return f"the slope of the logarithm of {self._over_words(what)} is {_region(self.within)}"

    def tested(self, evidence: Evidence) -> Tested:
        """Return the slope."""
        x, rows = self._series(evidence, self.of)
        if self.against is not None:
            others, other = self._series(evidence, self.against)
            if not np.array_equal(x, others):
                raise NotAttempted("the two quantities are not known at the same places")
            rows = rows.over(other)
        return Tested(log_slope(x, rows), *ends_of(self.within), "", _places_words(x))


@dataclass(frozen=True)
class Flat(_Series):
    """Whether the greatest value over a key is at most a factor times the least."""

    factor: float

    def _words(self) -> str:
        what = self._over_words(self.of.words())
        return f"the greatest of {what} is at most {number_words(self.factor)} times the least"

    def tested(self, evidence: Evidence) -> Tested:
        """Return the ratio of the greatest and the least value."""
        x, rows = self._series(evidence, self.of)
        greatest, least = rows.each(lambda y: y.max(axis=1)), rows.each(lambda y: y.min(axis=1))
        return Tested(greatest.over(least), 1.0, self.factor, "", _places_words(x), ratio=True)


@dataclass(frozen=True)
class _OfCurve(Test):
    """A predicate on the curve of a line."""

    solver: str
    metric: str = field(default="test_error", kw_only=True)
    where: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    def _curve(self, evidence: Evidence, solver: str = "") -> Curve:
        return evidence.curve(solver or self.solver, self.metric, self.where)


@dataclass(frozen=True)
class Below(_OfCurve):
    """Whether the logarithmic mean ratio of two curves over shared costs lies in a range."""

    other: str
    since: Number | None = field(default=None, kw_only=True)
    until: Number | None = field(default=None, kw_only=True)
    within: Range = field(default=(0.0, 1.0), kw_only=True)

    def _words(self) -> str:
        return (
            f"the mean ratio (in the logarithm) of the {spaced(self.metric)} of {self.solver} to that of "
            f"{self.other} over all costs that both reach{_span_words(self)} is {_region(self.within)}"
        )

    def tested(self, evidence: Evidence) -> Tested:
        """Return the mean ratio."""
        curve, other = self._curve(evidence), self._curve(evidence, self.other)
        since, until = _span(self, evidence)
        costs = evidence.shared(curve, other, since=since, until=until)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = evidence.repeated(curve, costs) / evidence.repeated(other, costs)
            rows = Rows.of(np.exp(np.mean(np.log(np.maximum(ratios, 1e-12)), axis=1)))
        share = float(np.mean(ratios[0] < 1.0))
        text = f"from {count(costs[0])} to {count(costs[-1])}, the lower one at {share:.0%} of the costs"
        return Tested(rows, *ends_of(self.within), "", text, ratio=True)


@dataclass(frozen=True)
class Late(_OfCurve):
    """Whether the best value up to a part of the critical cost is far above the last one, or near it.

    The critical cost is that from which the curve stays at or below its last value plus ``arrived``. The
    lower envelope is used, since otherwise a single checkpoint would decide for methods that fluctuate. With
    ``within`` instead of ``far``, the opposite is tested: that the value is near the last one by then.
    With ``unfinished``, a curve that has not converged is judged, too.
    """

    part: float
    arrived: float
    far: float | None = field(default=None, kw_only=True)
    within: float | None = field(default=None, kw_only=True)
    unfinished: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.far is None) == (self.within is None):
            raise UserError("Late needs either far or within")

    def _words(self) -> str:
        end = (
            f"at most {number_words(self.within)}"
            if self.far is None
            else f"at least {number_words(self.far)}"
        )
        return (
            f"the least value of {self.solver} until {number_words(self.part)} of the cost from which it "
            f"stays at or below its last value plus {number_words(self.arrived)} is {end} above that value"
        )

    def tested(self, evidence: Evidence) -> Tested:
        """Return how far the best earlier value is above the last one."""
        curve = self._curve(evidence)
        if not curve.settled and not self.unfinished:
            raise NotAttempted(f"{curve.label} has not converged")
        finals, befores, criticals = [], [], []
        for steps in curve.steps:
            final = float(steps.value[-1])
            between = stays_below(steps, final + self.arrived)
            finals.append(final)
            befores.append([_least_until(steps, self.part * critical, curve.label) for critical in between])
            criticals.append(between[1])
        seeds = [steps.run.seed for steps in curve.steps]
        rows = curve.steps[0].run.manifest["dataset"]["rows"]
        tests = rows.get("test") if self.metric == "test_error" else None
        single = len(seeds) == 1
        earlier, later = (evidence.draw.medians(values, seeds) for values in np.array(befores).T)
        before = Sample(Rows.hull(earlier, later), "", single, tests)
        after = Sample(Rows.of(evidence.draw.medians(np.array(finals), seeds)), "", single, tests)
        critical = float(np.median(criticals))
        text = (
            f"at best {float(later[0]):.2f} until {count(self.part * critical)}, "
            f"{np.median(finals):.2f} at the end, reached at {count(critical)}"
        )
        difference = _difference(evidence.draw, before, after)
        return Tested(difference, *ends_of((self.far, self.within)), _unit(self.metric), text)


def _least_until(steps: Steps, cost: float, label: str) -> float:
    """Return the least value of a run up to a cost."""
    until = steps.value[steps.cost <= cost * OVERSHOOT]
    if until.size == 0:
        raise NotAttempted(f"{label} was not observed at {count(cost)}")
    return float(until.min())


@dataclass(frozen=True)
class Rises(_OfCurve):
    """Whether the mean over the last doubling of the cost is above that of the best earlier one.

    Doublings are counted back from the end, as long as they begin after the cost ``since``.
    """

    by: float
    since: Number | None = field(default=None, kw_only=True)

    def _words(self) -> str:
        since = "" if self.since is None else f" after {cost_words(self.since)}"
        return (
            f"the mean {spaced(self.metric)} of {self.solver} over the last doubling of the cost is at least "
            f"{number_words(self.by)} above that of its best earlier doubling{since}"
        )

    def tested(self, evidence: Evidence) -> Tested:
        """Return by how much it is above."""
        curve = self._curve(evidence)
        since = curve.start if self.since is None else cost_of(self.since, evidence)[1]
        costs = evidence.shared(curve, since=max(since, curve.start))
        edges = [float(costs[-1])]
        while edges[-1] / 2.0 >= costs[0] * 0.999:
            edges.append(edges[-1] / 2.0)
        if len(edges) < 3:
            raise NotAttempted(f"the runs end at {count(edges[0])}, too soon after {count(since)}")
        rows = evidence.repeated(curve, costs)
        bounds = pairwise(1.001 * edge for edge in edges)  # rounding does not decide where an edge belongs
        means = np.stack([rows[:, (costs > low) & (costs <= high)].mean(axis=1) for high, low in bounds])
        best = means[1:].min(axis=0)
        text = (
            f"{means[0, 0]:.2f} over the last doubling, {best[0]:.2f} over the best earlier one, "
            f"from {count(since)} on"
        )
        return Tested(Rows.of(means[0] - best), self.by, np.inf, _unit(self.metric), text)


@dataclass(frozen=True)
class Ended(Test):
    """Whether the fraction of runs whose end has a reason with these words lies in a range."""

    solver: str
    because: str
    where: Mapping[str, Any] = field(default_factory=dict, kw_only=True)
    share: Range = field(default=(1.0, 1.0), kw_only=True)

    def _words(self) -> str:
        why = f"ended because of '{self.because}'"
        return f"the share of runs of {self.solver} that {why} is {_region(self.share)}"

    def tested(self, evidence: Evidence) -> Tested:
        """Return the fraction in percent."""
        runs = evidence.runs(self.solver, self.where)
        hits = np.array([re.search(self.because, f"{run.status}: {run.reason}") is not None for run in runs])
        rows = Rows.of(evidence.draw.means(100.0 * hits, [run.seed for run in runs]))
        text = f"{int(hits.sum())} of {len(runs)}: {runs[0].reason}"
        low, high = ends_of(self.share)
        return Tested(rows, 100.0 * low, 100.0 * high, "% of the runs", text)


@dataclass(frozen=True)
class Exact(Test):
    """Whether a quantity equals a number, up to the stated rounding."""

    value: Number
    equals: Number
    within: float | None = field(default=None, kw_only=True)

    def _words(self) -> str:
        rounding = "" if self.within is None else f" to {number_words(self.within)}"
        return f"{words_of(self.value)} equals {words_of(self.equals)}{rounding}"

    def tested(self, evidence: Evidence) -> Tested:
        """Return the difference."""
        value, equals = sample_of(self.value, evidence), sample_of(self.equals, evidence)
        within = self.within or 0.0
        text = f"{value.shown}, expected {equals.shown}"
        return Tested(value.rows.less(equals.rows), -within, within, "", text)


def ends_of(within: Range) -> tuple[float, float]:
    """Return the ends of a range, infinite where it is open.

    Raises
    ------
    UserError
        If it is no range.
    """
    try:
        low, high = within
        ends = (-np.inf if low is None else float(low), np.inf if high is None else float(high))
    except (TypeError, ValueError):
        ends = (np.inf, -np.inf)
    if not ends[0] <= ends[1]:
        raise UserError(f"{within} is no range: give two numbers, the smaller one first; None: no bound")
    return ends


def _region(within: Range) -> str:
    """Describe a range, or those of all data sets."""
    if isinstance(within, ByPanel):
        return f"in the range {number_words(within)}"
    low, high = ends_of(within)
    if np.isinf(high):
        return f"at least {low:g}"
    return f"at most {high:g}" if np.isinf(low) else f"from {low:g} to {high:g}"


def _span(test: _Series | Below, evidence: Evidence) -> tuple[float, float]:
    """Return the costs from which and up to which a test applies."""
    since = 0.0 if test.since is None else cost_of(test.since, evidence)[1]
    return since, np.inf if test.until is None else cost_of(test.until, evidence)[1]


def _span_words(test: _Series | Below) -> str:
    ends = {"since": test.since, "until": test.until}
    return "".join(f" {name} {cost_words(end)}" for name, end in ends.items() if end is not None)


def _places_words(x: Floats) -> str:
    return f"{x.size} places from {count(x[0])} to {count(x[-1])}"


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


def _ratio(draw: Draw, one: Sample, other: Sample) -> Rows:
    """Return the ratio of two quantities, with the noise that their difference has."""
    if one.tests is None or other.tests is None:
        return one.rows.over(other.rows)
    return _difference(draw, one, other).over(other.rows).each(lambda difference: 1.0 + difference)


def _points(sample: Sample) -> str:
    return "points" if sample.tests else ""


def _unit(metric: str) -> str:
    """Return the unit of a difference in a metric; errors are drawn in percent."""
    return "points" if METRICS[metric][1] == 100.0 else ""
