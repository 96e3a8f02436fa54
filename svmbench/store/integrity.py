"""Verification of stored files, and removal of damaged ones to a separate folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from svmbench.errors import UserError, command
from svmbench.files import sha256, sync_folder
from svmbench.locking import Lock, holder
from svmbench.store import documents, packs, shared
from svmbench.store.kept_problems import KeptProblem, files_of
from svmbench.store.notes import NOTES, Notes
from svmbench.store.runs import LOCK, RUNNING, STATE, StoredRun, read
from svmbench.store.store import Store, some

#: Verdicts on the claims of papers.
VERDICTS = "VERDICTS.json"

#: Events of a sweep, in its folder.
EVENTS = "events.jsonl"

#: Kinds of the documents in other folders.
_KINDS = {"optima": "optimum", "environments": "environment", "speed": "speed", "checks": "check"}

#: What cannot be verified of a packed run.
_PACKED = "a pack holds no models, so that their numbers cannot be recomputed, only made again"


@dataclass(frozen=True)
class Finding:
    """Result of checking one run or shared document.

    Attributes
    ----------
    path : Path
        Folder of the run, or file.
    state : str
        ``ok``; ``unchecked``: readable, but stored before there were checksums; ``packed``: readable, from a
        pack; ``running``; ``killed``: its checkpoints are intact; ``damaged``.
    sentence : str
        What is wrong, or what was checked.
    run : StoredRun or None
        The run, if it is readable.
    kind : str
        ``run``, ``pack``, or the kind of document.
    """

    path: Path
    state: str
    sentence: str
    run: StoredRun | None = None
    kind: str = "run"


def _refused(path: Path, error: UserError, kind: str = "run") -> Finding:
    """Return the finding of what could not be read, or is damaged."""
    state = "unreadable" if isinstance(error, documents.Unreadable) else "damaged"
    return Finding(path, state, str(error), kind=kind)


def check_run(path: Path, store: Store) -> Finding | None:
    """Check the files of the run in a folder; None if the folder has none."""
    try:
        run = read(path)
        if run is None:
            return None
        if run.status in ("running", "killed"):
            return Finding(path, run.status, run.reason, run)
        files = run.files
        if path.absolute().parents[2].name == "unpacked":
            return Finding(path, "packed", _PACKED, run)
        if files is None:
            return Finding(path, "unchecked", "readable; stored before there were checksums and models", run)
        run.mistaken_tests()  # which may be damaged
        if "model.npz" in files:
            run.model()
        clauses = _state(path, files) + replaced_optimum(run, store)
    except UserError as error:
        return _refused(path, error)
    names = ", ".join(name for name in files if (path / name).exists())
    return Finding(path, "ok", f"{names} are what was written{clauses}", run)


def check_folder(path: Path, store: Store) -> Iterator[Finding]:
    """Check the run in a folder, if there is one, and what it has kept of its binary problems."""
    finding = check_run(path, store)
    if finding is None:
        return
    yield finding
    for kept in files_of(path) if finding.state != "running" else ():
        try:
            KeptProblem.load(kept)
        except UserError as error:
            yield _refused(kept, error, "problem")


def _state(path: Path, files: Mapping[str, str]) -> str:
    """Return a clause if a run's state is missing, else an empty one; UserError if the state is damaged."""
    try:
        if STATE in files and sha256(path / STATE) != files[STATE]:
            raise documents.damaged(path / STATE, "checksum mismatch")
    except FileNotFoundError:
        return f"; {STATE} is missing, so that a run with a larger budget begins anew"
    except ValueError as error:
        raise documents.damaged(path / STATE, error) from error
    except OSError as error:
        raise documents.Unreadable(path / STATE, error) from error
    return ""


def replaced_optimum(run: StoredRun, store: Store) -> str:
    """Return a clause if the optimum that a run was compared with has been replaced, else an empty one."""
    name, values = run.manifest.get("optimum"), run.manifest.get("optimum_values")
    record = store.optimum(name) if name is not None else None
    if record is None or values is None or all(record.get(key) == value for key, value in values.items()):
        return ""
    return f"; optimum {name} was replaced since the run was made"


def check_store(store: Store) -> Iterator[Finding]:
    """Check all runs, own and reference, all packs and their unpacked runs, and all other documents."""
    closed: list[Finding] = []
    for folder in (store.root / "runs", store.root / "reference" / "runs"):
        for path in _entries(folder, closed):
            yield from check_folder(path, store) if path.is_dir() else ()
    for root in (store.root, store.root / "reference"):
        for path in _entries(root / "packs", closed):
            if path.name.endswith(packs.ENDING):
                yield from _check_pack(path, store.home / "unpacked")
        for name, kind in _KINDS.items():
            for path in _entries(root / name, closed):
                yield from _check_document(path, (shared.READERS | shared.SEALED)[name], kind)
        yield from _check_document(root / VERDICTS, shared.verdicts, "verdicts")
    if os.path.lexists(store.root / NOTES):
        yield from _check_document(store.root / NOTES, lambda path: Notes(path.parent).read(), "notes")
    for path in _entries(store.root / "sweeps", closed):
        yield from _check_sweep(path)
    yield from closed


def _check_sweep(folder: Path) -> Iterator[Finding]:
    """Check the plan and the events of a sweep; a file among the sweeps is ignored."""
    if not folder.is_dir():
        return
    yield from _check_document(folder / "plan.json", shared.record, "plan")
    yield from _check_document(folder / EVENTS, shared.events, "events")


def _check_document(path: Path, read_document: Callable[[Path], object], kind: str) -> Iterator[Finding]:
    """Check a document, if it is there, with which some readers return whether it contains its digest."""
    try:
        found = read_document(path)
    except FileNotFoundError:
        if path.is_symlink():
            yield _refused(path, documents.damaged(path, "a link that leads nowhere"), kind)
        return
    except UserError as error:
        yield _refused(path, error, kind)
        return
    sealed = not isinstance(found, tuple) or found[1]
    sentence = "what was written" if sealed else "readable; an older version wrote it without a digest"
    yield Finding(path, "ok" if sealed else "unchecked", sentence, kind=kind)


def _check_pack(path: Path, home: Path) -> Iterator[Finding]:
    try:
        count, older = packs.check(path)
        folder, differ = packs.changed(path, home)
    except UserError as error:
        yield _refused(path, error, "pack")
        return
    ids = f", {older} of them under ids from before ν and R were rounded" if older else ""
    runs = "1 run is" if count == 1 else f"{count} runs are"
    yield Finding(path, "packed", f"{runs} what was written{ids}; {_PACKED}", kind="pack")
    if differ:
        yield Finding(
            folder,
            "damaged",
            f"{some(differ)} in {folder} differ from {path.name}; {command('verify --repair', home.parent)} "
            "sets the folder aside, and the next command unpacks it again",
            kind="unpacked",
        )


def _entries(folder: Path, closed: list[Finding]) -> list[Path]:
    """Return the content of a folder; add a folder that cannot be read to ``closed``."""
    try:
        return [folder / name for name in sorted(os.listdir(folder)) if not name.startswith(".")]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        closed.append(_refused(folder, documents.Unreadable(folder, error), "folder"))
        return []


def set_aside(finding: Finding, store: Store) -> Path | None:
    """Move damaged content to ``damaged/`` in the results folder and return its new path.

    Of a sweep with a damaged plan, all is moved. None for content that must not be moved: files of
    ``reference/``, which are under version control, and a run or sweep in progress.
    """
    path = finding.path.parent if finding.kind == "plan" else finding.path
    if store.root / "reference" in path.parents:
        return None
    if finding.kind in ("plan", "events") and holder(finding.path.parent / LOCK) is not None:
        return None
    home = store.root / "damaged"
    home.mkdir(exist_ok=True)
    lock = Lock.try_acquire(path / LOCK) if path.name.endswith(RUNNING) else None
    if path.name.endswith(RUNNING) and lock is None:
        return None
    parent = {"problem": path.parents[1], "events": path.parent}.get(finding.kind)
    target = _free(home / (path.name if parent is None else f"{parent.name}-{path.name}"))
    os.rename(path, target)
    if lock is not None:
        lock.path = target / LOCK
        lock.remove()
    sync_folder(home)
    sync_folder(path.parent)
    return target


def _free(path: Path) -> Path:
    """Return a path, with a number appended to its name if it exists."""
    found, number = path, 1
    while os.path.lexists(found):
        number += 1
        found = path.with_name(f"{path.name}-{number}")
    return found
