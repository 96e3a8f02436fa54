"""MAGIC gamma telescope: showers of gamma rays against hadrons, 10 features (Bock 2004)."""

from __future__ import annotations

from dataclasses import dataclass

from svmbench.data.dataset import Prepared
from svmbench.data.parameters import split_seed, suggested
from svmbench.data.raw import RawFiles
from svmbench.data.splits import random_split, scale, take, three_to_one_to_one
from svmbench.option import option

VERSION = 1
FEATURES = 10
SCALINGS = {"standard": "each column to mean 0 and standard deviation 1 by the training rows", "none": "none"}


@dataclass(frozen=True)
class Params:
    """Parameters of ``dataset=magic``."""

    split_seed: int = split_seed()
    scaling: str = option(
        "standard",
        "Scaling by the training examples. standard: each column to mean 0 and standard deviation 1. none:"
        " as published.",
        choices=("standard", "none"),
    )


SUGGESTED = suggested(0.125, 16.0, "found by svmbench tune on the validation part")


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Split the file, which is ordered by class, at random into 11,412 / 3,804 / 3,804, then scale."""
    table = raw.csv("data", ",", label=-1)
    X, y = table.X, table.against_rest("g")
    pieces = random_split(y.size, three_to_one_to_one(y.size), params.split_seed)
    scale(X, pieces["train"], params.scaling, FEATURES)
    parts = {key: take(X, y, rows) for key, rows in pieces.items()}
    return Prepared(parts, SCALINGS[params.scaling])
