"""Quantities in claims: numbers from runs, optima and checks, with uncertainty.

A quantity is a section of a file. ``{solver: sbp, metric: test_error, at: end}`` is the value of a curve at a
cost; ``{solver: sbp, arrival: test_error, within: 0.5}`` the cost from which a run stays that near the
optimum; ``{measure: NAME}`` a number of a check. docs/add-a-paper-figure.md lists all keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np

from svmbench.analysis.arrivals import first_below, stays_below
from svmbench.analysis.fronts import Window, front
from svmbench.errors import UserError, nearest
from svmbench.figures.bounds import problem_of
from svmbench.figures.series import METRICS, Curve, Reference, Steps, steps_of
from svmbench.figures.tables import count, spread
from svmbench.papers.estimate import Draw, Floats, NotAttempted, Rows
from svmbench.papers.expressions import value_of
from svmbench.papers.matching import Match
from svmbench.papers.samples import (
    Sample,
    arrival_words,
    certified,
    counts,
    exactly,
    first_epoch_end,
    first_stable,
    is_cost,
    measured,
    value_until,
    wrong_tests,
)
from svmbench.store import StoredRun
from svmbench.store.timing import SECONDS

#: Costs per factor of ten at which two curves are compared.
_PER_DECADE = 20

_KEYS = (
    *("solver", "metric", "at", "where", "arrival", "within", "level", "first", "envelope", "peak"),
    *(
        "factor",
        "plus",
        "over",
        "measure",
        "number",
        "optimum",
        "known",
        "stabilises",
        "span",
        "at_most",
        "area",
    ),
)


class Evidence:
    """Stored runs of one panel under one counting convention.

    Parameters
    ----------
    counter : str
        The convention; a column of the trace.
    matches : sequence of Match
        The planned runs of the panel.
    references : mapping of str to Reference
        Certified bounds by problem.
    measures : mapping, optional
        Outcome of a check.
    known : mapping, optional
        Published values of the optimum.
    untimed : mapping, optional
        Folders of the runs whose times are not comparable, and why.
    window : sequence of str
        Lines whose reach determines the costs over which fronts are compared. Empty: all.
    """

    def __init__(
        self,
        counter: str,
        matches: Sequence[Match],
        references: Mapping[str, Reference] | None = None,
        measures: Mapping[str, Mapping[str, Any]] | None = None,
        known: Mapping[str, Any] | None = None,
        untimed: Mapping[Path, str] | None = None,
        window: Sequence[str] = (),
    ) -> None:
        self._window = window
        self._untimed = untimed or {}
        self.draw = Draw()
        self.counter = counter
        self.matches = matches
        self._references = references or {}
        self.known = known or {}
        self._measures = measures or {}
        self._curves: dict[tuple[str, str, str], Curve] = {}

    def drawn(self, draw: Draw) -> Evidence:
        """Return the same evidence with other repetitions."""
        other = copy(self)
        other.draw = draw
        return other

    # Curves

    def curve(self, solver: str, metric: str, where: Mapping[str, Any] | None = None) -> Curve:
        """Return the curve of a line, with all planned seeds.

        Parameters
        ----------
        solver : str
            Key of the line.
        metric : str
            Key of `svmbench.figures.series.METRICS`.
        where : mapping, optional
            Values of the keys that its group varies.
        """
        key = solver, metric, repr(sorted((where or {}).items()))
        if key not in self._curves:
            whole = self._steps(solver, metric, self.runs(solver, where or {}))
            self._curves[key] = Curve(solver, whole[0].run.title, tuple(whole))
        return self._curves[key]

    def _steps(self, solver: str, metric: str, runs: Sequence[StoredRun]) -> list[Steps]:
        # The end of a run does not depend on the cost; the counter of its budget is always known.
        counter = self.counter or runs[0].config.budget.counter
        if {counter, metric} & set(SECONDS):
            reasons = [self._untimed[run.path] for run in runs if run.path in self._untimed]
            if reasons:
                raise NotAttempted(
                    f"{solver}: {len(runs) - len(reasons)} of {len(runs)} runs ran alone on one machine "
                    f"({reasons[0]})"
                )
        steps = []
        for run in runs:
            found = steps_of(run, counter, metric, self.reference(run))
            if isinstance(found, str):
                raise NotAttempted(f"{solver}: {found}")
            steps.append(found)
        return steps

    def front(self, solver: str, metric: str) -> Curve:
        """Return the least values that a line has reached with any of its settings, for all planned seeds."""
        key = solver, metric, "front"
        if key not in self._curves:
            steps = self._steps(solver, metric, self._stored(solver, {}))
            self._curves[key] = front(solver, steps[0].run.title, steps)
        return self._curves[key]

    def fronts(self, metric: str) -> tuple[dict[str, Curve], dict[str, str]]:
        """Return the fronts of the lines whose runs have this cost, and why the others have none."""
        found: dict[str, Curve] = {}
        missing: dict[str, str] = {}
        for solver in dict.fromkeys(match.planned.solver for match in self.matches):
            try:
                found[solver] = self.front(solver, metric)
            except NotAttempted as reason:
                missing[solver] = str(reason)
        return found, missing

    def window(self, metric: str) -> Window:
        """Return the costs over which the fronts of all lines are compared."""
        fronts, missing = self.fronts(metric)
        among = [curve for name, curve in fronts.items() if not self._window or name in self._window]
        if not among:
            raise NotAttempted(f"no line has a front: {next(iter(missing.values()), 'no runs are planned')}")
        return Window.of(among, self.counter)

    def reference(self, run: StoredRun | None = None) -> Reference:
        """Return the certified bounds of a run's problem, by default of the first stored run."""
        runs = [match.result for match in self.matches if match.complete] if run is None else [run]
        return self._references.get(problem_of(runs[0]), Reference()) if runs else Reference()

    def runs(self, solver: str, where: Mapping[str, Any]) -> list[StoredRun]:
        """Return the stored runs of a line, one per seed, or raise an error if one is missing."""
        found = self._stored(solver, where)
        if len({run.seed for run in found}) < len(found):
            raise NotAttempted(f"{solver}: give where, because it has several runs of one seed")
        return found

    def one(self, given: Mapping[str, Any], seed: int) -> StoredRun:
        """Return the stored run of a line, named by ``run``, with the settings in ``where`` and a seed."""
        found = [run for run in self._stored(str(given["run"]), given.get("where") or {}) if run.seed == seed]
        if len(found) != 1:
            raise UserError(
                f"run: {given['run']} has {len(found)} runs with seed {seed}; give where, or more seeds"
            )
        return found[0]

    def _planned(self, solver: str, where: Mapping[str, Any]) -> list[Match]:
        return [
            match
            for match in self.matches
            if match.planned.solver == solver
            and all(dict(match.planned.over).get(key) == value for key, value in where.items())
        ]

    def _stored(self, solver: str, where: Mapping[str, Any]) -> list[StoredRun]:
        planned = self._planned(solver, where)
        if not planned:
            raise NotAttempted(f"{solver}: no such runs" + (f" with {dict(where)}" if where else ""))
        missing = [match for match in planned if not match.complete]
        if missing:
            raise NotAttempted(
                f"{solver}: {len(planned) - len(missing)} of {len(planned)} runs are stored "
                f"({missing[0].state})"
            )
        return [match.result for match in planned]

    def shared(self, *curves: Curve, since: float = 0.0, until: float = np.inf) -> Floats:
        """Return costs at which all curves are known, at equal ratios, independent of axes."""
        low = max(since, *(curve.start for curve in curves))
        high = min(until, *(curve.known_until for curve in curves))
        if np.isinf(high):
            high = max(curve.end for curve in curves)
        if not low < high:
            raise NotAttempted(f"no costs are shared: one begins at {low:.1e}, another ends at {high:.1e}")
        return np.geomspace(low, high, 1 + max(1, round(_PER_DECADE * np.log10(high / low))))

    def repeated(self, curve: Curve, costs: Floats) -> Floats:
        """Return the median of a curve at the costs, with repetitions, shape (1 + R, costs)."""
        return self.draw.medians(curve.values(costs), [steps.run.seed for steps in curve.steps])

    # Quantities

    def sample(self, given: Mapping[str, Any] | float) -> Sample:
        """Return a quantity."""
        if isinstance(given, int | float):
            return exactly(float(given), self.draw)
        for key in given:
            if key not in _KEYS:
                raise UserError(f"unknown key '{key}' of a quantity{nearest(str(key), _KEYS)}")
        factor, plus = float(given.get("factor", 1.0)), given.get("plus", 0.0)
        made = self._plain(given)
        if given.get("at_most"):
            made = _bounded_above(made)
        if isinstance(plus, Mapping):
            return _sum(_scaled(made, factor, 0.0), self.sample(plus))
        return _scaled(made, factor, float(plus))

    def _plain(self, given: Mapping[str, Any]) -> Sample:
        if "number" in given:
            return exactly(float(given["number"]), self.draw)
        if "measure" in given:
            return measured(self._measure(given), self.draw)
        if "optimum" in given or "known" in given:
            name = str(given.get("optimum", given.get("known")))
            source = self.reference().record if "optimum" in given else self.known
            value = _value_at(name, source, "certified" if "optimum" in given else "known")
            # For ν the store has the interval that the gap of the optimum proves.
            interval = source.get(f"{name}_interval")
            return exactly(value, self.draw) if interval is None else certified(value, interval, self.draw)
        if "solver" not in given:
            raise UserError(f"a quantity needs solver, measure, optimum, known or number: {dict(given)}")
        return self._of_line(given)

    def values(self, given: Mapping[str, Any]) -> Floats:
        """Return a quantity of a line, one value per seed."""
        plus = given.get("plus", 0.0)
        shift = self.values(plus) if isinstance(plus, Mapping) else float(plus)
        return float(given.get("factor", 1.0)) * self._per_seed(given)[1] + shift

    def _per_seed(self, given: Mapping[str, Any]) -> tuple[Floats, Floats, Curve]:
        """Return a quantity of each seed, at the lower and the upper bound of its cost.

        For a cost of arrival, these are the costs of the checkpoint before it and at it.
        """
        solver, where = str(given["solver"]), given.get("where")
        if "area" in given:
            curve = self.front(solver, str(given["area"]))
            means = self.window(str(given["area"])).means(curve)
            return means, means, curve
        if is_cost(given):
            curve = self.curve(solver, str(given.get("arrival", given.get("stabilises"))), where)
            return *self._arrival(given, curve), curve
        curve = self.curve(solver, str(given.get("metric", "test_error")), where)
        at = given.get("at", "end")
        if given.get("peak"):
            peaks = np.array([steps.value.max() for steps in curve.steps])
            return peaks, peaks, curve
        envelope = bool(given.get("envelope"))
        if at == "end":
            _check_begun(solver, curve)
            ends = np.array([s.value.min() if envelope else s.value[-1] for s in curve.steps])
            return ends, ends, curve
        earlier, later = (
            self._values_at(curve, costs, envelope) for costs in self._costs(at, solver, where, curve)
        )
        return earlier, later, curve

    def _values_at(self, curve: Curve, costs: Floats, envelope: bool) -> Floats:
        """Return the value of each run at its cost, or the least value up to it."""
        values = np.array([value_until(s, c, envelope) for s, c in zip(curve.steps, costs, strict=True)])
        if np.isnan(values).any():
            raise NotAttempted(f"{curve.label} was not observed at {count(float(np.median(costs)))}")
        return values

    def _costs(
        self, at: Any, solver: str, where: Mapping[str, Any] | None, curve: Curve
    ) -> tuple[Floats, Floats]:
        """Return bounds of the cost at which each run is evaluated: common to all, or each run's arrival.

        At its own arrival, a run is evaluated at the first checkpoint that has arrived.
        """
        seeds = len(curve.steps)
        if not (isinstance(at, Mapping) and is_cost(at)):
            return np.full(seeds, self._cost(at)[0]), np.full(seeds, self._cost(at)[1])
        costs = self._per_seed({**at, "solver": solver, "where": where})[1]
        if np.isinf(costs).any():
            raise NotAttempted(f"{solver}: {np.isinf(costs).sum()} of {seeds} runs end before they reach it")
        return costs, costs

    def _arrival(self, given: Mapping[str, Any], curve: Curve) -> tuple[Floats, Floats]:
        """Return bounds of the cost at which each run stays at a level, first reaches it, or is stable."""
        if "stabilises" in given:
            span, within = float(given["span"]), float(given["within"])
            ends = [first_stable(steps, span, within) for steps in curve.steps]
        else:
            level = self._level(given, curve)
            reach = first_below if given.get("first") else stays_below
            ends = [reach(steps, level) for steps in curve.steps]
        before, at = np.array(ends).T
        return before, at

    def _level(self, given: Mapping[str, Any], curve: Curve) -> float:
        """Return the level at which a run arrives."""
        if "level" in given:
            return float(self.sample(given["level"]).rows.at[0])
        # Of the curve's own problem, since a group may vary C or the width of the kernel.
        record = self.reference(curve.steps[0].run).record
        return _value_at(str(given["arrival"]), record, "certified") + float(given["within"])

    def _of_line(self, given: Mapping[str, Any]) -> Sample:
        earlier, later, curve = self._per_seed(given)
        seeds = [steps.run.seed for steps in curve.steps]
        rows = [self.draw.medians(earlier, seeds), self.draw.medians(later, seeds)]
        if is_cost(given):
            return Sample(Rows(rows[1], *rows), arrival_words(earlier, later))
        tests = None
        if given.get("metric", given.get("area", "test_error")) == "test_error":
            tests = curve.steps[0].run.manifest["dataset"]["rows"].get("test")
        shown = spread(later.tolist()) if tests else counts(later)
        last = given.get("at", "end") == "end" and not {"envelope", "peak", "area"} & given.keys()
        wrong = wrong_tests(curve) if last and tests else []
        return Sample(Rows.hull(*rows), shown, len(seeds) == 1, tests, wrong)

    def cost(self, at: Any) -> float:
        """Return a cost: a number, the end of a first epoch, the last cost shared by lines, or a quantity."""
        return self._cost(at)[1]

    def _cost(self, at: Any) -> tuple[float, float]:
        """Return the lower bound of a cost, and its observed value."""
        if isinstance(at, int | float):
            return float(at), float(at)
        least = np.nan
        if "epoch" in at:
            curve = self.curve(str(at["epoch"]), "test_error")
            cost = float(np.median([first_epoch_end(steps, self.counter) for steps in curve.steps]))
        elif "shared" in at:
            curves = [self.curve(str(name), str(at.get("metric", "test_error"))) for name in at["shared"]]
            cost = float(self.shared(*curves)[-1])
        elif "of" in at:
            rows = self.sample(at["of"]).rows
            least, cost = float(rows.low[0]), float(rows.at[0])
        else:
            raise UserError(f"a cost that all runs share needs a number, epoch, shared or of: {dict(at)}")
        if not np.isfinite(cost):
            raise NotAttempted("the runs end before the required cost")
        part = float(at.get("part", 1.0))
        return part * (cost if np.isnan(least) else least), part * cost

    def _measure(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        name = str(given["measure"])
        if name not in self._measures:
            raise NotAttempted(f"{name} is not measured")
        return self._measures[name]

    # Series over the values of a key

    def series(self, given: Mapping[str, Any]) -> tuple[Floats, Rows]:
        """Return a quantity over the values of a key: x, shape (K,), and repetitions, (1 + R, K).

        ``over`` names the key, or is an expression of keys; a measure has its own places.
        """
        if "measure" in given:
            found = self._measure(given)
            columns = [measured({"values": values}, self.draw).rows for values in found["series"]]
            return np.array(found["x"], dtype=float), Rows.stack(columns, axis=1)
        fixed = given.get("where") or {}
        points: dict[tuple[tuple[str, Any], ...], float] = {}
        for match in self._planned(given["solver"], fixed):
            points.setdefault(match.planned.over, self.place(given["over"], match))
        if not points:
            raise NotAttempted(f"{given['solver']}: no runs over {given['over']}")
        ordered = sorted(points, key=points.__getitem__)
        rest = {key: value for key, value in given.items() if key not in ("over", "where")}
        columns = [self.sample({**rest, "where": {**fixed, **dict(over)}}).rows for over in ordered]
        return np.array([points[over] for over in ordered]), Rows.stack(columns, axis=1)

    def place(self, expression: str | Sequence[str], match: Match) -> float:
        """Return the place of a run on an axis: the value of the first expression that it has."""
        rows = None if match.stored is None else match.stored.manifest["dataset"]["rows"]["train"]
        *others, last = [expression] if isinstance(expression, str) else expression
        for other in others:
            try:
                return value_of(other, match.planned.config.document(), rows)
            except UserError:
                continue
        return value_of(last, match.planned.config.document(), rows)


def _scaled(made: Sample, factor: float, plus: float) -> Sample:
    """Return a quantity times a factor, plus a constant."""
    if (factor, plus) == (1.0, 0.0):
        return made
    shown = f"{factor:g} x {made.shown}" if factor != 1.0 else made.shown
    shown += f" {plus:+g}" if plus else ""
    return Sample(made.rows.scaled(factor, plus), shown, made.single, made.tests, made.wrong)


def _sum(one: Sample, other: Sample) -> Sample:
    """Return the sum of two quantities, such as the costs of a run and of the one where it begins."""
    return Sample(one.rows.plus(other.rows), f"{one.shown} + {other.shown}")


def _bounded_above(made: Sample) -> Sample:
    """Return a quantity of which only an upper bound was measured: it lies between 0 and the bound.

    A run of a part of the documented work gives an upper bound, because the rest would lower the value.
    """
    rows = Rows(made.rows.at, np.zeros_like(made.rows.low), made.rows.high)
    return Sample(rows, f"at most {made.shown}", made.single, made.tests, made.wrong)


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
