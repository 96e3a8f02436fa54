"""Claims of documents as data: wording, place, and tests.

A claim has parts. A part is a predicate with thresholds, fixed before the outcome is seen. It is judged on
each data set under each counting convention, or once over all data sets if the document refers to them
together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from svmbench.errors import UserError
from svmbench.papers import fields
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
from svmbench.papers.predicates import Tested
from svmbench.papers.quantities import Evidence
from svmbench.papers.vocabulary import PREDICATES
from svmbench.papers.wording import BY_PANEL

#: How certain it is that the document makes the claim.
SURE = ("read", "inferred", "unconfirmed", "ours")

#: Keys of a claim that apply to all of its parts, unless a part overrides them.
_OF_ALL_PARTS = ("by_construction", "convention")


@dataclass(frozen=True)
class Part:
    """One test.

    Attributes
    ----------
    name : str
        A few words.
    predicate : str
        One of `svmbench.papers.vocabulary.PREDICATES`.
    arguments : mapping
        Arguments of the predicate.
    panels, counters : tuple of str or None
        Data sets and conventions named by the document; None: all.
    together : bool
        Whether to judge it once, by the mean over the data sets.
    by_construction : str
        Why the test can only fail if the program is wrong: a theorem, the definition of a counter, a number
        copied from the document. Empty if it can fail.
    convention : tuple of str or None
        Conventions that the document itself uses for this comparison. They decide the claim; findings under
        others are listed beside it. None: all decide.
    """

    name: str
    predicate: str
    arguments: Mapping[str, Any]
    panels: tuple[str, ...] | None
    counters: tuple[str, ...] | None
    together: bool
    by_construction: str
    convention: tuple[str, ...] | None

    @property
    def definition(self) -> str:
        """The test with its thresholds, as a sentence."""
        text = PREDICATES[self.predicate].words(self.arguments)
        over = ", in the mean over the data sets" if self.together else ""
        return f"{text[0].upper()}{text[1:]}{over}."


@dataclass(frozen=True)
class Claim:
    """A claim of a document.

    Attributes
    ----------
    target : str
        Target that it belongs to, such as ``SBP-F2``.
    name : str
        A few words.
    text : str
        The claim, in our words, with the scope given by the document.
    place : str
        Section and page.
    sure : str
        One of `SURE`: read in the document, inferred from it, from memory and unconfirmed, or a question of
        our own.
    parts : tuple of Part
        Its tests; empty if it is not attempted.
    not_attempted : str
        Why it is not tested; empty if it is.
    """

    target: str
    name: str
    text: str
    place: str
    sure: str
    parts: tuple[Part, ...]
    not_attempted: str = ""


@dataclass(frozen=True)
class Finding:
    """Verdict on one part, for one data set (empty: all together) and one convention.

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


def read_claims(content: Any, where: str, target: str) -> tuple[Claim, ...]:
    """Return the claims of a file."""
    if not isinstance(content, list):
        raise UserError(f"{where} must be a list of claims")
    return tuple(_claim(value, f"{where}[{place}]", target) for place, value in enumerate(content))


def _claim(value: Any, where: str, target: str) -> Claim:
    optional = ("target", "sure", "parts", "not_attempted", *_OF_ALL_PARTS)
    keys = fields.section(value, where, ("name", "text", "place"), optional)
    sure = fields.one_of(keys.get("sure", "read"), f"{where}.sure", SURE)
    if ("parts" in keys) == ("not_attempted" in keys):
        raise UserError(f"{where} needs either parts, its tests, or not_attempted, why there are none")
    tests, why = keys.get("parts", []), str(keys.get("not_attempted", ""))
    if not why and (not isinstance(tests, list) or not tests):
        raise UserError(f"{where}.parts must be a list of tests")
    common = {key: keys[key] for key in _OF_ALL_PARTS if key in keys}
    parts = tuple(
        _part(part, f"{where}.parts[{place}]", keys["name"], common) for place, part in enumerate(tests)
    )
    return Claim(str(keys.get("target", target)), keys["name"], keys["text"], keys["place"], sure, parts, why)


def _part(value: Any, where: str, claim: str, common: Mapping[str, Any]) -> Part:
    own = ("name", "panels", "counters", "together", *_OF_ALL_PARTS)
    keys = {**common, **fields.section(value, where, (), (*own, *PREDICATES))}
    chosen = [name for name in PREDICATES if name in keys]
    if len(chosen) != 1:
        raise UserError(f"{where} needs exactly one predicate of: {', '.join(PREDICATES)}")
    predicate = PREDICATES[chosen[0]]
    arguments = fields.section(keys[chosen[0]], f"{where}.{chosen[0]}", predicate.needed, predicate.optional)
    panels, counters, convention = (
        fields.words(keys[name], f"{where}.{name}") if name in keys else None
        for name in ("panels", "counters", "convention")
    )
    together, why = bool(keys.get("together", False)), str(keys.get("by_construction", ""))
    return Part(
        str(keys.get("name", claim)), chosen[0], arguments, panels, counters, together, why, convention
    )


def judge(part: Part, by_counter: Mapping[str, Mapping[str, Evidence]]) -> list[Finding]:
    """Judge one part under every convention, on every data set it refers to."""
    found = []
    for counter, panels in by_counter.items():
        if part.counters is not None and counter not in part.counters:
            continue
        mine = {name: panels[name] for name in panels if part.panels is None or name in part.panels}
        if part.together:
            found.append(_finding(part, "", counter, partial(_mean, part, mine)))
        else:
            found += [
                _finding(part, name, counter, partial(_tested, part, name, one)) for name, one in mine.items()
            ]
    return sorted(found, key=lambda finding: finding.beside)


def _tested(part: Part, panel: str, evidence: Evidence, draw: Draw) -> Tested:
    arguments = of_panel(part.arguments, panel)
    return PREDICATES[part.predicate].judge(evidence.drawn(draw), arguments)


def _mean(part: Part, panels: Mapping[str, Evidence], draw: Draw) -> Tested:
    """Return the mean over data sets, logarithmic for ratios."""
    tested = [_tested(part, name, evidence, draw) for name, evidence in panels.items()]
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


def _finding(part: Part, panel: str, counter: str, test: Callable[[Draw], Tested]) -> Finding:
    beside = part.convention is not None and counter not in part.convention
    try:
        tested, verdict = _decided(test)
        estimate = Estimate.of(tested.rows, tested.unit)
    except NotAttempted as reason:
        return Finding(panel, counter, NOT_ATTEMPTED, str(reason), beside=beside)
    text = tested.text
    if verdict is None:
        text = f"{sum(DRAWS):,} resamples cannot tell an end of the interval from one of the range: {text}"
        verdict = INCONCLUSIVE
    if part.by_construction:
        if verdict == REPRODUCED:
            verdict = HOLDS
        else:
            text = f"FAILS, although it holds by construction ({part.by_construction}): {text}"
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


def of_panel(value: Any, panel: str) -> Any:
    """Return arguments with values that depend on the panel replaced by the panel's."""
    if isinstance(value, Mapping):
        if set(value) == {BY_PANEL}:
            if panel not in value[BY_PANEL]:
                raise NotAttempted(f"no number is given for {panel or 'all data sets together'}")
            return value[BY_PANEL][panel]
        return {key: of_panel(entry, panel) for key, entry in value.items()}
    return value
