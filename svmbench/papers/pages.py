"""The page of all verdicts: the claims of each document, and the results of stored runs."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from svmbench.figures.series import COUNTERS
from svmbench.figures.tables import table
from svmbench.papers.artifact import DOCUMENTS, Artifact, Check
from svmbench.papers.claims import Claim, Finding, combined
from svmbench.papers.estimate import DEVIATES, DRAWS, INCONCLUSIVE, LEVEL, NOT_ATTEMPTED, VERDICTS, short
from svmbench.papers.material import Material
from svmbench.papers.predicates import Test
from svmbench.store import lines

#: Claims with their judged parts, and an artifact with those about it.
Claims = Sequence[tuple[Claim, Sequence[tuple[Test, Sequence[Finding]]]]]
Judged = tuple[Material, Claims]

_ABOUT = f"""\
This page is made by `svmbench paper verdict` from the stored runs; nothing is written by hand. A claim is a
finding of a document in our own words, with the scope that its text gives it. Each of its tests is a
predicate whose thresholds were fixed beforehand, and gives a number with a {LEVEL:.0%} interval.

- The interval comes from {DRAWS[0]:,} resamples of the seeds; the seeds of two curves are resampled together.
  If the verdict could change with the number of resamples, there are more, up to {sum(DRAWS):,}.
- If there is only one run, the interval comes from the binomial error of the test set. For two errors on the
  same examples, it is at least that of the examples on which the two runs must disagree.
- A run reaches a level between the last checkpoint above it and the next one; the interval contains both. If
  a run ended above the level, for whatever reason, its cost is only bounded from below (*> 1.0e9*).

The verdict is *reproduced* if the whole interval lies in the range of the claim, *deviates* if it lies
outside, and *inconclusive* if it lies on both sides. For *not attempted*, the reason is given. A test that
cannot fail unless the program is wrong (a theorem, the definition of a counter, a number copied from the
document) *holds by construction* and is counted separately. If a document states how it counts, its
convention decides the claim; findings under other conventions are shown *beside* it, as our own question.

Costs are kernel evaluations, counted on demand (A), by row update (B) or per iteration (C): see
[counting](../../docs/counting.md). Test errors are in percent."""


def judged(materials: Sequence[Material]) -> list[Judged]:
    """Judge the claims of some artifacts, in the order of the documents."""
    order = {name: place for place, name in enumerate(DOCUMENTS)}
    ordered = sorted(materials, key=lambda m: (order.get(m.artifact.document, len(order)), m.artifact.target))
    return [(material, material.judged()) for material in ordered]


def page(found: Sequence[Judged]) -> str:
    """Return the page of all claims: a summary, then each claim with its numbers."""
    return "\n\n".join(["# Verdicts", _ABOUT, _counts(found), sections(found)])


def sections(found: Sequence[Judged]) -> str:
    """Return one section per artifact."""
    return "\n\n".join(_section(material, claims) for material, claims in found) + "\n"


def document(found: Sequence[Judged]) -> str:
    """Return the verdicts as JSON; infinite and undefined numbers are null."""
    entries = [
        lines.checked(
            {
                "target": claim.target,
                "artifact": material.artifact.id,
                "claim": claim.name,
                "text": claim.text,
                "place": claim.place,
                "sure": claim.sure,
                "verdict": _of(parts),
                **({"not_attempted": claim.not_attempted} if claim.not_attempted else {}),
                "parts": [
                    {
                        "part": test.name,
                        "definition": test.definition,
                        **({"by_construction": test.by_construction} if test.by_construction else {}),
                        "findings": [_plain(one) for one in findings],
                    }
                    for test, findings in parts
                ],
            }
        )
        for material, claims in found
        for claim, parts in claims
    ]
    return json.dumps(entries, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def _counts(found: Sequence[Judged]) -> str:
    """Return the numbers of claims and single tests by verdict and document."""
    rows, beside = [], Counter[str]()
    for key, title in DOCUMENTS.items():
        claims = [
            parts for material, judged in found if material.artifact.document == key for _, parts in judged
        ]
        if not claims:
            continue
        findings = [finding for parts in claims for _, found_here in parts for finding in found_here]
        verdicts = Counter(_of(parts) for parts in claims)
        single = Counter(finding.verdict for finding in findings if not finding.beside)
        beside += Counter(finding.verdict for finding in findings if finding.beside)
        cells = [f"{verdicts[name]} ({single[name]})" for name in VERDICTS]
        rows.append((title, f"{len(claims)} ({sum(single.values())})", *cells))
    if beside:
        cells = [f"({beside[name]})" for name in VERDICTS]
        rows.append(("beside, counted otherwise", f"({sum(beside.values())})", *cells))
    text = table(("document", "claims", *VERDICTS), rows)
    about = (
        "Claims; in brackets single tests, one for each part, data set and convention. A claim deviates if "
        "any of its tests does, and is reproduced only if all that can fail are."
    )
    return "\n\n".join([text, about, *_failures(found)])


def _failures(found: Sequence[Judged]) -> Sequence[str]:
    """Return a paragraph on tests that hold by construction but fail, if there are any."""
    names = [
        f"{claim.target}, {test.name}"
        for _, claims in found
        for claim, parts in claims
        for test, findings in parts
        if test.by_construction and any(one.verdict in (DEVIATES, INCONCLUSIVE) for one in findings)
    ]
    return [f"**Tests that hold by construction FAIL: {'; '.join(names)}.**"] if names else []


def _section(material: Material, claims: Claims) -> str:
    artifact = material.artifact
    title = f"{artifact.target}: {artifact.title}" if artifact.target else artifact.title
    parts = [f"## {title}", f"{artifact.source}.", _origin(material)]
    for claim, judged_parts in claims:
        parts.append(
            f"**{claim.name}: {_of(judged_parts)}.** {claim.text} ({claim.place}{_doubt(claim)})"
            + (f" [{claim.target}]" if claim.target != artifact.target else "")
            + (f" Why: {claim.not_attempted}" if claim.not_attempted else "")
        )
        for test, findings in judged_parts:
            why = f" Holds by construction: {test.by_construction}." if test.by_construction else ""
            parts.append(f"*{test.name}.* {test.definition}{why}\n\n{_table(artifact, findings)}")
    return "\n\n".join(parts)


def _origin(material: Material) -> str:
    """Return what an artifact was made from, the time it took, and the location of the picture."""
    artifact = material.artifact
    text = f"{material.tally()[0].upper()}{material.tally()[1:]}; {_duration(material.seconds)} of training."
    if isinstance(artifact, Check):
        made = material.tally() if material.outcome is None else _duration(material.seconds)
        text = f"Check `{artifact.function}`, {made}."
    if not material.stored and material.outcome is None:
        what = "it is" if artifact.is_check else "its runs are"
        return f"{text} Not drawn yet: {what} made by `svmbench paper run {artifact.id}`."
    is_table = artifact.kind == "grid" or (material.outcome is not None and not material.outcome["panels"])
    folder, ending = ("tables", "md") if is_table else (f"figures/{artifact.id}", "png")
    # A table shows the first convention only.
    counters = artifact.conventions if artifact.kind != "grid" else [""]
    names = [f"{artifact.id}-{counter}" if counter else artifact.id for counter in counters]
    links = ", ".join(f"[{name}]({folder}/{name}.{ending})" for name in names)
    what = "Table" if is_table else "Picture"
    made = f"svmbench paper draw {artifact.id}" if artifact.runs.folders else f"make {artifact.id}"
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
        rows.append([*where, verdict, number, _range(finding), finding.text])
    return table(header, rows)


def _range(finding: Finding) -> str | None:
    """Return the range in which a claim holds."""
    if finding.verdict == NOT_ATTEMPTED:
        return None
    least, most = finding.least, finding.most
    if math.isinf(least):
        return f"below {short(most)}" if abs(most) > 1e-12 else "below 0"
    if math.isinf(most):
        return f"at least {short(least)}"
    return short(least) if least == most else f"{short(least)} to {short(most)}"


def _of(parts: Sequence[tuple[Test, Sequence[Finding]]]) -> str:
    """Return the verdict on a claim, without findings beside it."""
    return combined([one.verdict for _, findings in parts for one in findings if not one.beside])


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


def _plain(finding: Finding) -> Mapping[str, Any]:
    estimate = {} if finding.estimate is None else asdict(finding.estimate)
    numbers: dict[str, float] = {key: estimate[key] for key in ("value", "low", "high") if key in estimate}
    numbers |= {"least": finding.least, "most": finding.most}
    return {
        "data_set": finding.panel or None,
        "counter": finding.counter or None,
        "verdict": finding.verdict,
        "text": finding.text,
        "unit": estimate.get("unit"),
        **({"bound": estimate["bound"]} if estimate.get("bound") else {}),
        **({"beside": True} if finding.beside else {}),
        **{key: value if math.isfinite(value) else None for key, value in numbers.items()},
    }
