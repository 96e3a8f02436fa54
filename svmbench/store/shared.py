"""Documents beside the runs, verified whenever they are read.

Certified optima are named by a digest of their problem, environments by a digest of their content. An optimum
also has a checksum of its content. Speed measurements and results of checks contain a digest, except those of
older versions.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from svmbench.files import digest, read_json, read_regular
from svmbench.store import documents, lines


def sealed(record: dict[str, Any]) -> dict[str, Any]:
    """Return the record of an optimum with the checksum of its content added."""
    return {**record, "checksum": digest(record)}


def optimum(path: Path) -> dict[str, Any]:
    """Read a certified optimum, without its checksum.

    Raises
    ------
    UserError
        If it is damaged, or has the name of another problem.
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
    """Read an environment; errors as in `optimum`."""
    record = _read(path)
    if path.stem != digest(record):
        raise documents.damaged(path, "its name is not the digest of its content")
    if not _are_libraries(record.get("libraries", [])):
        raise documents.damaged(path, "its libraries are not described as a machine does")
    return record


def _are_libraries(found: Any) -> bool:
    """Return whether these are descriptions of libraries, each with a processor's name or none."""
    return isinstance(found, list) and all(
        isinstance(one, dict) and isinstance(one.get("architecture"), str | None) for one in found
    )


def measurement(path: Path) -> tuple[dict[str, Any], bool]:
    """Read a speed measurement, and return whether it has a digest; errors as in `optimum`."""
    record = _read(path)
    found = lines.unchecked(record)
    if found is None:
        raise documents.damaged(path, "it does not match its digest")
    return found, lines.CHECK in record


def outcome(path: Path) -> tuple[dict[str, Any], bool]:
    """Read the result of a check of a paper, and return whether it has a digest; errors as in `optimum`."""
    try:
        return lines.whole(read_regular(path))
    except FileNotFoundError:
        raise
    except OSError as error:
        raise documents.Unreadable(path, error) from error
    except ValueError as error:
        raise documents.damaged(path, error) from error


def verdicts(path: Path) -> lines.Lines:
    """Read the verdicts on claims of papers, each with a digest; errors as in `optimum`."""
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
    """Read a document like `documents.read`; `Unreadable` if the file system fails."""
    try:
        return documents.read(path)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise documents.Unreadable(path, error) from error


#: Readers of the documents in each folder.
READERS: dict[str, Callable[[Path], dict[str, Any]]] = {"optima": optimum, "environments": environment}

#: Readers of documents that contain their digest.
SEALED: dict[str, Callable[[Path], tuple[dict[str, Any], bool]]] = {"speed": measurement, "checks": outcome}
