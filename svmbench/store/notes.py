"""User-defined tags and notes of runs, in one file beside them.

``RESULTS/notes.json`` maps names of runs to ``{"tags": [...], "note": "..."}``, and ``check`` to a digest.
Tags and notes are not part of a run: they persist if it is made again, and reference runs can have them, too.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypedDict

from svmbench.errors import Damage, UserError
from svmbench.files import read_regular, write_whole
from svmbench.locking import Lock
from svmbench.store import lines
from svmbench.store.documents import Unreadable, damaged, storing

NOTES = "notes.json"

_TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class Note(TypedDict, total=False):
    """Tags and note of a run."""

    tags: list[str]
    note: str


class Notes:
    """Tags and notes of a results folder.

    Parameters
    ----------
    root : Path
        The results folder.
    """

    def __init__(self, root: Path) -> None:
        self._path = root / NOTES

    def of(self, run: str) -> tuple[list[str], str]:
        """Return the tags and note of a run."""
        known = self.all().get(run, {})
        return list(known.get("tags", [])), str(known.get("note", ""))

    def tagged(self, tag: str) -> list[str]:
        """Return the runs with a tag."""
        return [run for run, known in self.all().items() if tag in known.get("tags", [])]

    def tags(self) -> dict[str, int]:
        """Return all tags in alphabetical order, each with the number of its runs."""
        every = [tag for known in self.all().values() for tag in known.get("tags", [])]
        return {tag: every.count(tag) for tag in sorted(set(every))}

    def tag(self, runs: Iterable[str], tag: str, *, remove: bool = False) -> None:
        """Add a tag to runs, or remove it.

        Raises
        ------
        UserError
            If it is not a valid tag.
        """
        if not _TAG.fullmatch(tag):
            raise UserError(
                f"{tag} is not a tag: give letters, digits, '.', '_' and '-', at most 64, like camera-ready"
            )
        with self._changing() as content:
            for run in runs:
                known = content.setdefault(run, {})
                others = [other for other in known.get("tags", []) if other != tag]
                known["tags"] = others if remove else sorted([*others, tag])

    def note(self, run: str, text: str) -> None:
        """Set the note of a run; an empty text removes it."""
        # Undecodable bytes of the command line are surrogates, which no file can hold.
        text = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        with self._changing() as content:
            content.setdefault(run, {})["note"] = text

    def forget(self, runs: Iterable[str]) -> None:
        """Remove the tags and notes of runs."""
        if not self._path.exists():
            return
        with self._changing() as content:
            for run in runs:
                content.pop(run, None)

    def all(self) -> dict[str, Note]:
        """Return all tags and notes by run; none, with a warning, if the file is damaged."""
        try:
            return self.read()[0]
        except UserError as error:  # commands that show tags and notes beside runs must still work
            lines.tell(str(error))
            return {}

    def read(self) -> tuple[dict[str, Note], bool]:
        """Return the tags and notes by run, and whether the file has a digest.

        Raises
        ------
        UserError
            If it is damaged or cannot be read.
        """
        try:
            found, sealed = lines.whole(read_regular(self._path))
            return {run: _note(known) for run, known in found.items()}, sealed
        except FileNotFoundError:
            return {}, True
        except OSError as error:
            raise Unreadable(self._path, error) from error
        except (ValueError, TypeError, AttributeError) as error:
            raise damaged(self._path, error) from error

    @contextlib.contextmanager
    def _changing(self) -> Iterator[dict[str, Note]]:
        """Yield the content and write it back after changes; processes take turns."""
        with storing(self._path.name, self._path.parent):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            lock = Lock.acquire(self._path.with_name(".notes.lock"), lambda who: None)
            try:
                content, _ = self.read()
                yield content
                kept = {run: known for run, known in sorted(content.items()) if any(known.values())}
                write_whole(self._path, json.dumps(lines.checked(kept), indent=1, ensure_ascii=False) + "\n")
            finally:
                lock.remove()


def _note(known: dict[str, Any]) -> Note:
    """Return stored tags and note, which once had a digest each; TypeError for anything else."""
    tags, note = known.get("tags", []), known.get("note", "")
    if (
        not isinstance(note, str)
        or not isinstance(tags, list)
        or not all(isinstance(tag, str) for tag in tags)
    ):
        raise Damage("tags and notes are texts")
    return {"tags": tags, "note": note}
