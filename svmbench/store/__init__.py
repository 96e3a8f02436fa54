"""Stored runs: identity, locks, schema, reading and writing. See docs/store.md."""

from svmbench.store.runs import COMPLETE, END_STATES, SUMMARY_KEYS, RunWriter, StoredRun
from svmbench.store.store import Store
from svmbench.store.trace import TRACE_COLUMNS

__all__ = ["COMPLETE", "END_STATES", "SUMMARY_KEYS", "TRACE_COLUMNS", "RunWriter", "Store", "StoredRun"]
