"""Lines of JSON that each carry a digest, so that damaged lines are detected and the others can be read.

The digest is under ``check`` in each line. Lines of older versions have none and are read unchecked.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from svmbench.files import digest, read_json

CHECK = "check"
_LENGTH = len(digest(None))

_told: set[str] = set()


@dataclass(frozen=True)
class Lines:
    """Content of a file of lines.

    Attributes
    ----------
    records : list of dict
        Content of the intact lines, in order, without their digests.
    damaged : list of bytes
        Damaged lines.
    unchecked : int
        Number of records without a digest.
    """

    records: list[dict[str, Any]]
    damaged: list[bytes]
    unchecked: int


def whole(content: bytes | str) -> tuple[dict[str, Any], bool]:
    """Read a document of one record, and return whether it has a digest.

    Raises
    ------
    ValueError
        If it is damaged.
    """
    record = read_json(content)
    if not isinstance(record, dict):
        raise ValueError("it is not a JSON object")
    found = unchecked(record)
    if found is None:
        raise ValueError("it does not match its digest")
    return found, CHECK in record


def checked(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with its digest added."""
    return {**record, CHECK: digest(record)}


def unchecked(record: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a record without its digest; None if the record is damaged.

    A record with its digest under another key is damaged, not written by an older version without digests.
    """
    keys = [CHECK] if CHECK in record else [key for key, value in record.items() if _may_be_digest(value)]
    try:
        sealed = any(digest({k: v for k, v in record.items() if k != key}) == record[key] for key in keys)
        right = sealed == (CHECK in record)
        return {key: value for key, value in record.items() if key != CHECK} if right else None
    except (ValueError, TypeError, RecursionError):  # has no digest
        return None


def read(content: bytes, holds: Callable[[Mapping[str, Any]], bool] = lambda record: True) -> Lines:
    """Read a file of lines; an incomplete last line, of a killed writer, is ignored.

    Parameters
    ----------
    content : bytes
        Content of the file.
    holds : callable, optional
        Returns whether a record, without its digest, is valid in the file; others count as damaged.
    """
    found = Lines([], [], 0)
    records, damaged, without = found.records, found.damaged, 0
    incomplete = incomplete_end(content)
    for raw in content.removesuffix(incomplete).split(b"\n"):
        record = _parsed(raw)
        whole = None if record is None else unchecked(record)
        if whole is not None and holds(whole):
            records.append(whole)
            without += CHECK not in (record or {})
        elif raw:
            damaged.append(raw)
    return Lines(records, damaged, without)


def incomplete_end(content: bytes) -> bytes:
    """Return the last line if a writer was killed while it wrote it, else an empty one."""
    last = content.rpartition(b"\n")[2]
    damaged = _parsed(last) is not None or last.endswith(b"}") or _last_byte_changed(last)
    return last if last.startswith(b"{") and not damaged else b""


def tell(sentence: str) -> None:
    """Write a warning to standard error, once per process."""
    if sentence not in _told:
        _told.add(sentence)
        print(f"svmbench: {sentence}", file=sys.stderr)


def _may_be_digest(value: object) -> bool:
    return isinstance(value, str) and len(value) == _LENGTH


def _parsed(raw: bytes) -> dict[str, Any] | None:
    with contextlib.suppress(ValueError, RecursionError):
        record = read_json(raw)
        return record if isinstance(record, dict) else None
    return None


def _last_byte_changed(raw: bytes) -> bool:
    """Return whether a line without its end is complete except for a change at or after its last byte."""
    ends = (raw[:-1], raw[:-1] + b"}", raw + b"}")
    return any((record := _parsed(end)) is not None and CHECK in record for end in ends)
