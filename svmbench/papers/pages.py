"""Pages of verdicts: a line per claim on one page, and the tests and numbers on one page per document."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from svmbench.figures.series import COUNTERS
from svmbench.figures.tables import table
from svmbench.papers.artifact import DOCUMENTS, Artifact, Check
from svmbench.papers.claims import Claim, Finding, answer, combined
from svmbench.papers.estimate import (
    DEVIATES,
    DRAWS,
    HOLDS,
    INCONCLUSIVE,
    LEVEL,
    NOT_ATTEMPTED,
    POWER,
    VERDICTS,
    short,
)
from svmbench.papers.material import Material
from svmbench.papers.predicates import SEEN, Test
from svmbench.store import lines

#: Marks of the verdicts on claims that were defined or changed when an outcome was known, and on those whose
#: data or parameters are ours.
SEEN_MARK, OWN_MARK = "†", "‡"
#: What the marks mean.
MARKS = (
    f"{SEEN_MARK}: defined or changed when an outcome was known.\n{OWN_MARK}: data, parameters or budgets "
    "are ours: the document does not give them, they are not available, or we took less of them."
)

#: Claims with their judged parts, and an artifact with those about it.
Claims = Sequence[tuple[Claim, Sequence[tuple[Test, Sequence[Finding]]]]]
Judged = tuple[Material, Claims]
#: A claim with its verdict and findings, as it is stored in VERDICTS.json.
Entry = Mapping[str, Any]

_ABOUT = f"""\
Made by `svmbench paper verdict` from the stored runs; nothing is written by hand. A claim is a finding of a
document in our own words. Its tests are predicates with thresholds, fixed before an outcome was known unless
a {SEEN_MARK} marks the verdict; each gives a number and its {LEVEL:.0%} interval, from at least {DRAWS[0]:,}
resamples of the seeds and, for test errors, of the noise of the test set. Of a test that compares two values
it is their difference or ratio.

A claim is *reproduced* if the intervals of all its tests lie in the ranges given, *deviates* if one lies
outside, and is *inconclusive* otherwise. A test of a printed error is inconclusive, too, if a difference of
{SEEN:.0%} of that error would not have been seen in {POWER:.0%} of repetitions. *Holds by construction*: the
test cannot fail unless the program is wrong (a theorem, a definition). Our own questions do not count for a
document; their answer is the number of tests that hold. The number shown is that of the first test that
deviates, else of the first that is open, else of the first; the page of the document has all. Costs are
kernel evaluations, counted on demand (A), by row update (B) or per iteration (C), as
[counting](../../docs/counting.md) explains; errors are in percent. A value at a cost is that of the last
checkpoint up to it. *> 1.0e9* is a lower bound: no checkpoint of a run showed that it arrived."""


def judged(materials: Sequence[Material]) -> list[Judged]:
    """Judge the claims of some artifacts, in the order of the documents."""
    order = {name: place for place, name in enumerate(DOCUMENTS)}
    ordered = sorted(materials, key=lambda m: (order.get(m.artifact.document, len(order)), m.artifact.target))
    return [(material, material.judged()) for material in ordered]


def entries(found: Sequence[Judged]) -> list[Entry]:
    """Return the claims with verdicts and findings, each with a name such as ``SBP-F2.1``, and its digest."""
    numbers = Counter[str]()
    made: list[Entry] = []
    for material, claims in found:
        for claim, parts in claims:
            target = claim.target or material.artifact.id
            numbers[target] += 1
            entry = {
                "id": f"{target}.{numbers[target]}",
                "artifact": material.artifact.id,
                "document": material.artifact.document,
                "claim": claim.name,
                "text": claim.text,
                "place": claim.place,
                "sure": claim.sure,
                "verdict": _verdict(claim, parts),
                **({"not_attempted": claim.not_attempted} if claim.not_attempted else {}),
                **({"seen": claim.seen} if claim.seen else {}),
                **({"supplied": claim.supplied} if _is_supplied(claim) else {}),
                "parts": [_part(test, findings) for test, findings in parts],
            }
            made.append(lines.checked(entry))
    return made


def document(found: Sequence[Entry]) -> str:
    """Return the claims as JSON, one line each; infinite and undefined numbers are left out."""
    rows = (json.dumps(entry, allow_nan=False, ensure_ascii=False) for entry in found)
    return "[\n" + ",\n".join(rows) + "\n]\n"


def overview(found: Sequence[Entry]) -> str:
    """Return the page of all claims: how many have which verdict, and a line for each."""
    claims, questions = ([one for one in found if (one["sure"] == "ours") == ours] for ours in (False, True))
    said = "Tests are counted once for each data set and convention."
    seen = sum("seen" in one for one in claims)
    known = (
        f"Of these {len(claims)} claims, {seen} were defined or changed when an outcome was known "
        f"({SEEN_MARK}).\nThe page of the document says what was known, and which verdict an earlier "
        "definition had."
    )
    mine = sum("supplied" in one for one in claims)
    own = (
        f"Data, parameters or budgets of {mine} claims are ours ({OWN_MARK}): the document does not give "
        "them, they are not\navailable, or we took less of them; the page of the document says which. Our "
        "own questions and what holds\nby construction have no such mark."
    )
    doubted = [one["id"] for one in claims if one["sure"] == "unconfirmed"]
    memory = (
        f"What {len(doubted)} claims say is remembered, in whole or in part, because the text was not "
        f"available:\n{', '.join(doubted)}."
    )
    parts = ["# Verdicts", _ABOUT, "## Claims of the documents", _tally(claims), known, own]
    parts += [memory] * bool(doubted)
    parts += [*_failures(found), claim_lines(claims), "## Our own questions", said, claim_lines(questions)]
    return "\n\n".join(parts) + "\n"


def claim_lines(found: Sequence[Entry], linked: bool = True) -> str:
    """Return a table with a line per claim: its name, what it says, the verdict and the deciding number."""
    rows = []
    for entry in found:
        name = entry["id"]
        if linked and entry["document"] in DOCUMENTS:
            name = f"[{name}]({file_of(entry['document'])}#{name.lower()})"
        rows.append([name, entry["claim"], marked(entry), *_deciding(entry)])
    text = table(("id", "claim", "verdict", "number", "holds"), rows)
    return re.sub("-{4,}", "---", re.sub(" {2,}", " ", text)) if linked else text


def marked(entry: Entry) -> str:
    """Return the verdict on a claim with its marks (`MARKS`)."""
    marks = SEEN_MARK * ("seen" in entry) + OWN_MARK * ("supplied" in entry)
    return f"{entry['verdict']} {marks}" if marks else str(entry["verdict"])


def file_of(key: str) -> str:
    """Return the page of a document, relative to the page of all claims."""
    return f"verdicts/{re.sub('[^a-z]+', '-', DOCUMENTS[key].lower())}.md"


def details(found: Sequence[Judged]) -> dict[str, str]:
    """Return the page of each document: its claims with all tests and numbers."""
    made = {}
    for key, title in DOCUMENTS.items():
        mine = [one for one in found if one[0].artifact.document == key]
        if mine:
            made[file_of(key)] = f"# Verdicts: {title}\n\n{sections(found, key, '../')}"
    return made


def sections(found: Sequence[Judged], only: str | None = None, home: str = "") -> str:
    """Return one section per artifact, of one document if it is given."""
    named = iter(entries(found))
    made = [
        _section(material, claims, [next(named)["id"] for _ in claims], home) for material, claims in found
    ]
    chosen = (
        text for text, (one, _) in zip(made, found, strict=True) if only in (None, one.artifact.document)
    )
    return "\n\n".join(chosen) + "\n"


def _is_supplied(claim: Claim) -> bool:
    """Return whether a verdict on a document's claim rests on data or parameters of ours, and can fail."""
    return (
        bool(claim.supplied)
        and claim.sure != "ours"
        and any(not test.by_construction for test in claim.tests)
    )


def _verdict(claim: Claim, parts: Sequence[tuple[Test, Sequence[Finding]]]) -> str:
    """Return the verdict on a claim, without findings beside it; of our own question, the answer."""
    mine = [one for _, findings in parts for one in findings if not one.beside]
    verdict = combined([one.verdict for one in mine])
    if claim.sure != "ours" or verdict in (HOLDS, NOT_ATTEMPTED):
        return verdict
    return answer([(one.panel, one.verdict) for one in mine])


def _part(test: Test, findings: Sequence[Finding]) -> Entry:
    """Return a test with its findings; what is the same for all stands once."""
    found = [_plain(one) for one in findings]
    shared = {
        key: found[0][key]
        for key in ("least", "most", "unit", "counter")
        if found and all(one.get(key) == found[0].get(key) for one in found) and found[0].get(key) is not None
    }
    return {
        "part": test.name,
        "definition": test.definition,
        **({"by_construction": test.by_construction} if test.by_construction else {}),
        **shared,
        "findings": [{key: value for key, value in one.items() if key not in shared} for one in found],
    }


def _plain(finding: Finding) -> dict[str, Any]:
    """Return a finding without what is empty; its numbers have six digits, because more differ by machine.

    ``number`` is what pages show: made of all digits, because six digits rounded again may differ.
    """
    estimate = {} if finding.estimate is None else asdict(finding.estimate)
    numbers: dict[str, float] = {key: estimate[key] for key in ("value", "low", "high") if key in estimate}
    numbers |= {"least": finding.least, "most": finding.most}
    texts = {
        "data_set": finding.panel,
        "counter": finding.counter,
        "verdict": finding.verdict,
        "text": finding.text,
        "number": finding.estimate and finding.estimate.text(),
        "unit": estimate.get("unit"),
        "bound": estimate.get("bound"),
        "beside": finding.beside,
    }
    kept = {key: value for key, value in texts.items() if value}
    return kept | {key: float(f"{value:.6g}") for key, value in numbers.items() if math.isfinite(value)}


def _findings(entry: Entry) -> Iterator[Mapping[str, Any]]:
    """Yield the findings of a claim that count for it, each with what its part says of all."""
    for part in entry["parts"]:
        shared = {key: value for key, value in part.items() if key not in ("part", "definition", "findings")}
        yield from (shared | one for one in part["findings"] if not one.get("beside"))


def _deciding(entry: Entry) -> tuple[str, str]:
    """Return the number that decides a claim and the range in which the claim holds.

    It is the first that deviates, else the first that does not hold, else the first of all.
    """
    if entry.get("not_attempted"):
        return entry["not_attempted"], ""
    found = list(_findings(entry))
    for verdicts in ((DEVIATES,), (INCONCLUSIVE,), (NOT_ATTEMPTED,), VERDICTS):
        chosen = [one for one in found if one["verdict"] in verdicts]
        if chosen:
            break
    one = chosen[0]
    where = f"{one['data_set']}: " if one.get("data_set") else ""
    if "number" not in one:
        return f"{where}{one['text']}", ""
    return f"{where}{one['number']}", _range(one.get("least", -math.inf), one.get("most", math.inf))


def _tally(found: Sequence[Entry]) -> str:
    """Return the numbers of claims by verdict and document."""
    rows = []
    for key, title in DOCUMENTS.items():
        mine = [one["verdict"] for one in found if one["document"] == key]
        if mine:
            rows.append((title, len(mine), *(mine.count(name) for name in VERDICTS)))
    said = [one["verdict"] for one in found]
    rows.append(("all", len(said), *(said.count(name) for name in VERDICTS)))
    return table(("document", "claims", *VERDICTS), rows)


def _failures(found: Sequence[Entry]) -> Sequence[str]:
    """Return a paragraph on tests that hold by construction but fail, if there are any."""
    names = [
        f"{entry['id']}, {part['part']}"
        for entry in found
        for part in entry["parts"]
        if part.get("by_construction")
        and any(one["verdict"] in (DEVIATES, INCONCLUSIVE) for one in part["findings"])
    ]
    return [f"**Tests that hold by construction FAIL: {'; '.join(names)}.**"] if names else []


def _section(material: Material, claims: Claims, names: Sequence[str], home: str) -> str:
    artifact = material.artifact
    title = f"{artifact.target}: {artifact.title}" if artifact.target else artifact.title
    parts = [f"## {title}", f"{artifact.source}.", _origin(material, home)]
    by = f", by {artifact.part}" if artifact.part else ""
    for name, (claim, judged_parts) in zip(names, claims, strict=True):
        parts.append(
            f'<a id="{name.lower()}"></a>**{name}, {claim.name}: {_verdict(claim, judged_parts)}{by}.** '
            f"{claim.text} ({claim.place}{_doubt(claim)})"
            + (f" {SEEN_MARK} {claim.seen}" if claim.seen else "")
            + (f" {OWN_MARK} Ours: {claim.supplied}." if _is_supplied(claim) else "")
            + (f" Why: {claim.not_attempted}" if claim.not_attempted else "")
        )
        for test, findings in judged_parts:
            why = f" Holds by construction: {test.by_construction}." if test.by_construction else ""
            parts.append(f"*{test.name}.* {test.definition}{why}\n\n{_table(artifact, findings)}")
    return "\n\n".join(parts)


def _origin(material: Material, home: str) -> str:
    """Return what an artifact was made from, the time it took, and the location of the picture."""
    artifact = material.artifact
    text = f"{material.tally()[0].upper()}{material.tally()[1:]}; {_duration(material.seconds)} of training."
    if isinstance(artifact, Check):
        made = material.tally() if material.outcome is None else _duration(material.seconds)
        text = f"Check `{artifact.function}`, {made}."
    if not material.stored and material.outcome is None:
        what = "it is" if artifact.is_check else "its runs are"
        return f"{text} Not drawn yet: {what} made by `svmbench {artifact.command('run')}`."
    is_table = artifact.kind == "grid" or (material.outcome is not None and not material.outcome["panels"])
    folder, ending = ("tables", "md") if is_table else (f"figures/{artifact.id}", "png")
    # A table shows the first convention only.
    counters = artifact.pictured if artifact.kind != "grid" else [""]
    names = [f"{artifact.id}-{counter}" if counter else artifact.id for counter in counters]
    links = ", ".join(f"[{name}]({home}{folder}/{name}.{ending})" for name in names)
    what = "Table" if is_table else "Picture"
    made = f"svmbench {artifact.command('draw')}" if artifact.runs.folders else f"make {artifact.id}"
    return f"{text} {what}: {links}, by `{made}`."


def _table(artifact: Artifact, findings: Sequence[Finding]) -> str:
    titles = {panel.name: panel.title for panel in artifact.runs.panels}
    with_panel = any(finding.panel for finding in findings)
    with_counter = any(finding.counter for finding in findings)
    header = ["data set"] * with_panel + ["counted"] * with_counter
    header += ["verdict", "number", "holds", "from"]
    rows = []
    for finding in findings:
        where = [titles.get(finding.panel, finding.panel or "all")] if with_panel else []
        where += [_short(finding.counter) + ", beside" * finding.beside] if with_counter else []
        number = None if finding.estimate is None else finding.estimate.text()
        verdict = finding.verdict if finding.beside else f"**{finding.verdict}**"
        holds = None if finding.verdict == NOT_ATTEMPTED else _range(finding.least, finding.most)
        rows.append([*where, verdict, number, holds, finding.text])
    return _unpadded(table(header, rows))


def _unpadded(text: str) -> str:
    """Return a table whose last column is not padded."""
    return re.sub(r"(?m) +\|$", " |", re.sub(r"(?m)-+ \|$", "--- |", text))


def _range(least: float, most: float) -> str:
    """Return the range in which a claim holds."""
    if math.isinf(least):
        return f"below {short(most)}" if abs(most) >= 1e-12 else "below 0"
    if math.isinf(most):
        return f"at least {short(least)}"
    return short(least) if least == most else f"{short(least)} to {short(most)}"


def _doubt(claim: Claim) -> str:
    """Return how sure it is that a document makes the claim, unless the place says so."""
    words = {"unconfirmed": ", unconfirmed", "inferred": ", inferred", "ours": "; our own question"}
    return "" if claim.place.startswith("our own") else words.get(claim.sure, "")


def _short(counter: str) -> str:
    """Return the letter of a convention, if it has one."""
    label = COUNTERS.get(counter, "–")
    return label[-2] if label.endswith(")") and label[-3] == "(" else label


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 100.0 else f"{seconds / 60.0:.1f} minutes"
