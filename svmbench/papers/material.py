"""An artifact with its stored runs, and the evidence from them."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from svmbench import config
from svmbench.figures.bounds import references
from svmbench.figures.series import Reference
from svmbench.option import show
from svmbench.papers import checks
from svmbench.papers.artifact import Artifact, Check, Front, Grid
from svmbench.papers.claims import Claim, Finding, judge
from svmbench.papers.estimate import NotAttempted
from svmbench.papers.evidence import Evidence
from svmbench.papers.matching import Index, Match
from svmbench.papers.predicates import Test
from svmbench.papers.quantities import SAME
from svmbench.papers.runs import PlannedRun, RunOf
from svmbench.store import StoredRun
from svmbench.store.timing import comparable


@dataclass(frozen=True)
class Material:
    """An artifact and its runs.

    Attributes
    ----------
    artifact : Artifact
        The artifact.
    matches : sequence of Match
        Its runs; empty for a check.
    references : mapping of str to Reference
        Certified bounds by problem.
    outcome : mapping or None
        Measurements of a check; None if it was not made, or by another version.
    """

    artifact: Artifact
    matches: Sequence[Match]
    references: Mapping[str, Reference]
    outcome: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, artifact: Artifact, index: Index) -> Material:
        """Find the runs of an artifact; values from other runs are filled in if known."""
        if isinstance(artifact, Check):
            return cls(artifact, [], {}, checks.stored(artifact, index.store.root))
        planned = artifact.runs.planned()
        first = cls._with(artifact, [index.find(run) for run in planned], index)
        if not any(run.values for run in planned):
            return first
        return cls._with(artifact, [first._filled(match, index) for match in first.matches], index)

    @classmethod
    def _with(cls, artifact: Artifact, matches: Sequence[Match], index: Index) -> Material:
        return cls(artifact, matches, references([m.result for m in matches if m.complete], index.optimum))

    def _filled(self, match: Match, index: Index) -> Match:
        """Return a run that waits for values, with the values that are known now."""
        run = match.planned
        if not run.values:
            return match
        evidence = self.evidence(run.panel, run.config.budget.counter)
        try:
            values = {key: _value(_same(given, run), evidence, run.seed) for key, given in run.values.items()}
        except NotAttempted as reason:
            return replace(match, waits=str(reason))
        overrides = (*run.overrides, *(f"{key}={value}" for key, value in values.items()))
        return index.find(
            replace(run, overrides=overrides, config=config.resolve(overrides, run.folders), values={})
        )

    def evidence(self, panel: str, counter: str) -> Evidence:
        """Return the stored runs of one panel under one convention as evidence, which is made once."""
        if (panel, counter) not in self._evidence:
            self._evidence[panel, counter] = self._gathered(panel, counter)
        return self._evidence[panel, counter]

    @functools.cached_property
    def _evidence(self) -> dict[tuple[str, str], Evidence]:
        return {}

    def _gathered(self, panel: str, counter: str) -> Evidence:
        known = next((p.known for p in self.artifact.runs.panels if p.name == panel), {})
        mine = [match for match in self.matches if match.planned.panel == panel]
        measures = None if self.outcome is None else self.outcome["measures"]
        window = self.artifact.window.split() if isinstance(self.artifact, Front) else ()
        return Evidence(counter, mine, self.references, measures, known, self.untimed, window)

    def judged(self) -> list[tuple[Claim, list[tuple[Test, list[Finding]]]]]:
        """Judge all claims, test by test, on every data set under every convention."""
        panels = [panel.name for panel in self.artifact.runs.panels] or [""]
        by_counter = {
            counter: {panel: self.evidence(panel, counter) for panel in panels}
            for counter in self.artifact.conventions
        }
        return [
            (claim, [(test, judge(test, by_counter)) for test in claim.tests])
            for claim in self.artifact.claims
        ]

    @functools.cached_property
    def untimed(self) -> Mapping[Path, str]:
        """Folders of the runs whose times are not comparable, and why; empty unless times are used."""
        if not self.artifact.timed:
            return {}
        # Fronts and the cells of a grid are compared within a data set: another one may have another machine.
        groups: dict[str, list[StoredRun]] = {}
        for match in self.matches:
            if match.complete:
                group = match.planned.panel if isinstance(self.artifact, Front | Grid) else ""
                groups.setdefault(group, []).append(match.result)
        reasons = {name: dict(comparable(runs)[1]) for name, runs in groups.items()}
        return {
            run.path: reasons[name][run.id]
            for name, runs in groups.items()
            for run in runs
            if run.id in reasons[name]
        }

    @property
    def stored(self) -> list[StoredRun]:
        """The runs that are drawn and judged."""
        return [match.result for match in self.matches if match.complete]

    @property
    def seconds(self) -> float:
        """Total wall seconds of the runs."""
        took = [run.summary()["wall_seconds"] for run in self.stored]
        made = 0.0 if self.outcome is None else float(self.outcome["seconds"])
        return made + sum(float(second) for second in took if second is not None)

    def tally(self) -> str:
        """Return how many runs are stored, or whether the check was made."""
        if self.artifact.is_check:
            return "not measured" if self.outcome is None else "measured"
        stored = sum(match.complete for match in self.matches)
        each = " for each data set" if isinstance(self.artifact, Front | Grid) else ""
        alone = (
            f", {stored - len(self.untimed)} of them ran alone on one machine{each}"
            if self.artifact.timed
            else ""
        )
        return f"{stored} of {len(self.matches)} runs are stored{alone}"


def _same(given: Any, run: PlannedRun) -> Any:
    """Return a quantity, or the run of another line, with the run's own values for keys that are the same."""
    own = dict(run.over)
    where = {key: own.get(key) if value == SAME else value for key, value in given.where.items()}
    return replace(given, where=where)


def _value(given: Any, evidence: Evidence, seed: int) -> str:
    """Return the value of a key that is taken from other runs."""
    if isinstance(given, RunOf):
        return evidence.one(given.solver, given.where, seed).id
    return show(float(given.sample(evidence).rows.at[0]))
