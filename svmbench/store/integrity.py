"""Verification of stored files, and removal of damaged ones to a separate folder."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from svmbench.errors import UserError
from svmbench.files import MOST_BYTES_OF_MANY, read_regular, sha256, sync_folder, write_whole
from svmbench.locking import Lock, holder
from svmbench.store import documents, lines, packs, shared
from svmbench.store.events import is_event
from svmbench.store.index import Index
from svmbench.store.kept_problems import KeptProblem, files_of
from svmbench.store.notes import NOTES, Notes, free
from svmbench.store.reading import read
from svmbench.store.runs import LOCK, RUNNING, STATE, StoredRun
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
        raise documents.damaged(path / STATE, str(error)) from error
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
    differ: list[str] = []
    with Index(store.home) as index:
        for folder in (store.root / "runs", store.root / "reference" / "runs"):
            for path in _entries(folder, closed):
                for finding in check_folder(path, store) if path.is_dir() else ():
                    differ += _shown_otherwise(finding.run, index, store)
                    yield finding
        for path in sorted(store.home.glob("unpacked/*/runs/*")):
            with contextlib.suppress(UserError):  # which the check of the pack reports
                differ += _shown_otherwise(read(path), index, store)
    if differ:
        yield Finding(
            store.home / "index.sqlite",
            "damaged",
            f"it shows {some(differ)} otherwise than their folders; svmbench verify --repair sets it aside",
            kind="index",
        )
    for root in (store.root, store.root / "reference"):
        for path in _entries(root / "packs", closed):
            if path.name.endswith(packs.ENDING):
                yield from _check_pack(path, store.home / "unpacked")
        for name, kind in _KINDS.items():
            for path in _entries(root / name, closed):
                yield _check_document(path, (shared.READERS | shared.SEALED)[name], kind)
        yield from _check_verdicts(root / VERDICTS)
    yield from _check_notes(store.root)
    for path in _entries(store.root / "sweeps", closed):
        yield from _check_sweep(path)
    yield from closed


def _shown_otherwise(run: StoredRun | None, index: Index, store: Store) -> list[str]:
    """Return the id of a run whose row in the index differs from what was read from its folder."""
    if run is None:
        return []
    row = index.row(run.path.parent.relative_to(store.home).as_posix(), run.path.name)
    return [] if row is None or row == run else [run.id]


def _check_verdicts(path: Path) -> Iterator[Finding]:
    try:
        found = shared.verdicts(path)
    except FileNotFoundError:
        return
    except UserError as error:
        yield _refused(path, error, "verdicts")
        return
    yield _check_lines(path, len(found.records), len(found.damaged), found.unchecked, "verdicts")


def _check_notes(root: Path) -> Iterator[Finding]:
    path = root / NOTES
    try:
        content, damaged, unchecked = Notes(root).read()
    except UserError as error:
        yield _refused(path, error, "notes")
        return
    if content or damaged:
        yield _check_lines(path, len(content), len(damaged), unchecked, "notes")


def _check_sweep(folder: Path) -> Iterator[Finding]:
    """Check the plan and the events of a sweep."""
    try:
        for name, kind, one in (("plan.json", "plan", True), (EVENTS, "events", False)):
            path = folder / name
            if not os.path.lexists(path):
                continue
            found = _lines(path, one)
            if found is None or (one and len(found.records) != 1):
                yield Finding(folder, "damaged", f"{path} is damaged: start the sweep again", kind="sweep")
            else:
                yield _check_lines(path, len(found.records), len(found.damaged), found.unchecked, kind)
    except OSError as error:
        yield _refused(folder, documents.Unreadable(folder, error), "sweep")


def _lines(path: Path, one: bool) -> lines.Lines | None:
    """Return the events in a file, or a document as its one line; None if it is not a regular file."""
    try:
        content = read_regular(path, MOST_BYTES_OF_MANY)
    except (FileNotFoundError, IsADirectoryError, ValueError):  # a dangling link
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            return None
        raise
    return lines.read(content.replace(b"\n", b" ")) if one else lines.read(content, is_event)


def _check_lines(path: Path, whole: int, damaged: int, unchecked: int, kind: str) -> Finding:
    if damaged:
        sentence = (
            f"{damaged} of {whole + damaged} lines of {path} are damaged; svmbench verify --repair sets them "
            "aside"
        )
        return Finding(path, "damaged", sentence, kind=kind)
    if unchecked:
        sentence = f"readable; {unchecked} of {whole} have no digest: an older version wrote them"
        return Finding(path, "unchecked", sentence, kind=kind)
    return Finding(path, "ok", "what was written", kind=kind)


def _check_document(path: Path, read_document: Callable[[Path], object], kind: str) -> Finding:
    """Check a document, with which some readers return whether it contains its digest."""
    try:
        found = read_document(path)
    except UserError as error:
        return _refused(path, error, kind)
    if isinstance(found, tuple) and not found[1]:
        return Finding(path, "unchecked", "readable; an older version wrote it without a digest", kind=kind)
    return Finding(path, "ok", "what was written", kind=kind)


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
            f"{some(differ)} in {folder} differ from {path.name}; svmbench verify --repair sets the folder "
            "aside, and the next command unpacks it again",
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

    Of a file of lines, only damaged lines are moved. None for content that must not be moved: files of
    ``reference/``, which are under version control, and a run or sweep in progress.
    """
    path = finding.path
    if store.root / "reference" in path.parents:
        return None
    home = store.root / "damaged"
    home.mkdir(exist_ok=True)
    if finding.kind == "notes":
        return Notes(store.root).set_aside(home)
    if finding.kind == "events":
        return _lines_aside(path, home)
    if finding.kind == "sweep" and holder(path / LOCK) is not None:
        return None
    lock = Lock.try_acquire(path / LOCK) if path.name.endswith(RUNNING) else None
    if path.name.endswith(RUNNING) and lock is None:
        return None
    name = f"{path.parents[1].name}-{path.name}" if finding.kind == "problem" else path.name
    target = free(home / name)
    os.rename(path, target)
    if lock is not None:
        lock.path = target / LOCK
        lock.remove()
    sync_folder(home)
    sync_folder(path.parent)
    return target


def _lines_aside(path: Path, home: Path) -> Path | None:
    """Move the damaged lines of a sweep's events; None while the sweep is in progress."""
    lock = Lock.try_acquire(path.with_name(LOCK))
    if lock is None:
        return None
    try:
        content = path.read_bytes()
        damaged = lines.read(content, is_event).damaged
        target = free(home / f"{path.parent.name}-{path.name}")
        write_whole(target, b"".join(line + b"\n" for line in damaged))
        write_whole(path, b"\n".join(line for line in content.split(b"\n") if line not in damaged))
    finally:
        lock.remove()
    return target
