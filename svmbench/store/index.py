"""What is known of all stored runs in one file, so that finding them opens no file of theirs.

``RESULTS/index.json`` is never the truth: an entry counts only while the times and sizes of the run's files
are those it was made from, anything else is read again, and the file may be removed at any time. It is
written whole; of several processes the last one wins, and what it did not know is read again.

The sections of configurations, of which thousands of runs share a few, are written and read once.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

from svmbench.files import write_whole
from svmbench.store.documents import SCHEMA
from svmbench.store.runs import RUNNING, StoredRun
from svmbench.store.trace import TRACE_COLUMNS

#: What the entries depend on beside the files: raised or changed, all runs are read again.
_LAYOUT = [3, SCHEMA, list(TRACE_COLUMNS)]

_FILES = ("run.json", "trace.csv", "status.json")


class Index:
    """The index of one results folder, for one pass over its runs.

    Parameters
    ----------
    root : Path
        The results folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._path = root / "index.json"
        self._sections: list[dict[str, Any]] = []
        self._places: dict[str, int] = {}
        self._old = self._load()
        self._new: dict[str, Any] = {}
        self._signature: list[int] | None = None
        self._fresh = 0
        self._folders: dict[str, Path] = {}

    def _load(self) -> dict[str, Any]:
        try:
            content = json.loads(self._path.read_bytes())
            if content["layout"] != _LAYOUT:
                return {}
            runs, self._sections = dict(content["runs"]), list(content["sections"])
            return runs
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return {}

    def names(self, folder: str) -> list[str]:
        """Return the names in a folder of runs, sorted; hidden ones are those of writers."""
        try:
            return sorted(name for name in os.listdir(self._root / folder) if not name.startswith("."))
        except (FileNotFoundError, NotADirectoryError):
            return []

    def known(self, folder: str, name: str) -> StoredRun | None:
        """Return the run of a folder if no file of it has changed since it was read; else None."""
        self._signature = None if name.endswith(RUNNING) else _signature(f"{self._root}/{folder}/{name}")
        if self._signature is None:
            return None
        key = f"{folder}/{name}"
        entry = self._old.get(key)
        if type(entry) is not list or entry[0] != self._signature:
            return None
        if folder not in self._folders:
            self._folders[folder] = self._root / folder
        config: dict[str, Any] = {}
        try:
            _, facts, places = entry
            for place in places:
                config.update(self._sections[place])
        except (LookupError, TypeError, ValueError):  # not as it was written
            return None
        self._new[key] = entry
        return StoredRun(self._folders[folder] / name, {**facts, "config": config})

    def learn(self, folder: str, name: str, run: StoredRun) -> None:
        """Keep what was read of the run asked for last, which was not known, unless it has no end."""
        if self._signature is None:
            return
        facts = {key: value for key, value in run.facts.items() if key != "config"}
        places = [self._place({key: value}) for key, value in run.facts["config"].items()]
        # Taken before the files were read: files that changed meanwhile are read again the next time.
        self._new[f"{folder}/{name}"] = [self._signature, facts, places]
        self._fresh += 1

    def _place(self, section: dict[str, Any]) -> int:
        """Return the place of a section among those that are kept."""
        if not self._places:
            self._places = {json.dumps(known): place for place, known in enumerate(self._sections)}
        place = self._places.setdefault(json.dumps(section), len(self._sections))
        if place == len(self._sections):
            self._sections.append(section)
        return place

    def save(self) -> None:
        """Write the index if much of it is new: one run in a hundred is sooner read than all are written."""
        gone = len(self._old.keys() - self._new.keys())
        if (self._fresh + gone) * 100 <= len(self._new) or not self._root.is_dir():
            return
        content = {"layout": _LAYOUT, "sections": self._sections, "runs": self._new}
        text = json.dumps(content, separators=(",", ":"))
        with contextlib.suppress(OSError):  # a folder that is only read has no index
            write_whole(self._path, text)


def _signature(path: str) -> list[int] | None:
    """Return time and size of the files of a run that has ended, None where one is missing."""
    signature: list[int] = []
    try:
        for name in _FILES:
            state = os.stat(f"{path}/{name}")
            signature += (state.st_mtime_ns, state.st_size)
    except OSError:
        return None
    return signature
