"""Packs: many ended runs in one compressed file, for runs that are committed with the figures made from them.

A pack is JSON, one run per line, compressed by xz: ``xz -dc results/reference/packs/sbp-f2.jsonl.xz`` prints
it. A line has the content of a run's folder: ``run`` (run.json), ``status`` (status.json) and ``trace``
(trace.csv, possibly with fewer rows). A pack is unpacked once, to ``RESULTS/unpacked``, where its runs are
found and read like any others; unpacked runs have checksums of their files. Packs contain no models or
states, which would be much larger: their numbers can only be reproduced by making the run again.
"""

from __future__ import annotations

import glob
import json
import lzma
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from svmbench.errors import Damage, UserError, fault
from svmbench.files import digest, read_json, read_regular, scratch, sha256, write_whole
from svmbench.run_config import Document
from svmbench.store import documents, trace
from svmbench.store.identity import run_id
from svmbench.store.runs import StoredRun, read

ENDING = ".jsonl.xz"

#: Valid names of runs in a pack; none leaves the folder.
_NAME = r"\w[\w.-]*"

#: Bytes that a pack may always expand to, and the largest ratio to its own size beyond that.
_FREE, _MOST_RATIO = 64 << 20, 100

#: Increased when the files of unpacked runs change, so that packs are unpacked again.
_LAYOUT = 2


def write(path: Path, runs: Iterable[tuple[StoredRun, Sequence[int]]], *, mistakes: bool = True) -> None:
    """Write a pack; the same runs give the same bytes.

    Parameters
    ----------
    path : Path
        ``<name>.jsonl.xz``.
    runs : iterable of (StoredRun, sequence of int)
        Ended runs, and the indices of the checkpoints to keep.
    mistakes : bool
        Whether to keep which test examples are misclassified.
    """
    lines = []
    for run, kept in sorted(runs, key=lambda entry: entry[0].id):
        rows = run.rows()
        # Without keys that do not affect results and may name a folder of the machine.
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
                **({} if run.load is None else {"load": run.load}),
            },
            "trace": trace.header() + "".join(trace.line(rows[place]) for place in kept),
        }
        lines.append(json.dumps(record, sort_keys=True, separators=(",", ":"), allow_nan=False) + "\n")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, lzma.compress("".join(lines).encode(), preset=9))


def folders(root: Path, unusable: Callable[[Path, UserError], None]) -> list[str]:
    """Return the folders with the runs of all packs, relative to the store; unpack new packs.

    Parameters
    ----------
    root : Path
        The results folder; its packs are in ``reference/packs``.
    unusable : callable
        Called for each pack that is damaged or cannot be unpacked, and is skipped.
    """
    found = []
    for path in sorted((root / "reference" / "packs").glob(f"*{ENDING}")):
        try:
            found.append(f"unpacked/{_unpacked(path, root / 'unpacked').name}/runs")
        except UserError as error:
            unusable(path, error)
    return found


def runs(path: Path, home: Path) -> Iterator[StoredRun]:
    """Read the runs of a pack, unpacked in ``RESULTS/unpacked``; a UserError for one that is damaged."""
    for folder in sorted((_unpacked(path, home) / "runs").glob("*")):
        run = read(folder)
        if run is not None:
            yield run


def check(path: Path) -> tuple[int, int]:
    """Read a pack completely; return the number of its runs, and of those with an older id.

    The format has a checksum of the whole file. Each line must be a run under the id of its identity, with
    readable checkpoints. In older ids, derived parameters have all digits instead of six.

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
            raise _damaged(path, Damage("a trace that is not a text"))
        trace.parse(text, path)
        older += not same
        if not (same or derived):
            raise UserError(f"{path} is damaged (run {number} has the id of another identity); restore it")
    return len(records), older


def _records(path: Path) -> list[Document]:
    """Return the parsed lines of a pack."""
    try:
        return [read_json(line) for line in _decompressed(read_regular(path)).decode().splitlines()]
    except (OSError, ValueError) as error:
        raise _damaged(path, error) from error


def _decompressed(content: bytes) -> bytes:
    """Return the content of an xz stream; ValueError if it is implausibly larger than the stream."""
    most = max(_FREE, _MOST_RATIO * len(content))
    decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ)
    try:
        found = decompressor.decompress(content, most + 1)
    except lzma.LZMAError as error:
        raise Damage("it is not an xz stream") from error
    if len(found) > most:
        raise Damage(f"its {len(content)} bytes would become more than {most}")
    if not decompressor.eof:
        raise Damage("it was cut short")
    if decompressor.unused_data:
        raise Damage("something follows its end")
    return found


def _damaged(path: Path, error: Exception) -> UserError:
    return UserError(f"{path} is damaged ({fault(error)}); restore it")


def _unpacked(path: Path, home: Path) -> Path:
    """Return the folder of a pack's content, created atomically by the first reader; remove older ones."""
    name, folder = path.name.removesuffix(ENDING), _home(path, home)
    if folder.is_dir():
        return folder
    try:
        home.mkdir(parents=True, exist_ok=True)
        with scratch(home, ".unpacking-") as made:
            whole = made / name
            whole.mkdir()
            _unpack(path, whole / "runs")
            try:
                os.rename(whole, folder)
            except OSError:
                if not folder.is_dir():  # else another reader was faster
                    raise
        for old in set(home.glob(f"{glob.escape(name)}-????????????")) - {folder}:
            shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise UserError(f"{path} cannot be unpacked to {home}: {error.strerror}; make it writable") from error
    return folder


def _home(path: Path, home: Path) -> Path:
    """Return the folder for the content of a pack; a UserError if the pack cannot be read."""
    try:
        hash = sha256(read_regular(path))  # a file too large to be a pack is refused before it is read
    except (OSError, ValueError) as error:
        raise _damaged(path, error) from error
    return home / f"{path.name.removesuffix(ENDING)}-{digest([hash, _LAYOUT], 12)}"


def changed(path: Path, home: Path) -> tuple[Path, list[str]]:
    """Return the folder of a pack's content, and the runs in it that differ from the pack.

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
    """Return whether the files of a run have this content."""
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
    """Return the files of each run of a pack by name; status.json has the checksums of the others."""
    content = {}
    try:
        for record in _records(path):
            schema, id = record["schema"], record["run"]["id"]
            if not re.fullmatch(_NAME, id) or id in content:  # it could be written anywhere
                raise Damage(f"{id} cannot be the name of a run in it")
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
