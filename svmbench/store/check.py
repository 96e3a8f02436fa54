"""Whether stored files are what was written, and setting aside those that are not."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from svmbench.errors import UserError
from svmbench.files import Lock, sha256, sync_folder
from svmbench.store import documents, packs
from svmbench.store.runs import LOCK, RUNNING, STATE, StoredRun
from svmbench.store.store import Store, read

#: What cannot be checked of a packed run.
_PACKED = "a pack holds no models, so that their numbers cannot be recomputed, only made again"


@dataclass(frozen=True)
class Finding:
    """What was found out about one run or shared document.

    Attributes
    ----------
    path : Path
        Folder of the run, or file.
    state : str
        ``ok``; ``unchecked``: readable, and stored before there were checksums; ``packed``: readable, without
        files of its own; ``running``; ``killed``: its checkpoints are whole; ``damaged``.
    sentence : str
        What is wrong, or what was checked.
    run : StoredRun or None
        The run, if it is readable.
    """

    path: Path
    state: str
    sentence: str
    run: StoredRun | None = None


def check_run(path: Path, store: Store) -> Finding | None:
    """Check the files of the run in a folder; None if the folder holds none."""
    try:
        run = read(path)
        if run is None:
            return None
        if run.status in ("running", "killed"):
            return Finding(path, run.status, run.reason, run)
        files = run.files
        if files is None and store.root / "unpacked" in path.parents:
            return Finding(path, "packed", _PACKED, run)
        if files is None:
            return Finding(path, "unchecked", "readable; stored before there were checksums and models", run)
        if "model.npz" in files:
            run.model()
        if STATE in files and sha256(path / STATE) != files[STATE]:
            raise documents.damaged(path / STATE, "its checksum is another than at the end")
        replaced = _replaced_optimum(run, store)
    except UserError as error:
        return Finding(path, "damaged", str(error))
    names = ", ".join(files)
    return Finding(path, "ok", f"{names} are what was written{replaced}", run)


def _replaced_optimum(run: StoredRun, store: Store) -> str:
    """Return a clause that says so if the optimum that a run was measured against is another one now."""
    name, values = run.manifest.get("optimum"), run.manifest.get("optimum_values")
    record = store.optimum(name) if name is not None else None
    if record is None or values is None or all(record.get(key) == value for key, value in values.items()):
        return ""
    return f"; optimum {name} was replaced since the run was made"


def check_store(store: Store) -> Iterator[Finding]:
    """Check every run, own and reference, every pack, and every document that runs share."""
    for folder in (store.root / "runs", store.root / "reference" / "runs"):
        for path in _entries(folder):
            finding = check_run(path, store) if path.is_dir() else None
            if finding is not None:
                yield finding
    for root in (store.root, store.root / "reference"):
        for path in _entries(root / "packs"):
            if path.name.endswith(packs.ENDING):
                yield _check_pack(path)
        for kind in ("optima", "environments"):
            for path in _entries(root / kind):
                try:
                    documents.read(path)
                except UserError as error:
                    yield Finding(path, "damaged", str(error))


def _check_pack(path: Path) -> Finding:
    try:
        count, older = packs.check(path)
    except UserError as error:
        return Finding(path, "damaged", str(error))
    ids = f", {older} of them under ids from before ν and R were rounded" if older else ""
    runs = "1 run is" if count == 1 else f"{count} runs are"
    return Finding(path, "packed", f"{runs} what was written{ids}; {_PACKED}")


def _entries(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return [path for path in sorted(folder.iterdir()) if not path.name.startswith(".")]


def set_aside(finding: Finding, store: Store) -> Path | None:
    """Move what is damaged to ``damaged/`` in the results folder and return where it is now.

    None for what is not ours to move: files of ``reference/``, which come from version control, and a run
    that a process is making.
    """
    path = finding.path
    if store.root / "reference" in path.parents:
        return None
    lock = Lock.try_acquire(path / LOCK) if path.name.endswith(RUNNING) else None
    if path.name.endswith(RUNNING) and lock is None:
        return None
    home = store.root / "damaged"
    home.mkdir(exist_ok=True)
    target, number = home / path.name, 1
    while target.exists():
        number += 1
        target = home / f"{path.name}-{number}"
    os.rename(path, target)
    if lock is not None:
        lock.path = target / LOCK
        lock.remove()
    sync_folder(home)
    sync_folder(path.parent)
    return target
