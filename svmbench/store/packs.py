"""Packs: many ended runs in one compressed file, for runs that are kept beside the figures made from them.

A pack is JSON, one run per line, compressed by xz: ``xz -dc results/reference/packs/sbp-f2.jsonl.xz`` prints
it. Each line holds what the folder of a run holds: ``run`` (run.json), ``status`` (status.json) and ``trace``
(trace.csv, its rows perhaps thinned). A pack is unpacked once, to ``RESULTS/unpacked``, where its runs are
found and read like any others; what is unpacked carries the checksums of its files. It holds no models and no
states, which would be many times as large: its numbers cannot be recomputed, only made again by another run.
"""

from __future__ import annotations

import json
import lzma
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from svmbench.errors import UserError
from svmbench.files import digest, read_json, read_regular, sha256, write_whole
from svmbench.store import documents, trace
from svmbench.store.identity import run_id
from svmbench.store.runs import StoredRun

ENDING = ".jsonl.xz"

#: Names that the runs of a pack may have: none of them leaves the folder.
_NAME = r"\w[\w.-]*"

#: Bytes that a pack may always hold, and how many times its own size it may hold beyond.
_FREE, _MOST_RATIO = 64 << 20, 100

#: Raised when the files of an unpacked run change: packs that were unpacked before are unpacked again.
_LAYOUT = 2


def write(path: Path, runs: Iterable[tuple[StoredRun, Sequence[int]]], *, mistakes: bool = True) -> None:
    """Write a pack; the same runs give the same bytes.

    Parameters
    ----------
    path : Path
        ``<name>.jsonl.xz``.
    runs : iterable of (StoredRun, sequence of int)
        Ended runs, and which of their checkpoints are kept.
    mistakes : bool
        Keep which test examples they have wrong.
    """
    lines = []
    for run, kept in sorted(runs, key=lambda entry: entry[0].id):
        rows = run.rows()
        # What cannot change a result and may name a folder of the machine it ran on.
        config = {**run.document, "results": "results", "data": {"mirror": None, "dir": None}}
        wrong = {} if run.wrong_tests is None or not mistakes else {"wrong_tests": run.wrong_tests}
        record = {
            "schema": documents.SCHEMA,
            "run": {**run.manifest, "id": run.id, "config": config},
            "status": {
                "status": run.status,
                "reason": run.reason,
                "started": run.started,
                "ended": run.ended,
                "peak_memory": run.peak_memory,
                **wrong,
                **({} if run.cross_validation is None else {"cross_validation": run.cross_validation}),
            },
            "trace": trace.header() + "".join(trace.line(rows[place]) for place in kept),
        }
        lines.append(json.dumps(record, sort_keys=True, separators=(",", ":"), allow_nan=False) + "\n")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, lzma.compress("".join(lines).encode(), preset=9))


def folders(root: Path, unusable: Callable[[Path, UserError], None]) -> list[str]:
    """Return the folders with the runs of all packs, relative to the store, unpacked where they are not yet.

    Parameters
    ----------
    root : Path
        The results folder; its packs are in ``reference/packs``.
    unusable : callable
        Is told of each pack that is damaged or cannot be unpacked. It is left out.
    """
    found = []
    for path in sorted((root / "reference" / "packs").glob(f"*{ENDING}")):
        try:
            found.append(f"unpacked/{_unpacked(path, root / 'unpacked').name}/runs")
        except UserError as error:
            unusable(path, error)
    return found


def check(path: Path) -> tuple[int, int]:
    """Read a pack through; return how many runs it holds, and how many of them are under an older id.

    Its format has a checksum of the whole; each line is a run under the id of its identity, with checkpoints
    that can be read. Ids once were those of derived parameters to all digits, where six are stored now.

    Raises
    ------
    UserError
        If it is damaged.
    """
    records, older = _records(path), 0
    for number, record in enumerate(records, start=1):
        try:
            about, text = record["run"], record["trace"]
            same = about["id"] == run_id(about["identity"])
            derived = "derived" in about["identity"]
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise _damaged(path, error) from error
        if not isinstance(text, str):
            raise _damaged(path, TypeError("a trace that is no text"))
        trace.parse(text, path)
        older += not same
        if not (same or derived):
            raise UserError(f"{path} is damaged (run {number} has the id of another identity); restore it")
    return len(records), older


def _records(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a pack, read."""
    try:
        return [read_json(line) for line in _decompressed(read_regular(path)).decode().splitlines()]
    except (OSError, lzma.LZMAError, ValueError) as error:
        raise _damaged(path, error) from error


def _decompressed(content: bytes) -> bytes:
    """Return what one xz stream holds; ValueError if that is far more than runs can be compressed."""
    most = max(_FREE, _MOST_RATIO * len(content))
    decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ)
    found = decompressor.decompress(content, most + 1)
    if len(found) > most:
        raise ValueError(f"its {len(content)} bytes would become more than {most}")
    if not decompressor.eof:
        raise ValueError("it was cut short")
    if decompressor.unused_data:
        raise ValueError("something follows its end")
    return found


def _damaged(path: Path, error: Exception) -> UserError:
    return UserError(f"{path} is damaged ({type(error).__name__}: {error}); restore it")


def _unpacked(path: Path, home: Path) -> Path:
    """Return the folder of a pack's content, which appears whole; that of an older pack of its name goes."""
    name, folder = path.name.removesuffix(ENDING), _home(path, home)
    if folder.is_dir():
        return folder
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home, prefix=".") as scratch:
            _unpack(path, Path(scratch) / "runs")
            for old in home.glob(f"{name}-????????????"):
                shutil.rmtree(old, ignore_errors=True)
            if not folder.exists():
                os.rename(scratch, folder)
                os.mkdir(scratch)  # what is removed on leaving
    except OSError as error:
        raise UserError(f"{path} cannot be unpacked to {home}: {error.strerror}; make it writable") from error
    return folder


def _home(path: Path, home: Path) -> Path:
    """Return the folder that a pack is unpacked to; a UserError if the pack is no file that can be read."""
    try:
        hash = sha256(path)
    except (OSError, ValueError) as error:
        raise _damaged(path, error) from error
    return home / f"{path.name.removesuffix(ENDING)}-{digest([hash, _LAYOUT], 12)}"


def changed(path: Path, home: Path) -> tuple[Path, list[str]]:
    """Return the folder that a pack is unpacked to, and the runs in it that are not those of the pack.

    Parameters
    ----------
    path : Path
        The pack.
    home : Path
        ``RESULTS/unpacked``.

    Raises
    ------
    UserError
        If the pack is damaged.
    """
    folder = _home(path, home)
    if not folder.is_dir():
        return folder, []
    runs, content = folder / "runs", _content(path)
    there = {run.name for run in runs.iterdir()} if runs.is_dir() else set()
    return folder, sorted(
        (there ^ content.keys()) | {id for id in content if not _same(runs / id, content[id])}
    )


def _same(folder: Path, files: dict[str, str]) -> bool:
    """Return whether the files of a run are these."""
    try:
        return all(read_regular(folder / name) == text.encode() for name, text in files.items())
    except (OSError, ValueError):
        return False


def _unpack(path: Path, runs: Path) -> None:
    """Write the run folders of a pack."""
    for id, files in _content(path).items():
        folder = runs / id
        folder.mkdir(parents=True)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")


def _content(path: Path) -> dict[str, dict[str, str]]:
    """Return the files of each run of a pack by name; status.json holds the checksums of the others."""
    content = {}
    try:
        for record in _records(path):
            schema, id = record["schema"], record["run"]["id"]
            if not re.fullmatch(_NAME, id) or id in content:  # or it would be written to anywhere
                raise ValueError(f"{id!r} cannot be the name of a run in it")
            files = {
                "run.json": json.dumps({"schema": schema, **record["run"]}),
                "trace.csv": record["trace"],
            }
            end = {
                **record["status"],
                "files": {name: sha256(text.encode()) for name, text in files.items()},
            }
            files["status.json"] = json.dumps({"schema": schema, **end, "check": digest(end)})
            content[id] = files
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise _damaged(path, error) from error
    return content
