"""Permanent removal of runs."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from svmbench.errors import UserError
from svmbench.locking import Lock
from svmbench.store.notes import Notes
from svmbench.store.removal import remove, remove_leftovers
from svmbench.store.runs import LOCK, RUNNING, StoredRun
from svmbench.store.store import Store


def check(runs: Sequence[StoredRun], store: Store) -> None:
    """Raise a `UserError` for a run that must not be removed: a reference run, or one in progress."""
    for run in runs:
        if run.path.parent.resolve() != (store.root / "runs").resolve():
            raise UserError(
                f"run {run.id} is in {run.path.parent}, which svmbench only reads: leave it out, "
                "or remove it by hand"
            )
        if run.status == "running":
            raise UserError(f"run {run.id} is being made by {run.reason}: wait for it, or stop it")


def size(run: StoredRun) -> int:
    """Return the bytes that a run takes."""
    return sum(path.stat().st_size for path in run.path.rglob("*") if path.is_file())


def delete(runs: Sequence[StoredRun], store: Store) -> None:
    """Remove runs with their tags and notes; the removal of each is atomic."""
    check(runs, store)
    for run in runs:
        lock = Lock.try_acquire(run.path / LOCK) if run.path.name.endswith(RUNNING) else None
        if run.path.name.endswith(RUNNING) and lock is None:
            raise UserError(f"run {run.id} is being made: wait for it, or end it")
        with contextlib.suppress(FileNotFoundError):  # removed by another process
            remove(run.path)
        if lock is not None:
            lock.release()
    remove_leftovers(store.root / "runs")
    Notes(store.root).forget(run.id for run in runs)
