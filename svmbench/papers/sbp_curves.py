"""Tests of what the SBP paper says about learning curves.

Each takes the evidence of one data set under one convention. Errors are test errors in percent; what is said
of several seeds is said of their median, unless it says otherwise.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from svmbench.papers.claims import (
    Evidence,
    Judgement,
    NotAttempted,
    Part,
    costs_between,
    first_epoch_end,
    stays_below,
)
from svmbench.report.series import Curve, Floats
from svmbench.report.tables import count, spread

#: Distances from the certified optimum's test error that count as near, in percentage points.
TARGETS = (0.5, 0.2)
#: A run is where it ends up once it stays within this many points of its last error.
ARRIVED = 0.1
#: As far off as this, in points, a solver has made little progress.
FAR = 1.0
#: How long before its critical point SMO is looked at: at this part of the cost.
EARLIER = 0.25
#: Curves are alike if they typically differ by at most this part of the lower one.
ALIKE = 0.25
#: Errors differ if they do by this many points.
CHANGE = 0.1
#: The Perceptron overfits if its error rises by this many points.
RISE = 0.5


def below(rival: str, title: str) -> Part:
    """Claim 1, the test against one rival: its name and its title."""

    def judge(evidence: Evidence) -> Judgement:
        sbp, other, optimum = evidence.curve("sbp"), evidence.curve(rival), evidence.optimum()
        costs = evidence.shared(sbp, other)
        share = float(np.mean(sbp.median(costs) < other.median(costs)))
        clear = float(np.mean(sbp.values(costs).max(axis=0) < other.values(costs).min(axis=0)))
        holds = share > 0.5
        numbers: dict[str, float | list[float]] = {"share_below": share, "share_clearly_below": clear}
        text = (
            f"below at {share:.0%} of the costs from {count(costs[0])} to {count(costs[-1])}, "
            f"every seed below every seed at {clear:.0%}"
        )
        for distance in TARGETS:
            ours, theirs = (
                [stays_below(steps, optimum + distance) for steps in curve.steps] for curve in (sbp, other)
            )
            # "Not later" and not "earlier": neither may get there within the budget.
            holds = holds and bool(_median(ours) <= _median(theirs))
            numbers |= {f"sbp_within_{distance}": ours, f"{rival}_within_{distance}": theirs}
            text += f"; within {distance} points after {_costs(ours)} against {_costs(theirs)}"
        return Judgement(holds, text, numbers)

    return Part(
        f"below {title}",
        f"SBP's median is below {title}'s at more than half of the costs that both reach in the figure's "
        "range, evenly spaced in the logarithm; and in the median over seeds SBP needs no more evaluations "
        f"until it stays within {TARGETS[0]} and within {TARGETS[1]} percentage points of the certified "
        "optimum's test error.",
        judge,
    )


def _critical_point(smo: Curve) -> tuple[float, float]:
    """Return the cost from which SMO stays near its last error, and that error."""
    (steps,) = smo.steps
    if not smo.converged:
        raise NotAttempted("SMO has not converged")
    final = float(steps.value[-1])
    # The fall to the final error counts, not the small rise and fall about it below its level.
    return stays_below(steps, final + ARRIVED), final


def little_progress(evidence: Evidence) -> Judgement:
    """Claim 2: a quarter of the way to its critical point SMO is still far off."""
    smo = evidence.curve("smo")
    critical, final = _critical_point(smo)
    before = float(smo.median(np.array([EARLIER * critical]))[0])
    if np.isnan(before):
        raise NotAttempted(f"SMO was not observed at a quarter of {count(critical)} evaluations")
    text = (
        f"{before:.2f} % after {count(EARLIER * critical)}, within {ARRIVED} points of its final {final:.2f} "
        f"% from {count(critical)} on"
    )
    numbers: dict[str, float | list[float]] = {
        "critical": critical,
        "error_before": before,
        "error_final": final,
    }
    return Judgement(before >= final + FAR, text, numbers)


def stopping_early(evidence: Evidence) -> Judgement:
    """Claim 2: stopped at that point, SMO is worse than every seed of SBP."""
    smo, sbp = evidence.curve("smo"), evidence.curve("sbp")
    early = EARLIER * _critical_point(smo)[0]
    theirs = float(smo.median(np.array([early]))[0])
    ours = sbp.values(np.array([early]))[:, 0].tolist()
    if np.isnan([theirs, *ours]).any():
        raise NotAttempted(f"SMO or SBP was not observed at {count(early)} evaluations")
    text = f"after {count(early)}: SMO {theirs:.2f} %, SBP {spread(ours)} %"
    return Judgement(theirs > max(ours), text, {"cost": early, "smo": theirs, "sbp": ours})


def alike(evidence: Evidence) -> Judgement:
    """Claim 3: in the first epoch the Perceptron is like SBP."""
    sbp, perceptron = evidence.curve("sbp"), evidence.curve("perceptron")
    end = _first_epoch(evidence)
    costs = evidence.shared(sbp, perceptron, until=end)
    ours, theirs = sbp.median(costs), perceptron.median(costs)
    lower = np.maximum(np.minimum(ours, theirs), np.finfo(float).tiny)
    typical = float(np.median(np.abs(theirs - ours) / lower))
    text = (
        f"to the end of the first epoch at {count(end)}: typically {typical:.0%} apart, there "
        f"{spread(_at(perceptron, costs[-1]))} % against SBP's {spread(_at(sbp, costs[-1]))} %"
    )
    numbers: dict[str, float | list[float]] = {
        "epoch_end": end,
        "difference": typical,
        "sbp": _at(sbp, costs[-1]),
        "perceptron": _at(perceptron, costs[-1]),
    }
    return Judgement(typical <= ALIKE, text, numbers)


def goes_on(evidence: Evidence) -> Judgement:
    """Claim 3: after it SBP improves and ends below the Perceptron."""
    sbp, perceptron = evidence.curve("sbp"), evidence.curve("perceptron")
    epoch = _first_epoch(evidence)
    end = float(evidence.shared(sbp, perceptron)[-1])
    if not epoch < end:
        raise NotAttempted(
            f"no cost that both reach lies after the Perceptron's first epoch ({count(epoch)})"
        )
    first, last, other = _at(sbp, epoch), _at(sbp, end), _at(perceptron, end)
    text = (
        f"SBP {spread(first)} % at the end of the Perceptron's first epoch ({count(epoch)}), {spread(last)} "
        f"% at {count(end)}, the Perceptron {spread(other)} % there"
    )
    holds = _median(first) - _median(last) >= CHANGE and _median(last) < _median(other)
    return Judgement(
        holds, text, {"epoch_end": epoch, "sbp_epoch": first, "sbp_end": last, "perceptron_end": other}
    )


def overfits(evidence: Evidence) -> Judgement:
    """Claim 3: later the error of the Perceptron rises."""
    perceptron, epoch = evidence.curve("perceptron"), _first_epoch(evidence)
    costs = costs_between(perceptron.start, perceptron.end)
    values, edges = perceptron.values(costs), [float(costs[-1])]
    while edges[-1] > epoch and edges[-1] / 2.0 >= costs[0]:
        edges.append(edges[-1] / 2.0)
    if len(edges) < 3:
        raise NotAttempted(f"the runs end at {count(edges[0])}, the first epoch at {count(epoch)}")
    means = [_mean(values, costs, low, high) for high, low in pairwise(edges)]
    last, lowest = means[0], min(means[1:], key=_median)
    rises = [after - before for after, before in zip(last, lowest, strict=True)]
    text = (
        f"{spread(last)} % over the last doubling of the evaluations, {spread(lowest)} % over the best "
        f"earlier one, from the end of the first epoch on; change {_median(rises):+.2f} points "
        f"({min(rises):+.2f} to {max(rises):+.2f})"
    )
    numbers: dict[str, float | list[float]] = {"last": last, "lowest": lowest, "rise": rises}
    return Judgement(_median(rises) >= RISE, text, numbers)


def _first_epoch(evidence: Evidence) -> float:
    """Return where the Perceptron's first epoch ends, in the median over seeds."""
    return _median([first_epoch_end(steps, evidence.counter) for steps in evidence.curve("perceptron").steps])


def _mean(values: Floats, costs: Floats, low: float, high: float) -> list[float]:
    """Return the mean error of each seed over the costs above ``low`` up to ``high``."""
    inside = (costs > low) & (costs <= high)
    return [float(mean) for mean in values[:, inside].mean(axis=1)]


def _at(curve: Curve, cost: float) -> list[float]:
    return [float(value) for value in curve.values(np.array([cost]))[:, 0]]


def _median(values: list[float]) -> float:
    return float(np.median(values))


def _costs(costs: list[float]) -> str:
    """Return the median cost over seeds with the least and the greatest."""
    median, low, high = (count(number) for number in (_median(costs), min(costs), max(costs)))
    return median if low == high else f"{median} ({low} to {high})"
