"""Verified raw files of a set as tables, whose counts are checked against the catalogue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from svmbench.data._parse import csv, libsvm
from svmbench.data.catalogue import label_key
from svmbench.data.dataset import Matrix
from svmbench.data.download import obtain
from svmbench.data.entries import Entry
from svmbench.data.unpack import Corrupt, Refused, read, read_unpacked
from svmbench.errors import UserError, nearest_file
from svmbench.files import sha256


@dataclass(frozen=True)
class Table:
    """Examples as they are in a file.

    Attributes
    ----------
    X : ndarray of float64, shape (n, d), or csr_array of float64
    codes : ndarray of int32, shape (n,)
        Index of each row's label in ``labels``.
    labels : tuple of str
        Distinct labels in canonical form (``1`` for ``+1`` and ``1.0``), in order of appearance.
    places : tuple of (int, int, int)
        Line, field and column of the first occurrence of each label.
    """

    X: Matrix
    codes: NDArray[np.int32]
    labels: tuple[str, ...]
    places: tuple[tuple[int, int, int], ...]

    def against_rest(self, *positive: str) -> NDArray[np.float64]:
        """Return +1 for the rows with one of the labels and -1 for all others."""
        wanted = np.array([label in positive for label in self.labels])
        return np.where(wanted[self.codes], 1.0, -1.0)

    def numbered(self, labels: tuple[str, ...]) -> NDArray[np.float64]:
        """Return the index of each row's label in a tuple of all labels, shape (n,)."""
        places = np.array([float(labels.index(label)) for label in self.labels])
        return places[self.codes]

    @property
    def counts(self) -> dict[str, int]:
        """Number of rows of each label."""
        return dict(zip(self.labels, np.bincount(self.codes, minlength=len(self.labels)).tolist()))


def read_libsvm(content: bytes, where: str, features: int | None = None, first: int = 1) -> Table:
    """Parse LIBSVM text; without ``features`` the largest index decides; ``first`` is that of a feature."""
    codes, labels, places, indptr, indices, values = libsvm(content, where, features or 0, first)
    columns = features or (int(indices.max()) + 1 if indices.size else 1)
    X = scipy.sparse.csr_array((values, indices, indptr), shape=(codes.size, columns))
    return _table(X, codes, labels, places)


def read_csv(content: bytes, where: str, *, columns: int, label: int, delimiter: str, header: bool) -> Table:
    """Parse delimited text; ``label`` counts from 0."""
    codes, labels, places, values = csv(content, where, columns, label, delimiter, header)
    return _table(values, codes, labels, places)


def _table(X: Matrix, codes: NDArray[np.int32], labels: list[str], places: list[Any]) -> Table:
    """Return a table in which labels that spell the same number differently are merged."""
    keys = [label_key(text) for text in labels]
    distinct = {key: code for code, key in enumerate(dict.fromkeys(keys))}
    if len(distinct) < len(keys):
        renumbered = np.array([distinct[key] for key in keys], dtype=np.int32)
        first = np.unique(renumbered, return_index=True)[1]
        codes, places = renumbered[codes], [places[k] for k in first]
    return Table(X, codes, tuple(distinct), tuple(places))


class RawFiles:
    """The raw files of one set; each is fetched on first use.

    Attributes
    ----------
    pieces : Path
        Folder for prepared pieces, which some sets store themselves.
    payloads : dict of str to str
        SHA-256 of every unpacked member read so far, by name.
    orders : dict of str to ndarray
        Numbers of the labels of each table read so far, in the order of its rows, by the name of the file.
    """

    def __init__(self, entry: Entry, mirrors: list[Path], folder: Path, say: Callable[[str], None]) -> None:
        self.entry = entry
        self.say = say
        self.pieces = folder / "prepared" / entry.name
        self.payloads: dict[str, str] = {}
        self.orders: dict[str, NDArray[Any]] = {}
        self._get = lambda file: obtain(file, mirrors, folder, say)

    def members(self, key: str) -> dict[str, bytes]:
        """Return the unpacked members of a file of the entry."""
        file = self.entry.files[key]
        path, form = self._get(file)
        try:
            contents = read(path, form)
        except Corrupt as error:
            raise UserError(f"{path}: {error}; delete it and start again to download it again") from error
        self.payloads.update(
            {name: form.members[name] or sha256(content) for name, content in contents.items()}
        )
        return contents

    def users_file(self, role: str, path: Path) -> bytes:
        """Return the unpacked bytes of a user's file, recorded in ``payloads`` by its role."""
        try:
            content = read_unpacked(path)
        except Refused as error:
            raise UserError(f"{path}: {error}") from error
        except Corrupt as error:
            raise UserError(f"{path}: {error}; write the file again") from error
        except OSError as error:
            hint = nearest_file(path)
            raise UserError(f"cannot read {path}: {error.strerror or error}{hint}") from error
        self.payloads[role] = sha256(content)
        return content

    def text(self, key: str) -> tuple[bytes, str]:
        """Return the unpacked bytes of a plain file, and its name for messages."""
        (name, content), *_ = self.members(key).items()
        return content, name

    def libsvm(self, key: str) -> Table:
        """Read a file in LIBSVM format and check its counts."""
        content, name = self.text(key)
        return self._checked(key, name, read_libsvm(content, name, self.entry.features))

    def csv(self, key: str, delimiter: str, *, label: int) -> Table:
        """Read delimited text of a label and the features, without a header, and check its counts."""
        content, name = self.text(key)
        columns = (self.entry.features or 0) + 1
        table = read_csv(
            content, name, columns=columns, label=label % columns, delimiter=delimiter, header=False
        )
        return self._checked(key, name, table)

    def _checked(self, key: str, name: str, table: Table) -> Table:
        self.check(key, name, table.codes, table.counts)
        return table

    def check(self, key: str, name: str, codes: NDArray[Any], classes: dict[str, int]) -> None:
        """Raise an error if counts of a file differ from the catalogue's; keep the order of its labels."""
        told = self.entry.files[key]
        counts = [("examples", codes.size, told.rows or codes.size)]
        counts += [
            (f"examples of class '{label}'", classes.get(label, 0), n) for label, n in told.classes.items()
        ]
        for what, have, want in counts:
            if have != want:
                raise UserError(
                    f"{name} has {have} {what} but the catalogue says {want}: it is not the published file"
                )
        self.orders[name] = codes
