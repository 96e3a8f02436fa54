"""Compact copies of stored runs, small enough to be versioned beside the figures drawn from them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from svmbench.errors import UserError
from svmbench.store import documents
from svmbench.store.runs import StoredRun

_FILES = ("run.json", "trace.csv", "status.json")


def export(runs: Iterable[StoredRun], destination: str | os.PathLike[str]) -> list[Path]:
    """Copy runs with the environments and optima they name; no pictures, no paths of this machine.

    Parameters
    ----------
    runs : iterable of StoredRun
        Ended runs.
    destination : path
        Folder of the layout of a store, such as ``results/reference``; runs already there are replaced.

    Returns
    -------
    list of Path
        The folders written.

    Raises
    ------
    UserError
        If a run has not ended; nothing is copied then.
    """
    runs = list(runs)
    for run in runs:
        if run.status in ("running", "killed"):
            raise UserError(f"run {run.id} is {run.status}; only runs that have ended can be exported")
    return [_export(run, Path(destination)) for run in runs]


def _export(run: StoredRun, destination: Path) -> Path:
    source = run.path.parent.parent
    for folder, name in (("environments", "environment"), ("optima", "optimum")):
        hash = run.manifest.get(name)
        if hash is not None:
            _copy(_document(source, folder, hash), destination / folder / f"{hash}.json")
    target = destination / "runs" / run.id
    for name in _FILES:
        _copy(run.path / name, target / name)
    # What cannot change a result and may name a folder of the machine it ran on.
    config = {**run.config, "results": "results", "data": {"mirror": None, "dir": None}}
    documents.write(target / "run.json", {**run.manifest, "config": config})
    return target


def _document(root: Path, folder: str, hash: str) -> Path:
    own = root / folder / f"{hash}.json"
    return own if own.exists() else root / "reference" / folder / f"{hash}.json"


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists() or not os.path.samefile(source, target):
        shutil.copyfile(source, target)
