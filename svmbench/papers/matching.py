"""Planned runs of an artifact compared with a store: stored, stale or missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from svmbench import features
from svmbench.errors import UserError
from svmbench.figures.series import optimum_of
from svmbench.files import digest
from svmbench.papers.keys import Axis, place
from svmbench.papers.runs import PlannedRun
from svmbench.solvers import registry
from svmbench.store import Store, StoredRun
from svmbench.store.identity import DERIVED, derived_from, rounded
from svmbench.sweep.pace import expected


@dataclass(frozen=True)
class Match:
    """A planned run and its stored counterpart.

    Attributes
    ----------
    planned : PlannedRun
        The run.
    stored : StoredRun or None
        The stored run with the same identity.
    stale : str
        Why the stored run is outdated: another version of the solver, other data, another ν or R; empty if it
        is not.
    waits : str
        What must be stored before its configuration is known; empty if it is known.
    """

    planned: PlannedRun
    stored: StoredRun | None
    stale: str = ""
    waits: str = ""

    @property
    def complete(self) -> bool:
        """Whether there is a result to draw and judge."""
        return self.stored is not None and self.stored.complete and not self.stale

    @property
    def result(self) -> StoredRun:
        """The stored run of a complete match."""
        assert self.stored is not None
        return self.stored

    def place(self, axis: Axis) -> float:
        """Return the place of the run on an axis."""
        rows = None if self.stored is None else self.stored.manifest["dataset"]["rows"]
        return place(axis, self.planned.config.document(), rows)

    @property
    def state(self) -> str:
        """``stored``, ``missing``, why it waits or is stale, or how it ended without a result."""
        if self.waits:
            return f"waits for {self.waits}"
        if self.stored is None:
            return "missing"
        if self.stale:
            return f"stale: {self.stale}"
        return "stored" if self.stored.complete else self.stored.status


class Index:
    """The runs of a store by their configuration.

    Parameters
    ----------
    store : Store
        Reference runs included.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._optima: dict[tuple[str, str], dict[str, Any] | None] = {}
        self._stored: dict[str, list[StoredRun]] = {}
        self._data: dict[str, tuple[str, str]] = {}
        for run in store.runs():
            same = run.copy().manifest["identity"]
            self._stored.setdefault(digest(same["config"]), []).append(run)
            # The current version of a data set is unknown without loading it: that of the newest run counts.
            key = _data_of(same["config"])
            self._data[key] = max(self._data.get(key, ("", "")), (run.started, same["checksum"]))

    def find(self, planned: PlannedRun) -> Match:
        """Find a run by its resolved configuration, without the keys that do not affect results.

        Current stored runs are preferred to stale ones, complete runs to those without a result, and newer
        versions to older ones. A run that needs values of other runs is left waiting.
        """
        if planned.values:
            return Match(planned, None, waits=", ".join(planned.values))
        found = self._stored.get(digest(planned.config.identity()), [])
        if not found:
            return Match(planned, None)

        def rank(run: StoredRun) -> tuple[bool, bool, int, str]:
            # The version of a baseline's adapter is followed by that of its package.
            version = str(run.manifest["identity"]["solver_version"]).partition(",")[0]
            return not self.stale(run), run.complete, int(version), run.started

        best = max(found, key=rank)
        return Match(planned, best, self.stale(best))

    def alike(self, planned: PlannedRun) -> Iterator[StoredRun]:
        """Yield complete runs of the same solver on the same data set, for estimates of time."""
        solver, dataset = planned.config.solver.document(), planned.config.dataset.document()
        for runs in self._stored.values():
            for run in runs:
                same = run.manifest["identity"]["config"]
                if run.complete and same["solver"] == solver and same["dataset"] == dataset:
                    yield run

    def optimum(self, run: StoredRun) -> dict[str, Any] | None:
        """Return the certified optimum named by a run, or None."""
        name = run.manifest.get("optimum")
        if name is None:
            return None
        key = str(run.path.parent.parent), str(name)
        if key not in self._optima:
            self._optima[key] = optimum_of(run) or self.store.optimum(name)
        return self._optima[key]

    def stale(self, run: StoredRun) -> str:
        """Return why a run is outdated, or an empty string."""
        same = run.manifest["identity"]
        reasons = [*_versions(same), *self._derived(run)]
        checksum = self._data[_data_of(same["config"])][1]
        if same["checksum"] != checksum:
            reasons.append("the data have changed")
        return ", ".join(reasons)

    def _derived(self, run: StoredRun) -> Iterator[str]:
        """Yield a reason if ν or R, derived from the certified optimum, has changed since the run."""
        used, given = run.manifest.get("problem", {}), run.config.solver.parameters
        record = self.optimum(run)
        for name, key in DERIVED.values():
            if record is None or given.get(key) != "auto" or used.get(name) is None:
                continue
            now = derived_from(record, key)
            if now is None or rounded(used[name]) != rounded(now):
                gives = "none" if now is None else f"{now:.9g}"
                yield f"{name} was {used[name]:.9g}, the certified optimum now gives {gives}"


def _data_of(settings: Mapping[str, Any]) -> str:
    """Return a name for the data that a configuration asks for; the seed draws the examples of a subset."""
    subset = settings.get("subset")
    return digest([settings["dataset"], *([] if subset is None else [subset, settings["seed"]])])


def _versions(same: Mapping[str, Any]) -> Iterator[str]:
    """Yield a reason if the version of the solver or feature map has changed."""
    made, name = same["solver_version"], same["config"]["solver"]["name"]
    try:
        now: Any = registry.get(name).release()
    except UserError:
        now = made  # the baseline is not installed here, so its version is unknown
    if now != made:
        yield f"made by version {made} of {name}, which is now {now}"
    if "features" in same["config"]:
        chosen = same["config"]["features"]["name"]
        if features.get(chosen).version != same.get("features_version"):
            yield f"made by version {same.get('features_version')} of {chosen} features"


def estimate(match: Match, index: Index) -> tuple[float | None, float | None]:
    """Return the expected seconds and MiB of a run from stored runs of the same solver and data set."""
    return expected(list(index.alike(match.planned)), match.planned.config.budget)
