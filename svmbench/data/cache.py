"""Prepared data on disk: arrays as .npy files beside a manifest, written whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from svmbench.data.dataset import Dataset, Part
from svmbench.data.folders import make_folder, unwritable
from svmbench.files import sha256
from svmbench.sparse import issparse

LAYOUT = 1  # raised when the files of a prepared folder change their meaning
MANIFEST = "manifest.json"
PARTS = ("train", "validation", "test")


def load(folder: Path) -> Dataset | None:
    """Return the prepared data set of a folder, or None if it is not there, not readable or damaged.

    An array is hashed again where its time or size is not that of its preparation; where both are, a change
    is only noticed by `intact`, which hashes everything.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if not all(_same(folder / name, stamp, whole=False) for name, stamp in manifest["files"].items()):
            return None
        parts = {key: _load_part(folder, key, shape) for key, shape in manifest["parts"].items()}
    except (OSError, ValueError, EOFError, KeyError, TypeError):
        return None
    validation, test = parts.get("validation"), parts.get("test")
    return Dataset(manifest["name"], parts["train"], validation, test, manifest["checksum"], manifest["info"])


def checksum(folder: Path) -> str | None:
    """Return the checksum of the prepared data set of a folder, its arrays unread; None if there is none."""
    try:
        return str(json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["checksum"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def save(folder: Path, dataset: Dataset) -> None:
    """Write a data set to a folder that appears only when it is whole; an unreadable one is replaced."""
    make_folder(folder.parent)
    try:
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".") as scratch:
            written = Path(scratch) / folder.name
            written.mkdir()
            _write(written, dataset)
            if folder.exists() and load(folder) is None:
                shutil.rmtree(folder)
            if not folder.exists():
                os.rename(written, folder)
    except OSError as error:
        if not folder.exists():  # else another process was faster
            raise unwritable(folder.parent, error) from error


def _write(folder: Path, dataset: Dataset) -> None:
    shapes = {}
    for key in PARTS:
        part = getattr(dataset, key)
        if part is None:
            continue
        shapes[key] = list(part.X.shape)
        np.save(folder / f"{key}.y.npy", part.y)
        if issparse(part.X):
            for name in ("data", "indices", "indptr"):
                np.save(folder / f"{key}.{name}.npy", getattr(part.X, name))
        else:
            np.save(folder / f"{key}.X.npy", part.X)
    manifest = {"name": dataset.name, "checksum": dataset.checksum, "parts": shapes, "info": dataset.info}
    manifest["files"] = {path.name: [sha256(path), *_stat(path)] for path in sorted(folder.iterdir())}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")


def intact(folder: Path) -> bool:
    """Return whether every array of a prepared folder is what was written, by its whole content."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        return all(_same(folder / name, stamp, whole=True) for name, stamp in manifest["files"].items())
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _same(path: Path, stamp: list[Any], *, whole: bool) -> bool:
    return (not whole and stamp[1:] == _stat(path)) or stamp[0] == sha256(path)


def _stat(path: Path) -> list[int]:
    """Return time and size of a file."""
    state = path.stat()
    return [state.st_mtime_ns, state.st_size]


def _load_part(folder: Path, key: str, shape: list[int]) -> Part:
    y = np.load(folder / f"{key}.y.npy")
    dense = folder / f"{key}.X.npy"
    if dense.exists():
        return Part(np.load(dense), y)
    arrays = [np.load(folder / f"{key}.{name}.npy") for name in ("data", "indices", "indptr")]
    X = scipy.sparse.csr_array((shape[0], shape[1]), dtype=np.float32)
    # Set behind the constructor, which would look at every index again.
    X.data, X.indices, X.indptr = arrays
    return Part(X, y)
