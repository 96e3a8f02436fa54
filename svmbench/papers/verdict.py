"""The verdict on a figure: each claim under each convention, and the stored numbers beside the known ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from svmbench.papers.claims import (
    Claim,
    Evidence,
    Finding,
    NotAttempted,
    Part,
    Published,
    combined,
    evidence,
    findings,
)
from svmbench.papers.paper import Paper
from svmbench.papers.plan import Match
from svmbench.report.series import COUNTERS, optimum_of
from svmbench.report.tables import count, spread, table


@dataclass(frozen=True)
class Verdict:
    """Everything that can be said of a figure from its stored runs.

    Attributes
    ----------
    paper : Paper
        The figure.
    published : Published
        What it is judged by.
    matches : list of Match
        Its runs.
    judged : list of (Claim, list of (Part, list of Finding))
        Every claim, part by part, on every data set under every convention.
    by_counter : mapping
        The evidence, by convention and panel.
    """

    paper: Paper
    published: Published
    matches: Sequence[Match]
    judged: Sequence[tuple[Claim, Sequence[tuple[Part, Sequence[Finding]]]]]
    by_counter: Mapping[str, Mapping[str, Evidence]]

    @classmethod
    def of(cls, paper: Paper, published: Published, matches: Sequence[Match]) -> Verdict:
        """Judge every claim."""
        by_counter = {counter: evidence(paper, matches, counter) for counter in paper.counters}
        judged = [
            (claim, [(part, findings(part, by_counter)) for part in claim.parts])
            for claim in published.claims
        ]
        return cls(paper, published, matches, judged, by_counter)

    def markdown(self) -> str:
        """Return the verdict as a page."""
        parts = [
            f"# {self.paper.title}",
            self.paper.source + ".",
            self._runs(),
            "## Verdict\n\nFor each way of counting kernel evaluations. Numbers below are medians over "
            "seeds, with "
            "the least and the greatest in brackets.\n\n" + self._summary(),
            *(self._claim(number, *judged) for number, judged in enumerate(self.judged, start=1)),
            f"## Beside what is known\n\n{self.published.origin}",
            self._optima(),
            self._anchors(),
        ]
        return "\n\n".join(parts) + "\n"

    def document(self) -> dict[str, Any]:
        """Return the verdict for programs; a number that does not exist or is infinite is None."""
        claims = [
            {
                "claim": claim.name,
                "text": claim.text,
                "place": claim.place,
                "verdicts": {counter: _of(parts, counter) for counter in self.paper.counters},
                "parts": [
                    {
                        "part": part.name,
                        "definition": part.definition,
                        "findings": [_plain(asdict(finding)) for finding in found],
                    }
                    for part, found in parts
                ],
            }
            for claim, parts in self.judged
        ]
        return {
            "paper": self.paper.id,
            "source": self.paper.source,
            "runs": [{"command": m.planned.command, "run": _id(m), "state": m.state} for m in self.matches],
            "claims": claims,
            "optima": [dict(zip(_OPTIMA, _plain(row), strict=True)) for row in self._optimum_rows()],
            "anchors": [dict(zip(_ANCHORS, _plain(row), strict=True)) for row in self._anchor_rows()],
        }

    def _runs(self) -> str:
        missing = [match for match in self.matches if not match.complete]
        text = f"{len(self.matches) - len(missing)} of {len(self.matches)} runs are stored."
        if missing:
            lines = "\n".join(f"    {m.planned.command}    # {m.state}" for m in missing)
            text += f" A claim that needs one of the others is not attempted. They are made by\n\n{lines}"
        return text

    def _summary(self) -> str:
        header = ["claim", *(_convention(counter) for counter in self.paper.counters)]
        rows = []
        for number, (claim, parts) in enumerate(self.judged, start=1):
            rows.append(
                [f"**{number}. {claim.name}**", *(f"**{_of(parts, c)}**" for c in self.paper.counters)]
            )
            rows += [[part.name, *(_panels(found, c) for c in self.paper.counters)] for part, found in parts]
        return table(header, rows)

    def _claim(self, number: int, claim: Claim, parts: Sequence[tuple[Part, Sequence[Finding]]]) -> str:
        blocks = [f"## Claim {number}: {claim.name}", f"{claim.text} ({claim.place})"]
        for part, found in parts:
            blocks.append(f"**{part.name[0].upper()}{part.name[1:]}.** {part.definition}")
            lines = [
                f"- {_short(f.counter)}, {self._title(f.panel)}: **{f.verdict}**: {f.text}" for f in found
            ]
            blocks.append("\n".join(lines))
        return "\n\n".join(blocks)

    def _optima(self) -> str:
        rows = [[self._title(str(row[0])), *row[1:]] for row in self._optimum_rows()]
        return "**Certified optima.**\n\n" + table(_OPTIMA, rows)

    def _optimum_rows(self) -> list[list[Any]]:
        rows: list[list[Any]] = []
        for known in self.published.optima:
            records = [
                record
                for match in self.matches
                if match.planned.panel == known.panel and match.stored is not None
                if (record := optimum_of(match.stored)) is not None
            ]
            found = (
                records[0] if records else dict.fromkeys(("primal", "relative_gap", "test_mistakes", "nu"))
            )
            low, high = known.mistakes
            rows.append(
                [
                    known.panel,
                    _digits(found["primal"], 6),
                    _digits(known.objective, 6),
                    _digits(found["relative_gap"], 1, "e"),
                    found["test_mistakes"],
                    f"{low} to {high}",
                    _digits(found["nu"], 4, "e"),
                    _digits(known.nu, 4, "e"),
                    known.printed_nu,
                ]
            )
        return rows

    def _anchors(self) -> str:
        rows = []
        for panel, solver, counter, cost, known, stored, deviation, overlap in self._anchor_rows():
            shown = None if stored is None else spread(stored)
            signed = None if deviation is None else f"{round(deviation, 2) + 0.0:+.2f}"
            label = self._label(solver)
            rows.append(
                (self._title(panel), label, _short(counter), count(cost), known, shown, signed, overlap)
            )
        about = (
            "**Test errors, %.** The deviation is that of the stored median from the known range, in points, "
            "0 inside it; the last column says whether the stored seeds reach "
            f"to within {_ROUNDED} points of the known range, whose ends are rounded."
        )
        return f"{about}\n\n{table(_ANCHORS, rows)}"

    def _anchor_rows(self) -> list[list[Any]]:
        rows: list[list[Any]] = []
        for anchor in self.published.anchors:
            material = self.by_counter.get(anchor.counter, {}).get(anchor.panel)
            known = f"{anchor.low:g}" if anchor.low == anchor.high else f"{anchor.low:g} to {anchor.high:g}"
            stored = deviation = overlap = None
            try:
                curve = material.curve(anchor.solver) if material else None
            except NotAttempted:
                curve = None
            if curve is not None:
                values = curve.values(np.array([anchor.cost]))[:, 0]
                if not np.isnan(values).any():
                    stored = values.tolist()
                    median = float(np.median(values))
                    deviation = median - min(max(median, anchor.low), anchor.high)
                    near = anchor.low - _ROUNDED <= values.max() and values.min() <= anchor.high + _ROUNDED
                    overlap = "yes" if near else "no"
            at = (anchor.panel, anchor.solver, anchor.counter, anchor.cost)
            rows.append([*at, known, stored, deviation, overlap])
        return rows

    def _title(self, panel: str) -> str:
        return next((plan.title for plan in self.paper.panels if plan.name == panel), panel)

    def _label(self, solver: str) -> str:
        """Return the title of a solver as its runs have it."""
        runs = (m.stored for m in self.matches if m.planned.solver == solver and m.stored is not None)
        return next((run.title for run in runs), solver)


#: Half a unit of the last digit that most known errors are given with, in percentage points.
_ROUNDED = 0.05

_OPTIMA = (
    *("data set", "objective", "known", "relative gap", "test errors", "known errors"),
    *("nu", "known nu", "printed nu"),
)
_ANCHORS = ("data set", "solver", "counted", "evaluations", "known", "stored", "deviation", "overlap")


def _of(parts: Sequence[tuple[Part, Sequence[Finding]]], counter: str) -> str:
    """Return the verdict on a claim under one convention."""
    return combined(
        [finding.verdict for _, found in parts for finding in found if finding.counter == counter]
    )


def _panels(found: Sequence[Finding], counter: str) -> str:
    """Return each data set's verdict on one part under one convention."""
    return ", ".join(f"{finding.panel} {finding.verdict}" for finding in found if finding.counter == counter)


def _convention(counter: str) -> str:
    """Return how a convention counts."""
    return COUNTERS[counter].removeprefix("kernel evaluations, ")


def _short(counter: str) -> str:
    """Return the letter of a convention, where it has one."""
    label = _convention(counter)
    return label[-2] if label.endswith(")") else label


def _digits(value: float | None, digits: int, kind: str = "f") -> str | None:
    return None if value is None else f"{value:.{digits}{kind}}"


def _id(match: Match) -> str | None:
    return None if match.stored is None else match.stored.id


def _plain(value: Any) -> Any:
    """Replace numbers that JSON does not have by None."""
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
