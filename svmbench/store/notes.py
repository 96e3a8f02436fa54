"""Tags and notes that people give to runs, in one file beside them.

``RESULTS/notes.json`` maps the name of a run to ``{"tags": [...], "note": "..."}``. It is no part of a run:
it outlives one that is made again, and reference runs can have tags too.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from svmbench.errors import UserError
from svmbench.files import Lock, write_whole
from svmbench.store.documents import storing

_TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class Notes:
    """The tags and notes of a results folder.

    Parameters
    ----------
    root : Path
        The results folder.
    """

    def __init__(self, root: Path) -> None:
        self._path = root / "notes.json"

    def of(self, run: str) -> tuple[list[str], str]:
        """Return the tags and the note of a run."""
        known = self.all().get(run, {})
        return list(known.get("tags", [])), str(known.get("note", ""))

    def tagged(self, tag: str) -> list[str]:
        """Return the runs that have a tag."""
        return [run for run, known in self.all().items() if tag in known.get("tags", [])]

    def tags(self) -> dict[str, int]:
        """Return every tag with the number of its runs, in alphabetical order."""
        every = [tag for known in self.all().values() for tag in known.get("tags", [])]
        return {tag: every.count(tag) for tag in sorted(set(every))}

    def tag(self, runs: Iterable[str], tag: str, *, remove: bool = False) -> None:
        """Give a tag to runs, or take it from them.

        Raises
        ------
        UserError
            If it is no word that a tag can be.
        """
        if not _TAG.fullmatch(tag):
            raise UserError(
                f"{tag} is no tag: give letters, digits, '.', '_' and '-', at most 64, such as camera-ready"
            )
        with self._changing() as content:
            for run in runs:
                known = content.setdefault(run, {})
                others = [other for other in known.get("tags", []) if other != tag]
                known["tags"] = others if remove else sorted([*others, tag])

    def note(self, run: str, text: str) -> None:
        """Give a run a note in place of an older one; an empty text takes it away."""
        with self._changing() as content:
            content.setdefault(run, {})["note"] = text

    def forget(self, runs: Iterable[str]) -> None:
        """Remove everything that was said of runs."""
        if not self._path.exists():
            return
        with self._changing() as content:
            for run in runs:
                content.pop(run, None)

    def all(self) -> dict[str, dict[str, Any]]:
        """Return everything that is said, by run."""
        try:
            content = json.loads(self._path.read_bytes())
            return {str(run): dict(known) for run, known in content.items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise UserError(f"{self._path} is damaged ({error}): mend it, or remove it") from error

    @contextlib.contextmanager
    def _changing(self) -> Iterator[dict[str, dict[str, Any]]]:
        """Give the content, and write what was made of it; processes take turns."""
        with storing("notes.json", self._path.parent):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            lock = Lock.acquire(self._path.with_name(".notes.lock"), lambda who: None)
            try:
                content = self.all()
                yield content
                kept = {run: known for run, known in sorted(content.items()) if any(known.values())}
                write_whole(self._path, json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
            finally:
                lock.remove()
