"""File locks that say who holds them; the kernel frees them when their process ends, however it ends."""

from __future__ import annotations

import fcntl
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

from svmbench.errors import UserError


class Lock:
    """An exclusive lock on a file, held until `remove` or the end of the process.

    Attributes
    ----------
    path : Path
        The lock file; may be moved with its folder while the lock is held.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor

    @classmethod
    def try_acquire(cls, path: Path) -> Lock | None:
        """Lock ``path``, creating it and its folder; None at once if another holds it."""
        return cls._acquire(path, wait=False)

    @classmethod
    def acquire(cls, path: Path, waiting: Callable[[str], None]) -> Lock:
        """Lock ``path`` as soon as it is free; ``waiting`` is told who holds it, if somebody does."""
        lock = cls._acquire(path, wait=False)
        if lock is None:
            waiting(holder(path) or "another process")
        while lock is None:
            lock = cls._acquire(path, wait=True)
        return lock

    @classmethod
    def _acquire(cls, path: Path, *, wait: bool) -> Lock | None:
        while True:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
            except FileNotFoundError:  # the last holder removed the folder just now
                continue
            try:
                if not _take(descriptor, wait):
                    os.close(descriptor)
                    return None
                if _is_file_at(descriptor, path):
                    os.truncate(descriptor, 0)
                    os.pwrite(descriptor, f"process {os.getpid()} on {socket.gethostname()}".encode(), 0)
                    return cls(path, descriptor)
            except BaseException:
                os.close(descriptor)
                raise
            # What was locked is a file that its last holder removed or moved away meanwhile.
            os.close(descriptor)

    def remove(self) -> None:
        """Remove the lock file and free the lock."""
        self.path.unlink(missing_ok=True)
        os.close(self._descriptor)


def holder(path: Path) -> str | None:
    """Return who holds the lock, as "process 123 on host", or None if nobody does."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.read(descriptor, 256).decode(errors="replace") or "another process"
    finally:
        os.close(descriptor)
    return None


def _take(descriptor: int, wait: bool) -> bool:
    try:
        if wait:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            return True
        # A reader that asks for the holder owns the lock for an instant, which must not look like a run.
        for _ in range(5):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            except BlockingIOError:
                time.sleep(0.01)
        return False
    except OSError as error:
        raise UserError(
            f"the results folder cannot be locked ({error.strerror}); give results=DIR on another file system"
        ) from error


def _is_file_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False
