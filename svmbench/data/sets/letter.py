"""Letter: printed capitals, A to M against N to Z or all (Slate 1991), as scaled on the LIBSVM data page."""

from __future__ import annotations

from dataclasses import dataclass

from svmbench.data.dataset import Part, Prepared
from svmbench.data.parameters import EVERY, suggested
from svmbench.data.raw import RawFiles
from svmbench.option import option

VERSION = 1
MULTICLASS = True
LETTERS = tuple(str(number) for number in range(1, 27))


@dataclass(frozen=True)
class Params:
    """Parameters of ``dataset=letter``."""

    task: str = option(
        "A-M",
        "Letters of the positive class. all: each letter is a class, for problem.multiclass, which sets it.",
        choices=("A-M", EVERY),
        later=True,
    )


SUGGESTED = suggested(8.0, 2.83, "found by svmbench tune on five folds of 5,000 training rows")


def prepare(params: Params, raw: RawFiles) -> Prepared:
    """Read both files; labels 1 to 13 (A to M) are positive, unless each letter is a separate class."""
    every = params.task == EVERY
    tables = {key: raw.libsvm(key) for key in ("train", "test")}
    parts = {
        key: Part(table.X, table.numbered(LETTERS) if every else table.against_rest(*LETTERS[:13]))
        for key, table in tables.items()
    }
    return Prepared(parts, "as published, in [-1, 1]", labels=LETTERS if every else None)
