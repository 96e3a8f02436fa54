"""Prepared data on disk: arrays as .npy files beside a manifest, written atomically.

The manifest contains the digest of each array and, under ``check``, its own. Digests and shapes are checked
before arrays are used, since compiled readers rely on them without bounds checks. Manifests written by older
versions have no ``check``, but their files and shapes are checked as well.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from svmbench.data.dataset import Dataset, Part
from svmbench.data.folders import make_folder, unwritable
from svmbench.files import digest, read_regular, scratch, sha256
from svmbench.sparse import issparse

LAYOUT = 1  # increased when the files of a prepared folder change their meaning
MANIFEST = "manifest.json"
PARTS = ("train", "validation", "test")


#: Keys of a manifest; ``check`` is missing in those of older versions.
_KEYS = {"name", "checksum", "parts", "info", "files"}
_MATRICES = (("X",), ("data", "indices", "indptr"))


def load(folder: Path) -> Dataset | None:
    """Return the prepared data set of a folder, or None if it is missing, unreadable or damaged.

    An array is hashed again unless its times and size are those of its preparation. This detects changes made
    by programs, since the time of the last status change (ctime) cannot be set back. Spontaneous changes on
    the disk, and changes to arrays prepared by older versions, which did not store this time, are only
    detected by `verify`, which hashes everything.
    """
    try:
        return _dataset(folder, _manifest(folder), whole=False)
    except (OSError, ValueError, EOFError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def checksum(folder: Path) -> str | None:
    """Return the checksum of a folder's prepared data set without reading arrays, or None."""
    try:
        return str(_manifest(folder)["checksum"])
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def save(folder: Path, dataset: Dataset) -> None:
    """Write a data set to a folder atomically, replacing an unreadable one."""
    make_folder(folder.parent)
    try:
        with scratch(folder.parent, ".preparing-") as made:
            written = made / folder.name
            written.mkdir()
            _write(written, dataset)
            if folder.exists() and load(folder) is None:
                shutil.rmtree(folder)
            if not folder.exists():
                os.rename(written, folder)
    except OSError as error:
        if not folder.exists():  # otherwise another process was faster
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
    manifest["check"] = digest(manifest, 64)
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")


def verify(folder: Path) -> tuple[bool, str]:
    """Check all content of a prepared folder; return whether it is intact, and a message."""
    try:
        manifest = _manifest(folder)
        _dataset(folder, manifest, whole=True)
    except (OSError, ValueError, EOFError, LookupError, TypeError, AttributeError, RecursionError) as error:
        return False, f"damaged ({error}); delete it"
    if "check" not in manifest:
        return True, (
            f"its arrays are as they were prepared; {MANIFEST} has no digest: an older version prepared it, "
            "delete the folder to prepare it again"
        )
    return True, "its arrays and their description are as they were prepared"


def _manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of a prepared folder; raise a ValueError if it is damaged."""
    manifest: dict[str, Any] = json.loads(read_regular(folder / MANIFEST))
    content = {key: value for key, value in manifest.items() if key != "check"}
    if content.keys() != _KEYS:
        raise ValueError(f"{MANIFEST} has the fields {', '.join(manifest)}")
    if "check" in manifest and manifest["check"] != digest(content, 64):
        raise ValueError(f"{MANIFEST} does not match its digest")
    return manifest


def _dataset(folder: Path, manifest: Mapping[str, Any], *, whole: bool) -> Dataset:
    """Return the data set described by a manifest; raise a ValueError if an array is damaged."""
    for name, stamp in manifest["files"].items():
        if not _same(folder / name, stamp, whole=whole):
            raise ValueError(f"{name} is not as it was written")
    left, parts, info = set(manifest["files"]), {}, manifest["info"]
    for key, shape in manifest["parts"].items():
        if shape != [info["rows"][key], info["features"]]:
            raise ValueError(f"the shape of {key} is {shape}, and its description says otherwise")
        parts[key], read = _load_part(folder, key, shape)
        left -= read
    if left:
        raise ValueError(f"{', '.join(sorted(left))} belongs to no part")
    validation, test = parts.get("validation"), parts.get("test")
    return Dataset(manifest["name"], parts["train"], validation, test, manifest["checksum"], manifest["info"])


def _same(path: Path, stamp: list[Any], *, whole: bool) -> bool:
    known = stamp[1:]
    # Older versions did not store the time of the last status change.
    same = len(known) in (2, 3) and known == _stat(path)[: len(known)]
    return (not whole and same) or stamp[0] == sha256(path)


def _stat(path: Path) -> list[int]:
    """Return modification time, size and status change time of a file."""
    state = path.stat()
    return [state.st_mtime_ns, state.st_size, state.st_ctime_ns]


def _load_part(folder: Path, key: str, shape: list[int]) -> tuple[Part, set[str]]:
    """Return a part of shape (n, d) and the files of its arrays; raise a ValueError if these do not fit."""
    n, d = shape
    names = _MATRICES[not (folder / f"{key}.X.npy").exists()]
    files = {name: f"{key}.{name}.npy" for name in ("y", *names)}
    arrays = {name: np.load(folder / file) for name, file in files.items()}
    fits = _fits_dense if names == ("X",) else _fits_sparse
    y = arrays.pop("y")
    if not (y.shape == (n,) and y.dtype == np.float64 and fits(n, d, *arrays.values())):
        raise ValueError(f"the arrays of {key} are not those of {n} examples with {d} features")
    if names == ("X",):
        return Part(arrays["X"], y), set(files.values())
    X = scipy.sparse.csr_array((n, d), dtype=np.float32)
    # The arrays are set after construction, which would check every index again.
    X.data, X.indices, X.indptr = arrays.values()
    return Part(X, y), set(files.values())


def _fits_dense(n: int, d: int, X: NDArray[Any]) -> bool:
    """Return whether the kernels can use an array as n rows of d features."""
    return X.shape == (n, d) and X.dtype == np.float32 and X.flags.c_contiguous


def _fits_sparse(n: int, d: int, data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any]) -> bool:
    """Return whether the arrays of a CSR matrix stay within n rows of d features."""
    return bool(
        (data.dtype, indices.dtype) == (np.float32, np.int32)
        and indptr.dtype in (np.int32, np.int64)
        and indptr.shape == (n + 1,)
        and data.shape == indices.shape == (indptr[-1],)
        and indptr[0] == 0
        and (np.diff(indptr) >= 0).all()
        and (indices.size == 0 or (indices.min() >= 0 and indices.max() < d))
    )
