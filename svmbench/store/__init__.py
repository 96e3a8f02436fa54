"""Stored runs: identity, locks, schema, reading and writing. See docs/store.md."""

from svmbench.store.documents import StorageError
from svmbench.store.runs import (
    COMPLETE,
    END_STATES,
    SETTLED,
    SUMMARY_KEYS,
    AlreadyStored,
    StoredRun,
    numbers_of,
)
from svmbench.store.store import Store, opened
from svmbench.store.trace import TRACE_COLUMNS
from svmbench.store.writer import RunWriter

__all__ = [
    "COMPLETE",
    "END_STATES",
    "SETTLED",
    "SUMMARY_KEYS",
    "TRACE_COLUMNS",
    "AlreadyStored",
    "RunWriter",
    "StorageError",
    "Store",
    "StoredRun",
    "numbers_of",
    "opened",
]
