"""Evidence: the stored runs of one panel under one counting convention, and their curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np

from svmbench.analysis.fronts import Window, front
from svmbench.errors import UserError
from svmbench.figures.bounds import problem_of
from svmbench.figures.series import Curve, Reference, Steps, steps_of
from svmbench.papers.estimate import Draw, Floats, NotAttempted
from svmbench.papers.matching import Match
from svmbench.store import StoredRun
from svmbench.store.timing import SECONDS

#: Costs per factor of ten at which two curves are compared.
_PER_DECADE = 20


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

    def _steps(
        self, solver: str, metric: str, runs: Sequence[StoredRun], of_front: bool = False
    ) -> list[Steps]:
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
            found = steps_of(run, counter, metric, self.reference(run), each=of_front)
            limit = run.config.budget.seconds
            if of_front and isinstance(found, str) and counter in SECONDS and run.status == "timeout":
                (errors,) = run.numbers(["test_error"])
                if limit and np.isnan(errors).all():
                    found = Steps(run, np.array([limit]), np.array([self.empty]))
            if isinstance(found, str):
                raise NotAttempted(f"{solver}: {found}")
            steps.append(found)
        return steps

    def front(self, solver: str, metric: str, by: str = "") -> Curve:
        """Return the least values that a line has reached with any of its settings, for all planned seeds.

        With `by`, another metric, settings and checkpoints are those with the least of it. A run without an
        answer within its limit of seconds has the error of the empty model up to this limit.
        """
        key = solver, metric, f"front {by}"
        if key not in self._curves:
            runs = self._stored(solver, {})
            steps = self._steps(solver, metric, runs, of_front=True)
            judges = self._steps(solver, by, runs, of_front=True) if by else []
            self._curves[key] = front(solver, steps[0].run.title, steps, judges)
        return self._curves[key]

    def fronts(self, metric: str, by: str = "") -> tuple[dict[str, Curve], dict[str, str]]:
        """Return the fronts of the lines whose runs have this cost, and why the others have none."""
        found: dict[str, Curve] = {}
        missing: dict[str, str] = {}
        for solver in dict.fromkeys(match.planned.solver for match in self.matches):
            try:
                found[solver] = self.front(solver, metric, by)
            except NotAttempted as reason:
                missing[solver] = str(reason)
        return found, missing

    def window(self, metric: str, *, unanswered: bool = False) -> Window:
        """Return the costs over which the fronts of all lines are compared.

        If `unanswered`, with the largest first error of these lines instead of that of the empty model.
        """
        fronts, missing = self.fronts(metric)
        among = [curve for name, curve in fronts.items() if not self._window or name in self._window]
        if not among:
            raise NotAttempted(f"no line has a front: {next(iter(missing.values()), 'no runs are planned')}")
        first = max(float(steps.value[0]) for curve in among for steps in curve.steps)
        return Window.of(among, self.counter, first if unanswered else self.empty)

    @property
    def empty(self) -> float:
        """Test error in percent of the empty model, which names the larger class of the training set."""
        error = self.reference().record.get("empty_test_error")
        if error is None:
            raise NotAttempted("the test error of the empty model is not stored with the optimum")
        return 100.0 * float(error)

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

    def one(self, solver: str, where: Mapping[str, Any], seed: int) -> StoredRun:
        """Return the stored run of a line with these values of keys and a seed."""
        found = [run for run in self._stored(solver, where) if run.seed == seed]
        if len(found) != 1:
            raise UserError(f"{solver} has {len(found)} runs with seed {seed}; give where, or more seeds")
        return found[0]

    def planned(self, solver: str, where: Mapping[str, Any]) -> list[Match]:
        """Return the planned runs of a line with these values of keys."""
        return [
            match
            for match in self.matches
            if match.planned.solver == solver
            and all(dict(match.planned.over).get(key) == value for key, value in where.items())
        ]

    def _stored(self, solver: str, where: Mapping[str, Any]) -> list[StoredRun]:
        planned = self.planned(solver, where)
        if not planned:
            wanted = "".join(f", {key} = {value}" for key, value in where.items())
            raise NotAttempted(f"{solver}: no such runs{wanted}")
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

    def measure(self, name: str) -> Mapping[str, Any]:
        """Return a measurement of the check."""
        if name not in self._measures:
            raise NotAttempted(f"{name} is not measured")
        return self._measures[name]
