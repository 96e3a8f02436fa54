"""JSON documents of the store: written atomically, each with a schema number."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from svmbench.errors import UserError, command, fault
from svmbench.files import read_json, read_regular, write_whole
from svmbench.run_config import Document
from svmbench.store.migrations import MIGRATIONS

#: Layout of run.json, status.json, trace.csv, environments and optima; increased with every change that a
#: reader must know of. Optional new fields need no increase.
SCHEMA = 4


class Unreadable(UserError):
    """A run or document that cannot be read; it need not be damaged."""

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(
            f"{error.filename or path} cannot be read: {error.strerror or error}; make it readable"
        )


class StorageError(UserError):
    """A file could not be written: the disk is full, or the folder is missing or not writable."""


#: Remedies for errors of the file system.
_WAYS = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "Make room"),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), "Make it writable"),
    **dict.fromkeys((errno.ENOENT, errno.ENOTDIR), "Let the folder stay where it is"),
}


@contextlib.contextmanager
def storing(what: str, folder: Path) -> Iterator[None]:
    """Turn errors of the file system into one sentence.

    Parameters
    ----------
    what : str
        What is stored.
    folder : Path
        Where it is stored.
    """
    try:
        yield
    except OSError as error:
        way = _WAYS.get(error.errno or 0, "Look after the file system")
        raise StorageError(
            f"{what} could not be stored in {folder}: {error.strerror or error}; what was stored until then "
            f"stays there. {way} or give another results=DIR, and run it again"
        ) from error


def write(path: Path, document: Mapping[str, Any]) -> None:
    """Write a document with its schema number atomically."""
    text = json.dumps({"schema": SCHEMA, **document}, indent=2, allow_nan=False) + "\n"
    write_whole(path, text)


def read(path: Path | str) -> Document:
    """Read a document of any known schema, converted to the current one.

    Raises
    ------
    UserError
        If the file is damaged or was written by a newer version.
    FileNotFoundError
        If there is no such file.
    """
    try:
        content = read_regular(path)
    except ValueError as error:
        raise damaged(path, error) from error
    return parse(content, path)


def parse(content: bytes, path: Path | str) -> Document:
    """Return a document from its content; the path is for messages."""
    try:
        document = read_json(content)
    except (ValueError, RecursionError) as error:
        raise damaged(path, error) from error
    if not isinstance(document, dict):
        raise damaged(path, "it is not a JSON object")
    schema = document.pop("schema", None)
    if type(schema) is not int or schema < 1:
        raise damaged(path, "its schema is not a whole number of at least 1")
    if schema > SCHEMA:
        raise UserError(
            f"{path} has schema {schema}, this version reads up to {SCHEMA}; install a newer svmbench"
        )
    try:
        for step in range(schema, SCHEMA):
            document = MIGRATIONS[step](document)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise damaged(path, error) from error
    return dict(document)


def is_name(name: object) -> bool:
    """Return whether a name is a valid reference to a shared document: a digest, and not a path."""
    return isinstance(name, str) and re.fullmatch(r"[0-9a-z][0-9a-z_-]{0,127}", name) is not None


#: End of the name of the folder of a run that is being made.
RUNNING = ".running"


def damaged(path: Path | str, error: Exception | str) -> UserError:
    """Return the error for a file whose content was changed after it was written."""
    what = error if isinstance(error, str) else fault(error)
    results = _results_of(Path(path))
    advice = "" if results is None else f"; {command('verify --repair', results)} sets it aside"
    return UserError(f"{path} is damaged ({what}){advice}")


#: What a results folder has: notes, and folders of documents.
_PLACES = ("notes.json", "runs", "environments", "optima", "sweeps", "speed", "checks")


def _results_of(path: Path) -> Path | None:
    """Return the results folder of a document by the names of its folders; None for one beside the store."""
    root = next((place.parent for place in (path, *path.parents) if place.name in _PLACES), None)
    if root is not None and root.parent.name == "unpacked":
        root = root.parent.parent
    return root.parent if root is not None and root.name == "reference" else root


#: Beginning of the name of the empty folder that is made to try whether a folder is writable.
_TRIAL = ".svmbench-trial-"


def check_writable(root: Path) -> None:
    """Raise a `UserError` unless runs can be stored in a results folder; leave nothing behind."""
    folder = root / "runs"
    try:
        os.lstat(folder)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:  # not a valid name
        raise _unusable(root, str(error.strerror)) from error
    while not os.path.lexists(folder) and folder != folder.parent:
        folder = folder.parent
    if not folder.is_dir():
        raise _unusable(root, f"{folder} is not a folder")
    for left in folder.glob(f"{_TRIAL}*"):
        with contextlib.suppress(OSError):
            left.rmdir()  # of a killed process; one that is not empty stays
    try:
        # Permission bits are not enough: root ignores them, and a read-only file system has its own.
        trial = tempfile.mkdtemp(prefix=_TRIAL, dir=folder)
    except OSError as error:
        raise _unusable(root, f"{folder} is not writable") from error
    try:
        os.rmdir(trial)
    except FileNotFoundError:
        pass  # another process has removed it as one that was left
    except OSError as error:
        why = f"{trial}, made to try it, cannot be removed ({error.strerror})"
        raise _unusable(root, why) from error


def _unusable(root: Path, why: str) -> UserError:
    return UserError(f"results={root} cannot be used: {why}; give another results=DIR")
