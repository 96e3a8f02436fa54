"""Atomic and durable files, arrays in files, locks that end with their process, digests."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import glob
import hashlib
import io
import json
import math
import os
import shutil
import socket
import stat
import tempfile
import time
import zipfile
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from svmbench.errors import UserError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def write_whole(path: Path, content: bytes | str) -> None:
    """Write a file durably and atomically: after a crash, it has its old or its new content.

    Parameters
    ----------
    path : Path
        The file, in an existing folder.
    content : bytes or str
        Text is written as UTF-8.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        _remove_leftovers(path)
        with open(_new_locked(temporary), "wb") as stream:
            stream.write(content.encode() if isinstance(content, str) else content)
            stream.flush()
            sync(stream.fileno())
            os.replace(temporary, path)
    except OSError as error:
        error.filename = str(path)  # the name that was asked for; a full disk gives none
        error.filename2 = None
        raise
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def _new_locked(path: Path) -> int:
    """Create a file that is locked as long as it is open, and return its descriptor."""
    while True:
        path.unlink(missing_ok=True)  # left by a killed process, or a link
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        try:
            with contextlib.suppress(OSError):  # a file system without locks: there, leftovers stay
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_file_at(descriptor, path):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # another process removed it as a leftover before it was locked


def _remove_leftovers(path: Path) -> None:
    """Remove the temporary files of killed writers of a file, which nobody locks, on any host."""
    for leftover in path.parent.glob(f".{glob.escape(path.name)}.*"):
        if leftover.suffix[1:].isdecimal():
            with contextlib.suppress(OSError):
                descriptor = os.open(leftover, os.O_RDWR | _CAREFUL)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    leftover.unlink()
                finally:
                    os.close(descriptor)


#: Name of the lock in a `scratch` folder, and seconds in which its maker locks it.
_LOCK, _MADE = "lock", 60.0


@contextlib.contextmanager
def scratch(parent: Path, prefix: str) -> Iterator[Path]:
    """Yield a new folder in ``parent``, from which content is moved when complete; remove it at the end.

    Folders with the same prefix that no process locks, since theirs was killed, are removed as well.
    """
    for path in parent.glob(f"{prefix}*"):
        with contextlib.suppress(OSError, UserError):
            made_just_now = time.time() - path.lstat().st_mtime < _MADE
            if path.is_symlink() or not path.is_dir() or (made_just_now and not (path / _LOCK).exists()):
                continue
            lock = Lock.try_acquire(path / _LOCK)
            if lock is not None:
                shutil.rmtree(path, ignore_errors=True)
                lock.release()
    with tempfile.TemporaryDirectory(dir=parent, prefix=prefix) as made:
        lock = None
        with contextlib.suppress(UserError):  # a file system without locks: there, leftovers stay
            lock = Lock.try_acquire(Path(made) / _LOCK)
        try:
            yield Path(made)
        finally:
            if lock is not None:
                lock.remove()


#: Most bytes of a document, trace or log: a hundred times what any run has written.
MOST_BYTES = 64 << 20


#: Most bytes of a file with arrays, or with a line per job of a sweep or run of a pack.
MOST_BYTES_OF_MANY = 4 << 30


def _opened(path: str | Path) -> tuple[int, int]:
    """Open a regular file; return its descriptor and size. ValueError for a pipe or device."""
    # Non-blocking, since opening a pipe without a writer would block forever.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            raise ValueError("it is not a regular file")
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor, about.st_size


def read_regular(path: str | Path, most: int = MOST_BYTES) -> bytes:
    """Return the content of a regular file.

    Raises
    ------
    OSError
        If it cannot be read.
    ValueError
        If it is a pipe, a device or a folder, or larger than allowed.
    """
    descriptor, size = _opened(path)
    try:
        if size > most:
            raise ValueError(f"it has {size} bytes, at most {most} are read")
        content = os.read(descriptor, size + 1)
        # One byte more than the size was requested: without it, this is the end of the file.
        while len(content) != size and (more := os.read(descriptor, 1 << 20)):
            content += more
        return content
    finally:
        os.close(descriptor)


#: Bytes that arrays in a file may always take, and their largest ratio to the file's size beyond that.
_FREE, _MOST_RATIO = 256 << 20, 100


def read_npz(content: bytes, names: Collection[str] | None = None) -> dict[str, NDArray[Any]]:
    """Return the arrays of an ``.npz`` file, all or those with given names; pickled objects are refused.

    Raises
    ------
    ValueError
        If it is not such a file, is damaged, or contains pickled objects.
    """
    import numpy as np

    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            _check_sizes(archive.zip, len(content))
            return {name: archive[name] for name in archive.files if names is None or name in names}
    except MemoryError:
        raise
    except Exception as error:  # numpy, zipfile and each decompression raise errors of their own
        raise ValueError(f"{type(error).__name__}: {error}") from error


def _check_sizes(archive: zipfile.ZipFile, compressed: int) -> None:
    """Raise ValueError for arrays that would take implausibly more memory than their compressed size."""
    import numpy as np

    whole = sum(member.file_size for member in archive.infolist())
    if whole > max(_FREE, _MOST_RATIO * compressed):
        raise ValueError(f"its {compressed} bytes would become {whole}")
    for member in archive.infolist():
        with archive.open(member) as stream:
            version = np.lib.format.read_magic(stream)
            read = (
                np.lib.format.read_array_header_1_0
                if version == (1, 0)
                else np.lib.format.read_array_header_2_0
            )
            shape, _, kind = read(stream)
            if math.prod(shape) * kind.itemsize != member.file_size - stream.tell():
                raise ValueError(f"{member.filename} is not as large as its shape says")


def sync_folder(folder: Path) -> None:
    """Make the entries of a folder durable, after a file in it was created, renamed or removed."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        sync(descriptor)
    finally:
        os.close(descriptor)


def sync(descriptor: int) -> None:
    """Write a file or folder to the storage device; on macOS, fsync alone stops at the device's cache."""
    whole = getattr(fcntl, "F_FULLFSYNC", None)
    if whole is not None:
        with contextlib.suppress(OSError):  # not every file system has it
            fcntl.fcntl(descriptor, whole)
            return
    os.fsync(descriptor)


def sha256(content: bytes | Path) -> str:
    """Return the hexadecimal SHA-256 of bytes, or of a file, which is read in pieces.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is a pipe, a device or a folder.
    """
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    descriptor, _ = _opened(content)
    with open(descriptor, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


#: Most levels of nesting in a document.
_DEEPEST = 50


def read_json(content: bytes | str) -> Any:
    """Parse a JSON text.

    Raises
    ------
    ValueError
        If it is not JSON, or contains NaN, infinity, an unpaired surrogate, or more than 50 levels.
    """
    data = content.encode() if isinstance(content, str) else content
    try:
        value = json.loads(data, parse_constant=_refused, parse_float=_finite)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if data.count(b"[") + data.count(b"{") > _DEEPEST and _depth(value) > _DEEPEST:
        raise ValueError("it is nested too deeply")
    if b"\\ud" in data or b"\\uD" in data:
        json.dumps(value, ensure_ascii=False).encode()
    return value


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _refused(text)


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level := [one for one in level if isinstance(one, dict | list)]:
        depth += 1
        level = [inner for one in level for inner in (one.values() if isinstance(one, dict) else one)]
    return depth


def digest(document: Any, length: int = 16) -> str:
    """Return the first hexadecimal digits of the SHA-256 of a document's canonical JSON."""
    return sha256(canonical(document).encode())[:length]


def canonical(document: Any) -> str:
    """Return the canonical JSON of a document: sorted keys, no spaces, 1.0 written as 1.

    Digests use it, so that the order of keys and the spelling of numbers do not matter.
    """
    return json.dumps(_plain_numbers(document), sort_keys=True, separators=(",", ":"), allow_nan=False)


def _plain_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain_numbers(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_numbers(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


#: Flags for opening lock files: links are not followed, and pipes do not block.
_CAREFUL = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


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
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT | _CAREFUL, 0o644)
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
                if _is_file_at(descriptor, path):
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


def holder(path: Path) -> str | None:
    """Return who holds the lock, as "process 123 on host", or None if it is free."""
    try:
        descriptor = os.open(path, os.O_RDONLY | _CAREFUL)
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


def _is_file_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False
