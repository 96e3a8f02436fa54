"""Index of all ended runs in one SQLite database, so that finding runs does not open their files.

``RESULTS/index.sqlite`` is a cache of the folders of runs. A row is valid only if

- its checksum is right, a CRC-32 over its content: rows that were edited or damaged are read again;
- times and sizes of run.json, trace.csv and status.json have not changed since it was made.

All other runs are read from their folders. A database that is damaged, of another layout, a link, or contains
other tables is removed and made again. If it cannot be written, or the file system does not support locks,
everything works without it, but slower. Concurrent processes are safe: SQLite locks the database, and each
process writes what it has read.
"""

from __future__ import annotations

import functools
import json
import os
import sqlite3
import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from svmbench.files import digest
from svmbench.store.database import FAILURES, SELECT, TEXTS, created, is_damage, opened, remove
from svmbench.store.facts import Facts, common
from svmbench.store.identity import without_ends
from svmbench.store.runs import RUNNING, StoredRun

#: Files whose times and sizes validate a row. The time of the last status change (ctime) cannot be set back.
_FILES = ("run.json", "trace.csv", "status.json")

#: Rows written at a time, so that an interruption loses little.
BATCH = 2000

_Row = tuple[Any, ...]


class Index:
    """Index of one results folder for one pass over its runs; a context manager, which writes it.

    Parameters
    ----------
    root : Path
        The results folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        # What stands before a folder in paths as text: as in a `Path`, nothing for the current folder.
        self._home = str(root / "_")[:-1]
        self._path = root / "index.sqlite"
        self._database: sqlite3.Connection | None = None
        self._new: list[_Row] = []
        self._gone: list[tuple[str, str]] = []
        self._texts: dict[str, str] = {}
        self._usable = True

    def __enter__(self) -> Index:
        self._database = opened(self._path)
        return self

    def __exit__(self, *exception: object) -> None:
        try:
            self._write()
        finally:
            if self._database is not None:
                self._database.close()
                self._database = None

    def known(self, folder: str, names: Iterable[str]) -> Iterator[tuple[str, StoredRun]]:
        """Yield the runs of a folder whose files have not changed since they were read.

        Rows of removed runs are deleted from the index.
        """
        left = set(names)
        for row in self._query(f"{SELECT} WHERE folder = ?", folder):
            name = row[0]
            if name not in left:
                self._gone.append((folder, name))
                continue
            left.discard(name)
            run = self._run(folder, row) if self.signature(folder, name) == row[-2] else None
            if run is not None:
                yield name, run

    def beginnings(self, folder: str, prefix: str) -> dict[str, str]:
        """Return `without_ends` of the runs of a folder that have a row and a name with this prefix.

        Neither the row's checksum nor the times of files are checked; the caller must check the run.
        """
        text = "SELECT name, beginning FROM runs WHERE folder = ? AND name >= ? AND name < ?"
        return dict(self._query(text, folder, prefix, prefix + "\U0010ffff"))

    def signature(self, folder: str, name: str) -> bytes | None:
        """Return times and sizes of the files of a run, which change with them; None before the run's end."""
        if name.endswith(RUNNING):
            return None
        try:
            run = f"{self._home}{folder}/{name}/"
            found = [os.stat(run + file) for file in _FILES]
        except OSError:
            return None
        times = [time for one in found for time in (one.st_mtime_ns, one.st_ctime_ns, one.st_size)]
        return struct.pack("<9q", *times)

    def _run(self, folder: str, row: _Row) -> StoredRun | None:
        """Return the run of a row; None if the row is damaged."""
        try:
            if _crc(folder, row) != row[-1]:
                return None
            name, _, config, about, told = row[:5]
            facts = Facts(json.loads(told), _read(about), common(config))
            return StoredRun(f"{self._home}{folder}/{name}", facts)
        except (LookupError, TypeError, ValueError):
            return None

    def _query(self, text: str, *values: str) -> Iterator[_Row]:
        """Yield rows of the database; after the first error, none."""
        if self._database is None:
            return
        try:
            yield from self._database.execute(text, values)
        except FAILURES as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None
        if is_damage(error):
            remove(self._path)
        else:
            self._usable = False

    def _write(self) -> None:
        """Write the new rows and delete those of removed runs."""
        new, gone, texts = self._new, self._gone, self._texts
        self._new, self._gone, self._texts = [], [], {}
        if not (new or gone) or not self._usable or not self._root.is_dir():
            return
        try:
            if self._database is None:
                self._database = created(self._path)
            with self._database as database:
                database.execute("BEGIN IMMEDIATE")
                database.executemany("INSERT OR REPLACE INTO texts VALUES (?, ?)", texts.items())
                database.executemany("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)", new)
                database.executemany("DELETE FROM runs WHERE folder = ? AND name = ?", gone)
        except FAILURES as error:
            self._give_up(error)

    def keep(self, folder: str, name: str, signature: bytes, run: StoredRun) -> StoredRun:
        """Add an ended run; return it as the index has it. One that no row can hold is read each time."""
        try:
            facts = run.facts
            beginning = without_ends(run.manifest["identity"])
            found = {key: value for key, value in facts.items() if key != "about"}
            documents = (facts.common.document, facts["about"], found)
            config, about, told = (json.dumps(one, allow_nan=False) for one in documents)
            content = (name, beginning, config, about, told, signature)
            row = (*content, _crc(folder, content))
        except (TypeError, ValueError, KeyError, AttributeError, RecursionError):
            return run
        named = {digest(text): text for text in (config, about)}
        self._texts |= named
        self._new.append((folder, name, beginning, *named, *row[4:]))
        if len(self._new) >= BATCH:
            self._write()
        return self._run(folder, row) or run


def folder_names(folder: Path) -> list[str]:
    """Return the names in a folder of runs, without hidden ones, which belong to writers."""
    try:
        return [name for name in os.listdir(folder) if not name.startswith(".")]
    except (FileNotFoundError, NotADirectoryError):
        return []


def add(path: Path) -> StoredRun:
    """Read a run in its final folder, and add it to the index of its store."""
    folder, name = path.parent, path.name
    with Index(folder.parent) as index:
        signature = index.signature(folder.name, name)
        run = StoredRun.read(path)
        if signature is not None:
            index.keep(folder.name, name, signature, run)
    return run


@functools.lru_cache(maxsize=20_000)
def _read(text: str) -> Any:
    """Return a document that is shared by runs."""
    return json.loads(text)


def _crc(folder: str, row: _Row) -> int:
    """Return the checksum of a row, over its content and its folder."""
    return zlib.crc32(row[len(TEXTS)], zlib.crc32("\0".join((folder, *row[: len(TEXTS)])).encode()))
