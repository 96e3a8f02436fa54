"""What a reader of results must know about a data set: repeated and contradictory rows, zeros, and order."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.data import catalogue
from svmbench.data.dataset import Matrix, Part
from svmbench.data.folders import data_folder, mirror_folders
from svmbench.data.loading import load
from svmbench.data.raw import RawFiles
from svmbench.sparse import issparse


def describe(
    name: str, mirror: str | None, directory: str | None, say: Callable[[str], None]
) -> dict[str, list[dict[str, Any]]]:
    """Return counts of a set with its default parameters.

    Parameters
    ----------
    name, mirror, directory, say
        See `svmbench.data.loading.load`.

    Returns
    -------
    dict
        ``parts``: for each part, and ``all`` of them, ``rows``, ``positive``, ``repeats`` (rows equal to an
        earlier one), ``conflicts`` (distinct rows that occur with both labels), ``zero`` (rows of zeros) and
        ``zero_positive``, ``in_train`` (rows that are also in the training part), and ``ones`` and ``fewer``
        (the number of ones that most rows of 0 and 1 have, and the rows that have fewer; None for others).

        ``files``: for each file with labels, its ``rows``, ``classes``, the share of the labels of the
        ``first_tenth`` of its rows that must change to give the classes their shares of the file, and the
        share that is expected of a ``random_tenth``.
    """
    data = load({"name": name}, mirror=mirror, directory=directory, say=say)
    seen: dict[bytes, int] = {}
    codes = {key: _codes(part.X, seen) for key, part in data.parts.items()}
    sizes = {key: _sizes(part.X) for key, part in data.parts.items()}
    y = {key: part.y > 0.0 for key, part in data.parts.items()}
    if len(codes) > 1:
        for values in (codes, sizes, y):
            values["all"] = np.concatenate(list(values.values()))
    binary = all(_is_binary(part) for part in data.parts.values())
    parts = []
    for key in codes:
        about = _counts(codes[key], y[key], sizes[key], binary)
        inside = None if key in ("train", "all") else int(np.isin(codes[key], codes["train"]).sum())
        parts.append({"part": key, **about, "in_train": inside})
    return {"parts": parts, "files": _orders(name, mirror, directory, say)}


def _codes(X: Matrix, seen: dict[bytes, int]) -> NDArray[np.int64]:
    """Return a number for each row, equal for equal rows; `seen` maps rows to their numbers."""
    return np.array([seen.setdefault(key, len(seen)) for key in _keys(X)])


def _keys(X: Matrix) -> Iterator[bytes]:
    if issparse(X):
        for begin, end in zip(X.indptr[:-1], X.indptr[1:], strict=True):
            yield hashlib.blake2b(X.indices[begin:end].tobytes() + X.data[begin:end].tobytes()).digest()
    else:
        for row in X:
            yield hashlib.blake2b((row + 0.0).tobytes()).digest()  # -0 is 0


def _sizes(X: Matrix) -> NDArray[np.int64]:
    """Return the number of non-zero values of each row; no value of a sparse part is 0."""
    return np.asarray(np.diff(X.indptr) if issparse(X) else np.count_nonzero(X, axis=1), np.int64)


def _is_binary(part: Part) -> bool:
    values = part.X.data if issparse(part.X) else part.X
    return bool(np.all((values == 0.0) | (values == 1.0)))


def _counts(
    codes: NDArray[np.int64], positive: NDArray[np.bool_], sizes: NDArray[np.int64], binary: bool
) -> dict[str, int | None]:
    zero, usual = sizes == 0, int(np.bincount(sizes).argmax())
    most = binary and 2 * np.count_nonzero(sizes == usual) > sizes.size
    return {
        "rows": codes.size,
        "positive": int(positive.sum()),
        "repeats": codes.size - np.unique(codes).size,
        "conflicts": np.intersect1d(codes[positive], codes[~positive]).size,
        "zero": int(zero.sum()),
        "zero_positive": int((zero & positive).sum()),
        "ones": usual if most else None,
        "fewer": int((sizes < usual).sum()) if most else None,
    }


def _orders(
    name: str, mirror: str | None, directory: str | None, say: Callable[[str], None]
) -> list[dict[str, Any]]:
    """Return how much the beginning of each file differs from a sample of it."""
    module, entry = catalogue.module(name), catalogue.entry(name)
    if hasattr(module, "PIECE"):  # generated from files of another set
        return []
    raw = RawFiles(entry, mirror_folders(mirror), data_folder(directory), say)
    module.prepare(module.Params(), raw)
    return [{"file": file, **_order(codes)} for file, codes in raw.orders.items()]


def _order(codes: NDArray[Any]) -> dict[str, Any]:
    tenth = max(1, codes.size // 10)
    _, codes = np.unique(codes, return_inverse=True)
    whole = np.bincount(codes) / codes.size
    first = np.bincount(codes[:tenth], minlength=whole.size) / tenth
    # The mean absolute deviation of a normal variable is sqrt(2 / pi) of its standard deviation.
    spread = np.sqrt(whole * (1.0 - whole) * (1.0 - tenth / codes.size) / tenth)
    return {
        "rows": codes.size,
        "classes": whole.size,
        "first_tenth": 0.5 * float(np.abs(first - whole).sum()),
        "random_tenth": 0.5 * math.sqrt(2.0 / math.pi) * float(spread.sum()),
    }
