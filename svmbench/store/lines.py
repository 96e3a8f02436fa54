"""JSON in lines that each carry a digest, so that a damaged line is noticed and the others are still read.

The digest stands under ``check`` in each line. Lines of older versions have none and are read as they are.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from svmbench.files import digest, read_json

CHECK = "check"
_LENGTH = len(digest(None))

_told: set[str] = set()


@dataclass(frozen=True)
class Lines:
    """What was read.

    Attributes
    ----------
    records : list of dict
        Content of the lines that are what was written, in their order, without their digests.
    damaged : list of bytes
        Lines that are not what was written.
    unchecked : int
        How many of the records have no digest.
    """

    records: list[dict[str, Any]]
    damaged: list[bytes]
    unchecked: int


def whole(content: bytes | str) -> tuple[dict[str, Any], bool]:
    """Read a document of one record, and tell whether it has a digest.

    Raises
    ------
    ValueError
        If it is not what was written.
    """
    record = read_json(content)
    if not isinstance(record, dict):
        raise ValueError("it is no JSON object")
    found = unchecked(record)
    if found is None:
        raise ValueError("it does not match its digest")
    return found, CHECK in record


def checked(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record with its digest."""
    return {**record, CHECK: digest(record)}


def unchecked(record: dict[str, Any]) -> dict[str, Any] | None:
    """Return a record without its digest; None if the record is not what was written.

    One that has its digest under another key has not been written by an older version without digests: the
    key was changed.
    """
    keys = [CHECK] if CHECK in record else [key for key, value in record.items() if _may_be_digest(value)]
    try:
        sealed = any(digest({k: v for k, v in record.items() if k != key}) == record[key] for key in keys)
        right = sealed == (CHECK in record)
        return {key: value for key, value in record.items() if key != CHECK} if right else None
    except (ValueError, TypeError, RecursionError):  # what no digest is made of
        return None


def read(content: bytes, holds: Callable[[dict[str, Any]], bool] = lambda record: True) -> Lines:
    """Read a file of lines; one that was cut short, because its writer was killed, is left out.

    Parameters
    ----------
    content : bytes
        Of the file.
    holds : callable, optional
        Whether a record, without its digest, is one that the file may have; another one is damaged.
    """
    found = Lines([], [], 0)
    records, damaged, without = found.records, found.damaged, 0
    for raw in content.split(b"\n"):
        record = _parsed(raw)
        whole = None if record is None else unchecked(record)
        if whole is not None and holds(whole):
            records.append(whole)
            without += CHECK not in (record or {})
        elif whole is not None or raw.endswith(b"}") or raw[:1] not in (b"", b"{") or _last_byte_changed(raw):
            damaged.append(raw)  # and not the beginning of a record
    return Lines(records, damaged, without)


def tell(sentence: str) -> None:
    """Write a sentence to standard error, once in a process."""
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
    """Return whether a line without its end is a whole one with a change at its last byte or after."""
    ends = (raw[:-1], raw[:-1] + b"}", raw + b"}")
    return any((record := _parsed(end)) is not None and CHECK in record for end in ends)
