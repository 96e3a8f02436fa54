"""Storing and finding measurements, with the machine on which they were made."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, NamedTuple, get_args, get_type_hints

from svmbench.errors import UserError, command, fault
from svmbench.files import digest
from svmbench.runner.environment import concurrent_load, environment
from svmbench.speed import estimators, machine, race, rows, scaling, solvers
from svmbench.store import documents, lines, shared

#: Key of the table in measurements that were stored as medians, without the single values.
_TABLE = "table"

#: Header of the table of a kind of measurement, and the class of its lines.
_LINES: dict[str, tuple[Sequence[str], type]] = {
    "rows": (rows.HEADER, rows.Rate),
    "solvers": (solvers.HEADER, solvers.Pace),
    "scaling": (scaling.HEADER, scaling.Cost),
    "estimators": (estimators.HEADER, estimators.Pair),
    "baselines": (race.HEADER, race.Race),
}


class Table(NamedTuple):
    """Lines of a table."""

    header: Sequence[str]
    lines: Sequence[Sequence[object]]


def save(results: str, kind: str, measured: Mapping[str, Any], path: Path | None = None) -> Path:
    """Write one measurement to ``results/speed/`` and return the file.

    The name of the file has the time and a hash of the environment, which distinguishes measurements on
    different machines and of different versions.

    Parameters
    ----------
    results : str
        The results folder.
    kind : str
        Kind of measurement, such as ``rows``.
    measured : dict
        Record for JSON with all values and warm-ups, from which `table` makes the table.
    path : Path, optional
        File with an earlier, less complete state of this measurement; it is replaced.
    """
    about = environment(1)
    if path is None:
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        path = Path(results) / "speed" / f"{stamp}-{kind}-{digest(about)[:12]}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
    about = {
        "kind": kind,
        "time": path.name.split("-")[0],
        "environment": about,
        "concurrent_load": concurrent_load(1),
    }
    documents.write(path, lines.checked({**about, "measured": measured}))
    return path


def stored(results: str, files: Sequence[str]) -> list[dict[str, Any]]:
    """Return the documents of the files, or of all files in ``results/speed/``, oldest first.

    A damaged file that was not named explicitly is skipped with a warning.

    Raises
    ------
    UserError
        If a file is not a measurement, or nothing is stored.
    """
    folder = Path(results) / "speed"
    paths = [Path(file) for file in files] or sorted(folder.glob("*.json"))
    if not paths:
        raise UserError(f"no measurements in {folder}: make one, such as {command('speed rows', results)}")
    for path in paths:
        if not path.is_file():
            raise UserError(f"there is no file {path}: give stored measurements, or none for all")
    found = []
    for path in paths:
        try:
            found.append(_measurement(path))
        except UserError as error:
            if files:
                raise
            lines.tell(f"left out: {error}")
    return found


def _measurement(path: Path) -> dict[str, Any]:
    """Return a document if a heading and a table can be made from it."""
    document, _ = shared.measurement(path)
    try:
        heading(document), table(document)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise UserError(
            f"{path} is not a measurement ({fault(error)}): give files below speed/ of a results folder"
        ) from error
    return document


def table(document: Mapping[str, Any]) -> Table:
    """Return the table of a stored measurement, with rates and medians computed from its values."""
    if _TABLE in document:
        return Table(document[_TABLE]["header"], document[_TABLE]["lines"])
    return table_of(document["kind"], document["measured"])


def revived(kind: Any, stored: Any) -> Any:
    """Return a value of a type from what ``dataclasses.asdict`` and JSON have made of it."""
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind)
        return kind(**{name: revived(hints[name], value) for name, value in stored.items()})
    if isinstance(kind, UnionType):
        (other,) = set(get_args(kind)) - {NoneType}
        return None if stored is None else revived(other, stored)
    if isinstance(stored, dict):
        return {name: revived(get_args(kind)[1], value) for name, value in stored.items()}
    if isinstance(stored, list):
        return tuple(revived(get_args(kind)[0], value) for value in stored)
    return stored


def table_of(kind: str, measured: Mapping[str, Any]) -> Table:
    """Return the table of a measurement in stored form."""
    if kind == "machine":
        return Table(("limit", "rate", "unit"), revived(machine.Limits, measured["limits"]).lines())
    kind = "baselines" if kind == "rivals" else kind  # its earlier name
    header, line = _LINES[kind]
    return Table(header, [revived(line, each).line() for each in measured[kind]])


def heading(document: Mapping[str, Any]) -> str:
    """Return a line with the kind, time and environment of a measurement."""
    about = document["environment"]
    when = time.strftime("%Y-%m-%d %H:%M", time.strptime(document["time"], "%Y%m%dT%H%M%SZ"))
    source = about["source"]
    commit = "" if source is None else f", commit {source['commit'][:12]}{'+' * source['dirty']}"
    return (
        f"{document['kind']}, {when} UTC: {about['processor']}, {about['isa']}, load "
        f"{document['concurrent_load']['load'][0]:.2f}, svmbench {about['svmbench']}{commit}"
    )
