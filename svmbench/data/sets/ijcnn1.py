"""IJCNN1: the first problem of the IJCNN 2001 challenge, 22 features (Prokhorov 2001; Chang, Lin 2001)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from svmbench.data.dataset import Part, Prepared
from svmbench.data.parameters import split_seed, suggested
from svmbench.data.raw import RawFiles
from svmbench.data.splits import eight_to_one_to_one, random_parts
from svmbench.option import option

VERSION = 1


@dataclass(frozen=True)
class Params:
    """Parameters of ``dataset=ijcnn1``."""

    split: str = option(
        "official",
        "Training and test examples. official: 49,990 / 91,701, as on the LIBSVM data page. asset: all "
        "split at random, 113,352 / 14,170 for validation / 14,169.",
        choices=("official", "asset"),
    )
    split_seed: int = split_seed()


SUGGESTED = suggested(1.0, 100.0, "ASSET Table 1")


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Read both files; ``asset`` splits all at random into 113,352 / 14,170 / 14,169 (ASSET, Table 1)."""
    train, test = raw.libsvm("train"), raw.libsvm("test")
    parts = {"train": Part(train.X, train.against_rest("1")), "test": Part(test.X, test.against_rest("1"))}
    if params.split == "asset":
        X = scipy.sparse.vstack([train.X, test.X], format="csr")
        y = np.concatenate([parts["train"].y, parts["test"].y])
        parts = random_parts(X, y, eight_to_one_to_one(y.size), params.split_seed)
    return Prepared(parts, "as published, in [-1, 1]")
