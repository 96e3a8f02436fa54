"""The table of ``covtype`` and ``forest`` (Blackard, Dean 1999): 10 numeric and 44 binary columns."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from svmbench.data.dataset import Part, Prepared
from svmbench.data.raw import RawFiles
from svmbench.data.splits import scale, take

NUMERIC = 10
SCALINGS = {
    "minmax": "the 10 numeric columns to [0, 1] by the training rows",
    "standard": "the 10 numeric columns to mean 0 and standard deviation 1 by the training rows",
    "none": "none",
}


def read_covertype(raw: RawFiles, positive: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return features and labels, one class against the rest, in the published order of rows."""
    table = raw.csv("data", ",", label=-1)
    return table.X, table.against_rest(str(positive))


def assemble(
    X: NDArray[np.float64],
    y: NDArray[np.float64],
    rows: Mapping[str, NDArray[np.int64] | slice],
    scaling: str,
) -> Prepared:
    """Scale by the training rows, then split into parts."""
    scale(X, rows["train"], scaling, NUMERIC)
    parts: dict[str, Part] = {key: take(X, y, index) for key, index in rows.items()}
    return Prepared(parts, SCALINGS[scaling])
