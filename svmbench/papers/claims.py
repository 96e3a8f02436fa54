"""What a paper claims, as tests of stored curves, and what it reports, as numbers.

A claim has parts. A part is judged on each data set under each convention of counting, and says in words what
it tests, so that a reader can disagree with the definition and still use the numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from svmbench.papers.paper import Paper
from svmbench.papers.plan import Match, selection
from svmbench.report.series import Curve, Floats, Steps, optimum_value

REPRODUCED = "reproduced"
DEVIATES = "deviates"
NOT_ATTEMPTED = "not attempted"

#: Costs per factor of ten at which two curves are compared.
_PER_DECADE = 20


class NotAttempted(Exception):
    """A part cannot be judged; the message says why."""


@dataclass(frozen=True)
class Finding:
    """The verdict on one part, for one data set and one convention.

    Attributes
    ----------
    panel, counter : str
        Data set and convention.
    verdict : str
        ``reproduced``, ``deviates`` or ``not attempted``.
    text : str
        The numbers in words, or why it was not attempted.
    numbers : dict
        The same for programs; errors in percent.
    """

    panel: str
    counter: str
    verdict: str
    text: str
    numbers: dict[str, float | list[float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Judgement:
    """What a test found: whether the claim holds, in words and in numbers."""

    holds: bool
    text: str
    numbers: dict[str, float | list[float]]


@dataclass(frozen=True)
class Part:
    """One test.

    Attributes
    ----------
    name : str
        A few words.
    definition : str
        What is tested, with its thresholds.
    judge : callable
        From the evidence of one data set to a `Judgement`; raises `NotAttempted`.
    panels : tuple of str or None
        Data sets that the paper names; None: all.
    """

    name: str
    definition: str
    judge: Callable[[Evidence], Judgement]
    panels: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Claim:
    """A finding of the paper: a short name, its wording, where it stands, and its tests."""

    name: str
    text: str
    place: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Anchor:
    """A test error, in percent from ``low`` to ``high``, that a solver is known to have at a cost."""

    panel: str
    solver: str
    counter: str
    cost: float
    low: float
    high: float


@dataclass(frozen=True)
class KnownOptimum:
    """What is known of the optimum of a panel's problem.

    Attributes
    ----------
    panel : str
        Data set.
    objective : float
        λ-form.
    mistakes : tuple of int
        Least and greatest number of test errors.
    nu : float
        Mean hinge loss over norm.
    printed_nu : str
        The value in the paper, with a remark if it could not be confirmed.
    """

    panel: str
    objective: float
    mistakes: tuple[int, int]
    nu: float
    printed_nu: str


@dataclass(frozen=True)
class Published:
    """What a figure is judged by: claims, known points of curves, known optima, origin of the numbers."""

    claims: tuple[Claim, ...]
    anchors: tuple[Anchor, ...]
    optima: tuple[KnownOptimum, ...]
    origin: str


class Evidence:
    """The curves of one data set under one convention.

    Parameters
    ----------
    counter : str
        The convention.
    curves : mapping of str to Curve
        By solver.
    view : (float, float) or None
        Range of costs that the figure shows; comparisons stay in it.
    optimum : float or None
        Test error of the certified optimum, in percent.
    incomplete : mapping of str to str
        Solvers whose runs are not all there, and what is lacking.
    """

    def __init__(
        self,
        counter: str,
        curves: Mapping[str, Curve],
        view: tuple[float, float] | None = None,
        optimum: float | None = None,
        incomplete: Mapping[str, str] | None = None,
    ) -> None:
        self.counter = counter
        self._curves = curves
        self._view = view or (0.0, np.inf)
        self._optimum = optimum
        self._incomplete = incomplete or {}

    def curve(self, solver: str) -> Curve:
        """Return the curve of a solver, all its planned seeds in it."""
        if solver in self._incomplete:
            raise NotAttempted(f"{solver}: {self._incomplete[solver]}")
        if solver not in self._curves:
            raise NotAttempted(f"{solver}: no runs")
        return self._curves[solver]

    def optimum(self) -> float:
        """Return the test error of the certified optimum."""
        if self._optimum is None:
            raise NotAttempted("the certified optimum is not stored")
        return self._optimum

    def shared(self, *curves: Curve, until: float = np.inf) -> Floats:
        """Return costs in the figure's range at which all curves are known, at equal ratios."""
        low = max(self._view[0], *(curve.start for curve in curves))
        high = min(self._view[1], until, *(curve.known_until for curve in curves))
        if np.isinf(high):
            high = max(curve.end for curve in curves)
        if not low < high:
            raise NotAttempted(
                f"no costs are shared: one curve begins at {low:.1e}, another ends at {high:.1e}"
            )
        return costs_between(low, high)


def costs_between(low: float, high: float) -> Floats:
    """Return costs from ``low`` to ``high``, evenly spaced in the logarithm."""
    return np.geomspace(low, high, 1 + max(1, round(_PER_DECADE * np.log10(high / low))))


def stays_below(steps: Steps, target: float) -> float:
    """Return the cost from which a run stays at or below a target to its end; infinite if it does not."""
    above = np.flatnonzero(steps.value > target)
    first = 0 if above.size == 0 else int(above[-1]) + 1
    return float(steps.cost[first]) if first < steps.cost.size else np.inf


def first_epoch_end(steps: Steps, counter: str) -> float:
    """Return the cost after as many iterations as there are examples: that of the last checkpoint by then."""
    n = int(steps.run.manifest["dataset"]["rows"]["train"])
    trace = steps.run.trace()
    if int(trace["iterations"].iloc[-1]) < n:
        raise NotAttempted("the runs end within the first epoch")
    return float(trace[counter][trace["iterations"] <= n].max())


def evidence(paper: Paper, matches: Sequence[Match], counter: str) -> dict[str, Evidence]:
    """Return the evidence on every panel of a figure under one convention."""
    chosen = {panel.dataset: panel for panel in selection(paper, matches, counter).panels}
    found = {}
    for plan in paper.panels:
        panel = chosen.get(plan.name)
        curves = {curve.solver: curve for curve in panel.curves} if panel else {}
        incomplete = {}
        for solver in paper.solvers:
            there = len(curves[solver.name].steps) if solver.name in curves else 0
            if there < len(solver.seeds):
                incomplete[solver.name] = f"{there} of {len(solver.seeds)} runs"
        optimum = optimum_value(panel, "test_error") if panel else None
        found[plan.name] = Evidence(counter, curves, plan.x, optimum, incomplete)
    return found


def findings(part: Part, by_counter: Mapping[str, Mapping[str, Evidence]]) -> list[Finding]:
    """Judge one part on its data sets under every convention."""
    found = []
    for counter, panels in by_counter.items():
        for name, material in panels.items():
            if part.panels is not None and name not in part.panels:
                continue
            try:
                judged = part.judge(material)
            except NotAttempted as reason:
                found.append(Finding(name, counter, NOT_ATTEMPTED, str(reason)))
            else:
                verdict = REPRODUCED if judged.holds else DEVIATES
                found.append(Finding(name, counter, verdict, judged.text, judged.numbers))
    return found


def combined(verdicts: Sequence[str]) -> str:
    """Return the verdict on the whole: it deviates if any part does, and holds only if all do."""
    if DEVIATES in verdicts:
        return DEVIATES
    return NOT_ATTEMPTED if NOT_ATTEMPTED in verdicts or not verdicts else REPRODUCED
