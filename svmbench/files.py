"""Atomic and durable files, checked reading of documents and arrays, digests."""

from __future__ import annotations

import contextlib
import fcntl
import glob
import hashlib
import io
import json
import math
import os
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from svmbench.errors import Damage, UserError
from svmbench.locking import CAREFUL, Lock, is_file_at, is_of_process

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: What the name of a temporary file has before its process, so that no file of a user is taken for one.
_OURS = ".svmbench-"


def write_whole(path: Path, content: bytes | str) -> None:
    """Write a file durably and atomically: after a crash, it has its old or its new content.

    Parameters
    ----------
    path : Path
        The file, in an existing folder.
    content : bytes or str
        Text is written as UTF-8.
    """
    temporary = path.with_name(f".{path.name}{_OURS}{os.getpid()}")
    try:
        remove_leftovers(path)
        with open(_new_locked(temporary), "wb") as stream:
            stream.write(content.encode() if isinstance(content, str) else content)
            stream.flush()
            sync(stream.fileno())
            os.replace(temporary, path)
        sync_folder(path.parent)
    except OSError as error:
        error.filename = str(path)  # the name that was asked for; a full disk gives none
        error.filename2 = None
        raise
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _new_locked(path: Path) -> int:
    """Create a file that is locked as long as it is open, and return its descriptor."""
    while True:
        path.unlink(missing_ok=True)  # left by a killed process, or a link
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        try:
            with contextlib.suppress(OSError):  # a file system without locks: there, leftovers stay
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if is_file_at(descriptor, path):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # another process removed it as a leftover before it was locked


def remove_leftovers(path: Path) -> None:
    """Remove the temporary files of killed writers of a file, which nobody locks, on any host."""
    for leftover in path.parent.glob(f".{glob.escape(path.name)}{_OURS}*"):
        with contextlib.suppress(OSError):
            descriptor = os.open(leftover, os.O_RDWR | CAREFUL)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                leftover.unlink()
            finally:
                os.close(descriptor)


#: Name of the lock in a `scratch` folder.
_LOCK = "lock"


@contextlib.contextmanager
def scratch(parent: Path, prefix: str) -> Iterator[Path]:
    """Yield a new folder in ``parent``, from which content is moved when complete; remove it at the end.

    Folders with the same prefix that no process locks, since theirs was killed, are removed as well. The
    parent may be any folder of the user, so a folder with content but without our lock is left alone.
    """
    for path in parent.glob(f"{prefix}*"):
        with contextlib.suppress(OSError, ValueError, UserError):
            _remove_scratch(path)
    made, lock = Path(tempfile.mkdtemp(dir=parent, prefix=prefix)), None
    try:
        with contextlib.suppress(UserError):  # a file system without locks: there, leftovers stay
            # If another process has just removed the still empty folder, it is made again.
            lock = Lock.acquire(made / _LOCK, lambda who: None)
        yield made
    finally:
        with contextlib.suppress(OSError):
            empty(made, [_LOCK])  # the lock goes last: whoever is killed meanwhile leaves a known leftover
        if lock is not None:
            lock.remove()
        with contextlib.suppress(OSError):
            shutil.rmtree(made)


def empty(folder: Path, kept: Collection[str]) -> None:
    """Remove what is in a folder, but for the given names; a link is removed, not its target."""
    for path in folder.iterdir():
        if path.name not in kept:
            real = path.is_dir() and not path.is_symlink()
            shutil.rmtree(path) if real else path.unlink()


def _remove_scratch(path: Path) -> None:
    """Remove a folder made by `scratch` unless it is in use; ValueError or OSError for any other."""
    if path.is_symlink() or not os.path.lexists(path / _LOCK):
        path.rmdir()  # only if it is empty: killed before it was locked
        return
    content = read_regular(path / _LOCK)
    # Killed before the lock had its content, nothing was made beside it.
    if is_of_process(content) or (not content and len(list(path.iterdir())) == 1):
        lock = Lock.try_acquire(path / _LOCK)
        if lock is not None:
            empty(path, [_LOCK])
            lock.remove()
            path.rmdir()


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
            raise Damage("it is not a regular file")
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
            raise Damage(f"it has {size} bytes, at most {most} are read")
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
        raise Damage(str(error) if isinstance(error, Damage) else "its arrays cannot be read") from error


def _check_sizes(archive: zipfile.ZipFile, compressed: int) -> None:
    """Raise ValueError for arrays that would take implausibly more memory than their compressed size."""
    import numpy as np

    whole = sum(member.file_size for member in archive.infolist())
    if whole > max(_FREE, _MOST_RATIO * compressed):
        raise Damage(f"its {compressed} bytes would become {whole}")
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
                raise Damage(f"{member.filename} is not as large as its shape says")


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
        value = _DECODER.decode(data.decode(json.detect_encoding(data), "surrogatepass"))
    except RecursionError as error:
        raise Damage("it is nested too deeply") from error
    if data.count(b"[") + data.count(b"{") > _DEEPEST and _depth(value) > _DEEPEST:
        raise Damage("it is nested too deeply")
    if b"\\ud" in data or b"\\uD" in data:
        json.dumps(value, ensure_ascii=False).encode()
    return value


def _refused(constant: str) -> NoReturn:
    raise Damage(f"{constant} is not a JSON number")


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _refused(text)


#: Made once: making it takes as long as reading a small document.
_DECODER = json.JSONDecoder(parse_constant=_refused, parse_float=_finite)


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


#: Types of values that are canonical already.
_PLAIN = frozenset((str, int, bool, type(None)))


def _plain_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            str(key): item if type(item) in _PLAIN else _plain_numbers(item) for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_plain_numbers(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
