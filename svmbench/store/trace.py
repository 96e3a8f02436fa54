"""The checkpoints of a run as CSV, one line each; numbers are read back exactly."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from svmbench.counters import FIELDS
from svmbench.errors import Damage, UserError, fault
from svmbench.files import read_regular, sync
from svmbench.store.documents import RUNNING, damaged

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    Value = int | float | str | None

#: A checkpoint: values by `TRACE_COLUMNS`, None or missing where unknown.
Row: TypeAlias = dict[str, Any]

COUNTS = (*FIELDS, "support_vectors", "test_mistakes", "rounds", "candidates")
WORDS = ("dual_source", "precision")

#: Columns of trace.csv. Errors are fractions, objectives those of the λ-form, times seconds.
TRACE_COLUMNS = (
    *FIELDS,
    *("support_vectors", "test_error", "test_mistakes", "validation_error", "train_error"),
    *("primal_objective", "dual_objective", "dual_source", "duality_gap", "relative_gap", "precision"),
    "objective_error",
    *("norm", "mean_hinge", "native_objective", "native_bound", "rounds", "candidates"),
    *("wall_seconds", "cpu_seconds"),
)

#: Conversion of the cells of each column.
_READ: dict[str, Callable[[str], Value]] = {
    name: str if name in WORDS else int if name in COUNTS else float for name in TRACE_COLUMNS
}

#: Last column of the file: CRC-32 of everything before it, so that changed, lost or inserted lines are
#: detected before the run has an end with a checksum of the whole file.
CHECK = "check"


class TraceWriter:
    """Appends checkpoints to a trace, each written to the disk before training continues."""

    def __init__(self, path: Path) -> None:
        self._stream = path.open("w", encoding="utf-8", newline="")
        self._crc = 0
        self._append(f"{header()[:-1]},{CHECK}\n")

    def checkpoint(self, row: Row) -> None:
        """Append one checkpoint and write it to the disk."""
        text = line(row)[:-1] + ","
        self._append(f"{text}{zlib.crc32(text.encode(), self._crc):08x}\n")

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def _append(self, text: str) -> None:
        self._crc = zlib.crc32(text.encode(), self._crc)
        self._stream.write(text)
        self._stream.flush()
        sync(self._stream.fileno())


def header() -> str:
    """Return the first line of a trace."""
    return ",".join(TRACE_COLUMNS) + "\n"


def line(row: Row) -> str:
    """Return one checkpoint as a line; missing or None becomes empty, floats are exact.

    Raises
    ------
    KeyError
        If the row has a key that is not a column.
    """
    unknown = set(row).difference(TRACE_COLUMNS)
    if unknown:
        raise KeyError(f"no such trace column: {', '.join(sorted(unknown))}")
    return ",".join(_cell(name, row.get(name)) for name in TRACE_COLUMNS) + "\n"


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name in WORDS:
        return str(value)
    return str(int(value)) if name in COUNTS else repr(float(value))


def read_rows(path: Path, wanted: Sequence[str] = TRACE_COLUMNS) -> list[dict[str, Value]]:
    """Read all complete lines of a trace; an incomplete last line of a killed run is dropped.

    Returns
    -------
    list of dict
        One per checkpoint, with the wanted columns; None where unknown. Empty if there is no file yet.

    Raises
    ------
    UserError
        If a line is damaged, or the run was removed.
    """
    try:
        text = read_regular(path).decode()
    except FileNotFoundError:
        folder = path.parent
        if not folder.is_dir() and not folder.name.endswith(RUNNING):  # one that runs is renamed at its end
            raise UserError(f"{folder} was removed while it was read; repeat the command") from None
        return []
    except ValueError as error:
        raise damaged(path, error) from error
    return parse(text, path, wanted)


def read_numbers(path: str, names: Sequence[str]) -> NDArray[np.float64]:
    """Read numeric columns of a trace, faster than all of them.

    Returns
    -------
    ndarray of float64, shape (len(names), checkpoints)
        NaN where unknown.

    Raises
    ------
    UserError
        If a line is damaged.
    """
    import numpy as np

    rows = read_rows(Path(path), names)
    # None becomes NaN.
    return np.array([[row[name] for row in rows] for name in names], dtype=np.float64)


def last_row(content: bytes, path: Path | str) -> dict[str, Value] | None:
    """Return the last checkpoint of a trace with a correct checksum; others are not checked."""
    lines = content.split(b"\n")[:-1]
    if len(lines) < 2:
        return None
    try:
        found = zip(_columns(lines[0].decode()), lines[-1].decode().split(","))
        known = {name: _READ[name](cell) for name, cell in found if cell and name in _READ}
        return dict.fromkeys(TRACE_COLUMNS) | known
    except ValueError as error:
        raise damaged(path, f"line {len(lines)}: {fault(error)}") from error


def _columns(header: str) -> list[str]:
    """Return the names in the first line; ValueError if readers could disagree on what they mean."""
    names = header.split(",")
    if len(set(names)) < len(names):
        raise Damage("a column has two places")
    return names


def parse(text: str, path: Path, wanted: Sequence[str] = TRACE_COLUMNS) -> list[dict[str, Value]]:
    """Return the wanted columns of the rows of a trace's text; the path is for messages."""
    lines = text.split("\n")[:-1]
    try:
        names = _columns(lines[0]) if lines else []
    except ValueError as error:
        raise damaged(path, f"line 1: {fault(error)}") from error
    checked = names[-1:] == [CHECK]
    places = [(name, names.index(name), _READ[name]) for name in wanted if name in names]
    unknown = dict.fromkeys(wanted)
    crc = zlib.crc32(f"{lines[0]}\n".encode()) if lines else 0
    rows: list[dict[str, Value]] = []
    for number, content in enumerate(lines[1:], start=2):
        cells = content.split(",")
        try:
            if len(cells) != len(names):
                raise Damage(f"{len(cells)} fields instead of {len(names)}")
            if checked:
                crc = _follow(content, cells.pop(), crc)
            row: dict[str, Value] = {name: read(cells[at]) for name, at, read in places if cells[at]}
        except ValueError as error:
            raise damaged(path, f"line {number}: {fault(error)}") from error
        rows.append({**unknown, **row})
    return rows


def _follow(content: str, check: str, crc: int) -> int:
    """Return the CRC-32 up to and including a line, from that before it; ValueError if it is wrong."""
    body = content[: len(content) - len(check)].encode()
    if f"{zlib.crc32(body, crc):08x}" != check:
        raise Damage("it is not what its check says")
    return zlib.crc32(f"{check}\n".encode(), zlib.crc32(body, crc))


def read_frame(path: Path) -> pd.DataFrame:
    """Read a trace as a table: counts as int64 (Int64 if some are unknown), unknown numbers as NaN."""
    import pandas as pd

    frame = pd.DataFrame(read_rows(path), columns=list(TRACE_COLUMNS), dtype=object)
    counts = {name: "Int64" if frame[name].isna().any() else "int64" for name in COUNTS}
    return frame.astype({name: counts.get(name, "float64") for name in TRACE_COLUMNS if name not in WORDS})
