"""The results folder: finding runs, beginning them, and the documents they share."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from svmbench.errors import UserError, nearest
from svmbench.store import documents
from svmbench.store.identity import digest, run_id
from svmbench.store.lock import Lock, holder
from svmbench.store.runs import LOCK, RUNNING, RunWriter, StoredRun


class Store:
    """All stored runs of a results folder, and of the read-only ``reference/`` folder inside it.

    Parameters
    ----------
    root : str or path
        The results folder; need not exist yet.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = Path(root)

    def check_writable(self) -> None:
        """Raise UserError unless runs can be stored; leaves nothing behind."""
        folder = self.root / "runs"
        while not os.path.lexists(folder) and folder != folder.parent:
            folder = folder.parent
        if not folder.is_dir():
            raise UserError(
                f"results={self.root} cannot be used: {folder} is not a folder; give another results=DIR"
            )
        try:
            # The permission bits do not tell: root ignores them, a read-only file system has others.
            tempfile.TemporaryDirectory(prefix=".svmbench-", dir=folder).cleanup()
        except OSError as error:
            raise UserError(
                f"results={self.root} cannot be used: {folder} is not writable; give another results=DIR"
            ) from error

    def runs(self) -> list[StoredRun]:
        """Return all runs, ended or not, oldest first; one of each identity, its result if there is one."""
        best: dict[str, StoredRun] = {}
        for run in self._all():
            other = best.get(run.id)
            if other is None or (run.complete, run.started) > (other.complete, other.started):
                best[run.id] = run
        return sorted(best.values(), key=lambda run: (run.started, run.id))

    def find(self, name: str) -> StoredRun:
        """Return the run with this id, this unique beginning of an id, or in this folder.

        Raises
        ------
        UserError
            If there is none, or more than one.
        """
        if (Path(name) / "run.json").is_file():
            return StoredRun.read(Path(name).resolve())
        name = name.removesuffix(RUNNING)
        runs = {run.id: run for run in self.runs()}
        if name in runs:
            return runs[name]
        matches = [id for id in runs if id.startswith(name)]
        if len(matches) == 1:
            return runs[matches[0]]
        if matches:
            raise UserError(
                f"{name} is the beginning of {len(matches)} runs ({_some(matches)}); give more of one"
            )
        if not runs:
            raise UserError(f"there is no run {name}: {self.root} holds no runs; make one with: svmbench run")
        raise UserError(f"there is no run {name} in {self.root}; see: svmbench list{nearest(name, runs)}")

    def get(self, identity: dict[str, Any]) -> StoredRun | None:
        """Return the ended run of this identity, own or reference, or None."""
        id = run_id(identity)
        own, reference = self.root / "runs", self.root / "reference" / "runs"
        # `.running` first: its process may have been killed after the end was stored, before the last rename.
        ended = [
            run
            for path in (own / (id + RUNNING), own / id, reference / id)
            if (path / "status.json").is_file() and (run := _read(path)) is not None
        ]
        return next((run for run in ended if run.complete), ended[0] if ended else None)

    def begin(self, identity: dict[str, Any], manifest: dict[str, Any], force: bool = False) -> RunWriter:
        """Begin a run; its folder is locked against every other process until it ends.

        Parameters
        ----------
        identity : dict
            From `svmbench.store.identity.identity`.
        manifest : dict
            The rest of run.json: configuration, data set, solver and so on.
        force : bool
            Replace a complete run of the same identity; one that is not complete is always replaced.

        Raises
        ------
        UserError
            If another process runs it now, or it is stored already.
        """
        self.check_writable()
        id = run_id(identity)
        folder = self.root / "runs" / (id + RUNNING)
        lock = Lock.try_acquire(folder / LOCK)
        if lock is None:
            who = holder(folder / LOCK) or "another process"
            raise UserError(f"run {id} is being made by {who}; wait for it, or end it and start again")
        stored = self.get(identity)
        if stored is not None and stored.complete and not force:
            lock.remove()
            with contextlib.suppress(
                OSError
            ):  # not empty: a run that was killed, or one that begins just now
                folder.rmdir()
            raise UserError(f"run {id} is stored in {stored.path}; give force=true to repeat it")
        return RunWriter(folder, lock, {"id": id, "identity": identity, **manifest})

    def running(self) -> int:
        """Return how many runs processes are making in this store now."""
        return sum(holder(path / LOCK) is not None for path in (self.root / "runs").glob("*" + RUNNING))

    def put_environment(self, record: dict[str, Any]) -> str:
        """Store the description of machine and software once; return its hash."""
        hash = digest(record)
        path = self.root / "environments" / f"{hash}.json"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            documents.write(path, record)
        return hash

    def environment(self, hash: str) -> dict[str, Any] | None:
        """Return a stored environment, or None."""
        return self._document("environments", hash)

    def put_optimum(self, hash: str, record: dict[str, Any]) -> None:
        """Store a certified optimum."""
        path = self.root / "optima" / f"{hash}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        documents.write(path, record)

    def optimum(self, hash: str) -> dict[str, Any] | None:
        """Return a stored optimum, own or reference, or None."""
        return self._document("optima", hash)

    def lock_optimum(self, hash: str, waiting: Callable[[str], None]) -> Lock:
        """Lock the making of an optimum; ``waiting`` is told who makes it now, if somebody does."""
        return Lock.acquire(self.root / "optima" / f".{hash}.lock", waiting)

    def _document(self, folder: str, hash: str) -> dict[str, Any] | None:
        for root in (self.root, self.root / "reference"):
            try:
                return documents.read(root / folder / f"{hash}.json")
            except FileNotFoundError:
                continue
        return None

    def _all(self) -> Iterator[StoredRun]:
        # Reference runs last: among equals the first one is kept.
        for folder in (self.root / "runs", self.root / "reference" / "runs"):
            for path in sorted(folder.iterdir()) if folder.is_dir() else ():
                if not path.name.startswith(".") and (run := _read(path)) is not None:
                    yield run


def _read(path: Path) -> StoredRun | None:
    """Read the run in a folder, or where the folder went meanwhile; None if it holds none (yet)."""
    try:
        run = StoredRun.read(path)
    except (FileNotFoundError, NotADirectoryError):
        run = None
    final = path.with_name(path.name.removesuffix(RUNNING))
    if (run is None or run.status == "killed") and final.exists() and not path.exists():
        return StoredRun.read(final)  # it ended while it was read
    return run


def _some(names: list[str]) -> str:
    return ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")
