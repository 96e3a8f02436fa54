"""The table of checkpoints of a run, one line of CSV each, exact in both directions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from svmbench.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

    Value = int | float | str | None

_COUNTS = (
    *("iterations", "kev_ondemand", "kev_rowupdate", "kev_iter", "kev_computed", "inner_products"),
    *("kev_setup", "kev_observation", "kev_prediction", "kev_discarded", "support_vectors", "test_mistakes"),
)
_WORDS = ("dual_source",)

#: Columns of trace.csv in their order. Errors are fractions, objectives those of the λ-form, times seconds.
TRACE_COLUMNS = (
    *("iterations", "kev_ondemand", "kev_rowupdate", "kev_iter", "kev_computed", "inner_products"),
    *("kev_setup", "kev_observation", "kev_prediction", "kev_discarded", "support_vectors"),
    *("test_error", "test_mistakes", "validation_error", "train_error"),
    *("primal_objective", "dual_objective", "dual_source", "duality_gap", "relative_gap"),
    *("norm", "mean_hinge", "native_objective", "native_bound", "wall_seconds", "cpu_seconds"),
)


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


def _parse(name: str, cell: str) -> Value:
    if cell == "":
        return None
    if name in _WORDS:
        return cell
    return int(cell) if name in _COUNTS else float(cell)


def read_rows(path: Path) -> list[dict[str, Value]]:
    """Read all whole lines of a trace; the unfinished last line of a killed run is dropped.

    Returns
    -------
    list of dict
        One per checkpoint with all of `TRACE_COLUMNS`; None where unknown. Empty if there is no file yet.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    lines = text.split("\n")[:-1]
    names = lines[0].split(",") if lines else []
    rows: list[dict[str, Value]] = []
    for number, content in enumerate(lines[1:], start=2):
        cells = content.split(",")
        try:
            if len(cells) != len(names):
                raise ValueError(f"{len(cells)} fields instead of {len(names)}")
            known = {name: _parse(name, cell) for name, cell in zip(names, cells)}
        except ValueError as error:
            raise UserError(f"{path} is damaged in line {number} ({error}); repeat the run") from error
        rows.append({name: known.get(name) for name in TRACE_COLUMNS})
    return rows


def read_frame(path: Path) -> pd.DataFrame:
    """Read a trace as a table: counts as int64 (Int64 where some are unknown), unknown numbers as NaN."""
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
