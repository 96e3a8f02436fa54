"""The table of checkpoints of a run, one line of CSV each, exact in both directions."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svmbench.counters import FIELDS
from svmbench.store.documents import damaged

if TYPE_CHECKING:
    import pandas as pd

    Value = int | float | str | None

_COUNTS = (*FIELDS, "support_vectors", "test_mistakes", "rounds", "candidates")
_WORDS = ("dual_source", "precision")

#: Columns of trace.csv in their order. Errors are fractions, objectives those of the λ-form, times seconds.
TRACE_COLUMNS = (
    *FIELDS,
    *("support_vectors", "test_error", "test_mistakes", "validation_error", "train_error"),
    *("primal_objective", "dual_objective", "dual_source", "duality_gap", "relative_gap", "precision"),
    *("norm", "mean_hinge", "native_objective", "native_bound", "rounds", "candidates"),
    *("wall_seconds", "cpu_seconds"),
)

#: How a cell of each column is read, and a checkpoint of which nothing is known.
_READ: dict[str, Callable[[str], Value]] = {
    name: str if name in _WORDS else int if name in _COUNTS else float for name in TRACE_COLUMNS
}
_UNKNOWN: dict[str, Value] = dict.fromkeys(TRACE_COLUMNS)

#: Last column of the file: CRC-32 of all that stands before it, so that a line that was changed, lost or put
#: in is noticed while the run has no end yet, and with it no checksum of the whole file.
CHECK = "check"


class TraceWriter:
    """Appends checkpoints to a trace, each on the disk before training goes on."""

    def __init__(self, path: Path) -> None:
        self._stream = path.open("w", encoding="utf-8", newline="")
        self._crc = 0
        self._append(f"{header()[:-1]},{CHECK}\n")

    def checkpoint(self, row: dict[str, Any]) -> None:
        """Append one checkpoint; it is on the disk when this returns."""
        text = line(row)[:-1] + ","
        self._append(f"{text}{zlib.crc32(text.encode(), self._crc):08x}\n")

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def _append(self, text: str) -> None:
        self._crc = zlib.crc32(text.encode(), self._crc)
        self._stream.write(text)
        self._stream.flush()
        os.fsync(self._stream.fileno())


def header() -> str:
    """Return the first line of a trace."""
    return ",".join(TRACE_COLUMNS) + "\n"


def line(row: dict[str, Any]) -> str:
    """Return one checkpoint as a line; what is missing or None stays empty, floats are written exactly.

    Raises
    ------
    KeyError
        If the row has a key that is no column.
    """
    unknown = set(row).difference(TRACE_COLUMNS)
    if unknown:
        raise KeyError(f"no such trace column: {', '.join(sorted(unknown))}")
    return ",".join(_cell(name, row.get(name)) for name in TRACE_COLUMNS) + "\n"


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name in _WORDS:
        return str(value)
    return str(int(value)) if name in _COUNTS else repr(float(value))


def read_rows(path: Path) -> list[dict[str, Value]]:
    """Read all whole lines of a trace; the unfinished last line of a killed run is dropped.

    Returns
    -------
    list of dict
        One per checkpoint with all of `TRACE_COLUMNS`; None where unknown. Empty if there is no file yet.

    Raises
    ------
    UserError
        If a line is not what was written.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    except UnicodeDecodeError as error:
        raise damaged(path, error) from error
    return parse(text, path)


def parse(text: str, path: Path) -> list[dict[str, Value]]:
    """Return the same from the text of a trace, whose file is that of the path."""
    lines = text.split("\n")[:-1]
    names = lines[0].split(",") if lines else []
    checked = names[-1:] == [CHECK]
    crc = zlib.crc32(f"{lines[0]}\n".encode()) if lines else 0
    rows: list[dict[str, Value]] = []
    for number, content in enumerate(lines[1:], start=2):
        cells = content.split(",")
        try:
            if len(cells) != len(names):
                raise ValueError(f"{len(cells)} fields instead of {len(names)}")
            if checked:
                crc = _follow(content, cells.pop(), crc)
            known = {name: _READ[name](cell) for name, cell in zip(names, cells) if cell and name in _READ}
        except ValueError as error:
            raise damaged(path, f"line {number}: {error}") from error
        rows.append({**_UNKNOWN, **known})
    return rows


def _follow(content: str, check: str, crc: int) -> int:
    """Return the CRC-32 of the file up to a line, from that before it; ValueError if it is another."""
    body = content[: len(content) - len(check)].encode()
    if f"{zlib.crc32(body, crc):08x}" != check:
        raise ValueError("it is not what its check says")
    return zlib.crc32(f"{check}\n".encode(), zlib.crc32(body, crc))


def read_frame(path: Path) -> pd.DataFrame:
    """Read a trace as a table: counts as int64 (Int64 where some are unknown), unknown numbers as NaN."""
    import numpy as np
    import pandas as pd

    rows = read_rows(path)
    columns: dict[str, pd.Series[Any]] = {}
    for name in TRACE_COLUMNS:
        values = [row[name] for row in rows]
        if name in _WORDS:
            columns[name] = pd.Series(values, dtype=object)
        elif name in _COUNTS:
            columns[name] = pd.Series(values, dtype="Int64" if None in values else "int64")
        else:
            columns[name] = pd.Series(
                [np.nan if value is None else value for value in values], dtype="float64"
            )
    return pd.DataFrame(columns)
