"""Documents that runs share: certified optima and environments, checked whenever they are read.

Both are named by a digest, an optimum of the problem that it belongs to, an environment of its content. An
optimum also carries a checksum of its content.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from svmbench.files import digest
from svmbench.store import documents


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
    record = documents.read(path)
    checksum = record.pop("checksum", None)
    if checksum != digest(record):
        raise documents.damaged(path, "checksum mismatch")
    if path.stem != digest(record.get("key")):
        raise documents.damaged(path, "its name is that of another problem")
    return record


def environment(path: Path) -> dict[str, Any]:
    """Read the description of machine and software; errors as for `optimum`."""
    record = documents.read(path)
    if path.stem != digest(record):
        raise documents.damaged(path, "its name is not the digest of its content")
    return record


#: How the documents of each folder are read.
READERS: dict[str, Callable[[Path], dict[str, Any]]] = {"optima": optimum, "environments": environment}
