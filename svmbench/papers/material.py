"""An artifact with everything that is stored for it, and the evidence that this makes."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from svmbench import config
from svmbench.figures.bounds import Reference, references
from svmbench.papers import checks
from svmbench.papers.artifact import Artifact
from svmbench.papers.claims import Claim, Finding, Part, judge
from svmbench.papers.estimate import NotAttempted
from svmbench.papers.plan import Index, Match, match_all
from svmbench.papers.quantities import Evidence
from svmbench.papers.runs import PlannedRun, written
from svmbench.store import StoredRun
from svmbench.store.timing import comparable


@dataclass(frozen=True)
class Material:
    """An artifact, its runs and what they say.

    Attributes
    ----------
    artifact : Artifact
        What is to be shown and judged.
    matches : sequence of Match
        Its runs; empty for a check.
    references : mapping of str to Reference
        What is certified, by problem.
    outcome : mapping or None
        What a check has measured; None if it has not been made, or not by the present one.
    """

    artifact: Artifact
    matches: Sequence[Match]
    references: Mapping[str, Reference]
    outcome: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, artifact: Artifact, index: Index) -> Material:
        """Find the runs of an artifact; values taken from others are filled in where they can be."""
        if artifact.runs is None:
            return cls(artifact, [], {}, checks.stored(artifact, index.store.root))
        planned = artifact.runs.planned()
        first = cls._with(artifact, match_all(planned, index), index)
        if not any(run.values for run in planned):
            return first
        return cls._with(artifact, [first._filled(match, index) for match in first.matches], index)

    @classmethod
    def _with(cls, artifact: Artifact, matches: Sequence[Match], index: Index) -> Material:
        return cls(artifact, matches, references([m.result for m in matches if m.complete], index.optimum))

    def _filled(self, match: Match, index: Index) -> Match:
        """Return a run that waited for values, with those that its sources have now."""
        run = match.planned
        if not run.values:
            return match
        evidence = self.evidence(run.panel, run.config.budget.counter)
        try:
            values = {
                key: float(evidence.sample(_same(given, run)).rows.at[0]) for key, given in run.values.items()
            }
        except NotAttempted as reason:
            return replace(match, waits=str(reason))
        overrides = (*run.overrides, *(f"{key}={written(value)}" for key, value in values.items()))
        return index.find(
            replace(run, overrides=overrides, config=config.resolve(overrides, run.folders), values={})
        )

    def evidence(self, panel: str, counter: str) -> Evidence:
        """Return what is stored of one panel under one convention."""
        known: Mapping[str, Any] = {}
        if self.artifact.runs is not None:
            known = next((p.known for p in self.artifact.runs.panels if p.name == panel), {})
        mine = [match for match in self.matches if match.planned.panel == panel]
        measures = None if self.outcome is None else self.outcome["measures"]
        return Evidence(counter, mine, self.references, measures, known, self.untimed)

    def judged(self) -> list[tuple[Claim, list[tuple[Part, list[Finding]]]]]:
        """Judge every claim, part by part, on every data set under every convention."""
        panels = [panel.name for panel in self.artifact.runs.panels] if self.artifact.runs else [""]
        by_counter = {
            counter: {panel: self.evidence(panel, counter) for panel in panels}
            for counter in self.artifact.counters
        }
        return [
            (claim, [(part, judge(part, by_counter)) for part in claim.parts])
            for claim in self.artifact.claims
        ]

    @functools.cached_property
    def untimed(self) -> Mapping[Path, str]:
        """Folders of the runs whose seconds are no evidence, and why; empty unless seconds are asked for."""
        if not self.artifact.timed:
            return {}
        reasons = dict(comparable(self.stored)[1])
        return {run.path: reasons[run.id] for run in self.stored if run.id in reasons}

    @property
    def stored(self) -> list[StoredRun]:
        """The runs that are drawn and judged."""
        return [match.result for match in self.matches if match.complete]

    @property
    def seconds(self) -> float:
        """Wall seconds that the runs took together."""
        took = [run.summary()["wall_seconds"] for run in self.stored]
        made = 0.0 if self.outcome is None else float(self.outcome["seconds"])
        return made + sum(float(second) for second in took if second is not None)

    def tally(self) -> str:
        """Return how many runs are stored, or whether the check is made."""
        if self.artifact.runs is None:
            return "not measured" if self.outcome is None else "measured"
        stored = sum(match.complete for match in self.matches)
        alone = (
            f", {stored - len(self.untimed)} of them ran alone on one machine" if self.artifact.timed else ""
        )
        return f"{stored} of {len(self.matches)} runs are stored{alone}"


def _same(given: Mapping[str, Any], run: PlannedRun) -> Mapping[str, Any]:
    """Return a quantity with the values of the run's own keys where it asks for the same ones."""
    where = given.get("where") or {}
    own = dict(run.over)
    return {
        **given,
        "where": {key: own.get(key) if value == "same" else value for key, value in where.items()},
    }
