"""Storing what a figure is made from: its runs, with fewer checkpoints and packed, optima, checks, pictures.

Runs of curves keep all checkpoints. Runs of a sweep or grid keep what it uses: the last checkpoint for values
at the end, and for costs of arrival, all checkpoints from which a run may stay below a target, for any
target. If other values before the end are used, all checkpoints are kept. The misclassified test examples are
kept if a claim compares errors.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from svmbench.config.folder import papers
from svmbench.files import digest, write_whole
from svmbench.papers.artifact import Artifact, load
from svmbench.papers.drawing import draw
from svmbench.papers.material import Material
from svmbench.papers.samples import is_cost
from svmbench.store import StoredRun, packs, shared
from svmbench.store.trace import TRACE_COLUMNS

#: Keys of a quantity or test that uses values before the end of a run.
_ON_THE_WAY = frozenset(
    ("area", "arrival", "at", "envelope", "peak", "curve", "epoch", "shared", "stabilises")
)


def keep(material: Material, results: Path) -> list[Path]:
    """Write the pack of an artifact and all that belongs to it, and return the paths.

    Loose reference runs of the same configurations, packed or stale, are removed.

    Parameters
    ----------
    material : Material
        Complete.
    results : Path
        The results folder; files are written to its ``reference``.
    """
    artifact, reference = material.artifact, results / "reference"
    # First, since runs of an earlier pack may be removed as soon as another command has read the new one.
    drawn = draw(material, results)
    written: list[Path] = []
    if artifact.is_check:
        kept = results / "checks" / f"{artifact.id}.json"
        target = reference / "checks" / kept.name
        if kept.is_file():
            _copy(kept, target)
        written.append(target)
    elif artifact.of == artifact.id:  # otherwise the runs are stored with the artifact that owns them
        runs = list({run.id: run for run in material.stored}.values())
        path = reference / "packs" / f"{artifact.id}{packs.ENDING}"
        _documents(runs, results)
        kept_of = checkpoints(artifact)
        packs.write(path, [(run, kept_of(run.rows())) for run in runs], mistakes=compares_errors(artifact))
        written.append(path)
        for id in {run.id for run in runs} | _superseded(material, reference):
            shutil.rmtree(reference / "runs" / id, ignore_errors=True)
    written += _pictures(artifact, drawn, reference)
    return written


def _superseded(material: Material, reference: Path) -> set[str]:
    """Return loose reference runs of the same configurations, which the new ones make stale."""
    planned = {digest(match.planned.config.identity()) for match in material.matches}
    loose = (StoredRun.read(path) for path in (reference / "runs").glob("*/"))
    return {run.id for run in loose if digest(run.manifest["identity"]["config"]) in planned}


def _documents(runs: list[StoredRun], results: Path) -> None:
    """Copy the environments and optima named by runs."""
    for run in runs:
        for folder, name in (("environments", "environment"), ("optima", "optimum")):
            hash = run.manifest.get(name)
            source = results / folder / f"{hash}.json"
            if hash is not None and source.is_file():
                shared.READERS[folder](source)  # refuses a damaged one
                _copy(source, results / "reference" / folder / source.name)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    write_whole(target, source.read_bytes())


def checkpoints(artifact: Artifact) -> Callable[[Sequence[Mapping[str, Any]]], Sequence[int]]:
    """Return a function that selects the rows of a trace needed by all artifacts with these runs.

    Parameters
    ----------
    artifact : Artifact
        The artifact that owns the runs.
    """
    if artifact.kind == "front":
        return _fronts(artifact)
    sharing = _sharing(artifact)
    if any(found.kind not in ("sweep", "grid") or found.is_listing for found in sharing):
        return _all
    asked = [
        given
        for found in sharing
        for given in (
            found.options.get("y"),
            found.options.get("values"),
            *(part.arguments for claim in found.claims for part in claim.parts),
        )
    ]
    if not _on_the_way(asked):
        return _last
    costs = list(_costs_of_arrival(asked))
    metrics = {str(one["arrival"]) for one in costs}
    along = any("first" in one for one in costs) or _on_the_way(asked, _ON_THE_WAY - {"arrival"})
    if along or not metrics <= set(TRACE_COLUMNS):
        return _all
    return lambda rows: arrivals(rows, sorted(metrics))


def _fronts(artifact: Artifact) -> Callable[[Sequence[Mapping[str, Any]]], Sequence[int]]:
    """Return a function that selects the rows of a trace at which the test error falls, and the last row.

    If a claim uses other values before the end, all rows.
    """
    given = [part.arguments for claim in artifact.claims for part in claim.parts]
    if _on_the_way(given, _ON_THE_WAY - {"area"}):
        return _all

    def falls(rows: Sequence[Mapping[str, Any]]) -> Sequence[int]:
        kept, least = [], math.inf
        for place, row in enumerate(rows):
            error = row["test_error"]
            if place == len(rows) - 1 or (error is not None and error < least):
                kept.append(place)
                least = min(least, math.inf if error is None else error)
        return kept

    return falls


def compares_errors(artifact: Artifact) -> bool:
    """Return whether a claim compares test errors of its runs, which needs the misclassified examples.

    Parameters
    ----------
    artifact : Artifact
        The artifact that owns the runs.
    """
    if artifact.kind == "front":
        return False  # too many runs: their noise is estimated from the sizes of the errors
    claims = [claim for found in _sharing(artifact) for claim in found.claims]
    return any(_is_error(part.arguments) for claim in claims for part in claim.parts)


def _is_error(given: Any) -> bool:
    """Return whether a quantity is a test error, the default, or is derived from one."""
    if isinstance(given, Mapping):
        shown = given.get("metric", "test_error") == "test_error" and not is_cost(given)
        return ("solver" in given and shown) or any(map(_is_error, given.values()))
    return isinstance(given, list | tuple) and any(map(_is_error, given))


def _sharing(artifact: Artifact) -> list[Artifact]:
    """Return an artifact and all others that show its runs."""
    return [artifact, *(found for found in map(load, papers()) if found.of == artifact.id)]


def arrivals(rows: Sequence[Mapping[str, Any]], metrics: Sequence[str]) -> list[int]:
    """Return the indices of the rows from which a run may stay at or below a target, for any target.

    A run stays below a target from the row after the last one above it. A row is the last above some target
    if it is greater than all that follow. These rows and their successors determine all costs of arrival.

    Parameters
    ----------
    rows : sequence of mapping
        A trace.
    metrics : sequence of str
        Columns of the trace.

    Returns
    -------
    list of int
        Ascending, including the first and last row.
    """
    kept = {0, len(rows) - 1} if rows else set()
    for metric in metrics:
        known = [place for place, row in enumerate(rows) if row[metric] is not None]
        kept.update(known[:1])
        greatest, successor = float("-inf"), None
        for place in reversed(known):
            if rows[place][metric] > greatest:
                greatest = rows[place][metric]
                kept.update((place,) if successor is None else (place, successor))
            successor = place
    return sorted(kept)


def _all(rows: Sequence[Mapping[str, Any]]) -> Sequence[int]:
    return range(len(rows))


def _last(rows: Sequence[Mapping[str, Any]]) -> Sequence[int]:
    return range(len(rows))[-1:]


def _on_the_way(given: Any, keys: frozenset[str] = _ON_THE_WAY) -> bool:
    """Return whether a quantity or test uses values before the end of a run, by such a key."""
    if isinstance(given, Mapping):
        along = "metric" in given.get("of", ()) and "within" in given and "over" not in given["of"]
        return along or any(key in keys or _on_the_way(value, keys) for key, value in given.items())
    return isinstance(given, list | tuple) and any(_on_the_way(one, keys) for one in given)


def _costs_of_arrival(given: Any) -> Iterator[Mapping[str, Any]]:
    """Yield all quantities that are costs of arrival."""
    if isinstance(given, Mapping):
        if "arrival" in given:
            yield given
        given = list(given.values())
    if isinstance(given, list | tuple):
        for one in given:
            yield from _costs_of_arrival(one)


def _pictures(artifact: Artifact, paths: list[Path], reference: Path) -> list[Path]:
    """Copy a table, or the pictures with their captions, to the reference folder."""
    written = []
    kept = (".png", ".md", ".csv") if artifact.kind == "grid" else (".png", ".md", ".csv", ".txt")
    for path in (path for path in paths if path.suffix in kept):
        home = reference / "tables" if path.parent.name == "tables" else reference / "figures" / artifact.id
        _copy(path, home / path.name)
        written.append(home / path.name)
    return written
