"""Forest: covertype as LASVM and the core vector machines prepared it, class 2 against the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svmbench.data.covertype import assemble, read_covertype
from svmbench.data.dataset import Prepared
from svmbench.data.parameters import check, one_of, whole
from svmbench.data.raw import RawFiles
from svmbench.data.splits import nine_to_one, random_split

VERSION = 1
TEST, VALIDATION = 50_000, 10_000


@dataclass(frozen=True)
class Params:
    """Parameters of ``dataset=forest``."""

    positive_class: int = whole(2, 1, 7)
    split: str = one_of("lasvm", "cvm")
    split_seed: int = whole(0, 0)
    scaling: str = one_of("standard", "minmax", "none")

    def __post_init__(self) -> None:
        check(self)


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Split by position (``lasvm``: test, validation, training) or at random (``cvm``: nine to one)."""
    X, y = read_covertype(raw, params.positive_class)
    rows: dict[str, NDArray[np.int64] | slice]
    if params.split == "lasvm":
        ends = TEST, TEST + VALIDATION
        rows = {"train": slice(ends[1], None), "validation": slice(*ends), "test": slice(ends[0])}
    else:
        rows = dict(random_split(y.size, nine_to_one(y.size), params.split_seed))
    return assemble(X, y, rows, params.scaling)
