"""Unpacking of raw files in any compression, and verification of their content.

Nothing is written to disk, so paths and links in an archive can do no harm. The unpacked size is limited, so
neither can a small file that expands to gigabytes.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import stat
import tarfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

from svmbench.data.entries import Form
from svmbench.files import sha256

_MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\x00": ".xz"}
COMPRESSIONS = tuple(_MAGIC.values())
_SUFFIXES = ("", *COMPRESSIONS)
# A file may expand to `_RATIO` times its size, and to `_FREE` bytes in any case. Text and pixels of real data
# sets compress 3 to 20 times; only repetitive content compresses a hundredfold.
_RATIO = 100
_FREE = 1 << 28
_SHARE = 0.5  # largest fraction of the machine's memory for the bytes of one file
_PIECE = 1 << 20  # bytes read at a time


class Corrupt(Exception):
    """A raw file differs from the catalogue; the message is a clause that names the fault."""


class Refused(Corrupt):
    """A file that is not unpacked although it may be intact; the message says what to do."""


def candidates(form: Form) -> list[str]:
    """Return the possible file names of a form."""
    if form.name.endswith(".tar"):
        return [form.name + suffix for suffix in _SUFFIXES] + [form.name.removesuffix(".tar") + ".tgz"]
    return [form.name + suffix for suffix in _SUFFIXES] + [f"{form.name}.tar{suffix}" for suffix in _SUFFIXES]


def compression(path: Path) -> str:
    """Return the suffix of the compression indicated by the file's first bytes, empty for none."""
    with path.open("rb") as stream:
        head = stream.read(6)
    return next((suffix for magic, suffix in _MAGIC.items() if head.startswith(magic)), "")


class _Limited(io.RawIOBase):
    """A stream that raises an error after a limit of bytes."""

    def __init__(self, stream: IO[bytes], limit: int, refusal: str) -> None:
        self._stream, self._left, self._refusal = stream, limit, refusal

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        """Return some bytes, at most `_PIECE`."""
        wanted = _PIECE if size is None or size < 0 else min(size, _PIECE)
        piece = self._stream.read(wanted)
        self._left -= len(piece)
        if self._left < 0:
            raise Refused(self._refusal)
        return piece

    def close(self) -> None:
        self._stream.close()
        super().close()


def allowed_bytes() -> int:
    """Return the bytes of memory that the raw form of a data set may take."""
    return int(_SHARE * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))


def open_unpacked(path: Path) -> IO[bytes]:
    """Open a file for reading its decompressed bytes in pieces, up to a limit.

    Raises
    ------
    Corrupt
        If it is a pipe or a device; during reading, if it exceeds `_RATIO` or `_SHARE`.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
        raise Refused("it is a pipe or a device, not a file; save its content to a file first")
    kind = compression(path)
    memory = allowed_bytes()
    by_ratio = max(_RATIO * status.st_size, _FREE)
    limit, refusal = (
        memory,
        f"it holds more than {memory >> 20} MiB, {_SHARE:.0%} of this machine's memory; give fewer rows",
    )
    if kind and by_ratio < memory:
        limit = by_ratio
        refusal = f"it unpacks to more than {limit >> 20} MiB, over {_RATIO} times its size; unpack it first"
    opened: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open, "": open}
    return cast(IO[bytes], _Limited(opened[kind](path, "rb"), limit, refusal))


@contextlib.contextmanager
def _broken_is_corrupt(what: str) -> Iterator[None]:
    """Convert errors of decompression to `Corrupt`."""
    try:
        yield
    except (EOFError, zlib.error, lzma.LZMAError, tarfile.TarError, gzip.BadGzipFile) as error:
        raise Corrupt(f"the {what} is damaged or cut off ({error})") from error
    except OSError as error:
        if error.errno is not None:  # an error of the file system
            raise
        raise Corrupt(f"the {what} is damaged ({error})") from error


def read_unpacked(path: Path) -> bytes:
    """Return the decompressed bytes of a file.

    Raises
    ------
    Corrupt
        If the compressed stream is damaged, incomplete or too large.
    """
    with _broken_is_corrupt("compressed file"), open_unpacked(path) as stream:
        return _all(stream)


def _all(stream: IO[bytes]) -> bytes:
    """Return the rest of a stream, holding only one copy of it."""
    whole = io.BytesIO()
    while piece := stream.read(_PIECE):
        whole.write(piece)
    return whole.getvalue()


def read(path: Path, form: Form) -> dict[str, bytes]:
    """Return the unpacked bytes of each member of a raw file.

    Parameters
    ----------
    path : Path
        The file; if its name contains ``.tar`` or ``.tgz``, it is an archive.
    form : Form
        The expected form.

    Raises
    ------
    Corrupt
        If it cannot be unpacked, lacks a member, or has a wrong checksum.
    """
    if form.packed_sha256 is not None and sha256(path) != form.packed_sha256:
        raise Corrupt(
            "its checksum is not the published file's, and only that of the published file is known"
        )
    contents = _read_archive(path, form) if is_archive(path.name) else {form.name: read_unpacked(path)}
    for member, expected in form.members.items():
        if expected is not None and sha256(contents[member]) != expected:
            raise Corrupt(f"its content has another checksum than '{member}' of the catalogue")
    return contents


def is_archive(name: str) -> bool:
    """Return whether a file name is that of an archive."""
    return ".tar" in name or ".tgz" in name


def _read_archive(path: Path, form: Form) -> dict[str, bytes]:
    """Return the requested members of an archive: regular files of that name in any folder."""
    contents: dict[str, bytes] = {}
    with (
        _broken_is_corrupt("archive"),
        open_unpacked(path) as stream,
        tarfile.open(fileobj=stream, mode="r|") as archive,
    ):
        for item in archive:
            place = PurePosixPath(item.name)
            if place.name not in form.members:
                continue
            if not item.isreg() or item.issparse():
                raise Corrupt(f"'{place.name}' in the archive is a link or a device, not a file")
            if ".." in place.parts or place.is_absolute():
                raise Corrupt(f"the archive has a path that leads out of it, '{place}'")
            part = archive.extractfile(item)
            assert part is not None  # regular files have content
            contents[place.name] = _all(part)
    missing = sorted(set(form.members) - set(contents))
    if missing:
        raise Corrupt(f"the archive lacks '{missing[0]}'")
    return contents
