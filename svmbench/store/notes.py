"""User-defined tags and notes of runs, in one file beside them.

``RESULTS/notes.json`` maps the name of a run to ``{"tags": [...], "note": "...", "check": digest}``, one line
per run, so that a damaged line does not affect others. Tags and notes are not part of a run: they persist if
the run is made again, and reference runs can have them, too.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypedDict, cast

from svmbench.errors import UserError
from svmbench.files import read_json, read_regular, write_whole
from svmbench.locking import Lock
from svmbench.store import lines
from svmbench.store.documents import Unreadable, storing

NOTES = "notes.json"

#: Key of the run in the record that the digest is computed from, and lines of the file without a run.
_RUN = "run"
_FRAME = (b"", b"{", b"}")

_TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def free(path: Path) -> Path:
    """Return a path, with a number appended to its name if it exists."""
    found, number = path, 1
    while os.path.lexists(found):
        number += 1
        found = path.with_name(f"{path.name}-{number}")
    return found


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
        """Return all tags and notes by run, without damaged ones, for which a warning is printed."""
        try:
            content, damaged, _ = self.read()
        except UserError as error:  # commands that show tags and notes beside runs must still work
            lines.tell(str(error))
            return {}
        if damaged:
            lines.tell(
                f"{len(damaged)} damaged line{'s' * (len(damaged) > 1)} of {self._path} left out: svmbench "
                "verify --repair sets them aside"
            )
        return content

    def read(self) -> tuple[dict[str, Note], list[bytes], int]:
        """Return the tags and notes by run, the damaged lines, and the number of runs without a digest.

        Raises
        ------
        UserError
            If nothing in the file can be read.
        """
        try:
            text = read_regular(self._path)
        except FileNotFoundError:
            return {}, [], 0
        except OSError as error:
            raise Unreadable(self._path, error) from error
        except ValueError as error:
            raise self._damaged(error) from error
        entries = [line.strip(b",\r") for line in text.split(b"\n")]
        found = lines.read(b"\n".join(_as_record(line) for line in entries if line not in _FRAME))
        records, damaged, unchecked = found.records, found.damaged, found.unchecked
        if not records and lines.CHECK.encode() not in text:
            records, damaged = self._older(text), []
            unchecked = len(records)
        damaged += [json.dumps(one).encode() for one in records if not _is_note(one)]
        return {one.pop(_RUN): cast(Note, one) for one in records if _is_note(one)}, damaged, unchecked

    def _older(self, text: bytes) -> list[dict[str, Any]]:
        """Return the records of a file of an older version, which does not have one line per run."""
        try:
            return [{_RUN: run, **known} for run, known in read_json(text).items()]
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise self._damaged(error) from error

    def _damaged(self, error: Exception) -> UserError:
        return UserError(
            f"{self._path} is damaged ({type(error).__name__}: {error}): mend it, or let svmbench verify "
            "--repair set it aside"
        )

    def set_aside(self, home: Path) -> Path:
        """Move damaged lines, or an unreadable file, to a folder; return the new path."""
        target = free(home / self._path.name)
        with self._locked():
            try:
                content, damaged, _ = self.read()
            except UserError:
                os.rename(self._path, target)
                return target
            write_whole(target, b"".join(line + b"\n" for line in damaged))
            if content:
                self._write(content)
            else:
                self._path.unlink()
        return target

    @contextlib.contextmanager
    def _changing(self) -> Iterator[dict[str, Note]]:
        """Yield the content and write it back after changes; processes take turns."""
        with self._locked():
            content, damaged, _ = self.read()
            if damaged:
                raise UserError(
                    f"{self._path} has {len(damaged)} damaged line{'s' * (len(damaged) > 1)}: let svmbench "
                    "verify --repair set them aside first"
                )
            yield content
            self._write(content)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        with storing(self._path.name, self._path.parent):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            lock = Lock.acquire(self._path.with_name(".notes.lock"), lambda who: None)
            try:
                yield
            finally:
                lock.remove()

    def _write(self, content: dict[str, Note]) -> None:
        kept = {run: known for run, known in sorted(content.items()) if any(known.values())}
        entries = [f"{json.dumps(run)}: {_line(run, known)}" for run, known in kept.items()]
        write_whole(self._path, "{\n" + ",\n".join(entries) + "\n}\n")


def _line(run: str, known: Note) -> str:
    """Return the tags and note of a run as a line, with a digest that includes its name."""
    check = lines.checked({_RUN: run, **known})[lines.CHECK]
    return json.dumps({**known, lines.CHECK: check}, ensure_ascii=False)


def _is_note(record: Mapping[str, Any]) -> bool:
    """Return whether a record is one of tags and note; those of older versions have no digest."""
    tags, note = record.get("tags", []), record.get("note", "")
    if not (isinstance(record.get(_RUN), str) and isinstance(note, str) and isinstance(tags, list)):
        return False
    return all(isinstance(tag, str) for tag in tags)


def _as_record(line: bytes) -> bytes:
    """Return a line of the file, ``"RUN": {...}``, as a record; other lines unchanged."""
    run, colon, known = line.partition(b": {")
    return b'{"%s": %s, %s' % (_RUN.encode(), run, known) if colon else line
