"""JSON documents of the store: written whole or not at all, each with the number of its schema."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from svmbench.errors import UserError

#: Layout of run.json, status.json, trace.csv, environments and optima; raised with every change of it
#: that a reader could stumble over. A new field that may be missing is none.
SCHEMA = 1

#: ``MIGRATIONS[k]`` takes a document of schema k to schema k + 1.
MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}


def canonical(document: Any) -> str:
    """Return the one JSON text of a document: sorted keys, no spaces, 1.0 written as 1.

    Hashes are taken over it, so that the order of keys and the spelling of a number change nothing.
    """
    return json.dumps(_plain_numbers(document), sort_keys=True, separators=(",", ":"), allow_nan=False)


def _plain_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain_numbers(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_numbers(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def write(path: Path, document: dict[str, Any]) -> None:
    """Write a document under its schema number; a crash leaves the old file or the new one, never a part."""
    text = json.dumps({"schema": SCHEMA, **document}, indent=2, allow_nan=False) + "\n"
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def read(path: Path) -> dict[str, Any]:
    """Read a document of any known schema as one of the current schema.

    Raises
    ------
    UserError
        If the file is damaged or was written by a newer version.
    FileNotFoundError
        If there is no such file.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        schema = int(document.pop("schema"))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(
            f"{path} is damaged ({type(error).__name__}: {error}); restore it or remove its folder"
        ) from error
    if schema > SCHEMA:
        raise UserError(
            f"{path} has schema {schema}, this version reads up to {SCHEMA}; install a newer svmbench"
        )
    while schema < SCHEMA:
        document = MIGRATIONS[schema](document)
        schema += 1
    return dict(document)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable, after a file in it was created, renamed or removed."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
