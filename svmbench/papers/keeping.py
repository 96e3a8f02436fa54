"""Storing what a figure is made from: its runs, with fewer checkpoints and packed, optima, checks, pictures.

Runs of curves keep all checkpoints. Runs of a sweep or grid keep what it uses: the last checkpoint for values
at the end, and for costs of arrival, all checkpoints from which a run may stay below a target, for any
target. If other values before the end are used, all checkpoints are kept. The misclassified test examples are
kept if a claim compares errors.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from svmbench.files import digest, write_whole
from svmbench.papers.artifact import Artifact, Front, Grid, Sweep, load
from svmbench.papers.catalogue import ours
from svmbench.papers.drawing import draw
from svmbench.papers.material import Material
from svmbench.papers.predicates import Below, Flat, Late, Rises, Slope
from svmbench.papers.quantities import Area, Arrival, FirstEpoch, LastShared, OfLine, Stable, Value, walk
from svmbench.store import StoredRun, packs, shared
from svmbench.store.trace import TRACE_COLUMNS


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
    if isinstance(artifact, Front):
        return _fronts(artifact)
    sharing = _sharing(artifact)
    if not all(isinstance(found, Sweep | Grid) for found in sharing):
        return _all
    nodes = [node for found in sharing for node in found.judged_and_shown()]
    along = [node for node in nodes if _on_the_way(node)]
    if not along:
        return _last
    metrics = {node.metric for node in along if isinstance(node, Arrival) and not node.first}
    if not all(isinstance(node, Arrival) and not node.first for node in along) or not metrics <= set(
        TRACE_COLUMNS
    ):
        return _all
    return lambda rows: arrivals(rows, sorted(metrics))


def _fronts(artifact: Artifact) -> Callable[[Sequence[Mapping[str, Any]]], Sequence[int]]:
    """Return a function that selects the last row, and those where the test error or a choosing one falls.

    If a claim uses other values before the end, all rows.
    """
    nodes = list(walk(artifact.claims))
    if any(_on_the_way(node) and not isinstance(node, Area) for node in nodes):
        return _all
    judges = {"test_error", *(node.by for node in nodes if isinstance(node, Area) and node.by)}

    def falls(rows: Sequence[Mapping[str, Any]]) -> Sequence[int]:
        spent = [row["cpu_seconds"] for row in rows if row.get("cpu_seconds") is not None]
        if spent != sorted(spent):  # fits from scratch, of which a later one may cost less
            return range(len(rows))
        kept, least = set(range(len(rows))[-1:]), dict.fromkeys(judges, math.inf)
        for place, row in enumerate(rows):
            for name in judges:
                if row[name] is not None and row[name] < least[name]:
                    kept.add(place)
                    least[name] = row[name]
        return sorted(kept)

    return falls


def compares_errors(artifact: Artifact) -> bool:
    """Return whether a claim compares test errors of its runs, which needs the misclassified examples.

    Parameters
    ----------
    artifact : Artifact
        The artifact that owns the runs.
    """
    if isinstance(artifact, Front):
        return False  # too many runs: their noise is estimated from the sizes of the errors
    nodes = (node for found in _sharing(artifact) for node in walk(found.claims))
    return any(isinstance(node, Value) and node.metric == "test_error" for node in nodes)


def _sharing(artifact: Artifact) -> list[Artifact]:
    """Return an artifact and all others that show its runs."""
    return [artifact, *(found for found in map(load, ours()) if found.of == artifact.id)]


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


def _on_the_way(node: Any) -> bool:
    """Return whether a quantity or test uses values before the end of a run."""
    if isinstance(node, Value):
        return node.at is not None or node.envelope or node.peak
    if isinstance(node, Slope | Flat):
        return node.over is None and isinstance(node.of, OfLine)
    return isinstance(node, Area | Arrival | Stable | FirstEpoch | LastShared | Below | Late | Rises)


def _pictures(artifact: Artifact, paths: list[Path], reference: Path) -> list[Path]:
    """Copy a table, or the pictures with their captions, to the reference folder."""
    written = []
    kept = (".png", ".md", ".csv") if artifact.kind == "grid" else (".png", ".md", ".csv", ".txt")
    spared = {f"{artifact.id}-{counter}" for counter in {*artifact.conventions} - {*artifact.pictured}}
    for path in (path for path in paths if path.suffix in kept):
        if path.stem in spared:
            continue
        home = reference / "tables" if path.parent.name == "tables" else reference / "figures" / artifact.id
        _copy(path, home / path.name)
        written.append(home / path.name)
    return written
