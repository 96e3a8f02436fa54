"""Keeping what a figure is made from: its runs, thinned and packed, its optima, its check, its picture.

Runs of curves keep every checkpoint. A sweep, a grid or a profile needs one number of each run: the last
checkpoint, and where a cost of arrival is asked for, the checkpoints at which levels are reached.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from svmbench.files import digest, write_whole
from svmbench.papers.artifact import Artifact
from svmbench.papers.drawing import draw
from svmbench.papers.material import Material
from svmbench.papers.plan import configuration_key
from svmbench.store import StoredRun, packs

#: Columns whose running least value is kept where a run is thinned, so that any level's arrival is found.
_FALLING = ("test_error", "primal_objective", "relative_gap", "mean_hinge")


def keep(material: Material, results: Path) -> list[Path]:
    """Write the pack of an artifact with all that belongs to it, and return the paths.

    Loose reference runs of the same configurations, in the pack or stale, are removed.

    Parameters
    ----------
    material : Material
        Complete.
    results : Path
        The results folder; everything goes to its ``reference``.
    """
    artifact, reference = material.artifact, results / "reference"
    written: list[Path] = []
    if artifact.runs is None:
        kept = results / "checks" / f"{artifact.id}.json"
        target = reference / "checks" / kept.name
        if kept.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            write_whole(target, kept.read_bytes())
        written.append(target)
    elif artifact.of == artifact.id:  # else the runs are kept with the artifact that they belong to
        runs = list({run.id: run for run in material.stored}.values())
        path = reference / "packs" / f"{artifact.id}{packs.ENDING}"
        _documents(runs, results)
        thin = artifact.kind in ("sweep", "grid", "profile") and not artifact.is_listing
        packs.write(path, [(run, list(_kept(run)) if thin else range(len(run.rows()))) for run in runs])
        written.append(path)
        for id in {run.id for run in runs} | _superseded(material, reference):
            shutil.rmtree(reference / "runs" / id, ignore_errors=True)
    written += _pictures(artifact, draw(material, results), reference)
    return written


def _superseded(material: Material, reference: Path) -> set[str]:
    """Return loose reference runs of the same configurations, which are stale now that there are others."""
    planned = {configuration_key(match.planned.config) for match in material.matches}
    loose = (StoredRun.read(path) for path in (reference / "runs").glob("*/"))
    return {run.id for run in loose if digest(run.manifest["identity"]["config"]) in planned}


def _documents(runs: list[StoredRun], results: Path) -> None:
    """Copy the environments and optima that runs name."""
    for run in runs:
        for folder, name in (("environments", "environment"), ("optima", "optimum")):
            hash = run.manifest.get(name)
            source = results / folder / f"{hash}.json"
            if hash is not None and source.is_file():
                target = results / "reference" / folder / source.name
                target.parent.mkdir(parents=True, exist_ok=True)
                write_whole(target, source.read_bytes())


def _kept(run: StoredRun) -> Iterator[int]:
    """Yield the checkpoints that first arrivals and lasting ones are found by, and the last.

    They are those at which a falling column has a new least value, spaced by 2 %; and those after which the
    test error never is as large again, each with the next one.
    """
    rows = run.rows()
    keep = {len(rows) - 1}
    greatest = -np.inf
    for place in reversed(range(len(rows))):
        error = rows[place]["test_error"]
        if error is not None and error > greatest:
            greatest = error
            keep |= {place, min(place + 1, len(rows) - 1)}
    for name in _FALLING:
        least = np.inf
        for place, row in enumerate(rows):
            value = row[name]
            if value is not None and value < least * (1.0 - 0.02 * np.sign(least)):
                least = value
                keep.add(place)
    yield from sorted(keep)


def _pictures(artifact: Artifact, paths: list[Path], reference: Path) -> list[Path]:
    """Copy the page of a table, or the pictures with their captions, to the reference folder."""
    written = []
    for path in paths:
        if path.suffix not in (".png", ".md", ".csv") and not (
            path.suffix == ".txt" and artifact.kind != "grid"
        ):
            continue
        home = reference / "tables" if path.parent.name == "tables" else reference / "figures" / artifact.id
        home.mkdir(parents=True, exist_ok=True)
        write_whole(home / path.name, path.read_bytes())
        written.append(home / path.name)
    return written
