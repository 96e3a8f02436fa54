"""Stored runs: identity, locks, schema, reading and writing. See docs/store.md.

`Store` is a results folder. It makes runs through a `RunWriter` and finds them as `StoredRun`::

    Store            store.py        finds, begins, counts; removal, delete: and removes them
      |-- RunWriter  writer.py       run.json, trace.csv, model.npz, state.npz, status.json of one run
      |-- StoredRun  runs.py         the same, read; display: as text; facts: what is known without its files
      |-- Index      index.py        facts of all ended runs, in SQLite (database.py)
      `-- packs.py                   runs without models, compressed, as committed for the papers

Each file has a module: ``trace``, ``model`` and ``joint_model``, ``state``, ``kept_problems``,
``unfinished``, ``notes``, and ``shared`` for optima, environments, measurements and events. They are
written by ``documents`` (JSON with a schema, which ``migrations`` brings up to date) or as ``lines`` with a
digest each. ``identity`` names runs, ``integrity`` verifies them and sets damaged ones aside, ``export``
copies them, ``timing`` says whose seconds may be compared, and ``bits`` packs which examples are wrong.
"""

from svmbench.store.documents import StorageError
from svmbench.store.runs import (
    COMPLETE,
    END_STATES,
    SETTLED,
    SUMMARY_KEYS,
    AlreadyStored,
    StoredRun,
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
    "opened",
]
