"""Writing a run."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svmbench.files import digest, empty, sha256, sync_folder
from svmbench.locking import Lock
from svmbench.store import documents, index, lines, trace
from svmbench.store.documents import storing
from svmbench.store.removal import remove, remove_leftovers
from svmbench.store.runs import (
    CHECKED,
    COMPLETE,
    END_STATES,
    LOCK,
    MODEL,
    PROBLEMS,
    RUNNING,
    TRAINING,
    StoredRun,
)

if TYPE_CHECKING:
    from svmbench.store.joint_model import JointModel
    from svmbench.store.kept_problems import KeptProblem
    from svmbench.store.model import StoredModel
    from svmbench.store.state import State


def now() -> str:
    """Return the current time in the stored format: ISO 8601, UTC, microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


class RunWriter:
    """Writes a run and holds the lock of its folder until the run ends.

    Attributes
    ----------
    path : Path
        The folder: ``<id>.running`` until `finish`, then ``<id>``.
    """

    def __init__(self, path: Path, lock: Lock, manifest: Mapping[str, Any]) -> None:
        self.path = path
        self._lock = lock
        self._manifest = {**manifest, "started": now()}
        # The binary problems of a killed run of the same identity stay if this one continues it.
        empty(path, [lock.path.name, *([PROBLEMS] if "continued" in manifest else [])])
        documents.write(path / "run.json", lines.checked(self._manifest))
        self._trace = trace.TraceWriter(path / "trace.csv")

    def _storing(self) -> AbstractContextManager[None]:
        return storing(f"run {self.path.name.removesuffix(RUNNING)}", self.path.parent)

    def checkpoint(self, row: trace.Row) -> None:
        """Append one checkpoint and write it to the disk."""
        with self._storing():
            self._trace.checkpoint(row)

    def put_model(self, model: StoredModel | JointModel) -> None:
        """Store the model of the last checkpoint."""
        with self._storing():
            model.save(self.path / MODEL)

    def put_state(self, state: State) -> None:
        """Store the state at the last checkpoint, from which the run can be continued."""
        with self._storing():
            state.save(self.path)

    def put_problem(self, problem: KeptProblem) -> None:
        """Store what a binary problem has contributed so far."""
        with self._storing():
            problem.save(self.path)

    @contextmanager
    def training(self, spent: float) -> Iterator[None]:
        """Mark by a file, for the watching process, that the run trains, and its training time before."""
        mark = self.path / TRAINING
        with self._storing():
            mark.write_text(repr(spent), encoding="ascii")
        try:
            yield
        finally:
            with self._storing():
                mark.unlink(missing_ok=True)

    def log(self, text: str) -> None:
        """Write error.log, which explains a failure."""
        with self._storing():
            (self.path / "error.log").write_text(text, encoding="utf-8")

    def finish(self, status: str, reason: str, **fields: Any) -> StoredRun:
        """Store the end and rename the folder to its final name, replacing an older run."""
        if status not in END_STATES:
            raise ValueError(f"no such end state: {status}")
        with self._storing():
            self._trace.close()
            self.path = _ended(self.path, self._lock, self._manifest["started"], status, reason, fields)
        return index.add(self.path)

    def abandon(self) -> None:
        """Leave the run without an end, as after a kill."""
        with contextlib.suppress(OSError):
            self._trace.close()
        self._lock.release()

    def discard(self) -> None:
        """Remove the run as if it had never begun; with solved binary problems, leave it as after a kill."""
        if (self.path / PROBLEMS).exists():
            self.abandon()
            return
        self._trace.close()
        remove(self.path)
        self._lock.release()
        remove_leftovers(self.path.parent)


def _ended(path: Path, lock: Lock, started: str, status: str, reason: str, fields: Mapping[str, Any]) -> Path:
    """Store the end of a run; return its final folder."""
    ended = max(str(started), now())  # the clock may have been set back since
    seal(path, {"status": status, "reason": reason, "started": started, "ended": ended, **fields})
    return _named(path, lock)


def _named(path: Path, lock: Lock) -> Path:
    """Rename the folder of an ended run to its final name, and release its lock."""
    final = path.with_name(path.name.removesuffix(RUNNING))
    if final.exists():
        remove(final)  # if killed now, the new run is still found in its folder `.running`
    os.rename(path, final)
    sync_folder(final.parent)
    # Not earlier: without its lock before the renames, the folder would look like that of a killed run.
    lock.path = final / LOCK
    lock.remove()
    return final


def conclude(path: Path, status: str, reason: str, **fields: Any) -> StoredRun | None:
    """Store the end of a run whose process is dead, keeping its checkpoints and model.

    Parameters
    ----------
    path : Path
        Its folder, ``<id>.running``.
    status, reason, **fields
        As in `RunWriter.finish`.

    Returns
    -------
    StoredRun or None
        None if the process had stored nothing, or another process is making the run. An end that the process
        had stored itself is kept.
    """
    lock = Lock.try_acquire(path / LOCK)
    if lock is None:
        return None
    with storing(f"run {path.name.removesuffix(RUNNING)}", path.parent):
        if (path / "status.json").is_file():
            return index.add(_named(path, lock))
        if not (path / "trace.csv").is_file():
            lock.release()
            return None
        whole = (path / "trace.csv").read_bytes().rpartition(b"\n")
        (path / "trace.csv").write_bytes(whole[0] + whole[1])  # without an incomplete last line
        (path / TRAINING).unlink(missing_ok=True)
        started = documents.read(path / "run.json")["started"]
        return index.add(_ended(path, lock, started, status, reason, fields))


def seal(path: Path, end: Mapping[str, Any]) -> None:
    """Write status.json of a run: its end, and the checksums of its files and of the end itself.

    If the run has a result, its kept binary problems are removed.
    """
    files = {name: sha256(path / name) for name in CHECKED if (path / name).is_file()}
    end = {**end, "files": files}
    documents.write(path / "status.json", {**end, "check": digest(end)})
    if end["status"] in COMPLETE:
        shutil.rmtree(path / PROBLEMS, ignore_errors=True)
