"""Claims of documents: wording, place, tests, and the verdicts on them.

A test is a predicate with thresholds, fixed before an outcome is known; a claim says where it was not so. It
is judged on each data set under each counting convention, or once over all data sets if the document refers
to them together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from svmbench.errors import UserError
from svmbench.papers.estimate import (
    DEVIATES,
    DRAWS,
    HOLDS,
    INCONCLUSIVE,
    NOT_ATTEMPTED,
    REPRODUCED,
    Draw,
    Estimate,
    NotAttempted,
    Rows,
)
from svmbench.papers.evidence import Evidence
from svmbench.papers.predicates import Test, Tested
from svmbench.papers.quantities import of_panel
from svmbench.papers.runs import check_known

#: How certain it is that the document makes the claim: read in it, inferred from it, from memory and
#: unconfirmed, or a question of our own.
SURE = ("read", "inferred", "unconfirmed", "ours")


@dataclass(frozen=True)
class Claim:
    """A claim of a document.

    Attributes
    ----------
    name : str
        A few words.
    place : str
        Section and page.
    text : str
        The claim, in our words, with the scope given by the document.
    tests : tuple of Test
        Its tests; empty if it is not attempted.
    sure : str
        One of `SURE`.
    target : str
        Target that it belongs to, such as ``SBP-F2``; empty: that of the artifact.
    not_attempted : str
        Why it is not tested; empty if it is.
    seen : str
        If it was defined or changed when an outcome was known: what was known, and the verdict by an earlier
        definition.
    supplied : str
        Data, parameters and budgets of its tests that are ours instead of the document's. Empty: those that
        the artifact names (`svmbench.papers.artifact.Artifact.supplied`), if any.
    """

    name: str
    place: str
    text: str
    tests: tuple[Test, ...]
    sure: str = "read"
    target: str = ""
    not_attempted: str = ""
    seen: str = ""
    supplied: str = ""


def claim(
    name: str, place: str, text: str, *tests: Test, sure: str = "read", target: str = "",
    not_attempted: str = "", by_construction: str = "", convention: str = "", seen: str = "",
    supplied: str = "",
) -> Claim:  # fmt: skip
    """Return a claim; ``by_construction`` and ``convention`` are those of its tests that give none.

    Raises
    ------
    UserError
        If it has neither tests nor a reason why it is not attempted, or both.
    """
    check_known([sure], SURE, f"claim '{name}'")
    if bool(tests) == bool(not_attempted):
        raise UserError(f"claim '{name}' needs either tests, or not_attempted with the reason")
    mine = [
        replace(
            test,
            by_construction=test.by_construction or by_construction,
            convention=test.convention or convention,
        )
        for test in tests
    ]
    return Claim(name, place, text, tuple(mine), sure, target, not_attempted, seen, supplied)


@dataclass(frozen=True)
class Finding:
    """Verdict on one test, for one data set (empty: all together) and one convention.

    Attributes
    ----------
    panel, counter : str
        Data set and convention.
    verdict : str
        One of `svmbench.papers.estimate.VERDICTS`.
    text : str
        The numbers in words, or why it was not attempted.
    estimate : Estimate or None
        The deciding number.
    least, most : float
        The range in which the claim holds.
    beside : bool
        Whether it is under a convention that the document does not use: a question of our own, which does not
        affect the verdict on the claim.
    """

    panel: str
    counter: str
    verdict: str
    text: str
    estimate: Estimate | None = None
    least: float = -np.inf
    most: float = np.inf
    beside: bool = False


def judge(test: Test, by_counter: Mapping[str, Mapping[str, Evidence]]) -> list[Finding]:
    """Judge one test under every convention, on every data set it refers to."""
    found = []
    for counter, panels in by_counter.items():
        if test.counters and counter not in test.counters.split():
            continue
        mine = {name: panels[name] for name in panels if not test.panels or name in test.panels.split()}
        if test.together:
            found.append(_finding(test, "", counter, partial(_mean, test, mine)))
        else:
            found += [
                _finding(test, name, counter, partial(_tested, test, name, one)) for name, one in mine.items()
            ]
    return sorted(found, key=lambda finding: finding.beside)


def _tested(test: Test, panel: str, evidence: Evidence, draw: Draw) -> Tested:
    return of_panel(test, panel).tested(evidence.drawn(draw))


def _mean(test: Test, panels: Mapping[str, Evidence], draw: Draw) -> Tested:
    """Return the mean over data sets, logarithmic for ratios."""
    tested = [_tested(test, name, evidence, draw) for name, evidence in panels.items()]
    first = tested[0]
    stacked = Rows.stack([one.rows for one in tested], axis=0)
    with np.errstate(divide="ignore"):
        mean = stacked.each(
            lambda rows: np.exp(np.log(rows).mean(axis=0)) if first.ratio else rows.mean(axis=0)
        )
    text = "; ".join(
        f"{name} {Estimate.of(one.rows).shown}" for name, one in zip(panels, tested, strict=True)
    )
    return replace(first, rows=mean, text=text)


def _finding(test: Test, panel: str, counter: str, made: Callable[[Draw], Tested]) -> Finding:
    beside = bool(test.convention) and counter not in test.convention.split()
    try:
        tested, verdict = _decided(made)
        estimate = Estimate.of(tested.rows, tested.unit)
    except NotAttempted as reason:
        return Finding(panel, counter, NOT_ATTEMPTED, str(reason), beside=beside)
    text = tested.text
    if verdict is None:
        text = f"{sum(DRAWS):,} resamples cannot tell an end of the interval from one of the range: {text}"
        verdict = INCONCLUSIVE
    if tested.weak and verdict == REPRODUCED:
        verdict = INCONCLUSIVE
    if test.by_construction:
        if verdict == REPRODUCED:
            verdict = HOLDS
        else:
            text = f"FAILS, although it holds by construction ({test.by_construction}): {text}"
    return Finding(panel, counter, verdict, text, estimate, tested.least, tested.most, beside)


def _decided(test: Callable[[Draw], Tested]) -> tuple[Tested, str | None]:
    """Return a test with as many repetitions as its verdict takes, and the verdict, None if it stays open."""
    tested = test(Draw())
    verdict = tested.rows.verdict(tested.least, tested.most)
    for number in range(1, len(DRAWS)):
        if verdict is not None:
            break
        tested = replace(tested, rows=tested.rows.joined(test(Draw(number)).rows))
        verdict = tested.rows.verdict(tested.least, tested.most)
    return tested, verdict


def combined(verdicts: Sequence[str]) -> str:
    """Return the verdict on a claim from those on its parts.

    It deviates if any part does, and is reproduced only if all parts are. Parts that were not attempted count
    if nothing else was judged, and otherwise make a claim inconclusive. Tests that cannot fail do not count,
    unless the claim has no other.
    """
    decisive = [verdict for verdict in verdicts if verdict != HOLDS]
    if DEVIATES in decisive:
        return DEVIATES
    if not decisive and verdicts:
        return HOLDS
    if all(verdict == NOT_ATTEMPTED for verdict in decisive):
        return NOT_ATTEMPTED
    return REPRODUCED if all(verdict == REPRODUCED for verdict in decisive) else INCONCLUSIVE


def answer(tests: Sequence[tuple[str, str]]) -> str:
    """Return the answer to a question of our own, from data set and verdict of each of its tests."""
    verdicts = [verdict for _, verdict in tests]
    holds = sum(verdict in (REPRODUCED, HOLDS) for verdict in verdicts)
    sets = len({panel for panel, _ in tests}) == len(tests)
    what = "data set" if sets and tests[0][0] else "test"
    unknown = len(verdicts) - holds - verdicts.count(DEVIATES)
    undecided = f", {unknown} open" if unknown else ""
    return f"in {holds} of {len(tests)} {what}{'s' * (len(tests) > 1)}{undecided}"
