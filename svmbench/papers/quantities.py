"""Quantities in claims: numbers from runs, optima and checks, with uncertainty.

``Value("sbp")`` is the test error of a line at its end, ``Arrival("sbp", within=0.5)`` the cost from which a
run stays that near the optimum, ``Measured("comparisons")`` a number of a check. ``0.01 * Value("sbp")`` and
``Value("sbp") + 0.5`` are quantities, too, and so is the sum of two. docs/add-a-paper-figure.md lists them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, TypeAlias, TypeVar

import numpy as np

from svmbench.analysis.arrivals import first_below, stays_below
from svmbench.errors import UserError
from svmbench.figures.series import COUNTERS, METRICS, Curve
from svmbench.figures.tables import count, spread
from svmbench.papers.estimate import Floats, NotAttempted, Rows
from svmbench.papers.evidence import Evidence
from svmbench.papers.keys import Axis, ByPanel, axis_words
from svmbench.papers.runs import check_types
from svmbench.papers.samples import (
    Sample,
    arrival_words,
    certified,
    counts,
    exactly,
    first_epoch_end,
    first_stable,
    measured,
    value_until,
    wrong_tests,
)
from svmbench.store import StoredRun

#: The line of a cell of a table or of a point of a sweep; the run itself where a cost is its own.
EACH = ""
#: The value of a key in ``where`` that is the run's own.
SAME = "same"


def by_panel(**values: Any) -> Any:
    """Return a value for each data set."""
    return ByPanel(values)


_T = TypeVar("_T")


def of_panel(value: _T, panel: str) -> _T:
    """Return a test or quantity with the values that depend on the panel replaced by the panel's."""
    if isinstance(value, ByPanel):
        if panel not in value.values:
            raise NotAttempted(f"no number is given for {panel or 'all data sets together'}")
        return value.values[panel]  # type: ignore[no-any-return]
    if isinstance(value, Mapping):
        return {key: of_panel(entry, panel) for key, entry in value.items()}  # type: ignore[return-value]
    if is_dataclass(value) and not isinstance(value, type):
        changed = {one.name: of_panel(getattr(value, one.name), panel) for one in fields(value)}
        return replace(value, **changed)
    return value


def walk(value: Any) -> Iterator[Any]:
    """Yield all tests, quantities and costs in a value, at any depth."""
    if is_dataclass(value) and not isinstance(value, type):
        yield value
        for one in fields(value):
            yield from walk(getattr(value, one.name))
    elif isinstance(value, Mapping):
        yield from (found for entry in value.values() for found in walk(entry))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        yield from (found for entry in value for found in walk(entry))


def number_words(value: Any) -> str:
    """Describe a threshold or a range, or those of all data sets."""
    if isinstance(value, ByPanel):
        return ", ".join(f"{number_words(entry)} on {panel}" for panel, entry in value.values.items())
    if isinstance(value, Sequence):
        return " to ".join("any" if end is None else f"{end:g}" for end in value)
    return f"{value:g}"


def spaced(name: str) -> str:
    """Return the name of a metric in words."""
    return name.replace("_", " ")


@dataclass(frozen=True, kw_only=True)
class Quantity(ABC):
    """A number with uncertainty.

    Attributes
    ----------
    factor, plus : float or Quantity
        The number is ``factor`` times what the kind says, plus ``plus``.
    at_most : bool
        Whether only an upper bound was measured, so that the number lies between 0 and the bound: a run of a
        part of the documented work, because the rest would lower the value.
    """

    factor: float = 1.0
    plus: Quantity | float = 0.0
    at_most: bool = False

    def __post_init__(self) -> None:
        check_types(self)

    def __add__(self, other: Quantity | float) -> Quantity:
        return replace(self, plus=other if self.plus == 0.0 else self.plus + other)

    __radd__ = __add__

    def __rmul__(self, factor: float) -> Quantity:
        return replace(self, factor=factor * self.factor, plus=factor * self.plus)

    def words(self) -> str:
        """Describe it, as in ``the test error of sbp at the end``."""
        factor = "" if self.factor == 1.0 else f"{number_words(self.factor)} times "
        bound = " (an upper bound)" if self.at_most else ""
        plus = "" if self.plus == 0.0 else f" plus {words_of(self.plus)}"
        return f"{factor}{self._words()}{bound}{plus}"

    def sample(self, evidence: Evidence) -> Sample:
        """Return it with its repetitions."""
        made = self._sample(evidence)
        if self.at_most:
            rows = Rows(made.rows.at, np.zeros_like(made.rows.low), made.rows.high)
            made = replace(made, rows=rows, shown=f"at most {made.shown}")
        plus = self.plus
        if isinstance(plus, Quantity):
            more, made = plus.sample(evidence), _scaled(made, self.factor, 0.0)
            return Sample(made.rows.plus(more.rows), f"{made.shown} + {more.shown}")
        return _scaled(made, self.factor, plus)

    def series(self, evidence: Evidence, over: Axis | None) -> tuple[Floats, Rows]:
        """Return it over the values of a key: x, shape (K,), and repetitions, (1 + R, K)."""
        raise UserError(f"{self.words()} has no series: give a measure or a quantity of a line")

    @abstractmethod
    def _words(self) -> str: ...

    @abstractmethod
    def _sample(self, evidence: Evidence) -> Sample: ...


#: A quantity, or a number that is known exactly.
Number: TypeAlias = Quantity | float


def words_of(given: Number) -> str:
    """Describe a quantity or a number."""
    return given.words() if isinstance(given, Quantity) else number_words(given)


def sample_of(given: Number, evidence: Evidence) -> Sample:
    """Return a quantity or a number with its repetitions."""
    return given.sample(evidence) if isinstance(given, Quantity) else exactly(float(given), evidence.draw)


@dataclass(frozen=True)
class Measured(Quantity):
    """A number of a check, or its series."""

    name: str

    def _words(self) -> str:
        return self.name

    def _sample(self, evidence: Evidence) -> Sample:
        return measured(evidence.measure(self.name), evidence.draw)

    def series(self, evidence: Evidence, over: Axis | None) -> tuple[Floats, Rows]:
        """Return the series of the check, at its own places."""
        found = evidence.measure(self.name)
        columns = [measured({"values": values}, evidence.draw).rows for values in found["series"]]
        return np.array(found["x"], dtype=float), Rows.stack(columns, axis=1)


@dataclass(frozen=True)
class Optimum(Quantity):
    """A value of the certified optimum; ν has the interval that the gap of the optimum proves."""

    name: str
    kind = "certified"

    def _words(self) -> str:
        return f"the {spaced(self.name)} of the certified optimum"

    def record(self, evidence: Evidence) -> Mapping[str, Any]:
        """Return the values of the optimum."""
        return evidence.reference().record

    def _sample(self, evidence: Evidence) -> Sample:
        record = self.record(evidence)
        value = _value_at(self.name, record, self.kind)
        interval = record.get(f"{self.name}_interval")
        return (
            exactly(value, evidence.draw) if interval is None else certified(value, interval, evidence.draw)
        )


@dataclass(frozen=True)
class Known(Optimum):
    """A value of the optimum that was known beforehand, of those that the panel gives."""

    kind = "known"

    def _words(self) -> str:
        return f"the known {spaced(self.name)}"

    def record(self, evidence: Evidence) -> Mapping[str, Any]:
        """Return the values that the panel gives."""
        return evidence.known


@dataclass(frozen=True)
class OfLine(Quantity):
    """A quantity of the runs of a line.

    Attributes
    ----------
    solver : str
        Name of the line; `EACH` in a table or a sweep.
    metric : str
        Key of `svmbench.figures.series.METRICS`.
    where : mapping
        Values of the keys that its group varies.
    """

    solver: str = EACH
    metric: str = "test_error"
    where: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    @abstractmethod
    def _per_seed(self, evidence: Evidence) -> tuple[Floats, Floats, Curve]:
        """Return what it is for each seed, at the lower and the upper bound of its cost, and the curve.

        For a cost of arrival, these are the costs of the checkpoint before it and at it.
        """

    def values(self, evidence: Evidence, least: bool = False) -> Floats:
        """Return it, one value per seed; infinite if it was not reached, or the lower bound if ``least``."""
        plus = self.plus.values(evidence) if isinstance(self.plus, OfLine) else self.plus
        low, at, _ = self._per_seed(evidence)
        return self.factor * (low if least else at) + plus  # type: ignore[operator]

    def series(self, evidence: Evidence, over: Axis | None) -> tuple[Floats, Rows]:
        """Return it over the values of a key or, without one, over the cost of its curve."""
        if over is None:
            return super().series(evidence, over)
        points: dict[tuple[tuple[str, Any], ...], float] = {}
        for match in evidence.planned(self.solver, self.where):
            points.setdefault(match.planned.over, match.place(over))
        if not points:
            raise NotAttempted(f"{self.solver}: no runs over {axis_words(over)}")
        ordered = sorted(points, key=points.__getitem__)
        columns = [replace(self, where={**self.where, **dict(one)}).sample(evidence).rows for one in ordered]
        return np.array([points[one] for one in ordered]), Rows.stack(columns, axis=1)

    @property
    def _who(self) -> str:
        where = "".join(
            f", {key} = {number_words(value) if isinstance(value, ByPanel) else value}"
            for key, value in self.where.items()
        )
        return f"{self.solver}{where}"

    def _sample(self, evidence: Evidence) -> Sample:
        earlier, later, curve = self._per_seed(evidence)
        seeds = [steps.run.seed for steps in curve.steps]
        rows = Rows.hull(*(evidence.draw.medians(values, seeds) for values in (earlier, later)))
        if self.metric != "test_error":
            return Sample(rows, arrival_words(earlier, later), len(seeds) == 1)
        tests = curve.steps[0].run.manifest["dataset"]["rows"].get("test")
        shown = spread(later.tolist()) if tests else counts(later)
        wrong = wrong_tests(curve) if tests and self._is_last else []
        deviation = float(np.std(later, ddof=1)) if len(seeds) > 1 else 0.0
        return Sample(rows, shown, len(seeds) == 1, tests, wrong, deviation)

    @property
    def _is_last(self) -> bool:
        """Whether it is the value at the last checkpoint."""
        return False


@dataclass(frozen=True)
class Value(OfLine):
    """A metric of a line at a cost, by default at the end; errors in percent.

    Attributes
    ----------
    at : Quantity, float or None
        A cost that all runs share, or each run's own, which is a cost of `EACH`; None: the end.
    envelope : bool
        Whether the least value so far is taken.
    peak : bool
        Whether the greatest value of all is taken.
    """

    at: Number | None = field(default=None, kw_only=True)
    envelope: bool = field(default=False, kw_only=True)
    peak: bool = field(default=False, kw_only=True)

    def _words(self) -> str:
        least = "greatest " if self.peak else "least " if self.envelope else ""
        when = "at the end" if self.at is None else f"at {cost_words(self.at)}"
        when = "over the whole run" if self.peak else when
        return f"the {least}{spaced(self.metric)} of {self._who} {when}"

    @property
    def _is_last(self) -> bool:
        return self.at is None and not (self.envelope or self.peak)

    def _per_seed(self, evidence: Evidence) -> tuple[Floats, Floats, Curve]:
        curve = evidence.curve(self.solver, self.metric, self.where)
        if self.peak:
            peaks = np.array([steps.value.max() for steps in curve.steps])
            return peaks, peaks, curve
        if self.at is None:
            _check_begun(self.solver, curve)
            ends = np.array([s.value.min() if self.envelope else s.value[-1] for s in curve.steps])
            if self.metric not in COUNTERS or self.metric == "prediction":
                return ends, ends, curve
            missed = [_missed(steps.run) for steps in curve.steps]
            return ends, np.where(missed, np.inf, ends), curve
        earlier, later = (self._values_at(curve, costs) for costs in self._costs(self.at, evidence, curve))
        return earlier, later, curve

    def _values_at(self, curve: Curve, costs: Floats) -> Floats:
        """Return the value of each run at its cost, or the least value up to it."""
        values = np.array([value_until(s, c, self.envelope) for s, c in zip(curve.steps, costs, strict=True)])
        if np.isnan(values).any():
            raise NotAttempted(f"{curve.label} was not observed at {count(float(np.median(costs)))}")
        return values

    def _costs(self, at: Number, evidence: Evidence, curve: Curve) -> tuple[Floats, Floats]:
        """Return bounds of the cost at which each run is evaluated: common to all, or each run's own.

        At its own arrival, a run is evaluated at the first checkpoint that has arrived.
        """
        seeds = len(curve.steps)
        if not (isinstance(at, CostOfLine) and _is_own(at)):
            low, cost = cost_of(at, evidence)
            return np.full(seeds, low), np.full(seeds, cost)
        costs = replace(at, solver=self.solver, where=self.where)._per_seed(evidence)[1]
        if np.isinf(costs).any():
            raise NotAttempted(
                f"{self.solver}: {np.isinf(costs).sum()} of {seeds} runs end before they reach it"
            )
        return costs, costs


@dataclass(frozen=True)
class Deviation(Value):
    """The standard deviation over seeds of a metric of a line, as if they were normally distributed."""

    def _words(self) -> str:
        return f"the standard deviation over seeds of {super()._words()}"

    def _sample(self, evidence: Evidence) -> Sample:
        _, values, curve = self._per_seed(evidence)
        if len(values) < 2:
            raise NotAttempted(f"{self.solver}: a single run has no deviation")
        seeds = [steps.run.seed for steps in curve.steps]
        rows = evidence.draw.deviations(float(np.std(values, ddof=1)), seeds)
        return Sample(Rows.of(rows), f"{rows[0]:.3g} of {len(seeds)} runs")


@dataclass(frozen=True)
class CostOfLine(OfLine):
    """A cost at which something happens, between two checkpoints."""

    def _sample(self, evidence: Evidence) -> Sample:
        earlier, later, curve = self._per_seed(evidence)
        seeds = [steps.run.seed for steps in curve.steps]
        low, at = (evidence.draw.medians(values, seeds) for values in (earlier, later))
        return Sample(Rows(at, low, at), arrival_words(earlier, later))


@dataclass(frozen=True)
class Arrival(CostOfLine):
    """The cost from which a run stays at or below a level, or first reaches it.

    Attributes
    ----------
    level : Quantity, float or None
        The level; None: ``within`` above the certified optimum.
    within : float
        Distance from the optimum.
    first : bool
        Whether it is the cost at which a run first reaches the level.
    """

    within: float | None = field(default=None, kw_only=True)
    level: Number | None = field(default=None, kw_only=True)
    first: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.level is None) == (self.within is None):
            raise UserError("Arrival needs either level or within")

    def _words(self) -> str:
        verb = (
            "first reaches" if self.first else "stays at or below" if self.within is None else "stays within"
        )
        if isinstance(self.level, int | float):
            return f"the cost at which {self._who} {verb} {spaced(self.metric)} {self.level_words}"
        return f"the cost at which {self._who} {verb} {self.level_words}"

    @property
    def level_words(self) -> str:
        """The level in words."""
        if self.level is None:
            return f"{number_words(self.within)} of the optimum's {spaced(self.metric)}"
        return words_of(self.level)

    def _per_seed(self, evidence: Evidence) -> tuple[Floats, Floats, Curve]:
        curve = evidence.curve(self.solver, self.metric, self.where)
        if self.level is None:
            # Of the curve's own problem, since a group may vary C or the width of the kernel.
            record = evidence.reference(curve.steps[0].run).record
            level = _value_at(self.metric, record, "certified") + float(self.within or 0.0)
        else:
            level = float(sample_of(self.level, evidence).rows.at[0])
        reach = first_below if self.first else stays_below
        before, at = np.array([reach(steps, level) for steps in curve.steps]).T
        return before, at, curve


@dataclass(frozen=True)
class Stable(CostOfLine):
    """The first cost at which a metric has stayed ``within`` a distance over the last factor of ``span``."""

    within: float = field(kw_only=True)
    span: float = field(kw_only=True)

    def _words(self) -> str:
        return f"the cost at which the {spaced(self.metric)} of {self._who} {self.stable_words}"

    @property
    def stable_words(self) -> str:
        """For how long the metric has been stable, in words."""
        within, span = number_words(self.within), number_words(self.span)
        return f"has first stayed within {within} over the last factor of {span}"

    def _per_seed(self, evidence: Evidence) -> tuple[Floats, Floats, Curve]:
        curve = evidence.curve(self.solver, self.metric, self.where)
        before, at = np.array([first_stable(steps, self.span, self.within) for steps in curve.steps]).T
        return before, at, curve


@dataclass(frozen=True)
class Area(OfLine):
    """The mean of the front of a line over the costs compared: the last three decades of the cost.

    Up to its first checkpoint a line has the error of the empty model (`svmbench.analysis.fronts.Window`).

    Attributes
    ----------
    by : str
        The metric by whose least value settings and checkpoints are chosen; empty: `metric`.
    """

    by: str = field(default="", kw_only=True)

    def _words(self) -> str:
        chosen = f", chosen by the {spaced(self.by)}" if self.by else ""
        who = f"{self._who}{chosen}"
        return f"the mean {spaced(self.metric)} of {who}, or the empty model's, over the costs compared"

    def _per_seed(self, evidence: Evidence) -> tuple[Floats, Floats, Curve]:
        curve = evidence.front(self.solver, self.metric, self.by)
        means = evidence.window(self.metric).means(curve)
        return means, means, curve


@dataclass(frozen=True)
class FirstEpoch(Quantity):
    """The cost at the end of the first epoch of a line, the median over seeds."""

    solver: str

    def _words(self) -> str:
        return f"the end of the first epoch of {self.solver}"

    def _sample(self, evidence: Evidence) -> Sample:
        curve = evidence.curve(self.solver, "test_error")
        ends = [first_epoch_end(steps, evidence.counter) for steps in curve.steps]
        return exactly(float(np.median(ends)), evidence.draw)


@dataclass(frozen=True)
class LastShared(Quantity):
    """The last cost that two lines reach."""

    solver: str
    other: str

    def _words(self) -> str:
        return f"the last cost that {self.solver} and {self.other} reach"

    def _sample(self, evidence: Evidence) -> Sample:
        curves = (evidence.curve(name, "test_error") for name in (self.solver, self.other))
        return exactly(float(evidence.shared(*curves)[-1]), evidence.draw)


def cost_of(at: Number, evidence: Evidence) -> tuple[float, float]:
    """Return the lower bound of a cost that all runs share, and its observed value."""
    rows = sample_of(at, evidence).rows
    low, cost = float(rows.low[0]), float(rows.at[0])
    if not np.isfinite(cost):
        raise NotAttempted("the runs end before the required cost")
    return low, cost


def cost_words(at: Number) -> str:
    """Describe a cost, as in ``the end of the first epoch of perceptron``."""
    if isinstance(at, ByPanel):
        return f"cost {number_words(at)}"
    if not isinstance(at, Quantity):
        return f"cost {count(float(at))}"
    if not _is_own(at):
        return f"{at.factor:g} of {replace(at, factor=1.0).words()}" if at.factor != 1.0 else at.words()
    if isinstance(at, Stable):
        return f"the cost at which its {spaced(at.metric)} {at.stable_words}"
    assert isinstance(at, Arrival)
    if at.level is None:
        return f"its own arrival within {at.level_words}"
    return f"its own arrival at {spaced(at.metric)} {at.level_words}"


def _is_own(at: Number) -> bool:
    """Return whether a cost is that of each run itself."""
    return isinstance(at, CostOfLine) and at.solver == EACH


def _scaled(made: Sample, factor: float, plus: float) -> Sample:
    """Return a quantity times a factor, plus a constant."""
    if (factor, plus) == (1.0, 0.0):
        return made
    shown = f"{factor:g} x {made.shown}" if factor != 1.0 else made.shown
    shown += f" {plus:+g}" if plus else ""
    return replace(made, rows=made.rows.scaled(factor, plus), shown=shown)


def _missed(run: StoredRun) -> bool:
    """Return whether a run ended before the test error, or the convergence, at which it was to end.

    Its costs are then lower bounds.
    """
    wanted = run.config.budget.test_error is not None and not run.reason.startswith("budget.test_error")
    stopped = run.reason.startswith("budget.seconds") and "before it converged" in run.reason
    return wanted or stopped


def _check_begun(solver: str, curve: Curve) -> None:
    """Raise an error if runs were ended by their limits before they began: then the end says nothing."""
    unbegun = sum(
        steps.run.status in ("budget", "timeout") and steps.run.rows()[-1]["iterations"] == 0
        for steps in curve.steps
    )
    if unbegun:
        raise NotAttempted(
            f"{solver}: {unbegun} of {len(curve.steps)} runs were ended by limits before they began"
        )


def _value_at(name: str, record: Mapping[str, Any], kind: str) -> float:
    """Return a value of the record of an optimum, in units of the metric."""
    if record.get(name) is None:
        raise NotAttempted(f"{name} of the {kind} optimum is not stored")
    return float(record[name]) * METRICS.get(name, ("", 1.0))[1]
