"""The SQLite database of the index: opened, made, and removed where it is none of ours."""

from __future__ import annotations

import contextlib
import sqlite3
import zlib
from pathlib import Path
from urllib.parse import quote

from svmbench.store.documents import SCHEMA
from svmbench.store.facts import KEYS
from svmbench.store.trace import TRACE_COLUMNS

#: Columns of a run that are text, and all of them but the folder.
TEXTS = ("name", *KEYS[:7], "words", "beginning", "sections", "about")
COLUMNS = (*TEXTS, "numbers", "signature", "crc")
#: The start of a run with a check of its own, so that the newest runs are found without the other columns.
ORDER = ("name", "started", "key", "placed")
_TABLES = (
    f"CREATE TABLE runs (folder TEXT NOT NULL, {', '.join(f'{name} TEXT NOT NULL' for name in TEXTS)}, "
    "numbers BLOB NOT NULL, signature BLOB NOT NULL, crc INTEGER NOT NULL, placed INTEGER NOT NULL, "
    "PRIMARY KEY (folder, name)) WITHOUT ROWID",
    "CREATE TABLE sections (digest TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID",
    f"CREATE INDEX starts ON runs (folder, {', '.join(ORDER)})",
)
#: Raised when what the columns hold changes.
_VERSION = 3
#: The layout of the database, of which it holds the number: another one is made again.
_LAYOUT = zlib.crc32(repr((_VERSION, _TABLES, SCHEMA, TRACE_COLUMNS)).encode()) & 0x7FFFFFFF

#: Seconds that another process may keep the database locked before this one does without it.
_PATIENCE = 2.0
#: What a database that is not as it was written, in use or not writable makes of a query.
FAILURES = (sqlite3.Error, OverflowError, UnicodeError)


def opened(path: Path) -> sqlite3.Connection | None:
    """Return the database, or None where there is none that is ours; another one is removed."""
    if path.is_symlink():
        remove(path)
    if not path.is_file():
        return None
    database = None
    try:
        database = _connected(path, "rw")
        if _is_ours(database):
            return database
        error: Exception = sqlite3.DatabaseError("another layout")
    except FAILURES as refused:
        error = refused
    if database is not None:
        database.close()
    if is_damage(error):
        remove(path)
    return None


def created(path: Path) -> sqlite3.Connection:
    """Return a database with empty tables, or the one that another process has made just now."""
    with contextlib.suppress(OSError):
        path.with_name("index.json").unlink(missing_ok=True)  # that of older versions
    database = _connected(path, "rwc")
    with database:
        database.execute("BEGIN IMMEDIATE")
        if not _is_ours(database):
            for text in _TABLES:
                database.execute(text)
            database.execute(f"PRAGMA user_version = {_LAYOUT}")
    return database


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    address = f"file:{quote(str(path.absolute()))}?mode={mode}"
    database = sqlite3.connect(address, _PATIENCE, isolation_level=None, uri=True)
    # What a power cut takes is read again; and nothing in a file from elsewhere is run.
    for setting in ("synchronous = OFF", "trusted_schema = OFF", "cell_size_check = ON"):
        database.execute(f"PRAGMA {setting}")
    return database


def _is_ours(database: sqlite3.Connection) -> bool:
    ((layout,),) = database.execute("PRAGMA user_version")
    ((journal,),) = database.execute("PRAGMA journal_mode")
    found = database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    return layout == _LAYOUT and journal == "delete" and sorted(_TABLES) == sorted(sql for (sql,) in found)


def is_damage(error: Exception) -> bool:
    """Tell whether an error says that the database is not as it was written, and not that it is in use."""
    return not isinstance(error, sqlite3.OperationalError)


def remove(path: Path) -> None:
    """Remove the database and what SQLite keeps beside it; a link, and not what it points to."""
    for ending in ("", "-journal", "-wal", "-shm"):
        with contextlib.suppress(OSError):
            path.with_name(path.name + ending).unlink()
