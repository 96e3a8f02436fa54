"""Skin segmentation: pixels of skin against others, by blue, green and red (Bhatt, Dhall 2009)."""

from __future__ import annotations

from dataclasses import dataclass

from svmbench.data.dataset import Prepared
from svmbench.data.parameters import split_seed, suggested
from svmbench.data.raw import RawFiles
from svmbench.data.splits import eight_to_one_to_one, random_parts

VERSION = 1


@dataclass(frozen=True)
class Params:
    """Parameters of ``dataset=skin``."""

    split_seed: int = split_seed()


SUGGESTED = suggested(256.0, 2.0, "found by svmbench tune on five folds of 10,000 training rows")


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Split the file, which is ordered by class, at random into 196,045 / 24,506 / 24,506; bytes / 255."""
    table = raw.csv("data", "\t", label=-1)
    X, y = table.X / 255.0, table.against_rest("1")
    parts = random_parts(X, y, eight_to_one_to_one(y.size), params.split_seed)
    return Prepared(parts, "colours / 255")
