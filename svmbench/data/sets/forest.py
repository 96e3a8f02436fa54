"""Forest: covertype as LASVM and the core vector machines prepared it, class 2 against the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svmbench.data.dataset import Prepared
from svmbench.data.parameters import Checked, one_of, whole
from svmbench.data.raw import RawFiles
from svmbench.data.sets._covertype import assemble, read_covertype
from svmbench.data.splits import nine_to_one, random_split

VERSION = 2
TEST, VALIDATION = 50_000, 10_000


@dataclass(frozen=True)
class Params(Checked):
    """Parameters of ``dataset=forest``."""

    positive_class: int = whole(2, 1, 7)
    split: str = one_of("lasvm", "position", "cvm")
    split_seed: int = whole(0, 0)
    scaling: str = one_of("standard", "minmax", "none")


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Split at random (``lasvm``, in LASVM's sizes; ``cvm``: nine to one) or by ``position`` in the file.

    LASVM itself split by ``position``: the first 50,000 rows for testing, the next 10,000 for validation, the
    others for training. The published file is ordered by region, so its first rows are not a random sample.
    """
    X, y = read_covertype(raw, params.positive_class)
    sizes = {"train": y.size - TEST - VALIDATION, "validation": VALIDATION, "test": TEST}
    rows: dict[str, NDArray[np.int64] | slice]
    if params.split == "position":
        ends = TEST, TEST + VALIDATION
        rows = {"train": slice(ends[1], None), "validation": slice(*ends), "test": slice(ends[0])}
    else:
        chosen = sizes if params.split == "lasvm" else nine_to_one(y.size)
        rows = dict(random_split(y.size, chosen, params.split_seed))
    return assemble(X, y, rows, params.scaling)
