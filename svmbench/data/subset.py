"""A random subset of the training examples of a data set."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from svmbench.data.dataset import Dataset, density
from svmbench.data.splits import random_split, take
from svmbench.errors import UserError
from svmbench.files import digest


def sampled(data: Dataset, rows: int, seed: int) -> Dataset:
    """Return a data set with some of its training examples, drawn at random, and all of its other parts.

    Parameters
    ----------
    data : Dataset
        The whole set.
    rows : int
        Number of training examples to keep; they stay in their order.
    seed : int
        Seed of the draw. With the same seed, a larger subset contains a smaller one.

    Raises
    ------
    UserError
        If there are fewer training examples than that, or if a class is missing among those drawn.
    """
    n = data.train.n
    if rows > n:
        raise UserError(f"subset={rows} is more than the {n} training examples: give at most {n}")
    train = take(data.train.X, data.train.y, np.sort(random_split(n, {"train": rows}, seed)["train"]))
    classes, drawn = len(data.classes) or 2, np.unique(train.y).size
    if drawn < classes:
        held = "are all of one class" if drawn == 1 else f"hold {drawn} of the {classes} classes"
        raise UserError(
            f"the {rows} training examples that seed={seed} draws {held}: give a larger subset or another "
            "seed"
        )
    positives = {"train": int(np.count_nonzero(train.y > 0.0))}
    info = data.info | {
        "rows": data.info["rows"] | {"train": rows},
        **({"positives": data.info["positives"] | positives} if not data.classes else {}),
        "density": density(train.X),
        "subset": {"rows": rows, "seed": seed, "of": n},
    }
    return replace(data, train=train, checksum=sampled_checksum(data.checksum, rows, seed), info=info)


def sampled_checksum(checksum: str, rows: int, seed: int) -> str:
    """Return the checksum of a subset of the data set with this checksum."""
    return digest([checksum, "subset", rows, seed], 64)
