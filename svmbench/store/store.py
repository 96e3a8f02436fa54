"""The results folder: finding and beginning runs, and shared documents."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from svmbench.errors import UserError, command, nearest
from svmbench.files import digest
from svmbench.locking import Lock, holder
from svmbench.run_config import Document
from svmbench.store import documents, packs, shared
from svmbench.store.identity import Identity, ids_meant, run_id, underived
from svmbench.store.index import Index, folder_names
from svmbench.store.removal import remove
from svmbench.store.runs import LOCK, RUNNING, AlreadyStored, StoredRun, best, read
from svmbench.store.writer import RunWriter

#: Most runs with a common prefix that are read to find the one meant, and most names that a wrong name is
#: compared with.
_FEW, _MANY = 20, 2000


class Store:
    """All stored runs of a results folder, and of the read-only ``reference/`` folder inside it.

    Parameters
    ----------
    root : str or path
        The results folder; need not exist. A ``reference/`` folder with packs is a results folder itself.
    warn : callable, optional
        Receives a warning, once each, for damaged runs that are skipped. Default: print to standard error.

    Attributes
    ----------
    home : Path
        Folder with the index and the unpacked runs of packs: the results folder around a reference folder.
    """

    def __init__(self, root: str | os.PathLike[str], warn: Callable[[str], None] | None = None) -> None:
        self.root = Path(root)
        self._warn = warn or _to_stderr
        self._warned: set[Path] = set()
        # The packs of a reference folder are unpacked and indexed in the surrounding results folder.
        self._is_reference = self.root.name == "reference" and (self.root / "packs").is_dir()
        self.home = self.root.parent if self._is_reference else self.root

    def check_writable(self) -> None:
        """Raise UserError unless runs can be stored; leave nothing behind."""
        documents.check_writable(self.root)

    def runs(self) -> list[StoredRun]:
        """Return all runs, ended or not, oldest first; one per identity, its result if there is one.

        Damaged runs are skipped with a warning.
        """
        return self._sorted(self._folders())

    def own(self) -> list[StoredRun]:
        """Return the same as `runs`, without those of the ``reference/`` folder."""
        return self._sorted(self._own_folders())

    def _sorted(self, folders: Sequence[str]) -> list[StoredRun]:
        return sorted(best(self._all(folders)), key=lambda run: (run.started, run.id))

    def find(self, name: str) -> StoredRun:
        """Return the run with this id, unique prefix of an id or hash, or folder.

        Reference runs are searched last. Other runs are not read.

        Raises
        ------
        UserError
            If there is no such run, or more than one.
        """
        if (Path(name) / "run.json").is_file():
            return StoredRun.read(Path(name).resolve())
        name = name.removesuffix(RUNNING)
        places: dict[str, list[Path]] = {}
        meant: list[str] = []
        for folders in (self._own_folders, self._reference_folders)[: 1 if self._is_reference else 2]:
            for folder in folders() if not meant else ():
                for entry in folder_names(self.home / folder):
                    places.setdefault(entry.removesuffix(RUNNING), []).append(self.home / folder / entry)
            meant = meant or ids_meant(name, places)
        if len(meant) <= _FEW:
            found = (self._intact(path) for id in meant for path in places[id])
            runs = best(run for run in found if run is not None)
            if len(runs) == 1:
                return runs[0]
            meant = [run.id for run in runs]
        if meant:
            raise UserError(
                f"{name} is the beginning of {len(meant)} runs ({some(meant)}): give more of the name, or "
                f"'{name}*' for all of them to a command that takes several"
            )
        for path in places.get(name, ()):
            if path.is_dir():
                read(path)  # it is damaged, and this raises the error
        # A run that was interrupted before its ν or R was known has another name since it has ended.
        ended = [run for run in self.runs() if run.facts["underived"] == name]
        if len(ended) == 1:
            return ended[0]
        if not places:
            make = command("run", self.home)
            raise UserError(f"there is no run {name}: {self.root} holds no runs; make one with: {make}")
        hint = nearest(name, places) if len(places) <= _MANY else ""
        raise UserError(f"there is no run {name} in {self.root}; see: {command('list', self.root)}{hint}")

    def get(self, identity: Identity) -> StoredRun | None:
        """Return the ended run of this identity, own or reference, or None."""
        own, *others = (self.home / folder for folder in self._folders())
        ended = []
        # Runs of older versions are named by an identity without derived parameters.
        for id in dict.fromkeys((run_id(identity), run_id(underived(identity)))):
            # `.running` first: a process may be killed between storing the end and the last rename.
            for path in (own / (id + RUNNING), own / id, *(folder / id for folder in others)):
                run = self._intact(path) if (path / "status.json").is_file() else None
                if run is not None and run.key == run_id(identity):
                    ended.append(run)
        return next((run for run in ended if run.complete), ended[0] if ended else None)

    def like(self, identity: Identity) -> list[StoredRun]:
        """Return the runs of this identity with any derived ν or R."""
        name = run_id(underived(identity))
        return [run for run in self.runs() if name in (run.key, run.facts["underived"])]

    def begin(
        self,
        identity: Identity,
        manifest: Document,
        force: bool = False,
        waiting: Callable[[str], None] | None = None,
    ) -> RunWriter:
        """Begin a run; its folder is locked until the run ends.

        Parameters
        ----------
        identity : dict
            From `svmbench.store.identity.identity`.
        manifest : dict
            The rest of run.json: configuration, data set, solver and so on.
        force : bool
            Whether to replace a complete run of the same identity; an incomplete one is always replaced.
        waiting : callable, optional
            If another process is making the run, receive who it is, and wait for its end.

        Raises
        ------
        AlreadyStored
            If the run is stored.
        UserError
            If another process is making it, and `waiting` is not given.
        StorageError
            If it cannot be stored.
        """
        self.check_writable()
        id = run_id(identity)
        with documents.storing(f"run {id}", self.root / "runs"):
            lock = self._lock_run(id, waiting)
            try:
                self._clear_the_way(identity, force)
                return RunWriter(lock.path.parent, lock, {"id": id, "identity": identity, **manifest})
            except AlreadyStored:
                lock.remove()
                with contextlib.suppress(OSError):  # not empty: a killed run, or one that begins just now
                    lock.path.parent.rmdir()
                raise
            except BaseException:
                lock.release()
                raise

    def _lock_run(self, id: str, waiting: Callable[[str], None] | None) -> Lock:
        path = self.root / "runs" / (id + RUNNING) / LOCK
        if path.parent.is_symlink():
            raise UserError(f"{path.parent} is a link, and a run would replace what it leads to: remove it")
        if waiting is not None:
            return Lock.acquire(path, waiting)
        lock = Lock.try_acquire(path)
        if lock is None:
            who = holder(path) or "another process"
            raise UserError(f"run {id} is being made by {who}; wait for it, or end it and start again")
        return lock

    def _clear_the_way(self, identity: Identity, force: bool) -> None:
        """Raise `AlreadyStored` if the run is complete; remove the runs that it replaces."""
        stored = self.get(identity)
        if stored is not None and stored.complete and not force:
            raise AlreadyStored(stored)
        # A failed run that ended before its ν or R was known would otherwise remain beside this one.
        failed = self.root / "runs" / run_id(underived(identity))
        if "derived" in identity and (failed / "status.json").is_file():
            run = self._intact(failed)
            if run is not None and not run.complete:
                remove(failed)

    def running(self) -> int:
        """Return how many runs are in progress in this store."""
        folder = self.root / "runs"
        running = (name for name in folder_names(folder) if name.endswith(RUNNING))
        return sum(holder(folder / name / LOCK) is not None for name in running)

    def put_environment(self, record: Mapping[str, Any]) -> str:
        """Store an environment, once; return its hash."""
        hash = digest(record)
        if not (self.root / "environments" / f"{hash}.json").exists():
            self._put("environments", hash, record)
        return hash

    def environment(self, hash: str) -> Document | None:
        """Return a stored environment, or None; a damaged one is skipped with a warning."""
        return self._document("environments", hash)

    def put_optimum(self, record: Mapping[str, Any]) -> str:
        """Store a certified optimum; return its hash, that of its ``key``."""
        hash = digest(record["key"])
        self._put("optima", hash, shared.sealed(record))
        return hash

    def optimum(self, hash: str) -> Document | None:
        """Return a stored optimum, own or reference, or None; a damaged one is skipped with a warning."""
        return self._document("optima", hash)

    def lock_optimum(self, hash: str, waiting: Callable[[str], None], seconds: float | None = None) -> Lock:
        """Lock the computation of an optimum; ``waiting`` receives who is computing it, if anyone.

        `StillLocked`, naming the holder, is raised after waiting for `seconds`, if given.
        """
        with documents.storing("the optimum", self.root / "optima"):
            return Lock.acquire(self.root / "optima" / f".{hash}.lock", waiting, seconds)

    def _folders(self) -> list[str]:
        """Return the folders of runs in the results folder: own, reference, and packs."""
        own = self._own_folders()
        return own if self._is_reference else [*own, *self._reference_folders()]

    def _own_folders(self) -> list[str]:
        return self._reference_folders() if self._is_reference else ["runs"]

    def _reference_folders(self) -> list[str]:
        unusable = functools.partial(self._skipped, what="a pack")
        return ["reference/runs", *packs.folders(self.home, unusable)]

    def _put(self, kind: str, hash: str, record: Mapping[str, Any]) -> None:
        folder = self.root / kind
        with documents.storing(f"{hash}.json", folder):
            folder.mkdir(parents=True, exist_ok=True)
            documents.write(folder / f"{hash}.json", record)

    def _document(self, kind: str, hash: str) -> Document | None:
        if not documents.is_name(hash):
            return None
        for root in (self.root, self.root / "reference"):
            path = root / kind / f"{hash}.json"
            try:
                return shared.READERS[kind](path)
            except FileNotFoundError:
                continue
            except UserError as error:
                self._skipped(path, error, "a shared document")
        return None

    def _all(self, folders: Sequence[str]) -> Iterator[StoredRun]:
        with Index(self.home) as index:
            # Reference runs last: of equal runs, the first is kept.
            for folder in folders:
                left = set(folder_names(self.home / folder))
                for name, run in index.known(folder, left):
                    left.discard(name)
                    yield run
                for name in sorted(left):
                    found = self._read(index, folder, name)
                    if found is not None:
                        yield found

    def _read(self, index: Index, folder: str, name: str) -> StoredRun | None:
        """Read the run in a folder and add it to the index; None as in `_intact`."""
        signature = index.signature(folder, name)
        found = self._intact(self.home / folder / name)
        if found is None or signature is None:
            return found
        return index.keep(folder, name, signature, found)

    def _intact(self, path: Path) -> StoredRun | None:
        """Return the run in a folder; None without a run, or, with a warning, if it is damaged."""
        try:
            with contextlib.suppress(UserError):
                return read(path)
            return read(path)  # retry: a run that is being replaced looks damaged
        except UserError as error:
            self._skipped(path, error, "a run")
            return None

    def _skipped(self, path: Path, error: UserError, what: str) -> None:
        """Warn, once, of something damaged."""
        if path not in self._warned:
            self._warned.add(path)
            self._warn(f"skipped {what}: {error}")


@functools.lru_cache(maxsize=64)
def opened(root: Path) -> Store:
    """Return the store of a folder, always the same object, so that it warns once of damage."""
    return Store(root)


def _to_stderr(sentence: str) -> None:
    print(f"svmbench: {sentence}", file=sys.stderr)


def some(names: list[str]) -> str:
    """Return the first of many names."""
    return ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")
