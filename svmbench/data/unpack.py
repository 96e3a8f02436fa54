"""Unpack raw files, whatever their compression, and check what is inside."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import tarfile
import zlib
from pathlib import Path
from typing import IO, cast

from svmbench.data.entries import Form

_MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\x00": ".xz"}
COMPRESSIONS = tuple(_MAGIC.values())
_SUFFIXES = ("", *COMPRESSIONS)
_BROKEN = (EOFError, zlib.error, lzma.LZMAError, tarfile.TarError, gzip.BadGzipFile)


class Corrupt(Exception):
    """A raw file is not what the catalogue says; the message is a clause that begins with the fault."""


def candidates(form: Form) -> list[str]:
    """Return the file names under which a form may be found."""
    if form.name.endswith(".tar"):
        return [form.name + suffix for suffix in _SUFFIXES] + [form.name.removesuffix(".tar") + ".tgz"]
    return [form.name + suffix for suffix in _SUFFIXES] + [f"{form.name}.tar{suffix}" for suffix in _SUFFIXES]


def compression(path: Path) -> str:
    """Return the suffix of the compression that the file's first bytes show, empty for none."""
    with path.open("rb") as stream:
        head = stream.read(6)
    return next((suffix for magic, suffix in _MAGIC.items() if head.startswith(magic)), "")


def open_unpacked(path: Path) -> IO[bytes]:
    """Open a file for reading its bytes after decompression."""
    kind = compression(path)
    if kind == ".gz":
        return cast(IO[bytes], gzip.open(path, "rb"))
    if kind == ".bz2":
        return bz2.open(path, "rb")
    if kind == ".xz":
        return lzma.open(path, "rb")
    return path.open("rb")


def read_unpacked(path: Path) -> bytes:
    """Return the bytes of a file after decompression.

    Raises
    ------
    Corrupt
        If the compressed stream is broken or ends early.
    """
    try:
        with open_unpacked(path) as stream:
            return stream.read()
    except _BROKEN as error:
        raise Corrupt(f"the compressed file is damaged or cut off ({error})") from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise Corrupt(f"the compressed file is damaged ({error})") from error


def read(path: Path, form: Form) -> dict[str, bytes]:
    """Return the unpacked bytes of each member of a raw file.

    Parameters
    ----------
    path : Path
        The file; a name with ``.tar`` or ``.tgz`` in it is that of an archive.
    form : Form
        What it should be.

    Raises
    ------
    Corrupt
        If it cannot be unpacked, lacks a member, or a checksum differs.
    """
    if form.packed_sha256 is not None:
        _check_packed(path, form.packed_sha256)
    contents = _read_archive(path, form) if is_archive(path.name) else {form.name: read_unpacked(path)}
    for member, expected in form.members.items():
        if expected is not None and sha256(contents[member]) != expected:
            raise Corrupt(f"its content has another checksum than '{member}' of the catalogue")
    return contents


def is_archive(name: str) -> bool:
    """Tell whether a file name is that of an archive."""
    return ".tar" in name or ".tgz" in name


def sha256(content: bytes) -> str:
    """Return the hexadecimal sha256."""
    return hashlib.sha256(content).hexdigest()


def _check_packed(path: Path, expected: str) -> None:
    with path.open("rb") as stream:
        if hashlib.file_digest(stream, "sha256").hexdigest() != expected:
            raise Corrupt(
                "its checksum is not the published file's, and only that of the published file is known"
            )


def _read_archive(path: Path, form: Form) -> dict[str, bytes]:
    contents: dict[str, bytes] = {}
    try:
        with open_unpacked(path) as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
            for item in archive:
                name = Path(item.name).name
                if name in form.members and (part := archive.extractfile(item)) is not None:
                    contents[name] = part.read()
    except _BROKEN as error:
        raise Corrupt(f"the archive is damaged or cut off ({error})") from error
    missing = sorted(set(form.members) - set(contents))
    if missing:
        raise Corrupt(f"the archive lacks '{missing[0]}'")
    return contents
