"""Locks on files, which end with their process."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import socket
import stat
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from svmbench.errors import UserError

#: Flags for opening lock files: links are not followed, and pipes do not block.
CAREFUL = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def _no_lock_file(path: Path) -> UserError:
    return UserError(f"{path} is a link or no regular file, and would be overwritten as a lock: remove it")


def own_folder(say: Callable[[str], None]) -> Path | None:
    """Return a folder for locks between processes of this machine that only this user can write to.

    Candidates are in the temporary folder, the user's runtime folder and the cache folder. The first one
    owned by the user is returned, and None if the user owns no candidate. ``say`` receives a message with a
    remedy for each folder owned by somebody else.
    """
    runtime, home = os.environ.get("XDG_RUNTIME_DIR"), os.path.expanduser("~")
    places = [Path(tempfile.gettempdir()) / f"svmbench-{os.getuid()}"]
    places += [Path(runtime) / "svmbench"] if runtime else []
    places += [Path(home) / ".cache" / "svmbench" / "locks"]
    for place in places:
        try:
            place.mkdir(mode=0o700, parents=place is not places[0], exist_ok=True)
            about = os.lstat(place)
            if stat.S_ISDIR(about.st_mode) and about.st_uid == os.getuid():
                if about.st_mode & 0o077:
                    os.chmod(place, 0o700)
                return place
        except OSError:
            continue
        say(f"{place} is not a folder of yours and is not used for locks: remove it, or ask its owner to")
    return None


#: Seconds between two attempts to lock while waiting with a limit.
_PAUSE = 0.1


class StillLocked(Exception):
    """The limit of the wait for a lock was reached; says who holds it. Not an `OSError`: nothing is wrong."""


class Lock:
    """An exclusive lock on a file, held until `remove`, `release` or the end of the process.

    Attributes
    ----------
    path : Path
        The lock file; it may move with its folder while locked.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor

    @classmethod
    def try_acquire(cls, path: Path) -> Lock | None:
        """Lock ``path``, creating it and its folder; return None at once if it is locked."""
        return cls._acquire(path, wait=False)

    @classmethod
    def acquire(cls, path: Path, waiting: Callable[[str], None], seconds: float | None = None) -> Lock:
        """Lock ``path`` when it is free; ``waiting`` receives who holds it, if it is locked.

        `StillLocked` is raised after waiting for `seconds`, if given.
        """
        lock, who = cls._acquire(path, wait=False), "another process"
        if lock is None:
            who = holder(path) or who
            waiting(who)
        # With a limit the lock is polled, since flock has no timeout.
        end = None if seconds is None else time.monotonic() + seconds
        while lock is None:
            lock = cls._acquire(path, wait=end is None)
            if lock is None and end is not None:
                if time.monotonic() >= end:
                    raise StillLocked(who)
                time.sleep(_PAUSE)
        return lock

    @classmethod
    def _acquire(cls, path: Path, *, wait: bool) -> Lock | None:
        while True:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT | CAREFUL, 0o644)
            except FileNotFoundError:  # the last holder has just removed the folder
                continue
            except OSError as error:
                if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EISDIR):
                    raise _no_lock_file(path) from error
                raise
            try:
                about = os.fstat(descriptor)
                if not stat.S_ISREG(about.st_mode) or about.st_nlink > 1:
                    raise _no_lock_file(path)
                if not _take(descriptor, path, wait):
                    os.close(descriptor)
                    return None
                if is_file_at(descriptor, path):
                    os.truncate(descriptor, 0)
                    os.pwrite(descriptor, holding(os.getpid()).encode(), 0)
                    return cls(path, descriptor)
            except BaseException:
                os.close(descriptor)
                raise
            # The locked file has meanwhile been removed or moved by its last holder.
            os.close(descriptor)

    def remove(self) -> None:
        """Remove the lock file and free the lock."""
        # If the folder is no longer writable, the file stays, unlocked.
        with contextlib.suppress(OSError):
            self.path.unlink()
        self.release()

    def release(self) -> None:
        """Free the lock but keep its file."""
        os.close(self._descriptor)


def holding(process: int) -> str:
    """Return the content of the lock files that a process of this machine holds."""
    return f"process {process} on {socket.gethostname()}"


def is_of_process(content: bytes) -> bool:
    """Return whether a lock file has this content because a process made it."""
    return content.startswith(b"process ")


def holder(path: Path) -> str | None:
    """Return who holds the lock, as "process 123 on host", or None if it is free."""
    try:
        descriptor = os.open(path, os.O_RDONLY | CAREFUL)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EMLINK, errno.ENXIO):
            return None  # not lockable
        raise
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.read(descriptor, 256).decode(errors="replace") or "another process"
    finally:
        os.close(descriptor)
    return None


def _take(descriptor: int, path: Path, wait: bool) -> bool:
    try:
        if wait:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            return True
        # A reader that asks for the holder locks the file for an instant; this must not look like a run.
        for _ in range(5):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            except BlockingIOError:
                time.sleep(0.01)
        return False
    except OSError as error:
        raise UserError(
            f"the file system of {path} has no locks ({error.strerror}); give a folder on another one, by "
            "results=DIR or data.dir=DIR"
        ) from error


def is_file_at(descriptor: int, path: Path) -> bool:
    """Return whether an open file is still the one at a path."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False
