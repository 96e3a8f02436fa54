"""Covertype: one class against the rest, class 1 in the cov1 of Pegasos and the COVTYPE of ASSET."""

from __future__ import annotations

from dataclasses import dataclass

from svmbench.data.dataset import Prepared
from svmbench.data.parameters import split_seed, suggested
from svmbench.data.raw import RawFiles
from svmbench.data.sets._covertype import assemble, read_covertype
from svmbench.data.splits import eight_to_one_to_one, nine_to_one, random_split
from svmbench.option import option

VERSION = 1
SMALL = 50_000


def fifty_thousand(n: int) -> dict[str, int]:
    """Return the sizes of training and test parts that general SVM programs can handle in minutes."""
    return {"train": SMALL, "test": SMALL}


SIZES = {"cov1": nine_to_one, "asset": eight_to_one_to_one, "50k": fifty_thousand}


@dataclass(frozen=True)
class Params:
    """Parameters of ``dataset=covtype``."""

    positive_class: int = option(
        1,
        "Forest cover type of the positive class, 1 to 7; all others are negative. 1, as in Pegasos and "
        "ASSET.",
        min=1,
        max=7,
    )
    split: str = option(
        "cov1",
        "Training and test examples, split at random. cov1: 522,911 / 58,101 (Pegasos; Nguyen et al.). "
        "asset: 464,809 / 58,102 for validation / 58,101. The papers do not publish their permutations. "
        "50k: 50,000 / 50,000, which general SVM programs solve in minutes.",
        choices=("cov1", "asset", "50k"),
    )
    split_seed: int = split_seed()
    scaling: str = option(
        "minmax",
        "Scaling of the 10 numeric features by the training examples. minmax: to [0, 1], for ASSET's "
        "gamma. standard: to mean 0 and standard deviation 1. none: as published.",
        choices=("minmax", "standard", "none"),
    )


SUGGESTED = suggested(1.0, 3.0, "ASSET Table 1")


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Split at random: ``cov1`` 522,911 / 58,101 (Pegasos), ``asset`` 464,809 / 58,102 / 58,101 (ASSET).

    ``50k`` has 50,000 / 50,000 examples.
    """
    X, y = read_covertype(raw, params.positive_class)
    rows = random_split(y.size, SIZES[params.split](y.size), params.split_seed)
    return assemble(X, y, rows, params.scaling)
