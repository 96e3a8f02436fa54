"""The runs of a figure held against a store: which are there, which are missing, and the curves they make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from svmbench.papers.paper import Paper, PlannedRun
from svmbench.report.series import Curve, Panel, Selection, steps_of
from svmbench.store import Store, StoredRun
from svmbench.store.identity import digest, identity


@dataclass(frozen=True)
class Match:
    """A planned run and the stored run that is it, or None."""

    planned: PlannedRun
    stored: StoredRun | None

    @property
    def complete(self) -> bool:
        """Whether there is a result to draw and judge."""
        return self.stored is not None and self.stored.complete

    @property
    def state(self) -> str:
        """``stored``, ``missing``, or how the stored run ended without a result."""
        if self.stored is None:
            return "missing"
        return "stored" if self.stored.complete else self.stored.status


def match(paper: Paper, store: Store) -> list[Match]:
    """Look every run of a figure up in a store, reference runs included.

    Runs are compared by their resolved configuration, without the keys that cannot change a result. The data
    set is not loaded, so its checksum and the solver's version are those of the stored run; of several, a
    complete one of the newest version is taken.
    """
    stored: dict[str, list[StoredRun]] = {}
    for run in store.runs():
        stored.setdefault(digest(run.manifest["identity"]["config"]), []).append(run)
    return [Match(run, _best(stored.get(_key(run), []))) for run in paper.runs()]


def _key(run: PlannedRun) -> str:
    return digest(identity(run.config, checksum="", solver_version=0)["config"])


def _best(runs: Sequence[StoredRun]) -> StoredRun | None:
    def rank(run: StoredRun) -> tuple[bool, int, str]:
        # The version of a rival's adapter is followed by that of its package.
        version = str(run.manifest["identity"]["solver_version"]).partition(",")[0]
        return run.complete, int(version), run.started

    return max(runs, key=rank, default=None)


def selection(paper: Paper, matches: Sequence[Match], counter: str) -> Selection:
    """Return the curves of a figure under one convention, panels and solvers in the order of its file.

    Parameters
    ----------
    paper : Paper
        The figure.
    matches : sequence of Match
        Its runs; those that are not complete are left out.
    counter : str
        The convention.
    """
    chosen = Selection()
    for panel in paper.panels:
        curves = []
        for solver in paper.solvers:
            steps = []
            for found in matches:
                if (found.planned.panel, found.planned.solver) != (panel.name, solver.name):
                    continue
                if found.stored is None or not found.stored.complete:
                    chosen.left_out.append((found.planned.command, found.state))
                    continue
                observed = steps_of(found.stored, counter)
                if isinstance(observed, str):
                    chosen.left_out.append((found.stored.id, observed))
                else:
                    steps.append(observed)
            if steps:
                curves.append(Curve(solver.name, steps[0].run.title, tuple(steps)))
        if curves:
            chosen.panels.append(Panel(panel.name, tuple(curves)))
    return chosen
