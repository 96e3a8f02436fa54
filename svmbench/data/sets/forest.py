"""Forest: covertype as LASVM and the core vector machines prepared it, class 2 against the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svmbench.data.dataset import Prepared
from svmbench.data.parameters import split_seed, suggested
from svmbench.data.raw import RawFiles
from svmbench.data.sets._covertype import assemble, read_covertype
from svmbench.data.splits import nine_to_one, random_split
from svmbench.option import option

VERSION = 2
TEST, VALIDATION = 50_000, 10_000


@dataclass(frozen=True)
class Params:
    """Parameters of ``dataset=forest``."""

    positive_class: int = option(
        2,
        "Forest cover type of the positive class, 1 to 7; all others are negative. 2, as in LASVM and the "
        "core vector machines.",
        min=1,
        max=7,
    )
    split: str = option(
        "lasvm",
        "Training and test examples. lasvm: split at random in LASVM's sizes, 521,012 / 10,000 for "
        "validation / 50,000. position: LASVM's own split: the first 50,000 rows of the file for testing, "
        "the next 10,000 for validation, the others for training. The file is ordered, so test rows are "
        "from other regions (with 20,000 training rows 25.5 % test error where lasvm has 13.7 %). cvm: "
        "split at random, 522,911 / 58,101, for use with scaling=none, kernel.gamma=1e-4 and "
        "problem.C=10000 (Nguyen et al. 2010).",
        choices=("lasvm", "position", "cvm"),
    )
    split_seed: int = split_seed()
    scaling: str = option(
        "standard",
        "Scaling of the 10 numeric features by the training examples. standard: to mean 0 and standard "
        "deviation 1, as in LASVM. minmax: to [0, 1]. none: as published.",
        choices=("standard", "minmax", "none"),
    )


SUGGESTED = suggested(1.0, 3.0, "LASVM; Collobert et al. 2002")


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
