"""Documents beside the runs, checked whenever they are read.

Certified optima and environments are named by a digest, an optimum of the problem that it belongs to, an
environment of its content. An optimum also carries a checksum of its content. Measurements of speed and the
outcomes of checks carry a digest in themselves; those of older versions have none.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from svmbench.files import digest, read_json, read_regular
from svmbench.store import documents, lines


def sealed(record: dict[str, Any]) -> dict[str, Any]:
    """Return the record of an optimum with the checksum of its content."""
    return {**record, "checksum": digest(record)}


def optimum(path: Path) -> dict[str, Any]:
    """Read a certified optimum, without its checksum.

    Raises
    ------
    UserError
        If it is not what was written, or lies under the name of another problem.
    FileNotFoundError
        If there is no such file.
    """
    record = _read(path)
    checksum = record.pop("checksum", None)
    if checksum != digest(record):
        raise documents.damaged(path, "checksum mismatch")
    if path.stem != digest(record.get("key")):
        raise documents.damaged(path, "its name is that of another problem")
    return record


def environment(path: Path) -> dict[str, Any]:
    """Read the description of machine and software; errors as for `optimum`."""
    record = _read(path)
    if path.stem != digest(record):
        raise documents.damaged(path, "its name is not the digest of its content")
    return record


def measurement(path: Path) -> tuple[dict[str, Any], bool]:
    """Read a measurement of speed, and tell whether it has a digest; errors as for `optimum`."""
    record = _read(path)
    found = lines.unchecked(record)
    if found is None:
        raise documents.damaged(path, "it does not match its digest")
    return found, lines.CHECK in record


def outcome(path: Path) -> tuple[dict[str, Any], bool]:
    """Read the outcome of a check of a paper, and tell whether it has a digest; errors as for `optimum`."""
    try:
        return lines.whole(read_regular(path))
    except FileNotFoundError:
        raise
    except OSError as error:
        raise documents.Unreadable(path, error) from error
    except ValueError as error:
        raise documents.damaged(path, error) from error


def verdicts(path: Path) -> lines.Lines:
    """Read the verdicts on the claims of papers, each of which has a digest; errors as for `optimum`."""
    try:
        claims = read_json(read_regular(path))
        return lines.read(b"\n".join(json.dumps(claim).encode() for claim in list(claims)))
    except FileNotFoundError:
        raise
    except OSError as error:
        raise documents.Unreadable(path, error) from error
    except (ValueError, TypeError) as error:
        raise documents.damaged(path, error) from error


def _read(path: Path) -> dict[str, Any]:
    """Read a document as `documents.read` does; `Unreadable` where the file system does not give it."""
    try:
        return documents.read(path)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise documents.Unreadable(path, error) from error


#: How the documents of each folder are read.
READERS: dict[str, Callable[[Path], dict[str, Any]]] = {"optima": optimum, "environments": environment}

#: And those that carry their digest in themselves.
SEALED: dict[str, Callable[[Path], tuple[dict[str, Any], bool]]] = {"speed": measurement, "checks": outcome}
