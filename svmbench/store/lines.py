"""Records of JSON that carry a digest under ``check``, alone in a file or as one of many lines.

Records of older versions have none and are read unchecked.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from svmbench.errors import Damage
from svmbench.files import digest, read_json

CHECK = "check"

_told: set[str] = set()


def checked(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with its digest added."""
    return {**record, CHECK: digest(record)}


def unchecked(record: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a record without its digest; None if the record is damaged."""
    content = {key: value for key, value in record.items() if key != CHECK}
    return content if CHECK not in record or record[CHECK] == digest(content) else None


def whole(content: bytes) -> tuple[dict[str, Any], bool]:
    """Read a document of one record, and return whether it has a digest.

    Raises
    ------
    ValueError
        If it is damaged.
    """
    record = read_json(content)
    if not isinstance(record, dict):
        raise Damage("it is not a JSON object")
    found = unchecked(record)
    if found is None:
        raise Damage("it does not match its digest")
    return found, CHECK in record


def read(
    content: bytes, holds: Callable[[Mapping[str, Any]], bool]
) -> tuple[list[dict[str, Any]], list[bytes]]:
    """Return the records of a file of lines, without their digests, and its damaged lines.

    What follows the last line feed is the incomplete line of a killed writer and is ignored.

    Parameters
    ----------
    content : bytes
        Content of the file.
    holds : callable
        Returns whether a record, without its digest, is valid in the file; others count as damaged.
    """
    records, damaged = [], []
    for line in filter(None, content.split(b"\n")[:-1]):
        try:
            record, _ = whole(line)
        except ValueError:
            damaged.append(line)
            continue
        if holds(record):
            records.append(record)
        else:
            damaged.append(line)
    return records, damaged


def tell(sentence: str) -> None:
    """Write a warning to standard error, once per process."""
    if sentence not in _told:
        _told.add(sentence)
        print(f"svmbench: {sentence}", file=sys.stderr)
