"""Keeping what a figure is made from: its runs, thinned and packed, its optima, its check, its picture.

Runs of curves keep every checkpoint, and so do those of a sweep or grid that asks for more than values at the
end of a run: a cost of arrival, or a value on the way. Else one number of each run is all that is shown, and
the last checkpoint is kept.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from svmbench.files import digest, write_whole
from svmbench.papers import ids
from svmbench.papers.artifact import Artifact, load
from svmbench.papers.drawing import draw
from svmbench.papers.material import Material
from svmbench.papers.plan import configuration_key
from svmbench.store import StoredRun, packs

#: Keys of a quantity or a test that looks at a run before its end.
_ON_THE_WAY = frozenset(("arrival", "at", "envelope", "peak", "curve", "epoch", "shared"))


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
        count = [len(run.rows()) for run in runs]
        first = [n - 1 if _ends_alone(artifact) else 0 for n in count]
        packs.write(path, [(run, range(f, n)) for run, f, n in zip(runs, first, count, strict=True)])
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


def _ends_alone(artifact: Artifact) -> bool:
    """Tell whether an artifact, and all that show its runs, ask for values at the end of a run alone."""
    sharing = [found for found in map(load, ids()) if found.of == artifact.id]
    return all(
        found.kind in ("sweep", "grid")
        and not found.is_listing
        and not _on_the_way([found.options.get("y"), found.options.get("values")])
        and not any(_on_the_way(part.arguments) for claim in found.claims for part in claim.parts)
        for found in (artifact, *sharing)
    )


def _on_the_way(given: Any) -> bool:
    """Tell whether a quantity or a test asks for anything before the end of a run."""
    if isinstance(given, Mapping):
        along = "metric" in given.get("of", ()) and "within" in given and "over" not in given["of"]
        return along or any(key in _ON_THE_WAY or _on_the_way(value) for key, value in given.items())
    return isinstance(given, list | tuple) and any(map(_on_the_way, given))


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
