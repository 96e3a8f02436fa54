"""Storing what was measured, with the machine it was measured on, and finding it again."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from svmbench.errors import UserError
from svmbench.run.environment import company, environment
from svmbench.store import documents
from svmbench.store.identity import digest


def save(
    results: str, kind: str, measured: dict[str, Any], shown: dict[str, Any], path: Path | None = None
) -> Path:
    """Write one measurement below ``results/speed/`` and return the file.

    Its name is the time and a hash of the environment, so that measurements of one machine and version can be
    told from those of others.

    Parameters
    ----------
    results : str
        The results folder.
    kind : str
        What was measured, such as ``rows``.
    measured : dict
        For JSON.
    shown : dict
        The same as a table: its ``header`` and ``lines``.
    path : Path, optional
        The file of the same measurement when it was less complete, which is replaced.
    """
    about = environment(1)
    if path is None:
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        path = Path(results) / "speed" / f"{stamp}-{kind}-{digest(about)[:12]}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
    about = {"kind": kind, "time": path.name.split("-")[0], "environment": about, "company": company(1)}
    documents.write(path, {**about, "measured": measured, "table": shown})
    return path


def stored(results: str, files: Sequence[str]) -> list[dict[str, Any]]:
    """Return the documents of the files; of all below ``results/speed/``, oldest first, where none is given.

    Raises
    ------
    UserError
        If a file is none of a measurement, or nothing is stored.
    """
    folder = Path(results) / "speed"
    paths = [Path(file) for file in files] or sorted(folder.glob("*.json"))
    if not paths:
        raise UserError(f"no measurements in {folder}: make one, such as svmbench speed rows")
    for path in paths:
        if not path.is_file():
            raise UserError(f"there is no file {path}: give stored measurements, or none for all")
    found = [documents.read(path) for path in paths]
    for path, document in zip(paths, found):
        if "table" not in document:
            raise UserError(f"{path} is no measurement: give files below {folder}")
    return found


def heading(document: dict[str, Any]) -> str:
    """Return a line that says what was measured, when, and on what."""
    about = document["environment"]
    when = time.strftime("%Y-%m-%d %H:%M", time.strptime(document["time"], "%Y%m%dT%H%M%SZ"))
    source = about["source"]
    commit = "" if source is None else f", commit {source['commit'][:12]}{'+' * source['dirty']}"
    return (
        f"{document['kind']}, {when} UTC: {about['processor']}, {about['isa']}, load "
        f"{document['company']['load'][0]:.2f}, svmbench {about['svmbench']}{commit}"
    )
