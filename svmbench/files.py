"""Files that are written whole or not at all, arrays in them, locks that end with their process, digests."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import io
import json
import math
import os
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
    """Write a file durably; a crash leaves the old file or the new one, never a part.

    Parameters
    ----------
    path : Path
        In a folder that exists.
    content : bytes or str
        Text is written as UTF-8.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.unlink(missing_ok=True)  # of a process that was killed, or a link that somebody put there
    try:
        with temporary.open("xb") as stream:
            stream.write(content.encode() if isinstance(content, str) else content)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


#: Most bytes of a document, a trace or a log that is read whole: a hundred times what any run has written.
MOST_BYTES = 64 << 20


#: And of a file with arrays, or with lines for every job of a sweep or every run of a pack.
MOST_BYTES_OF_MANY = 4 << 30


@contextlib.contextmanager
def _regular(path: str | Path) -> Iterator[int]:
    """Open a regular file, give its descriptor; ValueError for a pipe or device, which might never end."""
    # Without blocking: to open a pipe that nobody writes would take for ever.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("it is no regular file")
        yield descriptor
    finally:
        os.close(descriptor)


def read_regular(path: str | Path, most: int = MOST_BYTES) -> bytes:
    """Return the content of a regular file.

    Raises
    ------
    OSError
        If it cannot be read.
    ValueError
        If it is a pipe, a device or a folder, or larger than allowed.
    """
    with _regular(path) as descriptor:
        size = os.fstat(descriptor).st_size
        if size > most:
            raise ValueError(f"it has {size} bytes, at most {most} are read")
        content = os.read(descriptor, size + 1)
        while more := os.read(descriptor, 1 << 20):
            content += more
        return content


#: Bytes that the arrays of a file may always take, and how many times the file they may take beyond.
_FREE, _MOST_RATIO = 256 << 20, 100


def read_npz(content: bytes, names: Collection[str] | None = None) -> dict[str, NDArray[Any]]:
    """Return the arrays of an ``.npz`` file, those of some names or all; nothing in it is executed.

    Raises
    ------
    ValueError
        If it is none, damaged, or holds pickled objects.
    """
    import numpy as np

    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            _check_sizes(archive.zip, len(content))
            return {name: archive[name] for name in archive.files if names is None or name in names}
    except MemoryError:
        raise
    except Exception as error:  # numpy, zipfile and each decompression have errors of their own
        raise ValueError(f"{type(error).__name__}: {error}") from error


def _check_sizes(archive: zipfile.ZipFile, compressed: int) -> None:
    """Raise ValueError for arrays that would take far more memory than what is compressed so well can be."""
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
    """Make the names in a folder durable, after a file in it was created, renamed or removed."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sha256(content: bytes | Path) -> str:
    """Return the hexadecimal sha256 of bytes, or of the content of a file, which is read in pieces.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is a pipe, a device or a folder.
    """
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    with _regular(content) as descriptor, open(descriptor, "rb", closefd=False) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


#: Levels that a document may be nested.
_DEEPEST = 50


def read_json(content: bytes | str) -> Any:
    """Return the value of a JSON text that any writer could have written.

    Raises
    ------
    ValueError
        For anything else: no JSON, NaN or an infinity, half a character, or more than 50 levels.
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
    raise ValueError(f"{constant} is no number of JSON")


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
    """Return the first hexadecimal digits of sha256 over the canonical JSON of a document."""
    return sha256(canonical(document).encode())[:length]


def canonical(document: Any) -> str:
    """Return the one JSON text of a document: sorted keys, no spaces, 1.0 written as 1.

    Digests are taken over it, so that the order of keys and the spelling of a number change nothing.
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


#: A lock is a file of its own: no link is followed, nor a pipe waited for.
_CAREFUL = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def _no_lock_file(path: Path) -> UserError:
    return UserError(f"{path} is a link or no regular file, and would be overwritten as a lock: remove it")


def own_folder(say: Callable[[str], None]) -> Path | None:
    """Return a folder of this user for locks between processes of this machine, which nobody else can write.

    Candidates are a folder in the temporary folder, one in the user's runtime folder and one in the cache
    folder. The first that belongs to the user is returned, or None if none does. ``say`` receives a message
    with a remedy for each folder that belongs to somebody else.
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


#: Seconds between two looks at a lock by who will not wait for ever.
_PAUSE = 0.1


class StillLocked(Exception):
    """The wait for a lock was as long as allowed; says who holds it. No `OSError`: nothing is wrong."""


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
    def acquire(cls, path: Path, waiting: Callable[[str], None], seconds: float | None = None) -> Lock:
        """Lock ``path`` as soon as it is free; ``waiting`` is told who holds it, if somebody does.

        With `seconds`, `StillLocked` is raised after so much waiting.
        """
        lock, who = cls._acquire(path, wait=False), "another process"
        if lock is None:
            who = holder(path) or who
            waiting(who)
        # A wait with an end asks again and again, for the system's own has none.
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
            except FileNotFoundError:  # the last holder removed the folder just now
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
            # What was locked is a file that its last holder removed or moved away meanwhile.
            os.close(descriptor)

    def remove(self) -> None:
        """Remove the lock file and free the lock."""
        # In a folder that is not writable any more it stays, and locks nothing.
        with contextlib.suppress(OSError):
            self.path.unlink()
        self.release()

    def release(self) -> None:
        """Free the lock and leave its file."""
        os.close(self._descriptor)


def holding(process: int) -> str:
    """Return what the lock files say that a process of this machine holds."""
    return f"process {process} on {socket.gethostname()}"


def holder(path: Path) -> str | None:
    """Return who holds the lock, as "process 123 on host", or None if nobody does."""
    try:
        descriptor = os.open(path, os.O_RDONLY | _CAREFUL)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EMLINK, errno.ENXIO):
            return None  # nothing that could be locked
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
            f"the file system of {path} has no locks ({error.strerror}); give a folder on another one, by "
            "results=DIR or data.dir=DIR"
        ) from error


def _is_file_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False
