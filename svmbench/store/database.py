"""The SQLite database of the index: opening, creating, and removing one of another program."""

from __future__ import annotations

import contextlib
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from svmbench.files import read_regular
from svmbench.store.documents import SCHEMA
from svmbench.store.trace import TRACE_COLUMNS

#: Text columns of a run; ``config`` and ``about`` are digests of texts that many runs share.
TEXTS = ("name", "beginning", "config", "about", "facts")
_TABLES = (
    f"CREATE TABLE runs (folder TEXT NOT NULL, {', '.join(f'{name} TEXT NOT NULL' for name in TEXTS)}, "
    "signature BLOB NOT NULL, crc INTEGER NOT NULL, PRIMARY KEY (folder, name)) WITHOUT ROWID",
    "CREATE TABLE texts (digest TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID",
)
#: All columns of runs except the folder.
SELECT = (
    "SELECT name, beginning, c.text, a.text, facts, signature, crc FROM runs "
    "JOIN texts c ON c.digest = config JOIN texts a ON a.digest = about"
)
#: Increased when the content of the columns changes.
_VERSION = 5
#: Number of the database's layout; a database with another number is made again.
_LAYOUT = zlib.crc32(repr((_VERSION, _TABLES, SCHEMA, TRACE_COLUMNS)).encode()) & 0x7FFFFFFF

#: Seconds to wait for a database locked by another process before doing without it.
_PATIENCE = 2.0
#: Endings of SQLite's files beside the database.
_BESIDE = ("-journal", "-wal", "-shm")
#: End of a journal that names a file, which SQLite removes after a rollback. Journals of ours name none.
_NAMING = bytes.fromhex("d9d505f920a163d7")
#: Errors of a query if the database is damaged, in use or not writable.
FAILURES = (sqlite3.Error, OverflowError, UnicodeError)


def opened(path: Path) -> sqlite3.Connection | None:
    """Return the database, or None if it does not exist; a foreign one is removed."""
    if path.is_symlink():
        remove(path)
    if not path.is_file():
        return None
    try:
        database = _connected(path, "rw")
        with _closed_if_it_fails(database):
            if not _is_ours(database):
                raise sqlite3.DatabaseError("another layout")
        return database
    except FAILURES as error:
        if is_damage(error):
            remove(path)
        return None


def created(path: Path) -> sqlite3.Connection:
    """Return a database with empty tables, or one just created by another process."""
    with contextlib.suppress(OSError):
        path.with_name("index.json").unlink(missing_ok=True)  # of older versions
    database = _connected(path, "rwc")
    with _closed_if_it_fails(database), database:
        database.execute("BEGIN IMMEDIATE")
        if not _is_ours(database):
            for text in _TABLES:
                database.execute(text)
            database.execute(f"PRAGMA user_version = {_LAYOUT}")
    return database


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    if _is_foreign(path):
        remove(path)
    address = f"file:{quote(str(path.absolute()))}?mode={mode}"
    database = sqlite3.connect(address, timeout=_PATIENCE, isolation_level=None, uri=True)
    # After a power cut, runs are read again; nothing in a foreign file is executed.
    # A transaction of ours fits into 16 MiB, so that no page is written twice.
    with _closed_if_it_fails(database):
        for setting in (
            *("synchronous = OFF", "trusted_schema = OFF", "cell_size_check = ON"),
            "cache_size = -16384",
        ):
            database.execute(f"PRAGMA {setting}")
    return database


@contextlib.contextmanager
def _closed_if_it_fails(database: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        database.close()
        raise


def _is_ours(database: sqlite3.Connection) -> bool:
    ((layout,),) = database.execute("PRAGMA user_version")
    ((journal,),) = database.execute("PRAGMA journal_mode")
    found = database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    return layout == _LAYOUT and journal == "delete" and sorted(_TABLES) == sorted(sql for (sql,) in found)


def _is_foreign(path: Path) -> bool:
    """Return whether SQLite would write to, or remove, another file because of those beside the database."""
    journal, *others = (path.with_name(path.name + ending) for ending in _BESIDE)
    if any(one.is_symlink() for one in (journal, *others)):
        return True
    try:
        return read_regular(journal).endswith(_NAMING)
    except ValueError:  # not a regular file, or a thousand times as large as ours
        return True
    except OSError:  # usually no journal exists
        return False


def is_damage(error: Exception) -> bool:
    """Return whether an error means that the database is damaged, as opposed to in use."""
    return not isinstance(error, sqlite3.OperationalError) or "decode to UTF-8" in str(error)


def remove(path: Path) -> None:
    """Remove the database and SQLite's files beside it; a link is removed, not its target."""
    for ending in ("", *_BESIDE):
        with contextlib.suppress(OSError):
            path.with_name(path.name + ending).unlink()
