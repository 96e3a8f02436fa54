"""Adult: LIBSVM's a9a and a9a.t, 123 binary features (Platt 1998)."""

from __future__ import annotations

from dataclasses import dataclass

from svmbench.data.dataset import Part, Prepared
from svmbench.data.parameters import split_seed, suggested
from svmbench.data.raw import RawFiles
from svmbench.data.splits import random_parts
from svmbench.option import option

VERSION = 1


@dataclass(frozen=True)
class Params:
    """Parameters of ``dataset=adult``."""

    split: str = option(
        "official",
        "Training and test examples. official: 32,561 / 16,281, as in Pegasos and SBP. asset: the test set"
        " is halved at random into 8,140 examples for validation and 8,141 for testing.",
        choices=("official", "asset"),
    )
    split_seed: int = split_seed()


SUGGESTED = suggested(
    0.05, 1.0, "sigma² = 10 (Platt; Pegasos; SBP Table 2)", "lam = 1/n (Pegasos Table 2; SBP Table 2)"
)


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Read both files; ``asset`` splits the test set at random into validation and test (ASSET, Table 1)."""
    train, test = raw.libsvm("train"), raw.libsvm("test")
    y = test.against_rest("1")
    parts = {"train": Part(train.X, train.against_rest("1")), "test": Part(test.X, y)}
    if params.split == "asset":
        sizes = {"validation": y.size // 2, "test": y.size - y.size // 2}
        parts |= random_parts(test.X, y, sizes, params.split_seed)
    return Prepared(parts, "none: binary features 0 and 1")
