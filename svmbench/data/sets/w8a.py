"""Web pages: LIBSVM's w8a, 300 binary features, 3 % of the rows positive (Platt 1998)."""

from __future__ import annotations

from dataclasses import dataclass

from svmbench.data.dataset import Part, Prepared
from svmbench.data.parameters import split_seed, suggested
from svmbench.data.raw import RawFiles
from svmbench.data.splits import random_parts, three_to_one_to_one
from svmbench.option import option

VERSION = 1


@dataclass(frozen=True)
class Params:
    """Parameters of ``dataset=w8a``."""

    split: str = option(
        "random",
        "Training and test examples. random: 29,851 / 9,949 for validation / 9,949, because w8a.t is not "
        "part of the set. all: all 49,749 for training, as in comparisons of training time; there is no "
        "test set.",
        choices=("random", "all"),
    )
    split_seed: int = split_seed()


SUGGESTED = suggested(0.022, 11.3, "found by svmbench tune on the validation part")


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Split the file at random into 29,851 / 9,949 / 9,949, or use ``all`` 49,749 rows for training."""
    table = raw.libsvm("data")
    y = table.against_rest("1")
    parts = {"train": Part(table.X, y)}
    if params.split == "random":
        parts = random_parts(table.X, y, three_to_one_to_one(y.size), params.split_seed)
    return Prepared(parts, "none: binary features 0 and 1")
