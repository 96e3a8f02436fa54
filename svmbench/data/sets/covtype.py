"""Covertype: one class against the rest, class 1 in the cov1 of Pegasos and the COVTYPE of ASSET."""

from __future__ import annotations

from dataclasses import dataclass

from svmbench.data.dataset import Prepared
from svmbench.data.parameters import Checked, one_of, whole
from svmbench.data.raw import RawFiles
from svmbench.data.sets._covertype import assemble, read_covertype
from svmbench.data.splits import eight_to_one_to_one, nine_to_one, random_split

VERSION = 1
SMALL = 50_000


def fifty_thousand(n: int) -> dict[str, int]:
    """Return the sizes of training and test parts that general SVM programs can handle in minutes."""
    return {"train": SMALL, "test": SMALL}


SIZES = {"cov1": nine_to_one, "asset": eight_to_one_to_one, "50k": fifty_thousand}


@dataclass(frozen=True)
class Params(Checked):
    """Parameters of ``dataset=covtype``."""

    positive_class: int = whole(1, 1, 7)
    split: str = one_of("cov1", "asset", "50k")
    split_seed: int = whole(0, 0)
    scaling: str = one_of("minmax", "standard", "none")


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Split at random: ``cov1`` 522,911 / 58,101 (Pegasos), ``asset`` 464,809 / 58,102 / 58,101 (ASSET).

    ``50k`` has 50,000 / 50,000 examples.
    """
    X, y = read_covertype(raw, params.positive_class)
    rows = random_split(y.size, SIZES[params.split](y.size), params.split_seed)
    return assemble(X, y, rows, params.scaling)
